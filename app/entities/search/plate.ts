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

/** The Cyrillic and Greek letters that look like those of A-Z. */
const LOOK_ALIKE_LETTERS: ReadonlyMap<string, string> = new Map([
  ...Array.from("АВЕКМНОРСТУХІЈЅ", (letter, i) => [letter, "ABEKMHOPCTYXIJS".charAt(i)] as const),
  ...Array.from("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", (letter, i) => [letter, "ABEZHIKMNOPTYX".charAt(i)] as const),
]);

/** Returns the Cyrillic and Greek letters of a plate or pattern in upper case. */
const otherLetters = (plate: string): string[] =>
  plate.match(/[\p{Script=Cyrillic}\p{Script=Greek}]/gu) ?? [];

/**
 * Returns the problem with a plate or pattern that was copied or typed with letters that only look like those of A-Z, or
 * undefined. No camera reads such a plate, so that it would match nothing.
 */
export function alphabetProblem(text: string): string | undefined {
  const plate = text.normalize("NFKC").toUpperCase();
  const others = otherLetters(plate);
  if (others.length === 0) return undefined;
  if (/[A-Z]/.test(plate)) return "The plate mixes letters of two alphabets that look alike. Type it again.";
  return others.every((letter) => LOOK_ALIKE_LETTERS.has(letter))
    ? "The plate has Cyrillic or Greek letters that look like A to Z. Type it again."
    : undefined;
}

/**
 * Returns whether a plate lost a character on its way: U+FFFD stands for invalid UTF-8, and half of a surrogate pair
 * for a cut character. Without the character it would be another plate.
 */
export function lostCharacter(text: string): boolean {
  return text.toWellFormed().includes("\uFFFD");
}

/**
 * Returns the canonical plate of a read. Plates of countries that write Cyrillic or Greek have only letters that look like
 * A-Z; these become A-Z, as people type them.
 */
export function plateOfRead(text: string): string {
  const plate = normalizePlate(text);
  return alphabetProblem(plate) === undefined
    ? plate
    : Array.from(plate, (letter) => LOOK_ALIKE_LETTERS.get(letter) ?? letter).join("");
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
 * Between the characters of plates: spaces, hyphens and dashes, dots, and invisible characters of copied text (soft
 * hyphens, zero-width spaces and joiners). A typed `´` is a space with an accent, which must not become an accent of
 * the character before it.
 */
const SEPARATORS = /\s\p{M}*|\p{Pd}|[.·•\u00AD\u200B-\u200D\u2060]/gu;

/** Returns a plate or pattern in upper case without separators. */
export function compactPlate(input: string): string {
  return input.normalize("NFKC").toUpperCase().replace(SEPARATORS, "").normalize("NFC");
}

/**
 * Returns a search's plate in the form of the audit log: as it was searched for, so that no spelling hides a search.
 */
export function loggedPlate(plate: string): string {
  const pattern = parsePlatePattern(plate);
  return pattern && pattern.kind !== "any" ? pattern.text : plate.toUpperCase();
}

/** Returns whether a plate field has more characters than a pattern may have, not counting separators. */
export function isLongPlatePattern(input: string): boolean {
  return compactPlate(input).length > PLATE_PATTERN_MAX_LENGTH;
}

/**
 * Returns whether a plate field contains only separators: nothing would be left of it, so it would match every plate.
 */
export function hasOnlySeparators(input: string): boolean {
  return input.trim() !== "" && compactPlate(input) === "";
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
