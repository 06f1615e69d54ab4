// A result set in memory: one array per column, and a dictionary per column of words. result-codec.ts encodes it. Rows
// become objects only when they are viewed.

import { at } from "#app/lib/at.ts";
import { hex } from "#app/lib/crypto/encoding.ts";
import type { PlateMatch } from "./look-alikes.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "./query.ts";
import type { Vocabulary } from "./result-words.ts";
import type { Place } from "./sighting.ts";

/** The fields that are stored as numbers of words in a dictionary. */
export const WORDS = [
  "plate",
  "state",
  "make",
  "color",
  "bodyType",
  "agency",
  "camera",
  "cameraId",
  "source",
  // Score and reason of a search with look-alikes, as `matchWord` writes them; "" in other sets.
  "match",
] as const;
export type Word = (typeof WORDS)[number];

/** A flag of a read: there is an image of the vehicle. */
export const HAS_VEHICLE_IMAGE = 1;
/** A flag of a read: there is an image of the plate. */
export const HAS_PLATE_IMAGE = 2;
/** A flag of a read: its time is that of its arrival. */
export const TIME_IS_ARRIVAL = 4;
/** Note on reads whose time is the time of arrival, on screen and in exports. */
export const ARRIVAL_TIME_NOTE = "Time of arrival: the camera sent none or a wrong one.";
/** Stored for a read without this coordinate. */
export const NO_COORDINATE = -0x80000000;
/** Stored for a read without a confidence. */
export const NO_CONFIDENCE = 255;

/** Coordinates have six decimals, about 11 cm, as in the specification's editor. */
export const COORDINATE_SCALE = 1e6;

export type Columns = {
  count: number;
  ids: Uint8Array;
  times: Float64Array;
  latitudes: Int32Array;
  longitudes: Int32Array;
  programs: Uint8Array;
  confidences: Uint8Array;
  flags: Uint8Array;
  words: Record<Word, Uint8Array | Uint16Array | Uint32Array>;
  dictionaries: Record<Word, string[]>;
  /** The same words without splitting the dictionary; only decoded sets have it. */
  vocabularies?: Record<Word, Vocabulary>;
};

/**
 * A finished result set: read-only columns, newest first or, after a search with look-alikes, likeliest first;
 * dictionaries sorted.
 */
export type ResultColumns = Columns;

/** Returns whether the time of a read is that of its arrival, which does not show when the plate was there. */
export function isArrivalTime({ flags }: Pick<Columns, "flags">, row: number): boolean {
  return ((flags[row] ?? 0) & TIME_IS_ARRIVAL) !== 0;
}

/** Returns an object with the result of `make` for each of these fields. */
export function forWords<T>(make: (word: Word) => T): Record<Word, T> {
  return Object.fromEntries(WORDS.map((word) => [word, make(word)])) as Record<Word, T>;
}

/** Returns the row order, newest first. A missing time counts as oldest; equal times keep their order. */
export function newestFirst(columns: Pick<Columns, "count" | "times">): Uint32Array {
  const order = new Uint32Array(columns.count);
  for (let i = 0; i < order.length; i++) order[i] = i;
  const { times } = columns;
  return order.sort((a, b) => {
    const [x, y] = [times[a] ?? 0, times[b] ?? 0];
    if (x === y || (Number.isNaN(x) && Number.isNaN(y))) return a - b;
    if (Number.isNaN(x)) return 1;
    if (Number.isNaN(y)) return -1;
    return y - x;
  });
}

/** Returns whether the rows are in the order of `newestFirst`. */
export function isNewestFirst({ times, count }: Pick<Columns, "count" | "times">): boolean {
  for (let i = 1; i < count; i++) {
    const after = times[i] ?? 0;
    if (!((times[i - 1] ?? 0) >= after || Number.isNaN(after))) return false;
  }
  return true;
}

/**
 * Returns the row order of a search with look-alikes: exact matches, then the likeliest, each newest first. Words of
 * matches start with their score.
 */
export function likeliestFirst(columns: Columns): Uint32Array {
  const scores = Float64Array.from(columns.dictionaries.match, (word) => matchOf(word)?.score ?? 0);
  const scoreOf = (row: number) => at(scores, at(columns.words.match, row));
  return newestFirst(columns).sort((a, b) => scoreOf(b) - scoreOf(a));
}

/** Returns how a result set stores a match: the score with two decimals, so that words sort by it, and the reason. */
export function matchWord({ score, reason }: PlateMatch): string {
  return `${score.toFixed(2)} ${reason}`.trim();
}

/** Returns the match of a word that `matchWord` returned; undefined for "". */
export function matchOf(word: string): PlateMatch | undefined {
  return word === "" ? undefined : { score: Number(word.slice(0, 4)), reason: word.slice(5) };
}

/** Returns the number of different words in a column. */
export function wordCount(columns: Columns, word: Word): number {
  return columns.vocabularies?.[word].size ?? columns.dictionaries[word].length;
}

/** One read of a result set for screens. */
export type ResultRow = {
  row: number;
  id: string;
  program: SourceProgram;
  plate: string;
  state: string;
  make: string;
  color: string;
  bodyType: string;
  agency: string;
  camera: string;
  sourceId: string;
  capturedAt: number | null;
  latitude: number | null;
  longitude: number | null;
  confidence: number | null;
  hasVehicleImage: boolean;
  hasPlateImage: boolean;
  /** The time is that of arrival: the camera sent none or a wrong one. */
  timeIsArrival: boolean;
  /** How the plate matches; only in the results of a search with look-alikes. */
  match?: PlateMatch;
};

/** Returns the word of a code. */
export function wordOf(columns: Columns, word: Word, code: number): string {
  return columns.vocabularies?.[word].at(code) ?? columns.dictionaries[word][code] ?? "";
}

/** Returns the word of a row in a dictionary column. */
export function wordAt(columns: Columns, word: Word, row: number): string {
  return wordOf(columns, word, columns.words[word][row] ?? 0);
}

function coordinateAt(column: Int32Array, row: number): number | null {
  const value = column[row] ?? 0;
  return value === NO_COORDINATE ? null : value / COORDINATE_SCALE;
}

/** Returns degrees, both or neither; null if the program gave none. */
export function placeAt(columns: Columns, row: number): Place | null {
  const latitude = coordinateAt(columns.latitudes, row);
  const longitude = coordinateAt(columns.longitudes, row);
  return latitude === null || longitude === null ? null : { latitude, longitude };
}

/** Returns the id of a row's read: 32 hexadecimal digits. */
export function idAt(columns: Columns, row: number): string {
  return hex(columns.ids.subarray(row * 16, row * 16 + 16));
}

/** Returns a row as an object; called only for rows on screen. */
export function rowAt(columns: Columns, row: number): ResultRow {
  const time = columns.times[row] ?? 0;
  const confidence = columns.confidences[row] ?? 0;
  const flags = columns.flags[row] ?? 0;
  const match = matchOf(wordAt(columns, "match", row));
  return {
    row,
    id: idAt(columns, row),
    program: SOURCE_PROGRAMS[columns.programs[row] ?? 0] ?? "Rekor",
    plate: wordAt(columns, "plate", row),
    state: wordAt(columns, "state", row),
    make: wordAt(columns, "make", row),
    color: wordAt(columns, "color", row),
    bodyType: wordAt(columns, "bodyType", row),
    agency: wordAt(columns, "agency", row),
    camera: wordAt(columns, "camera", row),
    sourceId: wordAt(columns, "source", row),
    capturedAt: Number.isNaN(time) ? null : time,
    latitude: coordinateAt(columns.latitudes, row),
    longitude: coordinateAt(columns.longitudes, row),
    confidence: confidence === NO_CONFIDENCE ? null : confidence,
    hasVehicleImage: (flags & HAS_VEHICLE_IMAGE) !== 0,
    hasPlateImage: (flags & HAS_PLATE_IMAGE) !== 0,
    timeIsArrival: (flags & TIME_IS_ARRIVAL) !== 0,
    ...(match && { match }),
  };
}
