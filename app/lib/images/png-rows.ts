/** The rows of a PNG's pixels, each behind the byte that names its filter: unpacked one by one, and packed again. */
import { Unzlib, Zlib } from "fflate";

/** Most bytes that the pixels of one image may unpack to: some six million of them with color and transparency. */
export const UNPACKED_LIMIT = 25_000_000;
/** Bytes are unpacked and packed in pieces of about so many. */
const PIECE = 65_536;

/** Rows of one length that follow each other; an interlaced image has several such parts. */
export type RowsPart = { length: number; count: number };

/**
 * Hands out each row, whose bytes are good until the next. Gives false where the data is damaged, too large, or not as
 * many rows as the image says; some of them may have been handed out by then.
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
      onRow(buffer.subarray(0, part.length), numbers[at] as number);
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

/** Packs rows of one length, whose size was checked before; `row` gives the place of the next one, all of which is to be written. */
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
