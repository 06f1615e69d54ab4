/** Reads a record of a hotlist file by a layout: the result is an entry, or the reason why the row is rejected. */

import { VEHICLE_BODY_TYPES, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";
import { beginning, visibleText } from "#app/lib/text.ts";
import {
  CASE_NUMBER_MAX,
  NOTES_MAX,
  parseEntryPlate,
  parseEntryState,
  REASON_MAX,
  REASON_NEEDED,
} from "./entry.ts";
import type { HotlistLayout, LayoutField, LayoutPart, Place } from "./layout.ts";
import { isUrgentCode, ncicColor, ncicMake, ncicStyle, reasonOfCode } from "./ncic.ts";
import { COLOR_NAMES, dateOf, isNoExpiry, priorityOf, type RowRead, refused, spellingIn } from "./words.ts";

/** Returns the raw text of a place in a record; empty if the record ends before it. */
export function placeText(place: Place, fields: readonly string[]): string {
  return sliced(fields[place.column ?? 0] ?? "", place);
}

function sliced(text: string, { from, to }: Place): string {
  // Negative positions count from the last visible character.
  const value = (from ?? 0) < 0 || (to ?? 0) < 0 ? text.trimEnd() : text;
  return value.slice(from, to);
}

/** Returns the value of one part of a layout in a record; empty if it has none. */
export function partValue(part: LayoutPart, fields: readonly string[], delimiter: string | null): string {
  if (part.when) {
    const there = placeText(part.when, fields);
    if (part.when.is && !part.when.is.includes(there.trim().toUpperCase())) return "";
    if (part.when.contains !== undefined && !there.toUpperCase().includes(part.when.contains)) return "";
  }
  if (part.text !== undefined) return part.text;
  const column = part.column ?? 0;
  let value = part.rest ? fields.slice(column).join(delimiter ?? "") : cellText(fields[column] ?? "");
  if (part.after) {
    const found = firstOf(part.after, value);
    if (!found) return "";
    value = value.slice(found.at + found.length);
  }
  if (part.before) {
    const found = firstOf(part.before, value);
    if (!found) return "";
    value = value.slice(0, found.at);
  }
  if (part.word !== undefined) value = value.split(" ").at(part.word) ?? "";
  value = sliced(value, part);
  if (part.beforeDigit) value = value.replace(/\d.*/s, "");
  const text = visibleText(value);
  return text && `${part.prefix ?? ""}${text}`;
}

/**
 * Returns the text of a spreadsheet's cell. Files write `="0123"` so that a spreadsheet keeps the zero, and `'=1` (as
 * Odin's own exports do) so that it runs no formula. An apostrophe also marks a cell as text.
 */
function cellText(cell: string): string {
  return /^\s*="([^"]*)"\s*$/.exec(cell)?.[1] ?? cell.replace(/^\s*'(?=[^\s'][^']*$)/, "");
}

const MONTH = "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
/** How a spreadsheet shows plates that it mistakes for dates: MAR12 as `12-Mar`, MAR2012 as `Mar-12`. */
const SHEET_DATE = new RegExp(`^(\\d{1,2}-${MONTH}|${MONTH}-\\d\\d)$`);

/** How a spreadsheet shows plates that it mistakes for large numbers. Their digits are lost. */
const SHEET_NUMBER = /^\d([.,]\d+E[+-]|E\+)\d+$/i;

/** Returns the digits of `123456.0` and `123456.00`, as written by programs that mistake plates for numbers. */
function withoutFraction(text: string): string {
  return text.replace(/^(\d+)\.00?$/, "$1");
}

function firstOf(markers: string[], text: string): { at: number; length: number } | undefined {
  return markers
    .map((marker) => ({ at: text.indexOf(marker), length: marker.length }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0];
}

/** Returns whether a record is a header, a footer or an empty line, judged by its content. */
export function isSkipped({ skip = [] }: HotlistLayout, fields: readonly string[]): boolean {
  const first = (fields[0] ?? "").trimStart().toUpperCase();
  return (
    fields.every((field) => visibleText(field) === "") ||
    skip.some((words) => first.startsWith(words.toUpperCase()))
  );
}

/** Returns the entry of a record, or the problem with it. Dates without a time zone are in `zone` (IANA). */
export function readRow(
  layout: HotlistLayout,
  fields: readonly string[],
  { now, zone }: { now: number; zone: string },
): RowRead {
  const partOf = (field: LayoutField) => {
    for (const part of layout.parts) {
      if (part.field !== field) continue;
      const value = partValue(part, fields, layout.delimiter);
      if (value) return { part, value };
    }
    return undefined;
  };
  const field = (name: LayoutField) => partOf(name)?.value ?? "";
  const number = withoutFraction(field("plate"));
  if ((fields[0] ?? "").length < (layout.minLength ?? 0)) return refused("The line is too short.", number);
  if (SHEET_DATE.test(number))
    return refused("A spreadsheet turned this plate into a date. Format the column as text.", number);
  if (SHEET_NUMBER.test(number))
    return refused("A spreadsheet turned this plate into a number. Format the column as text.", number);
  const plate = parseEntryPlate(number, { wildcards: false });
  if (plate.problem !== undefined) return refused(plate.problem, number);
  const state = parseEntryState(field("state") || (layout.state ?? ""), { ncic: layout.ncic === true });
  if (state === undefined) return refused(`"${field("state").slice(0, 40)}" is not a state.`, number);
  const order = layout.dates;
  const expiry = field("expiry");
  const expires = isNoExpiry(expiry) ? null : dateOf(expiry, { zone, order });
  if (expires === undefined) return refused(`"${expiry.slice(0, 40)}" is not a date.`, number);
  if (expires && expires.until <= now) return refused("It has expired.", number);
  const effective = dateOf(field("effective"), { zone, order });
  if (effective === undefined) return refused(`"${field("effective").slice(0, 40)}" is not a date.`, number);
  if (effective && effective.from > now) return refused("It takes effect after today.", number);
  const why = partOf("reason");
  const { reason, urgent } = reasonOf(why, layout);
  if (reason === "" && layout.reasonNeeded) return refused(REASON_NEEDED, number);
  if (reason.length > (layout.reasonMax ?? REASON_MAX)) return refused("The reason is too long.", number);
  const note = partOf("notes");
  // Do not repeat the notes if they served as the reason.
  const served = layout.kind === "delimited" && note !== undefined && note.part.column === why?.part.column;
  const notes = served ? "" : (note?.value ?? "");
  if (notes.length > NOTES_MAX) return refused("The notes are too long.", number);
  const caseNumber = field("caseNumber");
  if (caseNumber.length > CASE_NUMBER_MAX) return refused("The case number is too long.", number);
  const priority = priorityOf(field("priority"));
  if (priority === undefined) return refused("The priority must be high, normal or low.", number);
  const vehicle = vehicleOf(field);
  const lookalike =
    /look|similar|fuzzy|lenient/i.test(field("match")) ||
    // NCIC writes zero for O, so a zero can be either on the plate.
    (layout.ncic === true && plate.plate.includes("0"));
  // Text of a description that is too long for a reason moves to the notes.
  const kept = beginning(reason, REASON_MAX);
  const facts = factsOf(layout, fields, { vehicle: vehicle.words, told: [why, note] });
  const allNotes = [reason.slice(kept.length), notes, facts].filter(Boolean).join(" ").trim();
  return {
    row: {
      entry: {
        plate: plate.plate,
        state,
        reason: kept,
        notes: beginning(allNotes, NOTES_MAX).trim(),
        caseNumber,
        matchPolicy: lookalike ? "lookalike" : "exact",
        stateRequired: false,
        make: vehicle.make,
        color: vehicle.color,
        bodyType: vehicle.body,
        priority: urgent ? "high" : priority,
      },
      expires: expires ? new Date(expires.until).toISOString() : "",
    },
  };
}

function reasonOf(
  found: { part: LayoutPart; value: string } | undefined,
  layout: HotlistLayout,
): { reason: string; urgent: boolean } {
  if (!found) return { reason: layout.reason ?? "", urgent: false };
  const { part, value } = found;
  if (!part.codes) return { reason: value, urgent: false };
  return { reason: reasonOfCode(part.codes, value), urgent: isUrgentCode(part.codes, value) };
}

function vehicleOf(field: (name: LayoutField) => string) {
  const make = field("make");
  const model = field("model");
  const year = field("year");
  const color = field("color");
  const style = field("body");
  const plateType = field("plateType");
  const found = {
    make: spellingIn(VEHICLE_MAKES, make) || ncicMake(make),
    color: spellingIn(COLOR_NAMES, color) || ncicColor(color),
    body: spellingIn(VEHICLE_BODY_TYPES, style) || ncicStyle(style, plateType),
  };
  // Vehicle words that are not in Odin's lists are kept in the notes.
  const isWhole = !model && !year && !(make && !found.make) && !(color && !found.color);
  const words =
    isWhole && !(style && !found.body) ? "" : [year, make, model, style, color].filter(Boolean).join(" ");
  return { ...found, words };
}

/**
 * Returns the facts of a row that have no field in an entry, in the order of the layout. Leaves out a column that
 * already serves as the reason or the notes.
 */
function factsOf(
  layout: HotlistLayout,
  fields: readonly string[],
  { vehicle, told }: { vehicle: string; told: ({ part: LayoutPart; value: string } | undefined)[] },
): string {
  const facts: string[] = [];
  let isVehicleTold = vehicle === "";
  for (const part of layout.parts) {
    if (["year", "make", "model", "color", "body"].includes(part.field) && !isVehicleTold) {
      facts.push(`vehicle ${vehicle}`);
      isVehicleTold = true;
    }
    if (part.field !== "info" && part.field !== "plateType") continue;
    const value = partValue(part, fields, layout.delimiter);
    const isTold = (one: (typeof told)[number]) => one?.part.column === part.column && one?.value === value;
    if (layout.kind === "delimited" && !part.rest && told.some(isTold)) continue;
    const label = part.field === "plateType" ? "plate type" : part.label;
    if (value) facts.push(label ? `${label} ${asDay(value)}` : value);
  }
  const further = layout.width === undefined ? [] : fields.slice(layout.width);
  facts.push(...further.map(visibleText).filter(Boolean));
  return facts.join(", ");
}

/** Returns `20190509` as `2019-05-09`, and any other text unchanged. */
function asDay(text: string): string {
  const found = /^((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])$/.exec(text);
  return found ? `${found[1]}-${found[2]}-${found[3]}` : text;
}
