/** The check of a plate before it is added: stored reads that it would match, and groups that already watch it. */

import type * as z from "zod/mini";
import { counted } from "#app/lib/number-text.ts";
import type * as answers from "./answers.ts";
import { type EntryMatch, LOOKALIKE_CHARACTERS } from "./entry.ts";

export type PlateCheck = z.infer<typeof answers.PlateCheck>;

/** Limits of a check: days of reads it covers, reads it counts, and reads it examines. */
export const SEEN_DAYS = 21;
export const SEEN_LIMIT = 5000;
export const SEEN_LOOKED_AT = 20_000;

/**
 * Returns a search pattern that finds every read the entry would match. With look-alikes, `?` replaces each character
 * that can be confused, so the results still have to be matched against the entry.
 */
export function seenPattern({ plate, matchPolicy }: Pick<EntryMatch, "plate" | "matchPolicy">): string {
  if (matchPolicy === "exact") return plate;
  return Array.from(plate, (character) => (LOOKALIKE_CHARACTERS.has(character) ? "?" : character)).join("");
}

/** Returns the result as text without a time: `4 reads in the last 21 days`. */
export function seenWords(check: Pick<PlateCheck, "reads" | "more" | "days" | "wildcard">): string {
  if (check.reads === null) return "Your agency has no stored reads to check.";
  const count = `${check.more ? "at least " : ""}${counted(check.reads, "read")}`;
  return check.wildcard
    ? `This pattern would have matched ${count} in the last ${check.days} days`
    : `${count} in the last ${check.days} days`;
}
