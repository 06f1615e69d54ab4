/** A look at a plate before it is watched: what the reads that we hold say of it, and who watches it already. */

import { type EntryMatch, LOOKALIKE_CHARACTERS } from "./entry.ts";

export type PlateCheck = {
  plate: string;
  wildcard: boolean;
  /** Reads that the entry would have hit; null where none of the archive may be searched. */
  reads: number | null;
  /** There are more than these, or more than could be looked at. */
  more: boolean;
  days: number;
  newest: string | null;
  /** Days after which the entry expires where nothing else is asked for. */
  expiry_days: number;
  duplicates: {
    group_id: string;
    group: string;
    state: string;
    reason: string;
    added_by: string;
    added_at: string;
    /** It is on that list and not matched. */
    expired: boolean;
    in_this_group: boolean;
  }[];
};

/** Days of reads that a look covers, how many reads it counts, and how many it looks at to find them. */
export const SEEN_DAYS = 21;
export const SEEN_LIMIT = 5000;
export const SEEN_LOOKED_AT = 20_000;

/**
 * The search pattern that finds every read which an entry would hit: where look-alikes count, `?` stands for each
 * character that has some, so that what is found has still to be held against the entry.
 */
export function seenPattern({ plate, matchPolicy }: Pick<EntryMatch, "plate" | "matchPolicy">): string {
  if (matchPolicy === "exact") return plate;
  return Array.from(plate, (character) => (LOOKALIKE_CHARACTERS.has(character) ? "?" : character)).join("");
}

/** `4 reads in the last 21 days, newest …`: the sentence of a look, without the time. */
export function seenWords(check: Pick<PlateCheck, "reads" | "more" | "days" | "wildcard">): string {
  if (check.reads === null) return "Your agency holds no reads that could be looked through.";
  const count = `${check.more ? "at least " : ""}${check.reads.toLocaleString("en-US")} ${check.reads === 1 ? "read" : "reads"}`;
  return check.wildcard
    ? `This pattern would have hit ${count} of the last ${check.days} days`
    : `${count} in the last ${check.days} days`;
}
