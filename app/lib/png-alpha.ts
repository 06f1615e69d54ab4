/**
 * Takes the transparency of a PNG apart from its colors, as a PDF wants them. The filters of PNG work on each byte by
 * itself, so the samples are dealt out as they stand, without being decoded: the pixels cannot change on the way.
 */
import { Unzlib, Zlib } from "fflate";

export type SplitPng = { color: Uint8Array[]; alpha: Uint8Array[] };

/** Most bytes that the pixels of one image may unpack to: some six million of them. */
const UNPACKED_LIMIT = 25_000_000;
/** Rows are packed again in pieces of about so many bytes. */
const PIECE = 65_536;

/**
 * The zlib streams of the colors and of the transparency of an image whose last sample in each pixel is alpha;
 * undefined where the data is damaged or too large. `sample` is the bytes of one sample.
 */
export function splitAlpha(
  data: readonly Uint8Array[],
  image: { width: number; height: number; channels: 2 | 4; sample: 1 | 2 },
): SplitPng | undefined {
  const { width, height, channels, sample } = image;
  const pixel = channels * sample;
  const row = 1 + width * pixel;
  if (row * height > UNPACKED_LIMIT) return undefined;
  const color = packer(1 + width * (pixel - sample), height);
  const alpha = packer(1 + width * sample, height);
  const current = new Uint8Array(row);
  let [filled, rows] = [0, 0];

  function endRow(): void {
    const [colors, alphas] = [color.row(), alpha.row()];
    colors[0] = alphas[0] = current[0] as number;
    for (let from = 1, c = 1, a = 1; from < row; ) {
      for (let k = pixel - sample; k > 0; k--) colors[c++] = current[from++] as number;
      for (let k = sample; k > 0; k--) alphas[a++] = current[from++] as number;
    }
    filled = 0;
    rows += 1;
  }

  const stream = new Unzlib((part) => {
    for (let at = 0; at < part.length; ) {
      if (rows === height) throw new RangeError("more rows than the image has");
      const taken = Math.min(part.length - at, row - filled);
      current.set(part.subarray(at, at + taken), filled);
      at += taken;
      filled += taken;
      if (filled === row) endRow();
    }
  });
  try {
    data.forEach((piece, i) => {
      for (let at = 0; at < piece.length || at === 0; at += PIECE)
        stream.push(piece.subarray(at, at + PIECE), i === data.length - 1 && at + PIECE >= piece.length);
    });
  } catch {
    return undefined;
  }
  return rows === height ? { color: color.finish(), alpha: alpha.finish() } : undefined;
}

/** Packs rows of one length; `row` gives the place of the next one. */
function packer(length: number, rows: number) {
  const parts: Uint8Array[] = [];
  const stream = new Zlib({ level: 6 }, (part) => parts.push(part.slice()));
  const most = Math.max(1, Math.min(rows, Math.floor(PIECE / length)));
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
