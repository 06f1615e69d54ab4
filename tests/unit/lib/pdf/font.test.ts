import { describe, expect, it } from "vitest";
import { createPdfFont, textOperators } from "#app/lib/pdf/font.ts";
import type { PdfObjects } from "#app/lib/pdf/objects.ts";
import { openFont } from "#app/lib/pdf/ttf.ts";
import { fontOf, tablesOf } from "./samples.ts";

/**
 * A font of 2,048 units per em with A (600 units wide), B (700), C and a (800), U+0400 (700), U+0401 and U+1F600 (800);
 * all other characters are missing (500). At size 2,048, widths are in its units.
 */
function sample() {
  const written = new Map<number, string>();
  let count = 0;
  const objects: PdfObjects = {
    reserve: () => ++count,
    write: (number, text) => void written.set(number, text),
    stream: () => {},
    packed: (number, entries, data) =>
      void written.set(number, `${entries}|${typeof data === "string" ? data : data.length}`),
    finish: () => 0,
  };
  const font = createPdfFont(objects, { name: "F1", font: openFont(fontOf(tablesOf())), family: "Sample" });
  return { font, written };
}

describe("a font in a PDF", () => {
  it("has widths", () => {
    const { font } = sample();
    expect([font.name, font.number]).toEqual(["F1", 1]);
    expect(
      ["", "A", "ABCa ~", "\u0400", "A\u0401\u{1F600}é", "AA\u0400"].map((text) => font.widthOf(text, 2048)),
    ).toEqual([0, 600, 3900, 700, 2700, 1900]);
    expect(font.widthOf("A", 1024)).toBe(300);
  });

  it("writes two bytes for each character: its code point, or the next free code", () => {
    const { font } = sample();
    expect(font.encode("")).toBe("()");
    expect(font.encode("A ~")).toBe("(\0A\0 \0~)");
    expect(font.encode("(\\)")).toBe("(\0\\(\0\\\\\0\\))");
    expect(font.encode("é\u{1F600}é")).toBe("(\0\x7f\0\x80\0\x7f)");
    expect(font.encode("\n\x7f")).toBe("(\0\x81\0\x82)");
    // Up to the codes 0x10a to 0x10d, whose last one ends in a carriage return, and then those with parentheses.
    const others = Array.from({ length: 0x129 - 0x83 + 1 }, (_, i) => String.fromCodePoint(0x4e00 + i));
    const codes = others.map((character) => font.encode(character).slice(1, -1));
    expect(codes.slice(0x10a - 0x83, 0x10e - 0x83)).toEqual(["\x01\n", "\x01\x0b", "\x01\f", "\x01\\r"]);
    expect(codes.slice(-2)).toEqual(["\x01\\(", "\x01\\)"]);
  });

  it("shows a missing character by its code point", () => {
    const { font } = sample();
    expect(font.shown("Any plain text~")).toBe("Any plain text~");
    expect(font.shown("A\u0400é中\u{1F600}\u{1F693}é")).toBe(
      "A\u0400[U+00E9][U+4E2D]\u{1F600}[U+1F693][U+00E9]",
    );
    // One character for a letter and its accent: U+0415 and U+0300 are U+0400.
    expect(font.shown("\u0415\u0300")).toBe("\u0400");
  });

  it.each<[string, number, string[]]>([
    ["", 100, [""]],
    ["A B C", 3100, ["A B C"]],
    ["A B C", 1800, ["A B", "C"]],
    ["A B C", 1799, ["A", "B", "C"]],
    ["A  B", 9999, ["A B"]],
    [" A", 9999, ["A"]],
    ["A\nB\tC", 9999, ["A B C"]],
    ["A B ", 9999, ["A B "]],
    ["ABCABC", 1300, ["AB", "C", "AB", "C"]],
    ["A BCBC A", 1500, ["A", "BC", "BC", "A"]],
    ["BCB A", 1800, ["BC", "B A"]],
    ["AB", 1, ["A", "B"]],
    ["\u0400\u0401 \u0400", 1500, ["\u0400\u0401", "\u0400"]],
  ])("wraps %j at %d units as %j", (text, width, lines) => {
    expect(sample().font.wrap(text, 2048, width)).toEqual(lines);
  });

  it("is written with the used glyphs, their widths and their characters", () => {
    const { font, written } = sample();
    font.encode("A(\u0400\u{1F600}");
    font.finish();
    const widths = Array<number>(0x81 - 0x20).fill(0);
    // In thousandths of an em, rounded.
    for (const [code, width] of [
      [0x41, 293],
      [0x28, 244],
      [0x7f, 342],
      [0x80, 391],
    ] as const)
      widths[code - 0x20] = width;
    const text = Object.fromEntries(written);
    expect(text[1]).toBe(
      "<</Type/Font/Subtype/Type0/BaseFont/ODINAA+Sample/Encoding/Identity-H/DescendantFonts[2 0 R]/ToUnicode 5 0 R>>",
    );
    expect(text[2]).toBe(
      `<</Type/Font/Subtype/CIDFontType2/BaseFont/ODINAA+Sample/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor 3 0 R/CIDToGIDMap/Identity/W[32[${widths.join(" ")}]]>>`,
    );
    expect(text[3]).toBe(
      "<</Type/FontDescriptor/FontName/ODINAA+Sample/Flags 4/FontBBox[-2 -3 342 391]/ItalicAngle 0/Ascent 928/Descent -244/CapHeight 728/StemV 80/FontFile2 4 0 R>>",
    );
    const [, length, size] = /^\/Length1 (\d+)\|(\d+)$/.exec(text[4] ?? "") ?? [];
    expect([length, Number(length) > 500]).toEqual([size, true]);
    expect(text[5]).toBe(`|/CIDInit/ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def
/CMapName/Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000><ffff>
endcodespacerange
1 beginbfrange
<0020><007e><0020>
endbfrange
2 beginbfchar
<007f><0400>
<0080><d83dde00>
endbfchar
endcmap
CMapName currentdict /CMap defineresource pop
end
end`);
  });

  it.each([
    [0, []],
    [100, [100]],
    [101, [100, 1]],
    [250, [100, 100, 50]],
  ])("maps %d other characters in blocks of %j", (count, sizes) => {
    const { font, written } = sample();
    for (let i = 0; i < count; i++) font.encode(String.fromCodePoint(0x4e00 + i));
    font.finish();
    const map = written.get(5) ?? "";
    expect(
      [...map.matchAll(/(\d+) beginbfchar\n((?:<.*>\n)*)endbfchar\n/g)].map((match) => Number(match[1])),
    ).toEqual(sizes);
    const lines = map.match(/^<[0-9a-f]{4}><4[ef]..>$/gm) ?? [];
    expect(lines.slice(0, 2)).toEqual(["<007f><4e00>", "<0080><4e01>"].slice(0, count));
    expect(lines).toHaveLength(count);
  });

  it("is named in the operators that show a line", () => {
    const line = textOperators({ font: sample().font, size: 9.456, x: 10, y: 20.25, text: "A" });
    expect(line).toBe("BT/F1 9.46 Tf 10 20.25 Td(\0A)Tj ET\n");
  });
});
