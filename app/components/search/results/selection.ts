/** The selected rows of a result set: one bit per row, immutable. */
export type Selection = { readonly bits: Uint32Array; readonly count: number };

export function emptySelection(rows: number): Selection {
  return { bits: new Uint32Array((rows + 31) >>> 5), count: 0 };
}

export function isSelected(selection: Selection, row: number): boolean {
  return (((selection.bits[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;
}

/** Returns a selection with these rows added or removed. */
export function withRows(selection: Selection, rows: Iterable<number>, on: boolean): Selection {
  const bits = selection.bits.slice();
  let count = selection.count;
  for (const row of rows) {
    const word = row >>> 5;
    const mask = (1 << (row & 31)) >>> 0;
    const was = ((bits[word] ?? 0) & mask) !== 0;
    if (was === on) continue;
    bits[word] = on ? (bits[word] ?? 0) | mask : (bits[word] ?? 0) & ~mask;
    count += on ? 1 : -1;
  }
  return { bits, count };
}

/** Returns how many of these rows are selected. */
export function countSelected(selection: Selection, rows: Uint32Array): number {
  if (selection.count === 0) return 0;
  let count = 0;
  for (let i = 0; i < rows.length; i++) if (isSelected(selection, rows[i] ?? 0)) count++;
  return count;
}

/** Returns the selected rows of a view, in its order. */
export function selectedRows(selection: Selection, view: Uint32Array): number[] {
  const rows: number[] = [];
  for (const row of view) if (isSelected(selection, row)) rows.push(row);
  return rows;
}
