// Finds the requested records of an export among the rows of a result set: by id, or by plate, time, camera, agency
// and program. A set of 200,000 rows is searched by bisection in the order of time, which is the order of the set unless
// the search allowed look-alikes.

import type { WantedRecord } from "#app/entities/exports/request.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import {
  type Columns,
  idAt,
  isNewestFirst,
  newestFirst,
  type ResultColumns,
  wordAt,
} from "#app/entities/search/result-columns.ts";
import { at } from "#app/lib/at.ts";
import { fromHex } from "#app/lib/crypto/encoding.ts";
import { writtenSpan } from "#app/lib/time/wall-clock.ts";

/** Positions in the request, from zero, of the records with the same key. */
type Asked = { positions: number[] };

/**
 * The range of instants, in milliseconds, that a written time may mean: a whole second if it has no fraction. NaN
 * without a time.
 */
type Written = { from: number; to: number };

export type Lookup = {
  /** Returns whether a set of searches between these times may contain a record that is not found yet. */
  mayBeIn: (range: { from: number; to: number }) => boolean;
  /** Returns the rows of the set that were requested and not found before, ascending, and marks them as found. */
  take: (columns: ResultColumns) => number[];
  /** Returns the positions in the request of the records that are not found, ascending. */
  missing: () => number[];
};

/**
 * Returns a lookup of all records of a request. Identical records count once, unless a set has as many such reads.
 */
export function createLookup(records: readonly WantedRecord[]): Lookup {
  const ids = new Map<string, Asked>();
  /** By time, then by the other fields. */
  const named = new Map<string, Written & { wanted: Map<string, Asked> }>();
  /** Records with an unreadable time, which no read has. */
  const unreadable: number[] = [];
  for (const [position, record] of records.entries()) {
    if (record.id) {
      add(ids, record.id, position);
      continue;
    }
    const time = writtenTime(record.timestamp);
    if (!time) {
      unreadable.push(position);
      continue;
    }
    const name = `${time.from} ${time.to}`;
    const atTime = named.get(name) ?? { ...time, wanted: new Map<string, Asked>() };
    named.set(name, atTime);
    add(atTime.wanted, keyOf(record), position);
  }

  function takeNamed(columns: ResultColumns): number[] {
    const rows: number[] = [];
    if (named.size === 0) return rows;
    const order = isNewestFirst(columns) ? undefined : newestFirst(columns);
    const times = order ? Float64Array.from(order, (row) => at(columns.times, row)) : columns.times;
    for (const [name, { from, to, wanted }] of named) {
      const left = new Map([...wanted].map(([key, { positions }]) => [key, positions.length]));
      const found = new Set<string>();
      for (let place = firstAt(times, to); place < times.length && isFrom(times, place, from); place++) {
        const row = order ? at(order, place) : place;
        const key = keyOfRow(columns, row);
        const open = left.get(key) ?? 0;
        if (open === 0) continue;
        rows.push(row);
        left.set(key, open - 1);
        found.add(key);
      }
      for (const key of found) wanted.delete(key);
      if (wanted.size === 0) named.delete(name);
    }
    return rows;
  }

  function takeIds(columns: ResultColumns): number[] {
    if (ids.size === 0) return [];
    const rows = rowsOf(columns, ids);
    for (const row of rows) ids.delete(idAt(columns, row));
    return rows;
  }

  return {
    mayBeIn({ from, to }) {
      if (ids.size > 0) return true;
      // A record without a time may be in any set.
      for (const time of named.values())
        if (Number.isNaN(time.from) || (time.to >= from && time.from <= to)) return true;
      return false;
    },
    take: (columns) => [...new Set([...takeIds(columns), ...takeNamed(columns)])].sort((a, b) => a - b),
    missing: () =>
      [...ids.values(), ...[...named.values()].flatMap(({ wanted }) => [...wanted.values()])]
        .flatMap(({ positions }) => positions)
        .concat(unreadable)
        .sort((a, b) => a - b),
  };
}

function add(asked: Map<string, Asked>, key: string, position: number): void {
  const found = asked.get(key);
  if (found) found.positions.push(position);
  else asked.set(key, { positions: [position] });
}

function joined(parts: readonly string[]): string {
  return parts.map((part) => part.trim().toLowerCase()).join("\n");
}

function keyOf({ plate, camera_name, agency, source_program }: WantedRecord): string {
  return joined([plate, camera_name, agency, source_program]);
}

function keyOfRow(columns: Columns, row: number): string {
  const program = SOURCE_PROGRAMS[columns.programs[row] ?? -1] ?? "";
  return joined([
    wordAt(columns, "plate", row),
    wordAt(columns, "camera", row),
    wordAt(columns, "agency", row),
    program,
  ]);
}

/** Returns what a record's time may mean; NaN for none, undefined for a text that is not a time. */
function writtenTime(text: string): Written | undefined {
  return text === "" ? { from: Number.NaN, to: Number.NaN } : writtenSpan(text);
}

/** Returns whether the time at an index is this one or later, or both are missing. */
function isFrom(times: Float64Array, place: number, from: number): boolean {
  const found = times[place] ?? Number.NaN;
  return found >= from || (Number.isNaN(found) && Number.isNaN(from));
}

/** Returns the first index of this time or an earlier one, in descending times; missing times come last. */
function firstAt(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const candidate = times[middle] ?? Number.NaN;
    const isAfter = Number.isNaN(time) ? !Number.isNaN(candidate) : candidate > time;
    if (isAfter) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the rows with one of these ids, ascending. Ids are decoded only if their first four bytes match a wanted
 * id.
 */
function rowsOf(columns: ResultColumns, wanted: ReadonlyMap<string, unknown>): number[] {
  const starts = new Set<number>();
  for (const id of wanted.keys()) starts.add(new DataView(fromHex(id.slice(0, 8)).buffer).getUint32(0));
  const ids = new DataView(columns.ids.buffer, columns.ids.byteOffset, columns.ids.byteLength);
  const rows: number[] = [];
  for (let row = 0; row < columns.count; row++) {
    if (starts.has(ids.getUint32(row * 16)) && wanted.has(idAt(columns, row))) rows.push(row);
  }
  return rows;
}
