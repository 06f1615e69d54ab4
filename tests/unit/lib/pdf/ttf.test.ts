import { describe, expect, it } from "vitest";
import { openFont, subsetFont } from "#app/lib/pdf/ttf.ts";

import {
  bare,
  cmap,
  components,
  composite,
  filled,
  fontOf,
  GROUPS,
  plain,
  SEGMENTS,
  tablesOf,
  u16,
} from "./samples.ts";

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
