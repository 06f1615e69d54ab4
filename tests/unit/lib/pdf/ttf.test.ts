import { describe, expect, it } from "vitest";
import { openFont, subsetFont } from "#app/lib/pdf/ttf.ts";

// Fonts by the OpenType specification, byte by byte: glyphs of the test are few, and each table has a known content.

const u16 = (...values: number[]) => values.flatMap((value) => [(value >> 8) & 255, value & 255]);
const u32 = (...values: number[]) => values.flatMap((value) => u16(value >>> 16, value & 0xffff));

/** A table of this size, with values at some places. */
function filled(size: number, values: Record<number, number>): number[] {
  const bytes = Array<number>(size).fill(0);
  for (const [at, value] of Object.entries(values)) bytes.splice(Number(at), 2, ...u16(value));
  return bytes;
}

const BOUNDS = [1, 2, 3, 4, 5, 6, 7, 8];
/** A triangle with three bytes of instructions, and the same without. */
const hinted = [...u16(1), ...BOUNDS, ...u16(2), ...u16(3), 0xaa, 0xbb, 0xcc, 1, 1, 1, 9, 9, 9, 8, 8, 8];
const bare = [...u16(1), ...BOUNDS, ...u16(2), ...u16(0), 1, 1, 1, 9, 9, 9, 8, 8, 8];
/** Two contours without instructions. */
const plain = [...u16(2), ...BOUNDS, ...u16(1, 3), ...u16(0), 7, 7, 7, 7];
const composite = (parts: readonly number[][], ...rest: number[]) => [
  ...u16(0xffff),
  ...BOUNDS,
  ...parts.flat(),
  ...rest,
];
/** Each kind of a component: words or bytes, one scale, two, or a matrix; the first has instructions. */
const components = (numbers: readonly number[], instructions: number) => [
  [...u16(0x0021 | instructions, numbers[0] ?? 0), 1, 2, 3, 4],
  [...u16(0x0028, numbers[1] ?? 0), 5, 6, 0x40, 0],
  [...u16(0x0060, numbers[2] ?? 0), 5, 6, 0x40, 0, 0x20, 0],
  [...u16(0x00a0, numbers[3] ?? 0), 5, 6, 1, 2, 3, 4, 5, 6, 7, 8],
  [...u16(0x0002, numbers[4] ?? 0), 5, 6],
];
const GLYPHS = [
  hinted,
  [],
  plain,
  composite(components([2, 4, 0, 2, 5], 0x100), ...u16(2), 0xaa, 0xbb),
  plain,
  hinted,
];

/** Format 12: A to C, and one beyond 16 bits. */
const GROUPS = [
  ...u16(12, 0),
  ...u32(16 + 4 * 12, 0, 4),
  ...u32(0x41, 0x43, 1),
  ...u32(0x61, 0x61, 5),
  ...u32(0x400, 0x401, 2),
  ...u32(0x1f600, 0x1f600, 4),
];
/** Format 4: A to C by a difference; a to c by a list, with a difference except for 0; z; and the last segment. */
const SEGMENTS = [
  ...u16(4, 16 + 4 * 8 + 6, 0, 4 * 2, 0, 0, 0),
  ...u16(0x43, 0x63, 0x7a, 0xffff),
  0,
  0,
  ...u16(0x41, 0x61, 0x7a, 0xffff),
  ...u16(0x10000 - 0x40, 1, 0x10000 - 0x75, 1),
  ...u16(0, 6, 0, 0),
  ...u16(3, 0, 4),
];
const cmap = (...subtables: [platform: number, bytes: number[]][]) => {
  let at = 4 + subtables.length * 8;
  const records = subtables.flatMap(([platform, bytes]) => {
    at += bytes.length;
    return [...u16(platform, 1), ...u32(at - bytes.length)];
  });
  return [...u16(0, subtables.length), ...records, ...subtables.flatMap(([, bytes]) => bytes)];
};

type Tables = Record<string, number[]>;

function tablesOf({ isLong = true, map = cmap([0, GROUPS]) } = {}): Tables {
  let at = 0;
  const padded = GLYPHS.map((glyph) => [...glyph, ...Array<number>(glyph.length % 2).fill(0)]);
  const places = [0, ...padded.map((glyph) => (at += glyph.length))];
  return {
    "OS/2": filled(96, { 88: 1490 }),
    cmap: map,
    glyf: padded.flat(),
    head: filled(54, { 18: 2048, 36: 0x10000 - 5, 38: 0x10000 - 6, 40: 700, 42: 800, 50: isLong ? 1 : 0 }),
    hhea: filled(36, { 4: 1900, 6: 0x10000 - 500, 34: 4 }),
    hmtx: [...u16(500, 10, 600, 20, 700, 30, 800, 0x10000 - 40), ...u16(50, 60)],
    loca: isLong ? u32(...places) : u16(...places.map((place) => place / 2)),
    maxp: filled(6, { 4: GLYPHS.length }),
  };
}

function fontOf(tables: Tables, version = 0x00010000): Uint8Array {
  const names = Object.entries(tables);
  let at = 12 + names.length * 16;
  const directory = names.flatMap(([tag, bytes]) => {
    at += bytes.length;
    return [...Buffer.from(tag), ...u32(0, at - bytes.length, bytes.length)];
  });
  // In a larger buffer, as a file from a cache may be.
  const file = [...u32(version), ...u16(names.length, 0, 0, 0), ...directory];
  return Uint8Array.from([9, 9, 9, ...file, ...names.flatMap(([, bytes]) => bytes)]).subarray(3);
}

/** The tables of a font file, with its directory checked. */
function read(file: Uint8Array): Record<string, Buffer> {
  const bytes = Buffer.from(file);
  const count = bytes.readUInt16BE(4);
  expect([bytes.readUInt32BE(0), count]).toEqual([0x00010000, 6]);
  // 16 times the largest power of two that is not above six, its exponent, and the rest.
  expect([6, 8, 10].map((at) => bytes.readUInt16BE(at))).toEqual([64, 2, 32]);
  let next = 12 + count * 16;
  const tables: Record<string, Buffer> = {};
  for (let i = 0; i < count; i++) {
    const at = 12 + i * 16;
    const [sum, start, length] = [4, 8, 12].map((more) => bytes.readUInt32BE(at + more)) as [
      number,
      number,
      number,
    ];
    expect([start, start % 4]).toEqual([next, 0]);
    const words = Math.ceil(length / 4);
    const total = Array.from({ length: words }, (_, k) => bytes.readUInt32BE(start + k * 4)).reduce(
      (all, word) => (all + word) % 2 ** 32,
      0,
    );
    expect(sum).toBe(total);
    next = start + words * 4;
    tables[bytes.toString("latin1", at, at + 4)] = bytes.subarray(start, start + length);
  }
  expect(bytes.length).toBe(next);
  return tables;
}

describe("a TrueType font", () => {
  it("has its measures", () => {
    expect(openFont(fontOf(tablesOf()))).toMatchObject({
      unitsPerEm: 2048,
      ascent: 1900,
      descent: -500,
      capHeight: 1490,
      bounds: [-5, -6, 700, 800],
    });
  });

  it("has the height of its ascent for capitals if it does not say more", () => {
    const capHeight = (size: number) =>
      openFont(fontOf({ ...tablesOf(), "OS/2": filled(96, { 88: 1490 }).slice(0, size) })).capHeight;
    expect([78, 89, 90].map(capHeight)).toEqual([1900, 1900, 1490]);
  });

  it("has the width of the last glyph that names one for all others", () => {
    const { advanceOf } = openFont(fontOf(tablesOf()));
    expect([0, 1, 2, 3, 4, 5].map(advanceOf)).toEqual([500, 600, 700, 800, 800, 800]);
  });

  it.each([
    ["groups", cmap([0, GROUPS])],
    ["groups of Windows", cmap([3, GROUPS])],
    ["groups beside segments", cmap([3, SEGMENTS], [3, GROUPS])],
    ["groups beside another platform", cmap([1, SEGMENTS], [3, GROUPS])],
  ])("finds glyphs in %s", (_, map) => {
    const { glyphOf } = openFont(fontOf(tablesOf({ map })));
    const found = [0x40, 0x41, 0x42, 0x43, 0x44, 0x60, 0x61, 0x62, 0x3ff, 0x400, 0x401, 0x402].map(glyphOf);
    expect(found).toEqual([0, 1, 2, 3, 0, 0, 5, 0, 0, 2, 3, 0]);
    expect([0, 0x1f5ff, 0x1f600, 0x1f601, 0x10ffff].map(glyphOf)).toEqual([0, 0, 4, 0, 0]);
  });

  it.each([
    ["segments", cmap([0, SEGMENTS])],
    ["segments beside another platform", cmap([1, GROUPS], [3, SEGMENTS])],
  ])("finds glyphs in %s", (_, map) => {
    const { glyphOf } = openFont(fontOf(tablesOf({ map })));
    expect([0x40, 0x41, 0x42, 0x43, 0x44].map(glyphOf)).toEqual([0, 1, 2, 3, 0]);
    expect([0x60, 0x61, 0x62, 0x63, 0x64].map(glyphOf)).toEqual([0, 4, 0, 5, 0]);
    expect([0x79, 0x7a, 0x7b, 0xfffe, 0xffff].map(glyphOf)).toEqual([0, 5, 0, 0, 0]);
    expect([0x10041, 0x1f600].map(glyphOf)).toEqual([0, 0]);
  });

  it("is refused if it is another file or lacks a table", () => {
    const other = "not a TrueType font";
    expect(() => openFont(fontOf(tablesOf(), 0x4f54544f))).toThrow(new TypeError(other));
    expect(() => openFont(fontOf(tablesOf()).subarray(0, 11))).toThrow(new TypeError(other));
    expect(() => openFont(new Uint8Array())).toThrow(new TypeError(other));
    for (const tag of ["OS/2", "cmap", "head", "hhea", "hmtx"]) {
      const { [tag]: _, ...rest } = tablesOf();
      expect(() => openFont(fontOf(rest))).toThrow(new TypeError(`a font without the table ${tag}`));
    }
    for (const tag of ["glyf", "loca", "maxp"]) {
      const { [tag]: _, ...rest } = tablesOf();
      const font = openFont(fontOf(rest));
      expect(() => subsetFont(font, [0])).toThrow(new TypeError(`a font without the table ${tag}`));
    }
    for (const map of [cmap(), cmap([1, GROUPS]), cmap([3, u16(6, 0, 0)])])
      expect(() => openFont(fontOf(tablesOf({ map })))).toThrow(
        new TypeError("a font without a Unicode character map"),
      );
  });
});

describe("a subset of a font", () => {
  it.each([true, false])(
    "has only its glyphs and their components, without instructions (long places: %s)",
    (isLong) => {
      const font = openFont(fontOf(tablesOf({ isLong })));
      const tables = read(subsetFont(font, [0, 3, -1, 1, 4]));
      expect(Object.keys(tables)).toEqual(["glyf", "head", "hhea", "hmtx", "loca", "maxp"]);
      // Glyphs 2 and 5 are appended as 5 and 6; 4 is in the list already.
      const expected = [bare, composite(components([5, 4, 0, 5, 6], 0)), [], [], plain, plain, bare];
      const { glyf = Buffer.of(), loca = Buffer.of(), hmtx = Buffer.of() } = tables;
      expect(loca).toHaveLength((expected.length + 1) * 4);
      let at = 0;
      expected.forEach((glyph, i) => {
        expect(loca.readUInt32BE(i * 4)).toBe(at);
        const end = loca.readUInt32BE((i + 1) * 4);
        // The places of glyphs in the font are even, so one byte may follow.
        expect([...glyf.subarray(at, at + glyph.length)]).toEqual(glyph);
        expect([...glyf.subarray(at + glyph.length, end)].every((byte) => byte === 0)).toBe(true);
        expect(end - at - glyph.length).toBeLessThan(4);
        expect(end % 4).toBe(0);
        at = end;
      });
      expect(glyf).toHaveLength(at);
      const metrics = [500, 10, 800, 0x10000 - 40, 0, 0, 600, 20, 800, 50, 700, 30, 800, 60];
      expect([...hmtx]).toEqual(u16(...metrics));
      expect(tables.maxp?.readUInt16BE(4)).toBe(7);
      expect(tables.hhea?.readUInt16BE(34)).toBe(7);
      expect(tables.hhea?.readInt16BE(4)).toBe(1900);
      expect([tables.head?.readInt16BE(50), tables.head?.readUInt16BE(18)]).toEqual([1, 2048]);
    },
  );

  it("leaves the font as it was", () => {
    const bytes = fontOf(tablesOf());
    const before = [...bytes];
    subsetFont(openFont(bytes), [0, 3]);
    expect([...bytes]).toEqual(before);
  });
});
