/**
 * Layouts of files whose first line names the columns: the headings of vendors and agencies, and the field each stands
 * for.
 */

import { visibleText } from "#app/lib/text.ts";
import { SENT_REASON_MAX } from "./entry.ts";
import type { ImportPreset } from "./import.ts";
import { type Delimiter, type HotlistLayout, LAYOUT_FIELDS, type LayoutField } from "./layout.ts";

/**
 * Headings are compared by their lowercase letters only, so `Plate #`, `plate_number` and `PlateNumber` are the same.
 */
const HEADINGS: Partial<Record<LayoutField, string[]>> = {
  // In this order if a file has several: a column `Number` or `Tag` may count rows or name something else.
  plate: [
    "plate",
    "platenumber",
    "platenum",
    "licenseplate",
    "licenseplatenumber",
    "licenceplate",
    "licenseplateno",
    "licenseplatenum",
    "plateno",
    "platetext",
    "licplate",
    "licenseno",
    "licensenumber",
    "licno",
    "lpn",
    "hotplate",
    "vehicleplate",
    "tagnumber",
    "tagno",
    "tag",
    "lic",
    "license",
    "registration",
    "number",
  ],
  state: [
    "state",
    "stateprovince",
    "platestate",
    "platestateprovince",
    "platestateorprovince",
    "licensestate",
    "licenseplatestate",
    "licenceplatestate",
    "licensestateprovince",
    "licstate",
    "licst",
    "tagstate",
    "tagst",
    "statecode",
    "platest",
    "registrationstate",
    "issuingstate",
    "lis",
    "st",
    "region",
    "province",
    "jurisdiction",
    "plateissuer",
  ],
  reason: [
    "reason",
    "description",
    "category",
    "alert",
    "alerttype",
    "alertreason",
    "alertname",
    "offense",
    "offence",
    "hotlistreason",
  ],
  notes: [
    "notes",
    "note",
    "notemessage",
    "comment",
    "comments",
    "remarks",
    "detail",
    "details",
    "information",
  ],
  expiry: [
    "expiry",
    "expires",
    "expirydate",
    "expirydatetime",
    "expirationdate",
    "expirationdatetime",
    "expiration",
    "expiresat",
    "expireson",
    "validuntil",
    "purgedate",
    "enddate",
  ],
  effective: ["effectivedate", "effective", "startdate", "effectivefrom"],
  caseNumber: [
    "casenumber",
    "case",
    "caseno",
    "casenum",
    "incident",
    "incidentnumber",
    "incidentno",
    "reportnumber",
    "oca",
  ],
  make: ["make", "vehiclemake", "vehmake", "vma"],
  model: ["model", "vehiclemodel", "vehmodel", "vmo"],
  year: ["year", "vehicleyear", "vehyear", "modelyear", "vyr"],
  color: ["color", "colour", "vehiclecolor", "vehiclecolour", "vehcolor", "vco"],
  body: ["body", "bodytype", "bodystyle", "vehiclebodytype", "vehicletype", "style", "vst"],
  plateType: ["platetype", "lit"],
  priority: ["priority", "alertlevel", "severity"],
  match: ["match", "matchpolicy", "matchstrategy"],
};

/** Columns that serve as the reason if no other column does. */
const REASON_FALLBACKS = ["topic", "hotlist", "hotlistname", "listname", "list", "alertgroup"];

const plain = (heading: string) => heading.toLowerCase().replace(/[^a-z]/g, "");

const FIELD_OF = new Map(
  LAYOUT_FIELDS.flatMap(({ value }) => (HEADINGS[value] ?? []).map((name) => [name, value] as const)),
);

/** Returns the field that a heading stands for, or undefined if the heading is not known. */
export function fieldOfHeading(heading: string): LayoutField | undefined {
  return FIELD_OF.get(plain(heading));
}

/** Beside a plate, such a column counts the rows. Keeping it would make every entry look changed in each day's file. */
const ROW_NUMBER = "number";

/**
 * Returns the field of each column, or undefined if its heading is not known. Each field has one column, the first; the
 * plate's is the one whose heading is least general. Further columns of a field are `info`, except a number of the row.
 */
export function fieldsOfHeadings(headings: readonly string[]): (LayoutField | undefined)[] {
  const fields = headings.map(fieldOfHeading);
  const names = headings.map(plain);
  const plate = names.indexOf(HEADINGS.plate?.find((name) => names.includes(name)) ?? "");
  return fields.map((field, column) => {
    const chosen = field === "plate" ? plate : fields.indexOf(field);
    if (column === chosen) return field;
    return field && names[column] !== ROW_NUMBER ? "info" : undefined;
  });
}

/**
 * Returns the columns that a heading line names, or an empty list if none of them is a plate. A further reason or note is
 * read if the first is empty, and is `info` otherwise.
 */
export function partsOfHeadings(headings: readonly string[]): HotlistLayout["parts"] {
  const fields = fieldsOfHeadings(headings);
  if (!fields.includes("plate")) return [];
  const parts = fields.flatMap((field, column): HotlistLayout["parts"] => {
    const heading = headings[column] ?? "";
    if (field !== "info") return field ? [{ field, column }] : [];
    const meant = fieldOfHeading(heading);
    const info = { field, column, label: visibleText(heading).slice(0, 60) };
    return meant === "reason" || meant === "notes" ? [{ field: meant, column }, info] : [info];
  });
  headings.forEach((heading, column) => {
    if (REASON_FALLBACKS.includes(plain(heading))) parts.push({ field: "reason", column });
  });
  return parts;
}

/** Maximum number of ignored headings that an import names. */
export const IGNORED_SHOWN = 20;
const HEADING_SHOWN = 60;

/** Returns the first headings of a file whose columns its layout does not read. */
export function ignoredHeadings({ parts }: HotlistLayout, headings: readonly string[]): string[] {
  return headings
    .map((heading, column) =>
      parts.some((part) => part.column === column) ? "" : visibleText(heading).slice(0, HEADING_SHOWN),
    )
    .filter(Boolean)
    .slice(0, IGNORED_SHOWN);
}

/** Vendors whose files have a heading line: the columns required, and the columns that a row may leave empty. */
const NAMED = {
  odin: { delimiters: [",", ";", "\t", "|", ":"], required: [], reasonNeeded: true },
  rekor: { delimiters: [","], required: ["reason"], reasonMax: SENT_REASON_MAX },
  flock: {
    delimiters: [",", ";", "\t", "|", ":"],
    required: [],
    reasonNeeded: true,
    reasonMax: SENT_REASON_MAX,
  },
  genetec: { delimiters: [";", ",", ":", "\t"], required: [], reasonMax: SENT_REASON_MAX },
  vigilant: {
    delimiters: [",", ";", "\t", "|"],
    required: ["state"],
    reasonNeeded: true,
    reasonMax: SENT_REASON_MAX,
  },
} satisfies Partial<
  Record<
    ImportPreset,
    { delimiters: Delimiter[]; required: LayoutField[]; reasonNeeded?: boolean; reasonMax?: number }
  >
>;
export type NamedPreset = keyof typeof NAMED;

/** Returns whether a preset's files have a heading line that names their columns. */
export function isNamedPreset(preset: string): preset is NamedPreset {
  return Object.hasOwn(NAMED, preset);
}

/**
 * Returns the delimiters that files of a preset may have, in the order in which they are tried; of equally good ones
 * the first is taken.
 */
export function delimitersOf(preset: NamedPreset): Delimiter[] {
  return NAMED[preset].delimiters;
}

/** Returns the layout of a file with this heading line, or a user-facing message about what is missing. */
export function layoutOfHeadings(
  preset: NamedPreset,
  headings: readonly string[],
  delimiter: Delimiter,
): { layout: HotlistLayout; problem?: undefined } | { layout?: undefined; problem: string } {
  const {
    required,
    ...rules
  }: { required: readonly LayoutField[]; delimiters: Delimiter[] } & Pick<
    HotlistLayout,
    "reasonNeeded" | "reasonMax"
  > = NAMED[preset];
  const parts = partsOfHeadings(headings);
  const has = (field: LayoutField) => parts.some((part) => part.field === field);
  if (parts.length === 0)
    return {
      problem: "The first line does not name a plate column. Detect the layout automatically instead.",
    };
  if (!required.every(has))
    return {
      problem:
        preset === "rekor"
          ? "A Rekor file begins with Plate Number,Description,State/Province."
          : "A Vigilant file has the columns Plate, State and Alert.",
    };
  // Vendors' notes serve as the reason if no other column does. Odin's own template must have a reason column.
  const notes = preset === "odin" ? [] : parts.filter(({ field }) => field === "notes");
  parts.push(...notes.map((part) => ({ ...part, field: "reason" as const })));
  const { reasonNeeded, reasonMax } = rules;
  return {
    layout: {
      kind: "delimited",
      delimiter,
      header: 1,
      width: headings.length,
      parts,
      reasonNeeded,
      reasonMax,
    },
  };
}

/** Returns the vendor of a file by its heading line, or `odin` if no vendor's headings are present. */
export function vendorOfHeadings(headings: readonly string[]): NamedPreset {
  const names = headings.map(plain);
  const has = (...words: string[]) => words.every((word) => names.includes(word));
  if (has("platenumber", "description", "stateprovince") || has("description", "matchstrategy"))
    return "rekor";
  if (has("category", "platenumber") || has("platestate", "platenumber")) return "genetec";
  if (has("hotplate", "alert") || has("plate", "state", "alert")) return "vigilant";
  return has("plate", "casenumber") && (has("note") || has("notemessage")) ? "flock" : "odin";
}
