/** Translates values of hotlist files to Odin's: dates, priorities, makes and colors in the formats of many systems. */

import { VEHICLE_COLORS } from "#app/entities/search/vehicle.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { instantsAt } from "#app/lib/time/wall-clock.ts";
import type { EntryFields, Priority } from "./entry.ts";
import type { DateOrder } from "./layout.ts";

/** An entry of a file. `expires` is an ISO time, or empty if the file has none. */
export type FileRow = { entry: EntryFields; expires: string };
export type RowRead =
  | { row: FileRow; problem?: undefined }
  | { row?: undefined; problem: string; plate: string };

/** Odin's names of vehicle colors. */
export const COLOR_NAMES = VEHICLE_COLORS.map(({ name }) => name);

/** Returns Odin's spelling of a word, or an empty text if it is not in the list. */
export function spellingIn(words: readonly string[], text: string): string {
  const lower = text.toLowerCase();
  return words.find((word) => word.toLowerCase() === lower) ?? "";
}

/** Returns the priority that a text names, or undefined. */
export function priorityOf(text: string): Priority | undefined {
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

/** The start and end of a date in milliseconds since 1970. Both are the same instant if it has a time of day. */
export type DateSpan = { from: number; until: number };

const DATE =
  /^(?:(\d{4})[/-](\d{1,2})[/-](\d{1,2})|(\d{4})(\d\d)(\d\d)|(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d\d))(?:,?[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?: ?([AP])\.?M\.?)?)?(?: ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?$/i;

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);
/** A date with the name of its month: `31-MAY-27` of Oracle and Excel, `May 31, 2027`. */
const NAMED_MONTH =
  /^(?:(\d{1,2})[ -]([a-z]{3,9})[ -](\d{4}|\d\d)|([a-z]{3,9})\.? (\d{1,2}),? (\d{4}))(?!\d)/i;

/** Returns a date whose month has a name with its number instead, the year first; any other text unchanged. */
function withMonthNumber(text: string): string {
  return text.replace(NAMED_MONTH, (found, day1, name1, year1, name2, day2, year2) => {
    const name = String(name1 ?? name2).toLowerCase();
    const month = MONTHS.findIndex((full) => full.startsWith(name)) + 1;
    return month === 0 ? found : `${fullYear(year1 ?? year2)}-${month}-${day1 ?? day2}`;
  });
}

const DOTTED = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/;

/**
 * Returns a date with dots with the year first. In most countries such dates begin with the day, but not in all files
 * from the United States: a date that could mean two days stays as it is, unless dates of the file begin with the day.
 */
function withoutDots(text: string, order: DateOrder): string {
  return text.replace(DOTTED, (found, first, second, year) => {
    const [left, right] = [Number(first), Number(second)];
    if (order === "dmy" || left > 12 || left === right) return `${year}-${second}-${first}`;
    return right > 12 ? `${year}-${first}-${second}` : found;
  });
}

/**
 * Parses `2027-05-31`, `2027/05/31`, `20270531`, `5/31/2027`, `12/31/26`, `31-MAY-27`, `May 31, 2027` and `31.05.2027`,
 * each with or without a time (12 or 24 hours) and a zone.
 * Dates without a zone are in `zone` (IANA). A day ends at its last millisecond, so that screens show that day. A time
 * that occurs twice in fall is the first for `from` and the last for `until`; one that is skipped in spring is the
 * instant of the change. Returns null for an empty text and undefined for a text that is not a calendar date.
 */
export function dateOf(
  text: string,
  { zone, order = "mdy" }: { zone: string; order?: DateOrder | undefined },
): DateSpan | null | undefined {
  if (text === "") return null;
  // Apple's programs write a narrow no-break space before AM and PM.
  const found = DATE.exec(text) ?? DATE.exec(withoutDots(withMonthNumber(text.replace(/\s/g, " ")), order));
  if (!found) return undefined;
  const [, y1, m1, d1, y2, m2, d2, first, second, y3, hour, minute, seconds, half, offset] = found;
  const [month3, day3] = order === "mdy" ? [first, second] : [second, first];
  const year = fullYear(y1 ?? y2 ?? y3 ?? "");
  const month = Number(m1 ?? m2 ?? month3);
  const day = Number(d1 ?? d2 ?? day3);
  const midnight = Date.UTC(year, month - 1, day);
  // Date.UTC turns February 31 into March 3.
  if (new Date(midnight).toISOString().slice(0, 10) !== `${year}-${two(month)}-${two(day)}`) return undefined;
  if (hour === undefined) {
    if (offset !== undefined) return undefined;
    return { from: instantOf(midnight, zone).from, until: instantOf(midnight + DAY, zone).from - 1 };
  }
  const hours = half === undefined ? Number(hour) : hour24(Number(hour), half);
  if (hours === undefined || hours > 23 || Number(minute) > 59 || Number(seconds ?? 0) > 59) return undefined;
  const clock = midnight + hours * HOUR + Number(minute) * MINUTE + Number(seconds ?? 0) * SECOND;
  if (offset === undefined) return instantOf(clock, zone);
  const at = clock - offsetOf(offset);
  return { from: at, until: at };
}

const NO_EXPIRY = new Set([
  ..."na nil none null never nx nonexp nonexpiring noexp noexpiry noexpiration".split(" "),
  ...["", "indefinite", "indefinitely", "permanent"],
]);

/** Returns whether a file's text means that an entry has no expiry of its own, as `NONEXP`, `N/A` and `-` do. */
export function isNoExpiry(text: string): boolean {
  return NO_EXPIRY.has(text.toLowerCase().replace(/[\s./_–—-]/g, ""));
}

const two = (value: number) => String(value).padStart(2, "0");

/** Two-digit years: `26` is 2026, and `99` is 1999. */
function fullYear(text: string): number {
  const year = Number(text);
  return text.length === 2 ? year + (year < 70 ? 2000 : 1900) : year;
}

function hour24(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toUpperCase() === "P" ? 12 : 0);
}

function offsetOf(text: string): number {
  const found = /([+-])(\d\d):?(\d\d)?/.exec(text);
  if (!found) return 0;
  const size = Number(found[2]) * HOUR + Number(found[3] ?? 0) * MINUTE;
  return found[1] === "-" ? -size : size;
}

const instants = new Map<string, DateSpan>();
const INSTANTS_KEPT = 1000;

/**
 * Returns the instants at which the clocks of a zone show a time, passed as if it were UTC. Cached, since files repeat
 * dates.
 */
function instantOf(clock: number, zone: string): DateSpan {
  const key = `${clock} ${zone}`;
  const kept = instants.get(key);
  if (kept) return kept;
  if (instants.size >= INSTANTS_KEPT) instants.clear();
  const found = findInstant(clock, zone);
  instants.set(key, found);
  return found;
}

/** Files write the last days of year 9999 for "never". They are read as UTC, because no clock after them has a date. */
const NEVER_FROM = Date.UTC(9999, 11, 30);
const LONGEST_SKIP = 3 * HOUR;

function findInstant(clock: number, zone: string): DateSpan {
  if (clock >= NEVER_FROM) return { from: clock, until: clock };
  // If the time is skipped in spring, use the first time after it that clocks show.
  for (let shown = clock; shown <= clock + LONGEST_SKIP; shown += MINUTE) {
    const found = instantsAt(new Date(shown).toISOString().slice(0, 19), zone) ?? [];
    const [from] = found;
    if (from !== undefined) return { from, until: found.at(-1) ?? from };
  }
  return { from: clock, until: clock };
}

/** Returns the result of a row that cannot be read, with at most 40 characters of its plate. */
export function refused(problem: string, plate: string): RowRead {
  return { problem, plate: visibleText(plate).slice(0, 40) };
}
