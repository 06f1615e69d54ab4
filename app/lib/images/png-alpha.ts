/**
 * Separates the alpha channel of a PNG from its colors, as a PDF requires. PNG filters work on single bytes, so the
 * samples are separated without being decoded: the pixels cannot change.
 */
import { createRowPacker, UNPACKED_LIMIT, unpackRows } from "./png-rows.ts";

export type SplitPng = { color: Uint8Array[]; alpha: Uint8Array[] };

/**
 * Returns the zlib streams of the colors and of the alpha channel of an image whose last sample per pixel is alpha;
 * undefined if the data is damaged or too large. `sample` is the bytes per sample.
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
