/**
 * Text in an embedded font: only the used glyphs are embedded, with the characters they represent. Every code has
 * two bytes (Identity-H), because readers such as MuPDF 1.21, pdfminer and pypdf cannot read mixed lengths.
 */
import { type PdfObjects, pdfNumber } from "./objects.ts";
import { subsetFont, type TrueTypeFont } from "./ttf.ts";

export type PdfFont = {
  /** Name of the font in page contents. */
  name: string;
  number: number;
  /** Returns the width in points at this size. */
  widthOf: (text: string, size: number) => number;
  /** Returns the text as a string operand. */
  encode: (text: string) => string;
  /** Returns a text that this font can show: a missing character becomes its code point, `[U+4E2D]`. */
  shown: (text: string) => string;
  /** Splits a text into lines of at most `width` points, at spaces, or within a word longer than a line. */
  wrap: (text: string, size: number, width: number) => string[];
  /** Writes the font; nothing may be encoded afterwards. */
  finish: () => void;
};

/** Characters with the same code in every font of every report: their code is their code point. */
const [FIRST, LAST] = [0x20, 0x7e];
const PLAIN = /^[\x20-\x7e]*$/;
/** Codes of all other characters follow in the order of first use. */
const FIRST_OTHER = LAST + 1;
/** A code that the document does not use. */
const UNUSED = -1;

/** Returns a font for one document. `name` is its name in page contents, `family` its name in the file. */
export function createPdfFont(
  objects: PdfObjects,
  input: { name: string; font: TrueTypeFont; family: string },
): PdfFont {
  const { name, font, family } = input;
  const number = objects.reserve();
  /** The glyph of each code. */
  const glyphs: number[] = Array.from({ length: FIRST_OTHER }, (_, i) => (i === 0 ? 0 : UNUSED));
  const others: string[] = [];
  /** The code of each used character, as written in a string in parentheses. */
  const codes = new Map<string, string>();
  const advances = new Map<string, number>();
  const shownAs = new Map<string, string>();
  const scale = 1000 / font.unitsPerEm;
  const plainAdvances = new Float64Array(LAST + 1);
  for (let code = FIRST; code <= LAST; code++)
    plainAdvances[code] = font.advanceOf(font.glyphOf(code)) * scale;

  function advance(character: string): number {
    let width = advances.get(character);
    if (width === undefined) {
      width = font.advanceOf(font.glyphOf(codePointOf(character))) * scale;
      advances.set(character, width);
    }
    return width;
  }

  function codeOf(character: string): string {
    let code = codes.get(character);
    if (code === undefined) {
      const codePoint = codePointOf(character);
      const isPlain = codePoint >= FIRST && codePoint <= LAST;
      const number = isPlain ? codePoint : FIRST_OTHER + others.push(character) - 1;
      glyphs[number] = font.glyphOf(codePoint);
      code = escapedByte(number >> 8) + escapedByte(number & 255);
      codes.set(character, code);
    }
    return code;
  }

  function widthOf(text: string, size: number): number {
    let width = 0;
    if (PLAIN.test(text))
      for (let i = 0; i < text.length; i++) width += plainAdvances[text.charCodeAt(i)] ?? 0;
    else for (const character of text) width += advance(character);
    return (width * size) / 1000;
  }

  return {
    name,
    number,
    widthOf,
    encode(text) {
      let bytes = "";
      for (const character of text) bytes += codeOf(character);
      return `(${bytes})`;
    },
    shown(text) {
      if (PLAIN.test(text)) return text;
      let shown = "";
      for (const character of text.normalize("NFC")) {
        let as = shownAs.get(character);
        if (as === undefined) {
          const codePoint = codePointOf(character);
          const digits = codePoint.toString(16).toUpperCase().padStart(4, "0");
          as = font.glyphOf(codePoint) === 0 ? `[U+${digits}]` : character;
          shownAs.set(character, as);
        }
        shown += as;
      }
      return shown;
    },
    wrap(text, size, width) {
      const fits = (line: string) => widthOf(line, size) <= width;
      return fits(text) && !/\s\s|^\s|[^\S ]/.test(text) ? [text] : wrapped(text, fits);
    },
    finish: () => writeFont(objects, font, { number, family, glyphs, others }),
  };
}

type Fits = (line: string) => boolean;

/** Returns lines that fit, divided at spaces. */
function wrapped(text: string, fits: Fits): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    const parts = broken(word, fits);
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? "";
  }
  return [...lines, line];
}

/** Returns the parts of a word that may be longer than a line. */
function broken(word: string, fits: Fits): string[] {
  const parts: string[] = [];
  let part = "";
  for (const character of word) {
    if (part !== "" && !fits(part + character)) {
      parts.push(part);
      part = "";
    }
    part += character;
  }
  return [...parts, part];
}

function writeFont(
  objects: PdfObjects,
  font: TrueTypeFont,
  input: { number: number; family: string; glyphs: readonly number[]; others: readonly string[] },
): void {
  const { number, family, glyphs, others } = input;
  const { reserve } = objects;
  const [descendant, descriptor, file, unicode] = [reserve(), reserve(), reserve(), reserve()];
  // Six capitals before the name mark a subset of a font (ISO 32000-1, 9.6.4).
  const called = `/ODINAA+${family}`;
  const data = subsetFont(font, glyphs);
  const scale = 1000 / font.unitsPerEm;
  const units = (value: number) => Math.round(value * scale);
  const widths = glyphs
    .slice(FIRST)
    .map((glyph) => (glyph === UNUSED ? 0 : units(font.advanceOf(glyph))))
    .join(" ");
  objects.packed(file, `/Length1 ${data.length}`, data);
  objects.write(
    descriptor,
    `<</Type/FontDescriptor/FontName${called}/Flags 4/FontBBox[${font.bounds.map(units).join(" ")}]/ItalicAngle 0/Ascent ${units(font.ascent)}/Descent ${units(font.descent)}/CapHeight ${units(font.capHeight)}/StemV 80/FontFile2 ${file} 0 R>>`,
  );
  objects.write(
    descendant,
    `<</Type/Font/Subtype/CIDFontType2/BaseFont${called}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor ${descriptor} 0 R/CIDToGIDMap/Identity/W[${FIRST}[${widths}]]>>`,
  );
  objects.packed(unicode, "", unicodeMap(others));
  objects.write(
    number,
    `<</Type/Font/Subtype/Type0/BaseFont${called}/Encoding/Identity-H/DescendantFonts[${descendant} 0 R]/ToUnicode ${unicode} 0 R>>`,
  );
}

/** Returns the code point of a character that a loop over a text yields. */
function codePointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** Returns a byte as a character, with a backslash if it is special in a string in parentheses. */
function escapedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "\r") return "\\r";
  return character === "(" || character === ")" || character === "\\" ? `\\${character}` : character;
}

/** Returns blocks of at most 100 lines, the limit of a CMap. */
function blocks(kind: string, lines: readonly string[]): string {
  let text = "";
  for (let at = 0; at < lines.length; at += 100) {
    const block = lines.slice(at, at + 100);
    text += `${block.length} begin${kind}\n${block.join("\n")}\nend${kind}\n`;
  }
  return text;
}

const hex4 = (value: number) => value.toString(16).padStart(4, "0");

/** Returns the map from codes to characters, so that a report can be searched, copied and read aloud. */
function unicodeMap(others: readonly string[]): string {
  const lines = others.map((character, i) => {
    let digits = "";
    for (let k = 0; k < character.length; k++) digits += hex4(character.charCodeAt(k));
    return `<${hex4(FIRST_OTHER + i)}><${digits}>`;
  });
  return `/CIDInit/ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def
/CMapName/Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000><ffff>
endcodespacerange
1 beginbfrange
<${hex4(FIRST)}><${hex4(LAST)}><${hex4(FIRST)}>
endbfrange
${blocks("bfchar", lines)}endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
}

/** Returns the operators that show one line of text with its baseline at `y`. */
export function textOperators(input: {
  font: PdfFont;
  size: number;
  x: number;
  y: number;
  text: string;
}): string {
  const { font, size, x, y, text } = input;
  return `BT/${font.name} ${pdfNumber(size)} Tf ${pdfNumber(x)} ${pdfNumber(y)} Td${font.encode(text)}Tj ET\n`;
}
