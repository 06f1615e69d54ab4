import { DAY } from "#app/lib/time/dates.ts";

/** Before 1980 no camera read plates, and none reads after 2200: such a clock was never set. */
const EARLIEST_READ = Date.UTC(1980, 0, 1);
export const LATEST_READ = Date.UTC(2200, 0, 1);

/** Whether a read can have such a time at all; false for what is no number. */
export function isReadTime(at: number): boolean {
  return at >= EARLIEST_READ && at < LATEST_READ;
}

/**
 * The time of a read as filters and the map take it: NaN where it has none, has one that cannot be true, or one later
 * than `latest`. Table and map share it, so that no read passes a time in one and not in the other.
 */
export function believableTime(at: number, latest = LATEST_READ): number {
  return isReadTime(at) && at <= latest ? at : Number.NaN;
}

/** The latest time that the scale of times reaches: one clock that is years ahead would press all others together. */
export function latestOnScale(now: number): number {
  return now + DAY;
}
