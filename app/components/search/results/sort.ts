import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import {
  isNewestFirst,
  matchOf,
  newestFirst,
  type ResultColumns,
  wordCount,
  wordOf,
} from "#app/entities/search/result-columns.ts";

/** The columns that a result can be sorted by. */
export const SORT_KEYS = [
  "program",
  "plate",
  "match",
  "state",
  "make",
  "color",
  "bodyType",
  "agency",
  "camera",
  "time",
  "vehicleImage",
  "plateImage",
] as const;
export type SortKey = (typeof SORT_KEYS)[number];
export type ResultSort = { key: SortKey; descending: boolean };

/** Returns the first direction of a column: times newest first, images available first, text from A. */
export function startsDescending(key: SortKey): boolean {
  return key === "time" || key === "match" || key === "vehicleImage" || key === "plateImage";
}

/** Newest first (specification section 2, /results). */
const DEFAULT_SORT: ResultSort = { key: "time", descending: true };

/** Returns the first order of a set: that of its search, so that exact matches precede look-alikes. */
export function defaultSort(columns: ResultColumns): ResultSort {
  return hasMatches(columns) ? { key: "match", descending: true } : DEFAULT_SORT;
}

/** Returns whether a set is from a search with look-alikes. */
export function hasMatches(columns: ResultColumns): boolean {
  return columns.count > 0 && wordOf(columns, "match", 0) !== "";
}

const PROGRAM_RANKS = SOURCE_PROGRAMS.map((program) => [...SOURCE_PROGRAMS].sort().indexOf(program));

/** A column as integers from 0; comparing two rows means comparing their ranks. */
type Ranks = { ranks: ArrayLike<number>; size: number /** The rank of missing values. */; missing: number };

/**
 * Returns the rows of a set in sorted order. Stable: equal rows stay newest first in both directions. A missing time is
 * the oldest; a missing text comes last in both directions. A counting sort, which takes milliseconds at any size.
 */
export function sortRows(columns: ResultColumns, sort: ResultSort): Uint32Array {
  // Most sets are stored newest first, so the default order needs no sorting.
  if (sort.key === "time" && sort.descending && isNewestFirst(columns)) return storedOrder(columns.count);
  const { ranks, size, missing } = ranksOf(columns, sort.key);
  const starts = new Uint32Array(size + 1);
  const place = (row: number) => {
    const rank = ranks[row] ?? 0;
    if (rank === missing) return size - 1;
    const shifted = missing >= 0 && rank > missing ? rank - 1 : rank;
    const last = missing >= 0 ? size - 2 : size - 1;
    return sort.descending ? last - shifted : shifted;
  };
  for (let row = 0; row < columns.count; row++) starts[place(row) + 1] = (starts[place(row) + 1] ?? 0) + 1;
  for (let i = 1; i <= size; i++) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0);
  const order = new Uint32Array(columns.count);
  for (let row = 0; row < columns.count; row++) {
    const at = place(row);
    const next = starts[at] ?? 0;
    order[next] = row;
    starts[at] = next + 1;
  }
  return order;
}

function storedOrder(count: number): Uint32Array {
  const order = new Uint32Array(count);
  for (let row = 0; row < count; row++) order[row] = row;
  return order;
}

function ranksOf(columns: ResultColumns, key: SortKey): Ranks {
  switch (key) {
    case "time":
      return timeRanks(columns);
    case "program":
      return {
        ranks: columns.programs.map((code) => PROGRAM_RANKS[code] ?? 0),
        size: PROGRAM_RANKS.length,
        missing: -1,
      };
    case "match":
      return matchRanks(columns);
    case "vehicleImage":
      return { ranks: columns.flags.map((flags) => flags & 1), size: 2, missing: -1 };
    case "plateImage":
      return { ranks: columns.flags.map((flags) => (flags >> 1) & 1), size: 2, missing: -1 };
    default: {
      // Dictionaries are sorted, so a code is a rank, and only the first word can be empty.
      const missing = wordOf(columns, key, 0) === "" ? 0 : -1;
      return { ranks: columns.words[key], size: Math.max(wordCount(columns, key), 1), missing };
    }
  }
}

/** Ranks by score alone, so that matches of one score stay newest first. */
function matchRanks(columns: ResultColumns): Ranks {
  const scores = columns.dictionaries.match.map((word) => matchOf(word)?.score ?? 0);
  const sorted = [...new Set(scores)].sort((a, b) => a - b);
  const rankOf = Uint32Array.from(scores, (score) => sorted.indexOf(score));
  const ranks = Uint32Array.from(columns.words.match, (code) => rankOf[code] ?? 0);
  return { ranks, size: Math.max(sorted.length, 1), missing: -1 };
}

function timeRanks(columns: ResultColumns): Ranks {
  const { times, count } = columns;
  const order = isNewestFirst(columns) ? undefined : newestFirst(columns);
  const ranks = new Uint32Array(count);
  let size = 0;
  // From the oldest: equal times share a rank, missing ones are the lowest.
  for (let i = count - 1; i >= 0; i--) {
    const row = order ? (order[i] ?? 0) : i;
    const after = i + 1 < count ? (order ? (order[i + 1] ?? 0) : i + 1) : -1;
    if (after === -1 || !sameTime(times[row] ?? 0, times[after] ?? 0)) size++;
    ranks[row] = size - 1;
  }
  return { ranks, size: Math.max(size, 1), missing: -1 };
}

function sameTime(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}
