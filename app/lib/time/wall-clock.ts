import { DAY, HOUR, MINUTE, SECOND, timeWriter } from "./dates.ts";

// A zone is an IANA name, or undefined for the viewer's zone.

/**
 * Returns a time in a zone as ISO 8601 without its offset: `2026-11-20T14:03:07`. Throws RangeError for an unknown
 * zone.
 */
export function wallClock(at: number, zone?: string): string {
  const [date = "", time = ""] = timeWriter(zone)(at).split(" ");
  return `${date.padStart(10, "0")}T${time}`;
}

/**
 * Returns a time as the value of a `datetime-local` input: without seconds that are zero, because browsers leave them
 * out, and a field's value is compared with what was written to it. Throws RangeError for an unknown zone.
 */
export function fieldTime(at: number, zone?: string): string {
  return wallClock(at, zone).replace(/:00$/, "");
}

/** Returns the value of a `datetime-local` input read as UTC; undefined if it is invalid. */
function asUtc(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)) return undefined;
  const at = Date.parse(`${text}Z`);
  // Date.parse accepts February 31 as March 3.
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text.slice(0, 16)) ? at : undefined;
}

function offset(at: number, zone: string | undefined): number {
  const second = Math.floor(at / SECOND) * SECOND;
  return Date.parse(`${wallClock(second, zone)}Z`) - second;
}

/**
 * Returns the times at which clocks show a `datetime-local` value: usually one; two in the hour that clocks repeat
 * in fall, earliest first; none in the hour that they skip in spring. Returns undefined for an invalid value.
 */
export function instantsAt(text: string, zone?: string): number[] | undefined {
  const utc = asUtc(text);
  if (utc === undefined) return undefined;
  // A day after the end of year 9999 has no offset, because its date has another form.
  const offsets = [utc - DAY, utc + DAY].map((at) => offset(at, zone)).filter(Number.isFinite);
  return [...new Set(offsets)]
    .map((east) => utc - east)
    .filter((at) => offset(at, zone) === utc - at)
    .sort((a, b) => a - b);
}

/** The end of a range for which a time is typed: a range includes both passes of a repeated hour. */
export type RangeEdge = "start" | "end";

/** Returns the time that a `datetime-local` value means as an end of a range; undefined if clocks skip it. */
export function instantAt(text: string, edge: RangeEdge, zone?: string): number | undefined {
  return instantsAt(text, zone)?.at(edge === "start" ? 0 : -1);
}

/**
 * Dates, and dates with a time: `2026-11-01`, `2026-11-01T01:30`, `2026-11-01 01:30:00.250+0200`, `... +02`. A space
 * before the offset means a plus sign, which arrives as a space in a query that was not encoded.
 */
const TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?: ?(Z)|(?: ?([+-])| )([01]\d|2[0-3])(?::?([0-5]\d))?)?)?$/i;

/** Returns whether a time from a caller has no zone. */
export function hasNoZone(text: string): boolean {
  const match = TIME.exec(text.trim());
  return match !== null && match[3] === undefined && match[5] === undefined;
}

/**
 * Returns the milliseconds of a time from a caller; without a zone it is in `zone`, or by default in the viewer's
 * zone. A date alone is its first or last millisecond. In the hour that clocks skip, time is counted from the hour
 * before. Returns undefined for an invalid time, and for the forms in which Date.parse would guess a day or a zone.
 */
export function timeOf(text: string, input: { zone?: string; edge: RangeEdge }): number | undefined {
  const { zone, edge } = input;
  const [, date, time, isUtc, sign, hours, minutes] = TIME.exec(text.trim()) ?? [];
  const wall = `${date}T${time?.slice(0, 12) ?? (edge === "start" ? "00:00" : "23:59:59.999")}`;
  const utc = asUtc(wall);
  if (utc === undefined || isUtc !== undefined) return utc;
  if (hours !== undefined) {
    const offset = Number(hours) * HOUR + Number(minutes ?? 0) * MINUTE;
    return sign === "-" ? utc + offset : utc - offset;
  }
  return instantAt(wall, edge, zone) ?? utc - offset(utc - DAY, zone);
}

/** Milliseconds left open by a time with this many digits after its second. */
const OPEN_MS = [999, 99, 9];

function openMs(text: string): number {
  const digits = /\.(\d+)/.exec(text)?.[1]?.length ?? 0;
  return OPEN_MS[digits] ?? 0;
}

/**
 * Returns the first and last millisecond that one of Odin's times may mean when a client sends it back: many leave out
 * the fraction of the second. Without a zone it is UTC. Returns undefined for an invalid time.
 */
export function writtenSpan(text: string): { from: number; to: number } | undefined {
  const from = timeOf(text, { zone: "UTC", edge: "start" });
  return from === undefined ? undefined : { from, to: from + openMs(text) };
}

/**
 * Returns the last millisecond of a range whose end a caller wrote: the end of its day, minute or second if the text says no
 * more, because times are shown without fractions. Returns undefined for an invalid time.
 */
export function rangeEnd(text: string, zone?: string): number | undefined {
  const end = timeOf(text, { zone, edge: "end" });
  const time = TIME.exec(text.trim())?.[2];
  if (end === undefined || time === undefined) return end;
  return end + (time.length === "00:00".length ? MINUTE - 1 : openMs(time));
}

/** Returns a zone's name for users: `Eastern Time (America/New_York)`. */
export function zoneName(zone: string): string {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longGeneric" });
  const id = format.resolvedOptions().timeZone;
  const name = format.formatToParts(0).find((part) => part.type === "timeZoneName")?.value ?? id;
  // Intl calls UTC `GMT+00:00`.
  return name === id || id === "UTC" ? id : `${name} (${id})`;
}

/** Returns the IANA name of the viewer's zone: UTC if the browser does not know the computer's, as it then counts in UTC. */
export function viewerZone(): string {
  const { timeZone } = new Intl.DateTimeFormat("en-US").resolvedOptions();
  return isTimeZone(timeZone) ? timeZone : "UTC";
}

/**
 * Returns whether the text is an IANA time zone. Offsets such as +05:00 have no daylight saving time and are not.
 */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][\w+/-]{0,59}$/.test(text)) return false;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
