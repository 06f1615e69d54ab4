import { DAY } from "#app/lib/time/dates.ts";

/** Cameras did not read plates before 1980; times outside this range come from a clock that was never set. */
const EARLIEST_READ = Date.UTC(1980, 0, 1);
/** The end of the times that a read can have, exclusive, in epoch milliseconds. */
export const LATEST_READ = Date.UTC(2200, 0, 1);

/** Returns whether a time is plausible for a read; false for NaN. */
export function isReadTime(at: number): boolean {
  return at >= EARLIEST_READ && at < LATEST_READ;
}

/**
 * Returns the time of a read for filters and the map: NaN if it is missing, implausible, or later than `latest`. Table
 * and map share this function, so that both show the same reads.
 */
export function believableTime(at: number, latest = LATEST_READ): number {
  return isReadTime(at) && at <= latest ? at : Number.NaN;
}

/** Returns the end of the time scale: one clock that is years ahead would compress all other times. */
export function latestOnScale(now: number): number {
  return now + DAY;
}
