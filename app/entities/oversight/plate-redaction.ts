/** Removes plates from free text for public-records requests. Pure; takes time linear in the length of the text. */

import { at } from "#app/lib/at.ts";

const MARK = "[redacted]";

/** A fragment of one character would redact every word that contains it. */
const SHORTEST_KNOWN = 2;

/**
 * What people write between or over the characters of a plate: spaces, dashes, dots, wildcards, marks, invisible
 * characters.
 */
const BETWEEN = /^[\s\p{Pd}\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}_.·•*?]$/u;

const RUN = /[\p{L}\p{N}*?-]+/gu;
const SHORTEST_RUN = 3;

/**
 * Plates written in groups, `AB 12345` or `123-ABC`, and plates of five to eight digits. A year alone is not a plate.
 */
const PLATE_IN_GROUPS =
  /(?<![\p{L}\p{N}])(?:\p{L}{1,3}[\s-]\p{N}{3,5}|\p{N}{3,5}[\s-]\p{L}{1,3}|\p{N}(?:[\s-]?\p{N}){4,7})(?![\p{L}\p{N}])/gu;

/**
 * Returns the text with `[redacted]` in place of the row's plate (or search pattern) in any spelling, and of everything
 * that looks like a plate: letters next to digits, or five or more digits. Case numbers that look like plates are
 * redacted too, because they cannot be distinguished (Connecticut Public Act 26-14 section 13 (e)).
 */
export function redactPlates(text: string, plate: string): string {
  return withoutKnown(text, plate)
    .replace(RUN, (run) =>
      run.length >= SHORTEST_RUN && /\p{N}/u.test(run) && /\p{L}/u.test(run) ? MARK : run,
    )
    .replace(PLATE_IN_GROUPS, MARK);
}

/** Compares only letters and digits, ignoring case, width and accents. Input never becomes a regular expression. */
function withoutKnown(text: string, plate: string): string {
  const known = Array.from(plate, folded).join("");
  if (Array.from(known).length < SHORTEST_KNOWN) return text;
  let letters = "";
  /** For each code unit of `letters`, where its character starts and ends in the text. */
  const starts: number[] = [];
  const ends: number[] = [];
  let start = 0;
  for (const character of text) {
    const end = start + character.length;
    const part = folded(character) || (BETWEEN.test(character) ? "" : "\0");
    letters += part;
    for (let n = 0; n < part.length; n++) {
      starts.push(start);
      ends.push(end);
    }
    start = end;
  }
  let redacted = "";
  let copied = 0;
  for (let found = letters.indexOf(known); found >= 0; ) {
    redacted += text.slice(copied, starts[found]) + MARK;
    copied = at(ends, found + known.length - 1);
    found = letters.indexOf(known, found + known.length);
  }
  return redacted + text.slice(copied);
}

/**
 * Returns the letters and digits of a character without case, width and accents; "" if there are none. Some letters
 * are invisible, such as the Hangul filler.
 */
function folded(character: string): string {
  return character
    .normalize("NFKD")
    .toLowerCase()
    .toUpperCase()
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, "");
}
