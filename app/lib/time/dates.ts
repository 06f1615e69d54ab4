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

/**
 * Local 24-hour time with the zone named, `2026-11-20 14:03:07 EST`; the viewer's zone unless another is given.
 * Gives undefined for what is no time.
 */
export function localTime(at: number | null, zone?: string): string | undefined {
  if (at === null || !Number.isFinite(at) || Math.abs(at) > 8.64e15) return undefined;
  return zonedTime(zone)(at);
}
