/**
 * The layouts of hotlist files: from a record to an entry, or to the reason why it is none. Layouts with a header are
 * mapped by the names in it; the others stand at fixed places (openalpr_hotlist_import, and vendors' own pages).
 */

import { visibleText } from "#app/lib/text.ts";
import { CASE_NUMBER_MAX, NOTES_MAX, parseEntryPlate, REASON_MAX, REASON_NEEDED } from "./hotlist.ts";
import { readCollect, readNcic } from "./hotlist-fixed.ts";
import type { ImportPreset } from "./hotlist-import.ts";
import { COLOR_NAMES, dateOf, known, priorityOf, type RowRead, refused, stateOf } from "./hotlist-words.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_MAKES } from "./vehicle.ts";

/** Where the columns of a file stand, decided from its first record and kept with the import. */
export type FileLayout = {
  preset: ImportPreset;
  delimiter: string | null;
  newline: "\n" | "\r";
  /** Field name to column. */
  columns: Record<string, number>;
  /** Whether the first record is a header and no row. */
  header: boolean;
};

const ALIASES: Record<string, string[]> = {
  plate: [
    "plate",
    "platenumber",
    "licenseplate",
    "licenceplate",
    "plateno",
    "lpn",
    "tag",
    "number",
    "hotplate",
  ],
  state: ["state", "stateprovince", "platestate", "lis", "region", "province"],
  reason: ["reason", "description", "category", "alert", "offense", "offence"],
  notes: ["notes", "note", "notemessage", "comment", "comments", "remarks"],
  expiry: ["expiry", "expires", "expirydate", "expirationdate", "expiration", "expiresat"],
  effective: ["effectivedate", "effective"],
  case: ["casenumber", "case", "caseno", "incident"],
  make: ["make", "vehiclemake", "vma"],
  color: ["color", "colour", "vehiclecolor", "vco"],
  body: ["body", "bodytype", "vehiclebodytype"],
  priority: ["priority", "alertlevel"],
  match: ["match", "matchpolicy", "matchstrategy"],
};

function nameOf(heading: string): string | undefined {
  const plain = heading
    .replace(/^\uFEFF|^ï»¿/, "")
    .toLowerCase()
    .replace(/[^a-z]/g, "");
  return Object.keys(ALIASES).find((name) => ALIASES[name]?.includes(plain));
}

/** Columns of Genetec's attributes where a file has no header (techdocs.genetec.com, hotlist attributes). */
const GENETEC_COLUMNS = { reason: 0, state: 1, plate: 2, effective: 3, expiry: 4, notes: 5 };

/** Delimiters that a layout may have; none where it stands in fixed places. */
export function delimitersOf(preset: ImportPreset): string[] | null {
  switch (preset) {
    case "ncic":
    case "collect":
      return null;
    case "genetec":
      return [";", ",", ":", "\t"];
    case "rekor":
      return [","];
    default:
      return [",", ";", "\t", "|"];
  }
}

/** The layout of a file by its first record, or why the preset does not fit, in the user's words. */
export function layoutOf(
  preset: ImportPreset,
  first: readonly string[],
  format: Pick<FileLayout, "delimiter" | "newline">,
): { layout: FileLayout; problem?: undefined } | { layout?: undefined; problem: string } {
  const layout = (columns: Record<string, number>, header: boolean) => ({
    layout: { preset, ...format, columns, header },
  });
  if (preset === "ncic") return layout({}, true);
  if (preset === "collect") return layout({}, false);
  const columns: Record<string, number> = {};
  first.forEach((heading, index) => {
    const name = nameOf(heading);
    if (name !== undefined && columns[name] === undefined) columns[name] = index;
  });
  if (columns.plate === undefined && preset === "genetec") return layout(GENETEC_COLUMNS, false);
  if (columns.plate === undefined)
    return { problem: "The first line must name the columns, and none of them is a plate column." };
  if (preset === "rekor" && (columns.reason === undefined || columns.state === undefined))
    return { problem: "A Rekor file begins with Plate Number,Description,State/Province." };
  return layout(columns, true);
}

/** What a record says. */
export function readRow(layout: FileLayout, fields: readonly string[], now: number): RowRead {
  switch (layout.preset) {
    case "ncic":
      return readNcic(fields[0] ?? "");
    case "collect":
      return readCollect(fields[0] ?? "");
    default:
      return readColumns(layout, fields, now);
  }
}

function readColumns({ columns, preset }: FileLayout, fields: readonly string[], now: number): RowRead {
  const field = (name: string) => {
    const at = columns[name];
    return at === undefined ? "" : visibleText(fields[at] ?? "");
  };
  const number = field("plate");
  const plate = parseEntryPlate(number, { wildcards: false });
  if (plate.problem !== undefined) return refused(plate.problem, number);
  const state = stateOf(field("state"));
  if (state === undefined) return refused(`"${field("state").slice(0, 40)}" is no state.`, number);
  const expires = dateOf(field("expiry"));
  if (expires === undefined) return refused(`"${field("expiry").slice(0, 40)}" is no date.`, number);
  if (expires !== "" && Date.parse(expires) <= now) return refused("It has expired.", number);
  const effective = dateOf(field("effective"));
  if (effective === undefined) return refused(`"${field("effective").slice(0, 40)}" is no date.`, number);
  if (effective !== "" && Date.parse(effective) > now)
    return refused("It takes effect later than today.", number);
  const [reason, notes, caseNumber] = [field("reason"), field("notes"), field("case")];
  // Lists of other makers may leave it out; ours and Flock's may not.
  if (reason === "" && (preset === "odin" || preset === "flock")) return refused(REASON_NEEDED, number);
  if (reason.length > (preset === "rekor" ? 1000 : REASON_MAX))
    return refused("The reason is too long.", number);
  if (notes.length > NOTES_MAX) return refused("The notes are too long.", number);
  if (caseNumber.length > CASE_NUMBER_MAX) return refused("The case number is too long.", number);
  const priority = priorityOf(field("priority"));
  if (priority === undefined) return refused("The priority is high, normal or low.", number);
  return {
    row: {
      entry: {
        plate: plate.plate,
        state,
        reason: reason.slice(0, REASON_MAX),
        // Rekor's description may be longer than a reason: what is left over is not lost.
        notes: (reason.length > REASON_MAX ? `${reason.slice(REASON_MAX)} ${notes}` : notes).trim(),
        caseNumber,
        matchPolicy: /look|similar|fuzzy|lenient/i.test(field("match")) ? "lookalike" : "exact",
        stateRequired: false,
        make: known(VEHICLE_MAKES, field("make")),
        color: known(COLOR_NAMES, field("color")),
        bodyType: known(VEHICLE_BODY_TYPES, field("body")),
        priority,
      },
      expires,
    },
  };
}
