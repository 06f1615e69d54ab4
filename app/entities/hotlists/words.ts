/** Words of hotlist files in ours: dates, priorities, makes and colors as exports of many systems write them. */

import { VEHICLE_COLORS } from "#app/entities/search/vehicle.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { instantsAt } from "#app/lib/time/wall-clock.ts";
import type { EntryFields, Priority } from "./entry.ts";
import type { DateOrder } from "./layout.ts";

/** An entry of a file. `expires` is ISO, or empty where the file says nothing. */
export type FileRow = { entry: EntryFields; expires: string };
export type RowRead =
  | { row: FileRow; problem?: undefined }
  | { row?: undefined; problem: string; plate: string };

export const COLOR_NAMES = VEHICLE_COLORS.map(({ name }) => name);

/** Our word for a text, or none. */
export function known(words: readonly string[], text: string): string {
  const lower = text.toLowerCase();
  return text === "" ? "" : (words.find((word) => word.toLowerCase() === lower) ?? "");
}

/** Undefined where a text is no priority. */
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

/** When a date of a file begins and ends, in milliseconds; the same instant twice where it has a time of day. */
export type DateSpan = { from: number; until: number };

const DATE =
  /^(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{4})(\d\d)(\d\d)|(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d\d))(?:[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?: ?([AP])\.?M\.?)?)?(?: ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?$/i;

/**
 * Reads `2027-05-31`, `20270531`, `5/31/2027`, `12/31/26`, each with or without a time of 12 or 24 hours and a zone.
 * Dates without a zone are in `zone` (IANA). A day lasts until the millisecond before the next, so
 * that screens show the day itself; a time that occurs twice in
 * autumn is the first for `from` and the last for `until`, one that clocks skip in spring is the moment of the change.
 * Null where there is no date, undefined where the text is not a date of the calendar.
 */
export function dateOf(
  text: string,
  { zone, order = "mdy" }: { zone: string; order?: DateOrder | undefined },
): DateSpan | null | undefined {
  if (text === "") return null;
  const found = DATE.exec(text);
  if (!found) return undefined;
  const [, y1, m1, d1, y2, m2, d2, first, second, y3, hour, minute, seconds, half, offset] = found;
  const [month3, day3] = order === "mdy" ? [first, second] : [second, first];
  const year = fullYear(y1 ?? y2 ?? y3 ?? "");
  const month = Number(m1 ?? m2 ?? month3);
  const day = Number(d1 ?? d2 ?? day3);
  const midnight = Date.UTC(year, month - 1, day);
  // Date.UTC takes 31 February for 3 March.
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

const two = (value: number) => String(value).padStart(2, "0");

/** Lists of plates are about today: `26` is 2026, and `99` is 1999. */
function fullYear(text: string): number {
  const year = Number(text);
  return text.length === 2 ? year + (year < 70 ? 2000 : 1900) : year;
}

function hour24(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toUpperCase() === "P" ? 12 : 0);
}

function offsetOf(text: string): number {
  const found = /^([+-])(\d\d):?(\d\d)?$/.exec(text);
  if (!found) return 0;
  const size = Number(found[2]) * HOUR + Number(found[3] ?? 0) * MINUTE;
  return found[1] === "-" ? -size : size;
}

const instants = new Map<string, DateSpan>();
const INSTANTS_KEPT = 1000;

/** The instants at which clocks of a zone show a time, which is given as if it were UTC. Files repeat their dates. */
function instantOf(clock: number, zone: string): DateSpan {
  const key = `${clock} ${zone}`;
  const kept = instants.get(key);
  if (kept) return kept;
  if (instants.size >= INSTANTS_KEPT) instants.clear();
  const found = findInstant(clock, zone);
  instants.set(key, found);
  return found;
}

function findInstant(clock: number, zone: string): DateSpan {
  const text = new Date(clock).toISOString().slice(0, 19);
  const found = instantsAt(text, zone) ?? [];
  const [from, until] = [found[0], found.at(-1)];
  if (from !== undefined && until !== undefined) return { from, until };
  // In the hour that is left out: the first time after it that clocks show.
  for (let later = clock + MINUTE; later <= clock + 3 * HOUR; later += MINUTE) {
    const [at] = instantsAt(new Date(later).toISOString().slice(0, 19), zone) ?? [];
    if (at !== undefined) return { from: at, until: at };
  }
  return { from: clock, until: clock };
}

export function refused(problem: string, plate: string): RowRead {
  return { problem, plate: visibleText(plate).slice(0, 40) };
}
