/**
 * A baseline JPEG encoder (ITU T.81) with halved color planes. The demo draws its pictures on request, and the usual
 * package takes longer to encode a picture than drawing it takes.
 */

/** Annex K.1 and K.2, in natural order. */
const LUMINANCE = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22,
  29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103,
  121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];
const CHROMINANCE = Array.from({ length: 64 }, (_, n) => {
  const [row, column] = [n >> 3, n & 7];
  const corner = [
    [17, 18, 24, 47],
    [18, 21, 26, 66],
    [24, 26, 56, 99],
    [47, 66, 99, 99],
  ];
  return corner[row]?.[column] ?? 99;
});

const ZIGZAG = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7,
  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46,
  53, 60, 61, 54, 47, 55, 62, 63,
];

/** Annex K.3 and K.5: the number of codes of each length, and their values. Both planes use these. */
const DC_COUNTS = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
const DC_VALUES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const AC_COUNTS = [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125];
const AC_VALUES = bytesOf(
  "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a" +
    "434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8" +
    "a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa",
);

function bytesOf(hex: string): number[] {
  return (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
}

interface Codes {
  code: Uint16Array;
  size: Uint8Array;
}

function codesOf(counts: readonly number[], values: readonly number[]): Codes {
  const codes = { code: new Uint16Array(256), size: new Uint8Array(256) };
  let code = 0;
  let next = 0;
  for (const [length, count] of counts.entries()) {
    for (let n = 0; n < count; n++) {
      const value = values[next++] ?? 0;
      codes.code[value] = code++;
      codes.size[value] = length + 1;
    }
    code <<= 1;
  }
  return codes;
}

const DC = codesOf(DC_COUNTS, DC_VALUES);
const AC = codesOf(AC_COUNTS, AC_VALUES);

/** Scale of each frequency in the transform below (Arai, Agui and Nakajima). */
const AAN = [1, 1.387039845, 1.306562965, 1.175875602, 1, 0.785694958, 0.5411961, 0.275899379];

/** Encodes RGBA pixels; quality is 1 to 100, on libjpeg's scale. */
export function encodeJpeg(
  { width, height, data }: { width: number; height: number; data: Uint8ClampedArray },
  quality: number,
): Uint8Array {
  const percent = quality < 50 ? 5000 / quality : 200 - quality * 2;
  const scaled = (table: readonly number[]) =>
    table.map((value) => Math.min(255, Math.max(1, Math.floor((value * percent + 50) / 100))));
  const tables = [scaled(LUMINANCE), scaled(CHROMINANCE)] as const;
  const divisors = tables.map((table) =>
    Float32Array.from(table, (value, n) => 1 / (value * (AAN[n >> 3] ?? 0) * (AAN[n & 7] ?? 0) * 8)),
  ) as [Float32Array, Float32Array];
  const out = new Uint8Array(width * height * 2 + 4096);
  let at = 0;
  const put = (...bytes: number[]) => {
    for (const byte of bytes) out[at++] = byte;
  };
  put(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0);
  for (const [id, table] of tables.entries()) put(0xff, 0xdb, 0, 67, id, ...ZIGZAG.map((n) => table[n] ?? 0));
  put(
    0xff,
    0xc0,
    0,
    17,
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    3,
    1,
    0x22,
    0,
    2,
    0x11,
    1,
    3,
    0x11,
    1,
  );
  put(0xff, 0xc4, 0, 31, 0, ...DC_COUNTS, ...DC_VALUES);
  put(0xff, 0xc4, 0, 181, 0x10, ...AC_COUNTS, ...AC_VALUES);
  put(0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0);

  let bits = 0;
  let held = 0;
  function write(code: number, size: number): void {
    bits = (bits << size) | code;
    held += size;
    while (held >= 8) {
      held -= 8;
      const byte = (bits >> held) & 255;
      out[at++] = byte;
      if (byte === 255) out[at++] = 0;
    }
    bits &= (1 << held) - 1;
  }

  const block = new Float32Array(64);
  const quantised = new Int32Array(64);
  /** Transforms and writes the block. Returns its DC term. */
  function writeBlock(divisor: Float32Array, before: number): number {
    transform(block);
    let last = 0;
    for (let n = 0; n < 64; n++) {
      const natural = ZIGZAG[n] ?? 0;
      const value = Math.round((block[natural] ?? 0) * (divisor[natural] ?? 0));
      quantised[n] = value;
      if (value !== 0) last = n;
    }
    const dc = quantised[0] ?? 0;
    const step = dc - before;
    const dcSize = 32 - Math.clz32(Math.abs(step));
    write(DC.code[dcSize] ?? 0, DC.size[dcSize] ?? 0);
    if (dcSize > 0) write(step < 0 ? step + (1 << dcSize) - 1 : step, dcSize);
    let zeros = 0;
    for (let n = 1; n <= last; n++) {
      const value = quantised[n] ?? 0;
      if (value === 0) {
        zeros++;
        continue;
      }
      for (; zeros > 15; zeros -= 16) write(AC.code[0xf0] ?? 0, AC.size[0xf0] ?? 0);
      const size = 32 - Math.clz32(Math.abs(value));
      const symbol = (zeros << 4) | size;
      write(AC.code[symbol] ?? 0, AC.size[symbol] ?? 0);
      write(value < 0 ? value + (1 << size) - 1 : value, size);
      zeros = 0;
    }
    if (last < 63) write(AC.code[0] ?? 0, AC.size[0] ?? 0);
    return dc;
  }

  // One unit is 16 x 16 pixels: four blocks of brightness, one of each color difference.
  const luma = new Float32Array(256);
  const blues = new Float32Array(64);
  const reds = new Float32Array(64);
  let [dcY, dcB, dcR] = [0, 0, 0];
  for (let top = 0; top < height; top += 16) {
    for (let left = 0; left < width; left += 16) {
      blues.fill(0);
      reds.fill(0);
      for (let y = 0; y < 16; y++) {
        const row = Math.min(height - 1, top + y) * width;
        for (let x = 0; x < 16; x++) {
          const pixel = (row + Math.min(width - 1, left + x)) * 4;
          const r = data[pixel] ?? 0;
          const g = data[pixel + 1] ?? 0;
          const b = data[pixel + 2] ?? 0;
          luma[y * 16 + x] = 0.299 * r + 0.587 * g + 0.114 * b - 128;
          const quarter = (y >> 1) * 8 + (x >> 1);
          blues[quarter] = (blues[quarter] ?? 0) + (-0.168736 * r - 0.331264 * g + 0.5 * b) / 4;
          reds[quarter] = (reds[quarter] ?? 0) + (0.5 * r - 0.418688 * g - 0.081312 * b) / 4;
        }
      }
      for (const corner of [0, 8, 128, 136]) {
        for (let y = 0; y < 8; y++) block.set(luma.subarray(corner + y * 16, corner + y * 16 + 8), y * 8);
        dcY = writeBlock(divisors[0], dcY);
      }
      block.set(blues);
      dcB = writeBlock(divisors[1], dcB);
      block.set(reds);
      dcR = writeBlock(divisors[1], dcR);
    }
  }
  if (held > 0) write((1 << (8 - held)) - 1, 8 - held);
  put(0xff, 0xd9);
  return out.slice(0, at);
}

/** The scaled cosine transform of Arai, Agui and Nakajima, in place: rows, then columns. */
function transform(d: Float32Array): void {
  for (let n = 0; n < 8; n++) line(d, n * 8, 1);
  for (let n = 0; n < 8; n++) line(d, n, 8);
}

function line(d: Float32Array, at: number, step: number): void {
  const at7 = at + 7 * step;
  const d0 = d[at] ?? 0;
  const d1 = d[at + step] ?? 0;
  const d2 = d[at + 2 * step] ?? 0;
  const d3 = d[at + 3 * step] ?? 0;
  const d4 = d[at + 4 * step] ?? 0;
  const d5 = d[at + 5 * step] ?? 0;
  const d6 = d[at + 6 * step] ?? 0;
  const d7 = d[at7] ?? 0;
  const s07 = d0 + d7;
  const s16 = d1 + d6;
  const s25 = d2 + d5;
  const s34 = d3 + d4;
  const m34 = d3 - d4;
  const m25 = d2 - d5;
  const m16 = d1 - d6;
  const m07 = d0 - d7;

  const outer = s07 + s34;
  const inner = s16 + s25;
  d[at] = outer + inner;
  d[at + 4 * step] = outer - inner;
  const turned = (s16 - s25 + s07 - s34) * Math.SQRT1_2;
  d[at + 2 * step] = s07 - s34 + turned;
  d[at + 6 * step] = s07 - s34 - turned;

  const a = m34 + m25;
  const b = m25 + m16;
  const c = m16 + m07;
  const z5 = (a - c) * 0.382683433;
  const z2 = 0.5411961 * a + z5;
  const z4 = 1.306562965 * c + z5;
  const z3 = b * Math.SQRT1_2;
  const z11 = m07 + z3;
  const z13 = m07 - z3;
  d[at + 5 * step] = z13 + z2;
  d[at + 3 * step] = z13 - z2;
  d[at + step] = z11 + z4;
  d[at7] = z11 - z4;
}
