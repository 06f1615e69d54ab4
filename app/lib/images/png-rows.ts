/** The rows of a PNG, each after the byte that names its filter: inflated one by one, and deflated again. */
import { Unzlib, Zlib } from "fflate";

/** The most bytes that one image may inflate to: about six million pixels with color and alpha. */
export const UNPACKED_LIMIT = 25_000_000;
/** Approximate size of the pieces that are inflated and deflated. */
const PIECE = 65_536;

/** Consecutive rows of one length; an interlaced image has several such parts. */
export type RowsPart = { length: number; count: number };

/**
 * Calls `onRow` with each row, whose bytes are valid until the next. Returns false if the data is damaged, too
 * large, or has another number of rows; some rows may have been passed by then.
 */
export function unpackRows(
  data: readonly Uint8Array[],
  parts: readonly RowsPart[],
  onRow: (row: Uint8Array, part: number) => void,
): boolean {
  const wanted = parts.filter(({ length, count }) => length > 0 && count > 0);
  const numbers = wanted.map((part) => parts.indexOf(part));
  if (wanted.reduce((sum, { length, count }) => sum + length * count, 0) > UNPACKED_LIMIT) return false;
  const buffer = new Uint8Array(Math.max(1, ...wanted.map(({ length }) => length)));
  let [at, rows, filled] = [0, 0, 0];

  const stream = new Unzlib((piece) => {
    for (let from = 0; from < piece.length; ) {
      const part = wanted[at];
      if (!part) throw new RangeError("more rows than the image has");
      const taken = Math.min(piece.length - from, part.length - filled);
      buffer.set(piece.subarray(from, from + taken), filled);
      from += taken;
      filled += taken;
      if (filled < part.length) continue;
      onRow(buffer.subarray(0, part.length), numbers[at] ?? 0);
      filled = 0;
      rows += 1;
      if (rows < part.count) continue;
      rows = 0;
      at += 1;
    }
  });
  try {
    data.forEach((piece, i) => {
      for (let from = 0; from < piece.length || from === 0; from += PIECE)
        stream.push(
          piece.subarray(from, from + PIECE),
          i === data.length - 1 && from + PIECE >= piece.length,
        );
    });
  } catch {
    return false;
  }
  return at === wanted.length;
}

/**
 * Returns a compressor for rows of one length, whose size was checked before; `row` returns the buffer of the next
 * row, to be filled completely.
 */
export function createRowPacker({ length, count }: RowsPart) {
  const parts: Uint8Array[] = [];
  const stream = new Zlib({ level: 6 }, (part) => parts.push(part.slice()));
  const most = Math.max(1, Math.min(count, Math.floor(PIECE / length)));
  let piece = new Uint8Array(length * most);
  let used = 0;
  return {
    row(): Uint8Array {
      if (used === piece.length) {
        stream.push(piece, false);
        piece = new Uint8Array(piece.length);
        used = 0;
      }
      used += length;
      return piece.subarray(used - length, used);
    },
    finish(): Uint8Array[] {
      stream.push(piece.subarray(0, used), true);
      return parts;
    },
  };
}
