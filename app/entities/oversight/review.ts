/**
 * The findings of the review, and the rules that compare several searches: repeated plates, unusual hours, the random
 * sample. Pure. The rules on justifications are in search/prohibited-purpose.ts and search/vague-reason.ts.
 */

import { normalizePlate } from "#app/entities/search/plate.ts";
import { at } from "#app/lib/at.ts";
import { DAY, HOUR } from "#app/lib/time/dates.ts";

/** Kinds of findings, most serious first. */
export const REVIEW_KINDS = [
  { value: "prohibited", label: "Prohibited purpose" },
  { value: "repeated", label: "Same plate, no case" },
  { value: "vague", label: "Vague justification" },
  { value: "breadth", label: "Many plates returned" },
  { value: "hours", label: "Unusual hour" },
  { value: "sample", label: "Random sample" },
] as const;
export type ReviewKind = (typeof REVIEW_KINDS)[number]["value"];

/** How a reviewer may judge a finding, with the texts of the form. */
export const VERDICTS = [
  { value: "in-order", label: "Appropriate", hint: "The searches were for a lawful purpose." },
  { value: "explained", label: "Explained", hint: "The user supplied what was missing." },
  { value: "violation", label: "Violation", hint: "Not allowed. Describe the consequences in the note." },
] as const;
export type Verdict = (typeof VERDICTS)[number]["value"];

/** Findings on a page. */
export const REVIEW_PAGE_SIZE = 20;
/** Searches shown per finding. */
export const EVIDENCE_SHOWN = 50;
/** CJIS AU-6 requires a weekly review. */
export const REVIEW_WITHIN_MS = 7 * DAY;

/** Privileged searches, which the rule on breadth reviews. */
export const INVESTIGATION_ACTIONS = ["search-places", "search-convoy"] as const;
/**
 * Maximum number of plates that a user's place and convoy searches of a day may list without any earlier search for
 * them. Above this, a supervisor reviews the searches.
 */
export const BREADTH_PLATES = 50;

/** Number of searches of one plate without a case number, within REPEATED_WITHIN_MS, that make a finding. */
export const REPEATED_TIMES = 5;
/** The time span of the searches in such a finding, in milliseconds. */
export const REPEATED_WITHIN_MS = 14 * DAY;
/** Shorter texts are part of very many plates. */
const LEAST_PLATE = 3;

/** Returns a plate in the form that searches are compared by, or "" if it is too short to identify a vehicle. */
export function comparedPlate(plate: string): string {
  const text = normalizePlate(plate);
  return text.length < LEAST_PLATE ? "" : text;
}

export type SearchAt = { seq: number; at: number };

/**
 * Takes one user's searches of one plate without a case number, oldest first. Returns those that belong to
 * REPEATED_TIMES or more within 14 days ending at a search in [from, until).
 */
export function repeatedSearches(searches: readonly SearchAt[], from: number, until: number): SearchAt[] {
  const found: SearchAt[] = [];
  let [first, next] = [0, 0];
  for (const [i, last] of searches.entries()) {
    while (last.at - at(searches, first).at > REPEATED_WITHIN_MS) first++;
    if (last.at < from || last.at >= until || i - first + 1 < REPEATED_TIMES) continue;
    found.push(...searches.slice(Math.max(first, next), i + 1));
    next = i + 1;
  }
  return found;
}

/** The history with which an hour is compared: its maximum length, and its minimum numbers of searches and days. */
export const HOURS_HISTORY_MS = 60 * DAY;
const LEAST_SEARCHES = 30;
const LEAST_DAYS = 10;
/** At most one in a hundred is unusual. */
const USUAL_SHARE = 0.01;

/** Returns a function from an instant to the hour 0-23 in a time zone. It throws RangeError for an unknown zone. */
export function createHourOf(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, hour: "2-digit", hourCycle: "h23" });
  const known = new Map<number, number>();
  return (at) => {
    // The zones of all agencies are whole hours from UTC.
    const bucket = Math.floor(at / HOUR);
    const hour = known.get(bucket) ?? Number(format.format(at));
    known.set(bucket, hour);
    return hour;
  };
}

/**
 * Returns why an hour is unusual for a user, as a text, or undefined if it is usual or the history is too short. Also
 * counts the hours before and after, so that an early start of a shift is no finding.
 */
export function unusualHour(
  at: number,
  history: readonly number[],
  hourOf: (at: number) => number,
): string | undefined {
  const days = new Set(history.map((one) => Math.floor(one / DAY))).size;
  if (history.length < LEAST_SEARCHES || days < LEAST_DAYS) return undefined;
  const hour = hourOf(at);
  const near = new Set([(hour + 23) % 24, hour, (hour + 1) % 24]);
  const count = history.filter((one) => near.has(hourOf(one))).length;
  if (count > history.length * USUAL_SHARE) return undefined;
  const from = `${String((hour + 23) % 24).padStart(2, "0")}:00`;
  const to = `${String((hour + 2) % 24).padStart(2, "0")}:00`;
  return `${count === 0 ? "None" : count} of this person's ${history.length} searches in the 60 days before ${
    count === 1 ? "was" : "were"
  } made between ${from} and ${to}.`;
}

/**
 * Links of the audit chain with a hash below this are the random sample, one in a hundred. A link depends on all
 * earlier rows and is made after the search, so no one can avoid the sample, and anyone with the log can reproduce it.
 */
export const SAMPLE_BELOW = Math.ceil(0.01 * 2 ** 32)
  .toString(16)
  .padStart(8, "0");
