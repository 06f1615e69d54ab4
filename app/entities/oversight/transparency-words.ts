/** Names and explanations of the transparency statistics on the public page. */

import type { Shown, Span } from "./transparency.ts";

const number = (value: number) => value.toLocaleString("en-US");

/** Returns a count, `<5`, or a span as `12–18`. */
export function statisticWords(value: Shown | Span): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return number(value);
  return value.low === value.high ? number(value.low) : `${number(value.low)}–${number(value.high)}`;
}

/** Returns a share in percent, or a dash if there is none. */
export function percentWords(share: Span | null): string {
  return share === null ? "–" : `${statisticWords(share)}%`;
}

export const STATISTIC_WORDS = {
  searches:
    "A search asks which reads fit a plate, a part of one or a vehicle, at the programs that the agency may search. Every search is made by a person who is signed in, states a reason for it and is written to an audit log.",
  purposes:
    "The purpose that the person named with the search. Searches made before purposes were asked for are counted as not stated.",
  case_number: "How many searches named the number of a case, of those purposes whose count is shown.",
  refused:
    "Searches that were not carried out: of agencies that do not share with this one, over too long a time, or without what the agency's policy demands.",
  searchers: "How many different people searched.",
  exports:
    "Files with search results that somebody took out of the system; each is written to the audit log with its reason.",
  hits: "A hit is a read that fits a plate on one of the agency's hotlists, such as a list of stolen vehicles.",
  judged:
    "What people found when they looked at a hit, in the month in which they did. Wrong state: the plate was read rightly, but belongs to another state. Misread: the camera read it wrongly. Dismissed hits say nothing of the reading.",
  hit_quality: "Correct hits out of those that were found to be correct, of a wrong state, or misread.",
  purges:
    "Reads go by themselves when they are as old as the agency may keep them. Each run that removed any leaves a certificate in the audit log.",
  reviews:
    "Every day searches are looked through for what a supervisor should see: the same plate again and again without a case, reasons that say nothing, unusual hours, signs of a forbidden purpose, and a random one percent. Each finding is decided on by somebody else than the person who searched.",
  few: "Counts from one to four are shown as <5, so that no single search can be told from them. Where a count is hidden, totals and shares are given as the span that they lie in.",
  months: "Months and days are counted in UTC. A month is shown when it is over, and counted once.",
  first_month: "The first month is shown when it is over.",
  no_decision:
    "A read or a hit is a lead, not proof, and this software decides nothing: no stop, search or arrest is made by it. Officers are told to verify plate, state and the current status of a vehicle before they act.",
} as const;
