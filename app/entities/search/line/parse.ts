/**
 * Parses a search written in one line, such as `silver honda suv ct 8b4 new haven yesterday evening`. Pure. Every word
 * belongs to exactly one piece. A word that is in no vocabulary, or in several, is marked and never guessed.
 */

import { parsePlatePattern } from "#app/entities/search/plate.ts";
import { findDoubtful } from "./doubtful.ts";
import { type LineTime, timeAt } from "./times.ts";
import { FILLERS, phraseKey, type Vocabulary, type VocabularyEntry } from "./vocabulary.ts";

/** Longer lines are cut here. */
export const LINE_MAX_LENGTH = 300;

export type Meaning =
  | Exclude<VocabularyEntry, { kind: "place" }>
  | { kind: "plate"; label: string; plate: string }
  | ({ kind: "time"; label: string } & LineTime);

/** A run of words. `meaning` is what it sets in the form; `problem` says why it sets nothing; fillers have neither. */
export type Piece = {
  words: readonly string[];
  meaning?: Meaning;
  problem?: string;
};

type Found = { length: number; meaning?: Meaning; problem?: string };

/** Returns the pieces of a line, in its order. `now` is the wall clock time of the user, `2026-11-20T14:03:07`. */
export function parseLine(line: string, vocabulary: Vocabulary, now: string): Piece[] {
  const words = line
    .slice(0, LINE_MAX_LENGTH)
    .split(/[\s,;]+/u)
    .filter(Boolean);
  const pieces: Piece[] = [];
  const given = new Set<string>();
  for (let at = 0; at < words.length; ) {
    const rest = words.slice(at);
    const { length, ...found } = longest(rest, vocabulary, now);
    pieces.push({ words: rest.slice(0, length), ...once(found, given) });
    at += length;
  }
  return pieces;
}

/** Returns the line without one of its pieces. */
export function withoutPiece(pieces: readonly Piece[], removed: Piece): string {
  return pieces
    .filter((piece) => piece !== removed)
    .flatMap(({ words }) => words)
    .join(" ");
}

function longest(words: readonly string[], vocabulary: Vocabulary, now: string): Found {
  const found = [
    timeIn(words, now),
    plateIn(words),
    named(words, vocabulary),
    known(words, vocabulary),
    findDoubtful(words),
  ].filter((one) => one !== undefined);
  found.sort((a, b) => b.length - a.length);
  return found[0] ?? inTwoParts(words) ?? alone(words[0] ?? "");
}

function timeIn(words: readonly string[], now: string): Found | undefined {
  const time = timeAt(words, now);
  if (!time) return undefined;
  const { length, ...meaning } = time;
  const label = words.slice(0, length).join(" ");
  return { length, meaning: { kind: "time", label, ...meaning } };
}

const PLATE_IS = "(?:licen[sc]e )?(?:plate|tag)(?: number| no)? ";
const PLATES_THAT = "(?:licen[sc]e )?(?:plate|tag)s?(?: number)?s? (?:that |which )?";
const STARTS = "(?:start|begin)(?:s|n?ing)?";
const ENDS = "end(?:s|ing)?";
const CONTAINS = "contain(?:s|ing)?";
/** Words after "plate" that are not the plate. */
const NO_PLATE = `(?!(?:licen[sc]e|plate|tag|numbers?|no|that|which|with|has|${STARTS}|${ENDS}|${CONTAINS})(?: |$))`;

/** Phrases for a plate or a part of one. In a `pattern`, each $n is a text that the user wrote. */
const PLATE_PHRASES: readonly { phrase: RegExp; pattern: string }[] = [
  [`(?:${PLATES_THAT})?${STARTS} with (\\S+)(?: and)? ${ENDS} (?:with|in) (\\S+)`, "$1*$2"],
  [`(?:${PLATES_THAT})?${STARTS} with (\\S+)`, "$1*"],
  [`${PLATES_THAT}${STARTS} (?:with )?${NO_PLATE}(\\S+)`, "$1*"],
  [`(?:${PLATES_THAT})?${ENDS} (?:with|in) (\\S+)`, "*$1"],
  [`${PLATES_THAT}${ENDS} (?!in(?: |$))${NO_PLATE}(\\S+)`, "*$1"],
  [`${PLATES_THAT}${CONTAINS} (\\S+)`, "$1"],
  // "plate with stickers" names no plate.
  [`${PLATES_THAT}(?:with|has) (?=\\S*\\d)(\\S+)`, "$1"],
  [`(?:partial )?${PLATE_IS}${NO_PLATE}(\\S+)`, "$1"],
  [`partial ${NO_PLATE}(\\S+)`, "$1"],
].map(([phrase = "", pattern = ""]) => ({ phrase: new RegExp(`^${phrase}(?= |$)`, "i"), pattern }));

/** `plate 8b4`, `starts with 8b`, `plate ending in 45`: the plate of the longest phrase. */
function plateIn(words: readonly string[]): Found | undefined {
  const text = words.slice(0, 10).join(" ");
  let best: Found | undefined;
  for (const { phrase, pattern } of PLATE_PHRASES) {
    const match = phrase.exec(text)?.[0] ?? "";
    const length = match.split(" ").length;
    const meaning = match === "" ? undefined : plateOf(match.replace(phrase, pattern));
    if (meaning && length > (best?.length ?? 0)) best = { length, meaning };
  }
  return best;
}

/** `make lincoln`: the first word says what the next ones are. */
function named(words: readonly string[], vocabulary: Vocabulary): Found | undefined {
  const [name = "", ...rest] = words;
  const kind = vocabulary.kinds.get(phraseKey(name));
  if (!kind) return undefined;
  const found = phrase(rest, (key) => vocabulary.phrases.get(key)?.filter((entry) => entry.kind === kind));
  const entry = found?.entries[0];
  if (!found || !entry || entry.kind === "place") return undefined;
  return { length: found.length + 1, meaning: entry };
}

function known(words: readonly string[], vocabulary: Vocabulary): Found | undefined {
  const found = phrase(words, (key) => vocabulary.phrases.get(key));
  if (!found) return undefined;
  const { length, entries } = found;
  // In lower case these are far more often words than states.
  const isWord = length === 1 && (words[0] === "in" || words[0] === "or" || words[0] === "me");
  const meanings = entries.filter((entry) => entry.kind !== "place");
  const [meaning] = meanings;
  if (isWord || !meaning) {
    const place = entries.find((entry) => entry.kind === "place");
    return place && { length, problem: `No agency is named ${place.label}.` };
  }
  if (meanings.length === 1) return { length, meaning };
  const kinds = [...new Set(meanings.map(({ kind }) => kind))];
  return {
    length,
    problem: `This may be ${kinds.join(" or ")}. Write “${kinds[0]} ${words.slice(0, length).join(" ")}”.`,
  };
}

/** Returns the entries of the longest phrase at the beginning of the words. */
function phrase(
  words: readonly string[],
  look: (key: string) => readonly VocabularyEntry[] | undefined,
): { length: number; entries: readonly VocabularyEntry[] } | undefined {
  for (let length = Math.min(words.length, 8); length > 0; length--) {
    const entries = look(phraseKey(words.slice(0, length).join(" ")));
    if (entries && entries.length > 0) return { length, entries };
  }
  return undefined;
}

/** `ABC 1234` may be a plate, or a model and a number. */
function inTwoParts(words: readonly string[]): Found | undefined {
  const [letters = "", digits = ""] = words;
  if (!/^[a-z]{2,4}$/i.test(letters) || !/^\d{2,4}$/.test(digits) || FILLERS.has(phraseKey(letters)))
    return undefined;
  return { length: 2, problem: `Not understood. For a plate, write “plate ${letters}${digits}”.` };
}

/** A word that begins no phrase: a filler, a plate if it has a digit or a wildcard, or not understood. */
function alone(word: string): Found {
  if (FILLERS.has(phraseKey(word))) return { length: 1 };
  if (/^(19|20)\d\d$/.test(word))
    return { length: 1, problem: `Model years cannot be searched. For a plate, write “plate ${word}”.` };
  if (/^\d{4}-\d\d-\d\d$/.test(word)) return { length: 1, problem: "There is no such date." };
  const meaning = /[\d*?]/.test(word) ? plateOf(word) : undefined;
  if (meaning) return { length: 1, meaning };
  const isPlate = plateOf(word) !== undefined;
  return { length: 1, problem: `Not understood.${isPlate ? ` For a plate, write “plate ${word}”.` : ""}` };
}

function plateOf(word: string): Extract<Meaning, { kind: "plate" }> | undefined {
  const pattern = parsePlatePattern(word);
  if (!pattern || pattern.kind === "any") return undefined;
  if (pattern.kind === "contains" && pattern.text.length < 2) return undefined;
  return { kind: "plate", label: pattern.text, plate: pattern.text };
}

/** A field that takes one value is set by the first piece; a second one is marked. */
function once(found: Omit<Found, "length">, given: Set<string>): Omit<Found, "length"> {
  const { meaning } = found;
  if (!meaning || meaning.kind === "agency" || meaning.kind === "mark") return found;
  const parts =
    meaning.kind === "time"
      ? [meaning.span && "span", meaning.date && "date", meaning.hours && "hours"].filter(Boolean).map(String)
      : [meaning.kind];
  // A span is a whole range, so it stands alone.
  const taken = parts.includes("span") ? [...parts, "date", "hours"] : parts;
  if (taken.some((part) => given.has(part)) || (meaning.kind === "time" && given.has("span")))
    return { problem: `Another ${meaning.kind} comes before it.` };
  for (const part of parts) given.add(part);
  return found;
}
