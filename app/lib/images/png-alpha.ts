/**
 * Takes the transparency of a PNG apart from its colors, as a PDF wants them. The filters of PNG work on each byte by
 * itself, so the samples are dealt out as they stand, without being decoded: the pixels cannot change on the way.
 */
import { createRowPacker, UNPACKED_LIMIT, unpackRows } from "./png-rows.ts";

export type SplitPng = { color: Uint8Array[]; alpha: Uint8Array[] };

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
  if ((1 + width * pixel) * height > UNPACKED_LIMIT) return undefined;
  const color = createRowPacker({ length: 1 + width * (pixel - sample), count: height });
  const alpha = createRowPacker({ length: 1 + width * sample, count: height });
  const isWhole = unpackRows(data, [{ length: 1 + width * pixel, count: height }], (row) => {
    const [colors, alphas] = [color.row(), alpha.row()];
    colors[0] = alphas[0] = row[0] as number;
    for (let from = 1, c = 1, a = 1; from < row.length; ) {
      for (let k = pixel - sample; k > 0; k--) colors[c++] = row[from++] as number;
      for (let k = sample; k > 0; k--) alphas[a++] = row[from++] as number;
    }
  });
  return isWhole ? { color: color.finish(), alpha: alpha.finish() } : undefined;
}
