/**
 * Rearranges the PNGs that a PDF cannot store directly: interlaced images, whose pixels come in seven passes, palettes
 * with partly transparent colors, and pixels with alpha, whose alpha becomes a separate image. The samples stay the same;
 * only their order changes. A plain image is read row by row; an interlaced image is held in memory, within the size
 * limit.
 */

import { Unzlib, Zlib } from "fflate";
import { at } from "#app/lib/at.ts";
import { joined } from "#app/lib/buffers.ts";

export type PngSamples = {
  width: number;
  height: number;
  /** Bits per sample. */
  bits: number;
  channels: number;
};

/** The first pixel of each pass of an interlaced image, and the distance between its pixels (PNG, 8.2). */
const PASSES = [
  { x: 0, y: 0, across: 8, down: 8 },
  { x: 4, y: 0, across: 8, down: 8 },
  { x: 0, y: 4, across: 4, down: 8 },
  { x: 2, y: 0, across: 4, down: 4 },
  { x: 0, y: 2, across: 2, down: 4 },
  { x: 1, y: 0, across: 2, down: 2 },
  { x: 0, y: 1, across: 1, down: 2 },
] as const;

const bytesOf = ({ bits, channels }: PngSamples, pixels: number) => Math.ceil((pixels * bits * channels) / 8);

/** Maximum inflated bytes of one image: about six million pixels with color and alpha. */
const UNPACKED_LIMIT = 25_000_000;
/** Approximate size of the pieces that are inflated and deflated. */
const PIECE = 65_536;

/** Consecutive rows of one length; an interlaced image has several such parts. */
type RowsPart = { length: number; count: number };

/**
 * Calls `onRow` with each row, whose bytes are valid until the next. Returns false if the data is damaged, too
 * large, or has another number of rows; some rows may have been passed by then.
 */
function unpackRows(
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
    // In pieces of our own size: fflate copies what follows the end of a stream for each piece, and a file may have
    // chunks of one byte.
    const bytes = joined(data);
    for (let from = 0; from < bytes.length || from === 0; from += PIECE)
      stream.push(bytes.subarray(from, from + PIECE), from + PIECE >= bytes.length);
  } catch {
    return false;
  }
  return at === wanted.length;
}

/**
 * Returns a compressor for rows of one length, whose size was checked before; `row` returns the buffer of the next
 * row, to be filled completely.
 */
function createRowPacker({ length, count }: RowsPart) {
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

/**
 * Returns the zlib stream of an interlaced image's pixels in rows from top to bottom; undefined if damaged or too
 * large.
 */
export function deinterlace(data: readonly Uint8Array[], image: PngSamples): Uint8Array[] | undefined {
  const { width, height } = image;
  const parts = PASSES.map(({ x, y, across, down }) => {
    const columns = Math.max(0, Math.ceil((width - x) / across));
    return { length: columns === 0 ? 0 : 1 + bytesOf(image, columns), count: Math.ceil((height - y) / down) };
  });
  const row = bytesOf(image, width);
  if ((1 + row) * height > UNPACKED_LIMIT) return undefined;
  const pixels = new Uint8Array(row * height);
  const place = image.bits * image.channels < 8 ? placeBits : placeBytes;
  const decode = createDecoder(image);
  let [pass, y] = [-1, 0];
  const isWhole = unpackRows(data, parts, (bytes, part) => {
    const { x, across, down, y: first } = at(PASSES, part);
    y = part === pass ? y + down : first;
    const samples = decode(bytes, part !== pass);
    pass = part;
    place(samples, { row: pixels.subarray(y * row, (y + 1) * row), x, across, image });
  });
  return isWhole ? packed(pixels, image) : undefined;
}

/**
 * Returns the alpha of a plain palette image, as the zlib stream of rows with one byte per pixel; undefined if the
 * data is damaged or too large. Colors after the last entry of `transparent` are opaque.
 */
export function paletteAlpha(
  data: readonly Uint8Array[],
  image: PngSamples,
  transparent: Uint8Array,
): Uint8Array[] | undefined {
  const { width, height, bits } = image;
  if ((1 + width) * height > UNPACKED_LIMIT) return undefined;
  const alphaOf = new Uint8Array(256).fill(255);
  alphaOf.set(transparent.subarray(0, 256));
  const alpha = createRowPacker({ length: 1 + width, count: height });
  const decode = createDecoder(image);
  let isFirst = true;
  const isWhole = unpackRows(data, [{ length: 1 + bytesOf(image, width), count: height }], (bytes) => {
    const samples = decode(bytes, isFirst);
    const row = alpha.row();
    isFirst = false;
    for (let x = 0; x < width; x++) row[x + 1] = alphaOf[bitsAt(samples, x * bits, bits)] ?? 0;
  });
  return isWhole ? alpha.finish() : undefined;
}

/**
 * Returns a decoder that removes the filter from one row after the other; `isFirst` means that there is no row
 * above.
 */
function createDecoder(image: PngSamples): (row: Uint8Array, isFirst: boolean) => Uint8Array {
  const step = Math.max(1, (image.bits * image.channels) >> 3);
  let [above, samples] = [new Uint8Array(0), new Uint8Array(0)];
  return (row, isFirst) => {
    const length = row.length - 1;
    if (isFirst) [above, samples] = [new Uint8Array(length), new Uint8Array(length)];
    else [above, samples] = [samples, above];
    unfilter({ row, above, samples, step });
    return samples;
  };
}

function unfilter(one: { row: Uint8Array; above: Uint8Array; samples: Uint8Array; step: number }): void {
  const { row, above, samples, step } = one;
  const filter = row[0] ?? 0;
  if (filter > 4) throw new RangeError("a filter that PNG does not have");
  for (let i = 0; i < samples.length; i++) {
    const left = i < step ? 0 : (samples[i - step] ?? 0);
    const up = above[i] ?? 0;
    const corner = i < step ? 0 : (above[i - step] ?? 0);
    const guess =
      filter === 0
        ? 0
        : filter === 1
          ? left
          : filter === 2
            ? up
            : filter === 3
              ? (left + up) >> 1
              : nearest(left, up, corner);
    samples[i] = (row[i + 1] ?? 0) + guess;
  }
}

/** Returns the one of three neighbors that is nearest to their prediction (Paeth; PNG, 9.4). */
function nearest(left: number, up: number, corner: number): number {
  const likely = left + up - corner;
  const [a, b, c] = [Math.abs(likely - left), Math.abs(likely - up), Math.abs(likely - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

type Place = { row: Uint8Array; x: number; across: number; image: PngSamples };

function placeBytes(samples: Uint8Array, { row, x, across, image }: Place): void {
  const size = (image.bits * image.channels) >> 3;
  for (let from = 0, to = x * size; from < samples.length; to += across * size)
    for (let k = 0; k < size; k++) row[to + k] = samples[from++] ?? 0;
}

function placeBits(samples: Uint8Array, { row, x, across, image }: Place): void {
  const { bits, width } = image;
  for (let from = 0, to = x; to < width; from += bits, to += across) {
    const at = to * bits;
    const byte = at >> 3;
    row[byte] = (row[byte] ?? 0) | (bitsAt(samples, from, bits) << (8 - bits - (at & 7)));
  }
}

/** Returns a sample of at most eight bits, which never crosses a byte. */
function bitsAt(bytes: Uint8Array, at: number, bits: number): number {
  return ((bytes[at >> 3] ?? 0) >> (8 - bits - (at & 7))) & ((1 << bits) - 1);
}

/** Compresses rows: photographs as differences to the left neighbor, palette indexes unchanged. */
function packed(pixels: Uint8Array, image: PngSamples): Uint8Array[] {
  const row = bytesOf(image, image.width);
  const step = (image.bits * image.channels) >> 3;
  const rows = createRowPacker({ length: 1 + row, count: image.height });
  for (let y = 0; y < image.height; y++) {
    const target = rows.row();
    const at = y * row;
    target[0] = image.channels === 1 ? 0 : 1;
    for (let i = 0; i < row; i++) {
      const left = target[0] === 0 || i < step ? 0 : (pixels[at + i - step] ?? 0);
      target[i + 1] = (pixels[at + i] ?? 0) - left;
    }
  }
  return rows.finish();
}

type SplitPng = { color: Uint8Array[]; alpha: Uint8Array[] };

/**
 * Returns the zlib streams of the colors and of the alpha channel of an image whose last sample per pixel is alpha;
 * undefined if the data is damaged or too large. `sample` is the bytes per sample. PNG filters work on single bytes, so
 * the samples are separated without being decoded.
 */
export function splitAlpha(
  data: readonly Uint8Array[],
  image: { width: number; height: number; channels: 2 | 4; sample: 1 | 2 },
): SplitPng | undefined {
  const { width, height, channels, sample } = image;
  const pixel = channels * sample;
  if ((1 + width * pixel) * height > UNPACKED_LIMIT) return undefined;
  const color = createRowPacker({ length: 1 + width * (pixel - sample), count: height });
  const alpha = createRowPacker({ length: 1 + width * sample, count: height });
  const isWhole = unpackRows(data, [{ length: 1 + width * pixel, count: height }], (row) => {
    const [colors, alphas] = [color.row(), alpha.row()];
    colors[0] = alphas[0] = row[0] ?? 0;
    for (let from = 1, c = 1, a = 1; from < row.length; ) {
      for (let k = pixel - sample; k > 0; k--) colors[c++] = row[from++] ?? 0;
      for (let k = sample; k > 0; k--) alphas[a++] = row[from++] ?? 0;
    }
  });
  return isWhole ? { color: color.finish(), alpha: alpha.finish() } : undefined;
}
