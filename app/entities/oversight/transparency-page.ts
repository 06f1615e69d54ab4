/** An administrator's settings for the transparency page: its address, introduction and contact. */

import * as z from "zod/mini";
import { visibleText } from "#app/lib/text.ts";
import type { PublishedStatistics } from "./transparency.ts";

/** Maximum number of characters of a page's introduction. */
export const INTRODUCTION_MAX = 1000;
/** Maximum number of characters of a page's contact. */
export const CONTACT_MAX = 200;
const SLUG_MAX = 80;

/** The form of page addresses. Any other address is not found. */
export const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const TransparencyPage = z.object({
  slug: z
    .string("Choose an address.")
    .check(
      z.trim(),
      z.minLength(1, "Choose an address."),
      z.maxLength(SLUG_MAX, `An address has at most ${SLUG_MAX} characters.`),
    ),
  introduction: z
    .string()
    .check(
      z.trim(),
      z.maxLength(INTRODUCTION_MAX, `An introduction has at most ${INTRODUCTION_MAX} characters.`),
    ),
  contact: z
    .string()
    .check(z.trim(), z.maxLength(CONTACT_MAX, `A contact has at most ${CONTACT_MAX} characters.`)),
});
export type TransparencyPage = z.infer<typeof TransparencyPage>;

/** What the administrators' screen shows. */
export type TransparencyOverview = {
  page: TransparencyPage;
  /** When it was published; null if it is not. */
  published_at: number | null;
  /** Addresses to choose from. */
  slugs: string[];
  figures: PublishedStatistics;
};

/**
 * Returns the addresses that an agency may choose: its whole name, or its first words, at least two. Other words, or
 * one word, could be mistaken for another agency. For a name without Latin letters or digits, returns the agency's id.
 */
export function slugsOf(agency: { id: string; name: string }): string[] {
  const words = wordsOf(agency.name);
  const parts = words.length > 0 ? words : ["agency", ...wordsOf(agency.id)];
  const least = Math.min(2, parts.length);
  const lengths = parts.map((_, at) => parts.length - at).filter((length) => length >= least);
  const slugs = lengths.map((length) => parts.slice(0, length).join("-").slice(0, SLUG_MAX));
  return [...new Set(slugs.map((slug) => slug.replace(/-$/, "")))];
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFKD")
      .replace(/\p{M}|['’.]/gu, "")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  );
}

/** Returns plain text of several lines without invisible characters, trailing spaces and repeated blank lines. */
export function plainLines(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").split("\n").map(visibleText);
  return lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
