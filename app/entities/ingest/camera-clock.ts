/**
 * Clocks of cameras that are ahead or were never set. A read with such a time gets the time of its arrival and a
 * caveat. Pure.
 */
import { DAY, isoTime, MINUTE } from "#app/lib/time/dates.ts";

/** How far a camera's clock may be ahead of ours. */
const CLOCK_AHEAD = 5 * MINUTE;
/** Earlier times are those of a clock that was never set. */
const OLDEST = Date.UTC(2000, 0, 1);

/** Returns whether a camera's time (milliseconds UTC) cannot be that of a read. */
export function isWrongClock(time: number, now: number): boolean {
  return time < OLDEST || time > now + CLOCK_AHEAD;
}

/** Returns the caveat of a read that has the time of its arrival because of a wrong clock. */
export function clockCaveat(time: number, now: number): string {
  return `Time is that of arrival: the camera's clock ${clockText(time, now)} and must be set`;
}

/** Returns the notice in the list of cameras about a camera with a wrong clock. */
export function clockNotice(time: number, now: number): string {
  return `The camera's clock ${clockText(time, now)} (it is ${isoTime(now)}). Set it. Until then its reads have the time of their arrival.`;
}

function clockText(time: number, now: number): string {
  // Not every number is a date.
  return time < 0 || time > now + 366 * DAY ? "is years off" : `says ${isoTime(time)}`;
}
