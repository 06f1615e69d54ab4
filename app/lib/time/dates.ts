import { zonedTime } from "./zoned-time.ts";

/** Lengths of time in milliseconds. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Returns the UTC day of a time, counted from 1970-01-01. */
export function utcDay(at: number): number {
  return Math.floor(at / DAY);
}

/** Returns whether a UTC day, counted from 1970, has ended before an instant. */
export function isDayOver(day: number, before: number): boolean {
  return (day + 1) * DAY <= before;
}

/** Returns `YYYY-MM-DDTHH:mm:ss.sssZ`, finer than the hundredth of a second that CJIS AU-8 requires. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

const writers = new Map<string | undefined, (at: number) => string>();

/** Returns the formatter of a zone's times, the viewer's zone by default. Cached: creating one is expensive. */
export function timeWriter(zone?: string): (at: number) => string {
  const writer = writers.get(zone) ?? zonedTime(zone);
  writers.set(zone, writer);
  return writer;
}

/**
 * Returns 24-hour local time with the zone's name, `2026-11-20 14:03:07 EST`, in the viewer's zone by default;
 * undefined for an invalid time.
 */
export function localTime(at: number | null, zone?: string): string | undefined {
  if (at === null || !Number.isFinite(at) || Math.abs(at) > 8.64e15) return undefined;
  return timeWriter(zone)(at);
}

/**
 * Returns a clock in milliseconds that is not behind the server's, whose time was `serverNow` a moment ago. Otherwise a
 * range that ends "now" would leave out the newest reads on a computer whose clock is slow. A clock that is ahead is
 * not corrected, because time has passed since the server's answer. A difference of more than a day is a wrong date,
 * which the user sees in the form, and is not corrected either.
 */
export function serverClock(serverNow: number, clock: () => number = Date.now): () => number {
  const behind = serverNow - clock();
  return behind > 0 && behind < DAY ? () => clock() + behind : clock;
}
