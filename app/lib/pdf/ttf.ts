/** Reads TrueType fonts: the glyph and width of each character, and subsets with only the used glyphs. */

export type TrueTypeFont = {
  unitsPerEm: number;
  ascent: number;
  descent: number;
  capHeight: number;
  bounds: readonly [number, number, number, number];
  /** Returns the glyph of a code point; 0 if the font has none. */
  glyphOf: (codePoint: number) => number;
  /** Returns the width in font units. */
  advanceOf: (glyph: number) => number;
  tables: Map<string, Uint8Array>;
};

const NOTHING = new Uint8Array(0);
const ARE_WORDS = 0x0001;
const HAS_SCALE = 0x0008;
const MORE_COMPONENTS = 0x0020;
const HAS_TWO_SCALES = 0x0040;
const HAS_MATRIX = 0x0080;
const HAS_INSTRUCTIONS = 0x0100;

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Opens a TrueType font. Throws TypeError if it is not one or lacks a table. */
export function openFont(bytes: Uint8Array): TrueTypeFont {
  const view = viewOf(bytes);
  if (bytes.length < 12 || view.getUint32(0) !== 0x00010000) throw new TypeError("not a TrueType font");
  const tables = new Map<string, Uint8Array>();
  for (let i = 0; i < view.getUint16(4); i++) {
    const at = 12 + i * 16;
    const tag = String.fromCharCode(...bytes.subarray(at, at + 4));
    tables.set(tag, bytes.subarray(view.getUint32(at + 8), view.getUint32(at + 8) + view.getUint32(at + 12)));
  }
  const table = (tag: string) => {
    const found = tables.get(tag);
    if (!found) throw new TypeError(`a font without the table ${tag}`);
    return viewOf(found);
  };
  const [head, hhea, hmtx, os2] = [table("head"), table("hhea"), table("hmtx"), table("OS/2")];
  const metrics = hhea.getUint16(34);
  return {
    unitsPerEm: head.getUint16(18),
    ascent: hhea.getInt16(4),
    descent: hhea.getInt16(6),
    capHeight: os2.byteLength >= 90 ? os2.getInt16(88) : hhea.getInt16(4),
    bounds: [head.getInt16(36), head.getInt16(38), head.getInt16(40), head.getInt16(42)],
    glyphOf: characterMap(table("cmap")),
    advanceOf: (glyph) => hmtx.getUint16(Math.min(glyph, metrics - 1) * 4),
    tables,
  };
}

function characterMap(cmap: DataView): (codePoint: number) => number {
  const subtables: { format: number; at: number }[] = [];
  for (let i = 0; i < cmap.getUint16(2); i++) {
    const [platform, at] = [cmap.getUint16(4 + i * 8), cmap.getUint32(8 + i * 8)];
    if (platform === 0 || platform === 3) subtables.push({ format: cmap.getUint16(at), at });
  }
  const full = subtables.find(({ format }) => format === 12);
  if (full) return (codePoint) => inGroups(cmap, full.at, codePoint);
  const basic = subtables.find(({ format }) => format === 4);
  if (!basic) throw new TypeError("a font without a Unicode character map");
  return (codePoint) => (codePoint > 0xffff ? 0 : inSegments(cmap, basic.at, codePoint));
}

function inGroups(cmap: DataView, at: number, codePoint: number): number {
  let [low, high] = [0, cmap.getUint32(at + 12) - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const group = at + 16 + middle * 12;
    if (codePoint < cmap.getUint32(group)) high = middle - 1;
    else if (codePoint > cmap.getUint32(group + 4)) low = middle + 1;
    else return cmap.getUint32(group + 8) + codePoint - cmap.getUint32(group);
  }
  return 0;
}

function inSegments(cmap: DataView, at: number, codePoint: number): number {
  const segments = cmap.getUint16(at + 6) / 2;
  for (let i = 0; i < segments; i++) {
    if (codePoint > cmap.getUint16(at + 14 + i * 2)) continue;
    const start = cmap.getUint16(at + 16 + segments * 2 + i * 2);
    if (codePoint < start) return 0;
    const delta = cmap.getUint16(at + 16 + segments * 4 + i * 2);
    const rangeAt = at + 16 + segments * 6 + i * 2;
    const range = cmap.getUint16(rangeAt);
    if (range === 0) return (codePoint + delta) & 0xffff;
    const glyph = cmap.getUint16(rangeAt + range + (codePoint - start) * 2);
    return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
  }
  return 0;
}

/**
 * Returns a font of these glyphs only, numbered in the order of the list. Glyph 0 must come first; a negative glyph
 * leaves its place empty. Components of composite glyphs are appended. Hinting and tables that a PDF does not use
 * are dropped.
 */
export function subsetFont(font: TrueTypeFont, wanted: readonly number[]): Uint8Array {
  const glyf = tableOf(font, "glyf");
  const loca = viewOf(tableOf(font, "loca"));
  const isLong = viewOf(tableOf(font, "head")).getInt16(50) === 1;
  const offset = (glyph: number) => (isLong ? loca.getUint32(glyph * 4) : loca.getUint16(glyph * 2) * 2);
  const glyphs = [...wanted];
  const numbers = new Map(glyphs.map((glyph, number) => [glyph, number]));
  const numberOf = (glyph: number) => {
    const known = numbers.get(glyph);
    if (known !== undefined) return known;
    numbers.set(glyph, glyphs.length);
    return glyphs.push(glyph) - 1;
  };
  const outlines: Uint8Array[] = [];
  for (let i = 0; i < glyphs.length; i++) {
    const glyph = glyphs[i] ?? 0;
    outlines.push(glyph < 0 ? NOTHING : withoutHints(glyf.slice(offset(glyph), offset(glyph + 1)), numberOf));
  }
  const starts = new DataView(new ArrayBuffer((glyphs.length + 1) * 4));
  const body = new Uint8Array(outlines.reduce((size, outline) => size + ((outline.length + 3) & ~3), 0));
  let at = 0;
  outlines.forEach((outline, i) => {
    starts.setUint32(i * 4, at);
    body.set(outline, at);
    at += (outline.length + 3) & ~3;
  });
  starts.setUint32(glyphs.length * 4, at);
  return fontFile([
    ["glyf", body],
    ["head", changed(font, "head", (head) => head.setInt16(50, 1))],
    ["hhea", changed(font, "hhea", (hhea) => hhea.setUint16(34, glyphs.length))],
    ["hmtx", metricsOf(font, glyphs)],
    ["loca", new Uint8Array(starts.buffer)],
    ["maxp", changed(font, "maxp", (maxp) => maxp.setUint16(4, glyphs.length))],
  ]);
}

function tableOf(font: TrueTypeFont, tag: string): Uint8Array {
  const table = font.tables.get(tag);
  if (!table) throw new TypeError(`a font without the table ${tag}`);
  return table;
}

function changed(font: TrueTypeFont, tag: string, change: (view: DataView) => void): Uint8Array {
  const table = tableOf(font, tag).slice();
  change(viewOf(table));
  return table;
}

function metricsOf(font: TrueTypeFont, glyphs: readonly number[]): Uint8Array {
  const metrics = new DataView(new ArrayBuffer(glyphs.length * 4));
  const hmtx = viewOf(tableOf(font, "hmtx"));
  const count = viewOf(tableOf(font, "hhea")).getUint16(34);
  glyphs.forEach((glyph, i) => {
    if (glyph < 0) return;
    metrics.setUint16(i * 4, font.advanceOf(glyph));
    metrics.setInt16(
      i * 4 + 2,
      glyph < count ? hmtx.getInt16(glyph * 4 + 2) : hmtx.getInt16(count * 4 + (glyph - count) * 2),
    );
  });
  return new Uint8Array(metrics.buffer);
}

function withoutHints(outline: Uint8Array, numberOf: (glyph: number) => number): Uint8Array {
  if (outline.length === 0) return outline;
  const view = viewOf(outline);
  const contours = view.getInt16(0);
  if (contours >= 0) {
    const lengthAt = 10 + contours * 2;
    const length = view.getUint16(lengthAt);
    const bare = new Uint8Array(outline.length - length);
    bare.set(outline.subarray(0, lengthAt));
    bare.set(outline.subarray(lengthAt + 2 + length), lengthAt + 2);
    return bare;
  }
  for (let at = 10; ; ) {
    const flags = view.getUint16(at);
    view.setUint16(at, flags & ~HAS_INSTRUCTIONS);
    view.setUint16(at + 2, numberOf(view.getUint16(at + 2)));
    at += 4 + (flags & ARE_WORDS ? 4 : 2);
    if (flags & HAS_SCALE) at += 2;
    else if (flags & HAS_TWO_SCALES) at += 4;
    else if (flags & HAS_MATRIX) at += 8;
    if (!(flags & MORE_COMPONENTS)) return outline.subarray(0, at);
  }
}

function fontFile(tables: [tag: string, bytes: Uint8Array][]): Uint8Array {
  const size = tables.reduce((sum, [, bytes]) => sum + 16 + ((bytes.length + 3) & ~3), 12);
  const file = new Uint8Array(size);
  const view = viewOf(file);
  const power = 2 ** Math.floor(Math.log2(tables.length));
  view.setUint32(0, 0x00010000);
  view.setUint16(4, tables.length);
  view.setUint16(6, power * 16);
  view.setUint16(8, Math.log2(power));
  view.setUint16(10, (tables.length - power) * 16);
  let at = 12 + tables.length * 16;
  tables.forEach(([tag, bytes], i) => {
    for (let k = 0; k < 4; k++) file[12 + i * 16 + k] = tag.charCodeAt(k);
    view.setUint32(12 + i * 16 + 4, checksum(bytes));
    view.setUint32(12 + i * 16 + 8, at);
    view.setUint32(12 + i * 16 + 12, bytes.length);
    file.set(bytes, at);
    at += (bytes.length + 3) & ~3;
  });
  return file;
}

function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i++) sum = (sum + ((bytes[i] ?? 0) << (24 - 8 * (i & 3)))) >>> 0;
  return sum;
}
