/** A search that a user made, and the range with which it is run again. */

import type * as z from "zod/mini";
import type * as answers from "#app/entities/search/answers/search.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";

export type SearchTool = "search" | "places" | "convoy";

/** One of a user's own searches. Times are ISO, UTC. */
export type PastSearch = z.infer<typeof answers.PastSearch>;

/** A page of a user's own searches, newest first. */
export type SearchHistory = z.infer<typeof answers.SearchHistory>;

/** Maximum number of characters of a saved search's name. */
export const SAVED_NAME_MAX = 80;
/** Maximum number of searches that a user can save with a name or a pin. */
export const SAVED_SEARCHES_MAX = 100;

/**
 * Returns the number of days that an agency's users see their own searches: as long as the agency keeps records, but no
 * longer than the audit log from which they are read.
 */
export function searchesKeptDays(policy: { recordDays: number; auditDays: number }): number {
  return Math.min(policy.recordDays, policy.auditDays);
}

/** The ranges with which an earlier search can be run again. */
export const AGAIN_RANGES = ["now", "original"] as const;
/** The range of a search that is run again: its length ending now, or the dates that it had. */
export type AgainRange = (typeof AGAIN_RANGES)[number];

/** A range that ends this close to the search ended when it was made. */
const UNTIL_NOW_MS = 15 * MINUTE;

/**
 * Returns the range that an investigator expects: a search up to now covers the same span up to now, and a search of
 * past dates covers the same dates.
 */
export function expectedRange(range: { end: number; searchedAt: number }): AgainRange {
  return Math.abs(range.end - range.searchedAt) <= UNTIL_NOW_MS ? "now" : "original";
}

/** Returns the milliseconds of the chosen range. */
export function rangeAgain(
  chosen: AgainRange,
  { start, end, now }: { start: number; end: number; now: number },
): { start: number; end: number } {
  return chosen === "now" ? { start: now - (end - start), end: now } : { start, end };
}

/** Returns the instant before which an agency's searches are not listed. */
export function listedSince(now: number, keptDays: number): number {
  return now - keptDays * DAY;
}
