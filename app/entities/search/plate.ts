/** Canonical plates and search patterns for plates. Pure, runs in the browser too. */

/** Longest accepted plate; the longest registered ones in the United States have eight characters. */
export const PLATE_MAX_LENGTH = 15;

/** Longest search pattern: a D1 LIKE pattern may have 50 bytes, and Odin adds two. */
export const PLATE_PATTERN_MAX_LENGTH = 20;
const GLOB_MAX_BYTES = 50;

/** Returns whether D1 accepts a text as a GLOB pattern: letters beyond A-Z have two to four bytes. */
export function isGlobPattern(text: string): boolean {
  return new TextEncoder().encode(text).length <= GLOB_MAX_BYTES;
}

/**
 * Returns a plate in canonical form: upper case, compatibility forms folded (full-width letters), without spaces,
 * hyphens, dots and other separators. Idempotent. Letters beyond A-Z are kept, for foreign plates.
 */
export function normalizePlate(text: string): string {
  return text
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, "")
    .normalize("NFC");
}

/** What is wrong with a plate that `mixesAlphabets`. */
export const MIXED_ALPHABETS = "The plate mixes letters of two alphabets that look alike. Type it again.";

/**
 * Returns whether a plate or pattern was copied or typed with a letter that only looks like one of A-Z: no camera reads
 * such a plate, so that it would match nothing.
 */
export function mixesAlphabets(text: string): boolean {
  const plate = text.normalize("NFKC").toUpperCase();
  return /[A-Z]/.test(plate) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(plate);
}

/**
 * A plate pattern. Matches every plate, or plates that contain a fragment (a whole plate is its longest fragment), or
 * whole plates by a pattern, with `*` for zero or more characters and `?` for one.
 */
export type PlatePattern =
  | { kind: "any" }
  | { kind: "contains"; text: string }
  | { kind: "pattern"; text: string };

/**
 * Between the characters of plates: spaces, hyphens and dashes, dots, and what copied text has but does not show (soft
 * hyphens, zero-width spaces and joiners). A typed `´` is a space with an accent, which must not become one of the character
 * before it.
 */
const SEPARATORS = /\s\p{M}*|\p{Pd}|[.·•\u00AD\u200B-\u200D\u2060]/gu;

/** Returns a plate or pattern in upper case without what stands between its characters. */
export function compactPlate(input: string): string {
  return input.normalize("NFKC").toUpperCase().replace(SEPARATORS, "").normalize("NFC");
}

/** Returns a search's plate as the audit log has it: as it was searched for, so that no spelling hides a search. */
export function loggedPlate(plate: string): string {
  const pattern = parsePlatePattern(plate);
  return pattern && pattern.kind !== "any" ? pattern.text : plate.toUpperCase();
}

/** Returns whether a plate field has more characters than a pattern may have; spaces, hyphens and the like do not count. */
export function isLongPlatePattern(input: string): boolean {
  return compactPlate(input).length > PLATE_PATTERN_MAX_LENGTH;
}

/**
 * Parses the plate field. Returns undefined if the text cannot be a plate: control characters, punctuation that plates
 * do not have, or more than `PLATE_PATTERN_MAX_LENGTH` characters.
 */
export function parsePlatePattern(input: string): PlatePattern | undefined {
  if (/\p{Cc}/u.test(input)) return undefined;
  const text = compactPlate(input);
  if (!/^[\p{L}\p{N}*?]*$/u.test(text) || text.length > PLATE_PATTERN_MAX_LENGTH) return undefined;
  if (/^\**$/.test(text)) return { kind: "any" };
  if (!/[*?]/.test(text)) return { kind: "contains", text };
  return { kind: "pattern", text: text.replace(/\*+/g, "*") };
}

/** Returns whether a canonical plate matches a pattern. */
export function plateMatches(pattern: PlatePattern, plate: string): boolean {
  switch (pattern.kind) {
    case "any":
      return true;
    case "contains":
      return plate.includes(pattern.text);
    case "pattern":
      return matchesWildcards(pattern.text, plate);
  }
}

/** Returns whether a text matches a pattern of `*` and `?`, as SQLite's GLOB does: `?` is a whole character. */
export function globMatches(pattern: string, text: string): boolean {
  return matchesWildcards(Array.from(pattern), Array.from(text));
}

/** Greedy matching with one backtracking point: linear in practice, never exponential, unlike a regular expression. */
function matchesWildcards(pattern: ArrayLike<string>, plate: ArrayLike<string>): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let mark = 0;
  while (t < plate.length) {
    if (p < pattern.length && (pattern[p] === "?" || pattern[p] === plate[t])) {
      p++;
      t++;
    } else if (pattern[p] === "*") {
      star = p++;
      mark = t;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
