import { crc32, deflateSync } from "node:zlib";

type Chunk = [type: string, data: Uint8Array];

export type SamplePng = {
  width: number;
  height: number;
  bits: 1 | 2 | 4 | 8 | 16;
  /** PNG's color type: 0 gray, 2 color, 3 palette, 4 gray with alpha, 6 color with alpha. */
  color: 0 | 2 | 3 | 4 | 6;
  samples: Uint16Array;
  isInterlaced?: boolean;
  more?: Chunk[];
};

export const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

/** Returns a PNG of any kind. Its rows use the five filters in turn. */
export function encodePng(png: SamplePng): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(png.width);
  header.writeUInt32BE(png.height, 4);
  header.set([png.bits, png.color, 0, 0, png.isInterlaced ? 1 : 0], 8);
  const steps: [x: number, y: number, across: number, down: number][] = png.isInterlaced
    ? [
        [0, 0, 8, 8],
        [4, 0, 8, 8],
        [0, 4, 4, 8],
        [2, 0, 4, 4],
        [0, 2, 2, 4],
        [1, 0, 2, 2],
        [0, 1, 1, 2],
      ]
    : [[0, 0, 1, 1]];
  const rows = steps.flatMap(([x, y, across, down]) => filteredRows(png, { x, y, across, down }));
  return pngFile([
    ["IHDR", header],
    ...(png.more ?? []),
    ["IDAT", deflateSync(Buffer.concat(rows))],
    ["IEND", Buffer.alloc(0)],
  ]);
}

export function pngFile(chunks: readonly Chunk[]): Uint8Array<ArrayBuffer> {
  const parts = chunks.map(([type, data]) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  });
  return new Uint8Array(Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...parts]));
}

/** Returns the samples of one row as PNG packs them. */
export function packedRow(samples: readonly number[], bits: number): Buffer {
  const row = Buffer.alloc(Math.ceil((samples.length * bits) / 8));
  samples.forEach((sample, i) => {
    if (bits === 16) row.writeUInt16BE(sample, i * 2);
    else {
      const at = (i * bits) >> 3;
      row[at] = (row[at] as number) | (sample << (8 - bits - ((i * bits) & 7)));
    }
  });
  return row;
}

function filteredRows(
  png: SamplePng,
  step: { x: number; y: number; across: number; down: number },
): Buffer[] {
  const channels = CHANNELS[png.color];
  const size = Math.max(1, (png.bits * channels) >> 3);
  const rows: Buffer[] = [];
  let above: Buffer | undefined;
  for (let y = step.y, filter = 0; y < png.height; y += step.down, filter = (filter + 1) % 5) {
    const samples: number[] = [];
    for (let x = step.x; x < png.width; x += step.across)
      for (let k = 0; k < channels; k++)
        samples.push(png.samples[(y * png.width + x) * channels + k] as number);
    if (samples.length === 0) break;
    const row = packedRow(samples, png.bits);
    const filtered = Buffer.alloc(row.length + 1, filter);
    row.forEach((byte, i) => {
      const [left, up, corner] = [row[i - size] ?? 0, above?.[i] ?? 0, above?.[i - size] ?? 0];
      const p = left + up - corner;
      const [a, b, c] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - corner)];
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      filtered[i + 1] = byte - ([0, left, up, (left + up) >> 1, paeth][filter] as number);
    });
    rows.push(filtered);
    above = row;
  }
  return rows;
}
