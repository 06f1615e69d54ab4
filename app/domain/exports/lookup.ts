// Finds the reads that an export asks for in the rows of a result set: by id, or by plate, time, camera, agency and
// program. Rows are sorted by time, so that a set of 200,000 is searched and not walked through.

import type { WantedRecord } from "#app/entities/exports/request.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { type Columns, idAt, type ResultColumns, wordAt } from "#app/entities/search/result-columns.ts";
import { fromHex } from "#app/lib/crypto/encoding.ts";

/** Records that were asked for, from zero, by what each is found by. */
type Asked = { positions: number[] };

export type Lookup = {
  /** Whether a set of searches between these times may have a record that is still missing. */
  mayBeIn: (range: { from: number; to: number }) => boolean;
  /** Rows of the set that were asked for and are not found yet, rising; from now on they are. */
  take: (columns: ResultColumns) => number[];
  /** Positions in the request of the records that are not found, rising. */
  missing: () => number[];
};

/** A lookup of all records of a request. Identical records are one, unless a set has as many such reads. */
export function createLookup(records: readonly WantedRecord[]): Lookup {
  const ids = new Map<string, Asked>();
  /** By time, NaN where there is none, then by the other fields. */
  const named = new Map<number, Map<string, Asked>>();
  /** Records whose time is no time: no read has it. */
  const hopeless: number[] = [];
  records.forEach((record, position) => {
    const time = record.timestamp === "" ? Number.NaN : Date.parse(record.timestamp);
    if (record.id) add(ids, record.id, position);
    else if (Number.isNaN(time) && record.timestamp !== "") hopeless.push(position);
    else {
      const atTime = named.get(time) ?? new Map<string, Asked>();
      named.set(time, atTime);
      add(atTime, keyOf(record), position);
    }
  });

  function takeNamed(columns: ResultColumns): number[] {
    const rows: number[] = [];
    for (const [time, wanted] of named) {
      const left = new Map([...wanted].map(([key, { positions }]) => [key, positions.length]));
      const found = new Set<string>();
      for (let row = firstAt(columns.times, time); row < columns.count && isAt(columns, row, time); row++) {
        const key = keyOfRow(columns, row);
        const open = left.get(key) ?? 0;
        if (open === 0) continue;
        rows.push(row);
        left.set(key, open - 1);
        found.add(key);
      }
      for (const key of found) wanted.delete(key);
      if (wanted.size === 0) named.delete(time);
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
      if (ids.size > 0 || named.has(Number.NaN)) return true;
      for (const time of named.keys()) if (time >= from && time <= to) return true;
      return false;
    },
    take: (columns) => [...new Set([...takeIds(columns), ...takeNamed(columns)])].sort((a, b) => a - b),
    missing: () =>
      [...ids.values(), ...[...named.values()].flatMap((wanted) => [...wanted.values()])]
        .flatMap(({ positions }) => positions)
        .concat(hopeless)
        .sort((a, b) => a - b),
  };
}

function add(asked: Map<string, Asked>, key: string, position: number): void {
  const one = asked.get(key);
  if (one) one.positions.push(position);
  else asked.set(key, { positions: [position] });
}

function joined(parts: readonly string[]): string {
  return parts.map((part) => part.trim().toLowerCase()).join("\n");
}

function keyOf({ plate, camera_name, agency, source_program }: WantedRecord): string {
  return joined([plate, camera_name, agency, source_program]);
}

function keyOfRow(columns: Columns, row: number): string {
  const program = SOURCE_PROGRAMS[columns.programs[row] as number] ?? "";
  return joined([
    wordAt(columns, "plate", row),
    wordAt(columns, "camera", row),
    wordAt(columns, "agency", row),
    program,
  ]);
}

function isAt({ times }: Columns, row: number, time: number): boolean {
  const at = times[row] as number;
  return at === time || (Number.isNaN(at) && Number.isNaN(time));
}

/** The first row at a time or before it, in times that fall; those that are missing come last. */
function firstAt(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = times[middle] as number;
    const isAfter = Number.isNaN(time) ? !Number.isNaN(at) : at > time;
    if (isAfter) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows with one of these ids, rising. Texts are made only of ids whose first four bytes are among the wanted. */
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
