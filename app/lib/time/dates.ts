import { zonedTime } from "./zoned-time.ts";

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The UTC day of an instant, counted from 1970-01-01. */
export function utcDay(at: number): number {
  return Math.floor(at / DAY);
}

/** `YYYY-MM-DDTHH:mm:ss.sssZ`, finer than the hundredth of a second that CJIS AU-8 asks for. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

const writers = new Map<string | undefined, (at: number) => string>();

/** Returns the writer of a zone's times, the viewer's zone by default. Kept: making one costs more than using it. */
export function timeWriter(zone?: string): (at: number) => string {
  const writer = writers.get(zone) ?? zonedTime(zone);
  writers.set(zone, writer);
  return writer;
}

/**
 * Returns the local 24-hour time with the zone named, `2026-11-20 14:03:07 EST`, in the viewer's zone by default.
 * Returns undefined if `at` is not a time.
 */
export function localTime(at: number | null, zone?: string): string | undefined {
  if (at === null || !Number.isFinite(at) || Math.abs(at) > 8.64e15) return undefined;
  return timeWriter(zone)(at);
}
