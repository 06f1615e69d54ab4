import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { newestFirst, type ResultColumns, wordCount, wordOf } from "#app/entities/search/result-columns.ts";

/** What a result can be sorted by. */
export const SORT_KEYS = [
  "program",
  "plate",
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

/** Newest first, as the specification asks. */
export const DEFAULT_SORT: ResultSort = { key: "time", descending: true };

const PROGRAM_RANKS = SOURCE_PROGRAMS.map((program) => [...SOURCE_PROGRAMS].sort().indexOf(program));

/** A column as whole numbers from 0: comparing two rows is comparing two of these. */
type Ranks = { ranks: ArrayLike<number>; size: number /** The rank of what is missing. */; missing: number };

/**
 * The rows of a set in the order asked for. Stable: equal rows stay newest first whichever way it runs. A missing
 * time is the oldest; a missing word stands last both ways. Counts instead of comparing, so that it takes
 * milliseconds at any size.
 */
export function sortRows(columns: ResultColumns, sort: ResultSort): Uint32Array {
  // Sets are kept newest first: the order in which they are first seen costs nothing but to look.
  if (sort.key === "time" && sort.descending && isNewestFirst(columns)) return asKept(columns.count);
  const { ranks, size, missing } = ranksOf(columns, sort.key);
  const starts = new Uint32Array(size + 1);
  const place = (row: number) => {
    const rank = ranks[row] as number;
    if (rank === missing) return size - 1;
    const shifted = missing >= 0 && rank > missing ? rank - 1 : rank;
    const last = missing >= 0 ? size - 2 : size - 1;
    return sort.descending ? last - shifted : shifted;
  };
  for (let row = 0; row < columns.count; row++)
    starts[place(row) + 1] = (starts[place(row) + 1] as number) + 1;
  for (let i = 1; i <= size; i++) starts[i] = (starts[i] as number) + (starts[i - 1] as number);
  const order = new Uint32Array(columns.count);
  for (let row = 0; row < columns.count; row++) {
    const at = place(row);
    const next = starts[at] as number;
    order[next] = row;
    starts[at] = next + 1;
  }
  return order;
}

function asKept(count: number): Uint32Array {
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
    case "vehicleImage":
      return { ranks: columns.flags.map((flags) => flags & 1), size: 2, missing: -1 };
    case "plateImage":
      return { ranks: columns.flags.map((flags) => (flags >> 1) & 1), size: 2, missing: -1 };
    default: {
      // Words are kept sorted, so a code is a rank, and an empty word can only be the first.
      const missing = wordOf(columns, key, 0) === "" ? 0 : -1;
      return { ranks: columns.words[key], size: Math.max(wordCount(columns, key), 1), missing };
    }
  }
}

function timeRanks(columns: ResultColumns): Ranks {
  const { times, count } = columns;
  const order = isNewestFirst(columns) ? undefined : newestFirst(columns);
  const ranks = new Uint32Array(count);
  let size = 0;
  // From the oldest: equal times share a rank, missing ones are the lowest.
  for (let i = count - 1; i >= 0; i--) {
    const row = order ? (order[i] as number) : i;
    const after = i + 1 < count ? (order ? (order[i + 1] as number) : i + 1) : -1;
    if (after === -1 || !sameTime(times[row] as number, times[after] as number)) size++;
    ranks[row] = size - 1;
  }
  return { ranks, size: Math.max(size, 1), missing: -1 };
}

function sameTime(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

function isNewestFirst({ times, count }: ResultColumns): boolean {
  for (let i = 1; i < count; i++) {
    const after = times[i] as number;
    if (!((times[i - 1] as number) >= after || Number.isNaN(after))) return false;
  }
  return true;
}
