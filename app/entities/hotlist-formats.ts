/**
 * The layouts of hotlist files: from a record to an entry, or to the reason why it is none. Layouts with a header are
 * mapped by the names in it; the others stand at fixed places (openalpr_hotlist_import, and vendors' own pages).
 */

import { visibleText } from "#app/lib/text.ts";
import {
  CASE_NUMBER_MAX,
  type EntryFields,
  NOTES_MAX,
  type Priority,
  parseEntryPlate,
  parseEntryState,
  REASON_MAX,
} from "./hotlist.ts";
import type { ImportPreset } from "./hotlist-import.ts";
import { ncicColor, ncicIsUrgent, ncicLetters, ncicMake, ncicReason, ncicStyle } from "./ncic.ts";
import { US_STATES, VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "./vehicle.ts";

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

/** An entry of a file. `expires` is ISO, or empty where the file says nothing. */
export type FileRow = { entry: EntryFields; expires: string };
export type RowRead =
  | { row: FileRow; problem?: undefined }
  | { row?: undefined; problem: string; plate: string };

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

function refused(problem: string, plate: string): RowRead {
  return { problem, plate: visibleText(plate).slice(0, 40) };
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

const COLOR_NAMES = VEHICLE_COLORS.map(({ name }) => name);

function known(words: readonly string[], text: string): string {
  const lower = text.toLowerCase();
  return text === "" ? "" : (words.find((word) => word.toLowerCase() === lower) ?? "");
}

function priorityOf(text: string): Priority | undefined {
  switch (text.toLowerCase()) {
    case "":
    case "normal":
    case "medium":
    case "med":
      return "normal";
    case "high":
      return "high";
    case "low":
      return "low";
    default:
      return undefined;
  }
}

const STATE_NAMES = new Map<string, string>(
  US_STATES.map(({ code, name }) => [name.toLowerCase().replaceAll(" ", ""), code]),
);

/** `CT`, Rekor's `us-ct`, Flock's `new_york`, or a name; undefined where it is none of these. */
function stateOf(text: string): string | undefined {
  const plain = text
    .toLowerCase()
    .replace(/^(us|ca|mx)-/, "")
    .replace(/[\s_-]/g, "");
  return STATE_NAMES.get(plain) ?? parseEntryState(plain);
}

/** A date as ISO text, empty where there is none, undefined where it is no date of a calendar. */
function dateOf(text: string): string | undefined {
  if (text === "") return "";
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text);
  const compact = /^(\d{4})(\d\d)(\d\d)$/.exec(text);
  const iso = american
    ? `${american[3]}-${american[1]?.padStart(2, "0")}-${american[2]?.padStart(2, "0")}`
    : compact
      ? `${compact[1]}-${compact[2]}-${compact[3]}`
      : text;
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(iso)) return undefined;
  const at = Date.parse(iso.includes(" ") ? iso.replace(" ", "T") : iso);
  // Date.parse takes 31 February for 3 March.
  const day = new Date(`${iso.slice(0, 10)}T00:00:00Z`);
  if (!Number.isFinite(at) || !Number.isFinite(day.getTime())) return undefined;
  if (day.toISOString().slice(0, 10) !== iso.slice(0, 10)) return undefined;
  return iso.length === 10
    ? new Date(day.getTime() + 35 * 60 * 60 * 1000).toISOString()
    : new Date(at).toISOString();
}

/** NCIC vehicle extract (VEHEXTRT.txt): slices as in the vendor's importer, checked against its sample line. */
function readNcic(line: string): RowRead {
  const slice = (from: number, to?: number) => line.slice(from, to).trim();
  const number = slice(27, 37);
  if (line.length < 39) return refused("The line is too short.", number);
  const plate = parseEntryPlate(number, { wildcards: false });
  if (plate.problem !== undefined) return refused(plate.problem, number);
  const state = parseEntryState(ncicLetters(slice(37, 39)));
  if (state === undefined) return refused(`"${slice(37, 39)}" is no state.`, number);
  const code = slice(0, 1).toUpperCase();
  if (!/^[A-Z]$/.test(code)) return refused("The line does not begin with a file code.", number);
  const day = slice(19, 27);
  const facts = [
    ["NCIC", slice(0, 10)],
    ["ORI", slice(10, 19)],
    ["entered", /^\d{8}$/.test(day) ? `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}` : day],
    ["plate type", slice(43, 45)],
    ["plate year", slice(39, 43)],
    [
      "vehicle",
      [slice(45, 49), slice(49, 53), slice(53, 56), slice(56, 58), slice(58)].filter(Boolean).join(" "),
    ],
  ];
  return {
    row: {
      entry: {
        plate: plate.plate,
        state,
        reason: ncicReason(code),
        notes: visibleText(
          facts.flatMap(([name, value]) => (value ? `${name} ${value}` : [])).join(", "),
        ).slice(0, NOTES_MAX),
        caseNumber: visibleText(slice(0, 10)),
        // NCIC writes zero for O, so that a zero may be either on the plate.
        matchPolicy: plate.plate.includes("0") ? "lookalike" : "exact",
        stateRequired: false,
        make: ncicMake(slice(49, 53)),
        color: ncicColor(slice(58)),
        bodyType: ncicStyle(slice(56, 58), slice(43, 45)),
        priority: ncicIsUrgent(code) ? "high" : "normal",
      },
      expires: "",
    },
  };
}

/** Connecticut COLLECT: the state's own list. Its expiry is that of the registration, not of the entry. */
function readCollect(line: string): RowRead {
  const slice = (from: number, to?: number) => visibleText(line.slice(from, to));
  const number = slice(0, 8);
  const plate = parseEntryPlate(number, { wildcards: false });
  if (plate.problem !== undefined) return refused(plate.problem, number);
  if (line.length < 192) return refused("The line is too short.", number);
  const expiry = slice(192, 200);
  if (expiry !== "" && !/^\d{8}$/.test(expiry)) return refused(`"${expiry}" is no date.`, number);
  const [make, color, style] = [slice(38, 68), slice(128, 158), slice(98, 128)];
  const status = slice(200, 202);
  const facts = [
    ["class", slice(8, 38)],
    ["vehicle", [slice(158, 162), make, slice(68, 98), style, color].filter(Boolean).join(" ")],
    ["usage", slice(162, 192)],
    ["registration expires", expiry && `${expiry.slice(0, 4)}-${expiry.slice(4, 6)}-${expiry.slice(6)}`],
  ];
  return {
    row: {
      entry: {
        plate: plate.plate,
        state: "CT",
        reason: status ? `COLLECT status ${status}` : "COLLECT",
        notes: facts
          .flatMap(([name, value]) => (value ? `${name} ${value}` : []))
          .join(", ")
          .slice(0, NOTES_MAX),
        caseNumber: "",
        matchPolicy: "exact",
        stateRequired: false,
        make: known(VEHICLE_MAKES, make) || ncicMake(make),
        color: known(COLOR_NAMES, color) || ncicColor(color),
        bodyType: known(VEHICLE_BODY_TYPES, style) || ncicStyle(style, ""),
        priority: "normal",
      },
      expires: "",
    },
  };
}
