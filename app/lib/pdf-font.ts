/** Text of a PDF in an embedded font: only the glyphs that are used travel, with the characters that they stand for. */
import { type PdfObjects, pdfNumber } from "./pdf-objects.ts";
import { subsetFont, type TrueTypeFont } from "./ttf.ts";

export type PdfFont = {
  /** How content names it. */
  name: string;
  number: number;
  /** In points, at this size. */
  widthOf: (text: string, size: number) => number;
  /** The text as a string operand. */
  encode: (text: string) => string;
  /** A text that this font can show: a character that it lacks becomes its code point, `[U+4E2D]`. */
  shown: (text: string) => string;
  /** Lines of at most so many points, broken at blanks, and within a word that is longer than a line. */
  wrap: (text: string, size: number, width: number) => string[];
  /** How many characters beyond ASCII are used. */
  wideCount: () => number;
  /** Writes the font; after this nothing more may be encoded. */
  finish: () => void;
};

/** Printable ASCII is written as itself, one byte a character; everything else in two bytes, in the order of its use. */
const [FIRST, LAST] = [0x20, 0x7e];
const PLAIN = /^[\x20-\x7e]*$/;
const WIDE = 0x8000;
/** The glyph of the first two-byte code: behind "no glyph" and those of ASCII. */
const WIDE_GLYPH = LAST - FIRST + 2;
/** A place in the font for a character that the document does not use. */
const UNUSED = -1;

export function createPdfFont(
  objects: PdfObjects,
  input: { name: string; font: TrueTypeFont; family: string; encoding: number },
): PdfFont {
  const { name, font, family } = input;
  const number = objects.reserve();
  const glyphs: number[] = Array.from({ length: WIDE_GLYPH }, (_, i) => (i === 0 ? 0 : UNUSED));
  const wide: string[] = [];
  /** How a two-byte character is written in a string in parentheses. */
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
      width = font.advanceOf(font.glyphOf(character.codePointAt(0) as number)) * scale;
      advances.set(character, width);
    }
    return width;
  }

  function wideCode(character: string): string {
    let code = codes.get(character);
    if (code === undefined) {
      glyphs.push(font.glyphOf(character.codePointAt(0) as number));
      const number = WIDE + wide.push(character) - 1;
      code = escapedByte(number >> 8) + escapedByte(number & 255);
      codes.set(character, code);
    }
    return code;
  }

  function plainCodes(text: string): string {
    for (let i = 0; i < text.length; i++) {
      const at = text.charCodeAt(i) - FIRST + 1;
      if (glyphs[at] === UNUSED) glyphs[at] = font.glyphOf(at + FIRST - 1);
    }
    return /[\\()]/.test(text) ? text.replace(/[\\()]/g, "\\$&") : text;
  }

  function widthOf(text: string, size: number): number {
    let width = 0;
    if (PLAIN.test(text))
      for (let i = 0; i < text.length; i++) width += plainAdvances[text.charCodeAt(i)] as number;
    else for (const character of text) width += advance(character);
    return (width * size) / 1000;
  }

  function broken(word: string, size: number, width: number): string[] {
    const parts: string[] = [];
    let part = "";
    for (const character of word) {
      if (part !== "" && widthOf(part + character, size) > width) {
        parts.push(part);
        part = "";
      }
      part += character;
    }
    return [...parts, part];
  }

  return {
    name,
    number,
    widthOf,
    encode(text) {
      if (PLAIN.test(text)) return `(${plainCodes(text)})`;
      let bytes = "";
      for (const character of text)
        bytes += PLAIN.test(character) ? plainCodes(character) : wideCode(character);
      return `(${bytes})`;
    },
    shown(text) {
      if (PLAIN.test(text)) return text;
      let shown = "";
      for (const character of text.normalize("NFC")) {
        let as = shownAs.get(character);
        if (as === undefined) {
          const codePoint = character.codePointAt(0) as number;
          const digits = codePoint.toString(16).toUpperCase().padStart(4, "0");
          as = font.glyphOf(codePoint) === 0 ? `[U+${digits}]` : character;
          shownAs.set(character, as);
        }
        shown += as;
      }
      return shown;
    },
    wrap(text, size, width) {
      if (widthOf(text, size) <= width && !/\s\s|^\s|[^\S ]/.test(text)) return [text];
      const lines: string[] = [];
      let line = "";
      for (const word of text.split(/\s+/)) {
        const longer = line === "" ? word : `${line} ${word}`;
        if (widthOf(longer, size) <= width) {
          line = longer;
          continue;
        }
        if (line !== "") lines.push(line);
        const parts = broken(word, size, width);
        lines.push(...parts.slice(0, -1));
        line = parts.at(-1) as string;
      }
      return [...lines, line];
    },
    wideCount: () => wide.length,
    finish() {
      const [descendant, descriptor, file, unicode] = Array.from({ length: 4 }, objects.reserve) as [
        number,
        number,
        number,
        number,
      ];
      // Six capitals before the name say that this is a part of the font (ISO 32000-1, 9.6.4).
      const called = `/ODINAA+${family}`;
      const data = subsetFont(font, glyphs);
      const units = (value: number) => Math.round(value * scale);
      const widths = glyphs.map((glyph) => (glyph === UNUSED ? 0 : units(font.advanceOf(glyph)))).join(" ");
      objects.packed(file, `/Length1 ${data.length}`, data);
      objects.write(
        descriptor,
        `<</Type/FontDescriptor/FontName${called}/Flags 4/FontBBox[${font.bounds.map(units).join(" ")}]/ItalicAngle 0/Ascent ${units(font.ascent)}/Descent ${units(font.descent)}/CapHeight ${units(font.capHeight)}/StemV 80/FontFile2 ${file} 0 R>>`,
      );
      objects.write(
        descendant,
        `<</Type/Font/Subtype/CIDFontType2/BaseFont${called}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor ${descriptor} 0 R/CIDToGIDMap/Identity/W[0[${widths}]]>>`,
      );
      objects.packed(unicode, "", unicodeMap(wide));
      objects.write(
        number,
        `<</Type/Font/Subtype/Type0/BaseFont${called}/Encoding ${input.encoding} 0 R/DescendantFonts[${descendant} 0 R]/ToUnicode ${unicode} 0 R>>`,
      );
    },
  };
}

/** A byte as a character, with a backslash where a string in parentheses would take it for something else. */
function escapedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "\r") return "\\r";
  return character === "(" || character === ")" || character === "\\" ? `\\${character}` : character;
}

/** Blocks of at most 100 lines, as a CMap has them. */
function blocks(kind: string, lines: readonly string[]): string {
  let text = "";
  for (let at = 0; at < lines.length; at += 100) {
    const block = lines.slice(at, at + 100);
    text += `${block.length} begin${kind}\n${block.join("\n")}\nend${kind}\n`;
  }
  return text;
}

const hex4 = (value: number) => value.toString(16).padStart(4, "0");

function characterMap(input: { ordering: string; name: string; type: number; body: string }): string {
  return `/CIDInit/ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo<</Registry(Adobe)/Ordering(${input.ordering})/Supplement 0>>def
/CMapName/${input.name} def
/CMapType ${input.type} def
2 begincodespacerange
<20><7e>
<8000><ffff>
endcodespacerange
${input.body}endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
}

/** Which characters the codes stand for, so that a report can be searched, copied and read aloud. */
function unicodeMap(wide: readonly string[]): string {
  const lines = wide.map((character, i) => {
    let digits = "";
    for (let k = 0; k < character.length; k++) digits += hex4(character.charCodeAt(k));
    return `<${hex4(WIDE + i)}><${digits}>`;
  });
  const body = `1 beginbfrange\n<20><7e><0020>\nendbfrange\n${blocks("bfchar", lines)}`;
  return characterMap({ ordering: "UCS", name: "Adobe-Identity-UCS", type: 2, body });
}

/** Writes how strings are read in all these fonts: which codes have one byte and which two, and the glyph of each. */
export function writeTextEncoding(objects: PdfObjects, number: number, fonts: readonly PdfFont[]): void {
  const most = Math.max(0, ...fonts.map((font) => font.wideCount()));
  const rows = Array.from({ length: Math.ceil(most / 256) }, (_, i) => {
    const first = WIDE + i * 256;
    return `<${hex4(first)}><${hex4(first + 255)}> ${WIDE_GLYPH + i * 256}`;
  });
  const body = blocks("cidrange", [`<20><7e> 1`, ...rows]);
  const map = characterMap({ ordering: "Identity", name: "Odin-Text", type: 1, body });
  const entries =
    "/Type/CMap/CMapName/Odin-Text/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>";
  objects.packed(number, entries, map);
}

/** The operators that show one line at a place: baseline at `y`. */
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
