/** Names and explanations of the transparency statistics on the public page. */

import { numberText } from "#app/lib/number-text.ts";
import type { Shown, Span } from "./transparency.ts";

/** Returns a count, `<5`, a span as `12–18`, or a dash if it is not known. */
export function statisticWords(value: Shown | Span | null): string {
  if (value === null) return "–";
  if (typeof value === "string") return value;
  if (typeof value === "number") return numberText(value);
  return value.low === value.high
    ? numberText(value.low)
    : `${numberText(value.low)}–${numberText(value.high)}`;
}

/** Returns a share in percent, or a dash if there is none. */
export function percentWords(share: Span | null): string {
  return share === null ? statisticWords(null) : `${statisticWords(share)}%`;
}

/** What the published numbers mean, in words for the public. */
export const STATISTIC_WORDS = {
  searches:
    "A search asks the programs that the agency may search for reads of a plate, of part of a plate, or of a vehicle. Every search is made by a signed-in person, requires a reason, and is recorded in an audit log.",
  purposes:
    "The purpose that the person chose for the search. Searches from before purposes were introduced count as not stated.",
  case_number: "Share of searches that included a case number, among the purposes whose counts are shown.",
  refused:
    "Searches that were refused because another agency does not share its reads, the time range was too long, or the agency's policy was not met.",
  searchers: "Number of people who searched.",
  exports:
    "Files with search results that were exported. Each export is recorded in the audit log with its reason.",
  hits: "A hit is a read that matches a plate on one of the agency's hotlists, such as a list of stolen vehicles. A dash means that the agency no longer kept all hits of the month when they were counted.",
  judged:
    "The outcomes that people recorded for hits, by month. Wrong state: the plate was read correctly, but is from another state. Misread: the camera read the plate incorrectly. Dismissed: no statement about the read.",
  hit_quality: "Correct hits as a share of all hits recorded as correct, wrong state, or misread.",
  purges:
    "Reads are deleted on schedule, when they reach the agency's retention limit. Each deletion is recorded in the audit log with a certificate.",
  reviews:
    "Searches are scanned daily for signs that a supervisor should review: repeated searches of a plate without a case, vague reasons, unusual hours, prohibited purposes, and a random sample of one percent. Someone other than the searcher decides on each finding.",
  few: "Counts from one to four are shown as <5 to protect individuals. Where a count is hidden, totals and shares are shown as ranges.",
  not_available:
    "A month is not available if the records that it is counted from cannot be read, or were deleted before it was counted. Review findings that are not counted yet have a dash.",
  months: "Months and days are counted in UTC. A month is shown after it ends.",
  first_month: "The first month is shown after it ends.",
  no_decision:
    "A read or a hit is a lead, not proof. This software makes no decisions: no stop, search or arrest is based on it alone. Officers are instructed to verify the plate, state and current status of a vehicle before they act.",
} as const;
