// Compares two result sets of one search, of which the later one has more reads.

import { idAt, type ResultColumns } from "./result-columns.ts";

/**
 * Returns the row that each read of the earlier set has in the later one; -1 for a read that it does not have. Both sets
 * are in the same order, so one pass over both is enough; reads that were moved are found by their ids.
 */
export function rowsAfter(before: ResultColumns, after: ResultColumns): Int32Array {
  const rows = new Int32Array(before.count).fill(-1);
  let next = 0;
  for (let row = 0; row < after.count && next < before.count; row++)
    if (isSameRead(before.ids, next, { ids: after.ids, row })) rows[next++] = row;
  if (next === before.count) return rows;
  const byId = new Map<string, number>();
  for (let row = 0; row < after.count; row++) byId.set(idAt(after, row), row);
  for (let row = next; row < before.count; row++) rows[row] = byId.get(idAt(before, row)) ?? -1;
  return rows;
}

const ID_BYTES = 16;

function isSameRead(ids: Uint8Array, row: number, other: { ids: Uint8Array; row: number }): boolean {
  for (let i = 0; i < ID_BYTES; i++)
    if (ids[row * ID_BYTES + i] !== other.ids[other.row * ID_BYTES + i]) return false;
  return true;
}
