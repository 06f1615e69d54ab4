import { inflateSync } from "node:zlib";
import { expect } from "vitest";

// Fonts by the OpenType specification, byte by byte: glyphs of the test are few, and each table has a known content.

export const u16 = (...values: number[]) => values.flatMap((value) => [(value >> 8) & 255, value & 255]);
const u32 = (...values: number[]) => values.flatMap((value) => u16(value >>> 16, value & 0xffff));

/** A table of this size, with values at some places. */
export function filled(size: number, values: Record<number, number>): number[] {
  const bytes = Array<number>(size).fill(0);
  for (const [at, value] of Object.entries(values)) bytes.splice(Number(at), 2, ...u16(value));
  return bytes;
}

const BOUNDS = [1, 2, 3, 4, 5, 6, 7, 8];
/** A triangle with three bytes of instructions, and the same without. */
const hinted = [...u16(1), ...BOUNDS, ...u16(2), ...u16(3), 0xaa, 0xbb, 0xcc, 1, 1, 1, 9, 9, 9, 8, 8, 8];
export const bare = [...u16(1), ...BOUNDS, ...u16(2), ...u16(0), 1, 1, 1, 9, 9, 9, 8, 8, 8];
/** Two contours without instructions. */
export const plain = [...u16(2), ...BOUNDS, ...u16(1, 3), ...u16(0), 7, 7, 7, 7];
export const composite = (parts: readonly number[][], ...rest: number[]) => [
  ...u16(0xffff),
  ...BOUNDS,
  ...parts.flat(),
  ...rest,
];
/** Each kind of a component: words or bytes, one scale, two, or a matrix; the first has instructions. */
export const components = (numbers: readonly number[], instructions: number) => [
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
export const GROUPS = [
  ...u16(12, 0),
  ...u32(16 + 4 * 12, 0, 4),
  ...u32(0x41, 0x43, 1),
  ...u32(0x61, 0x61, 5),
  ...u32(0x400, 0x401, 2),
  ...u32(0x1f600, 0x1f600, 4),
];
/** Format 4: A to C by a difference; a to c by a list, with a difference except for 0; z; and the last segment. */
export const SEGMENTS = [
  ...u16(4, 16 + 4 * 8 + 6, 0, 4 * 2, 0, 0, 0),
  ...u16(0x43, 0x63, 0x7a, 0xffff),
  0,
  0,
  ...u16(0x41, 0x61, 0x7a, 0xffff),
  ...u16(0x10000 - 0x40, 1, 0x10000 - 0x75, 1),
  ...u16(0, 6, 0, 0),
  ...u16(3, 0, 4),
];
export const cmap = (...subtables: [platform: number, bytes: number[]][]) => {
  let at = 4 + subtables.length * 8;
  const records = subtables.flatMap(([platform, bytes]) => {
    at += bytes.length;
    return [...u16(platform, 1), ...u32(at - bytes.length)];
  });
  return [...u16(0, subtables.length), ...records, ...subtables.flatMap(([, bytes]) => bytes)];
};

type Tables = Record<string, number[]>;

export function tablesOf({ isLong = true, map = cmap([0, GROUPS]) } = {}): Tables {
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

export function fontOf(tables: Tables, version = 0x00010000): Uint8Array {
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

/** Reads the objects of a PDF by its cross-reference stream (ISO 32000-1, 7.5.7 and 7.5.8). */
export function objectsOf(file: Buffer): { objects: Map<number, string>; free: number[]; trailer: string } {
  const latin1 = file.toString("latin1");
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(latin1)?.[1]);
  const streamAt = (from: number) => {
    const [head = "", number, entries = "", length] =
      /(\d+) 0 obj\n<<(.*)\/Length (\d+)>>stream\n/y.exec(latin1.slice(from)) ?? [];
    const content = file.subarray(from + head.length, from + head.length + Number(length));
    expect(latin1.slice(from + head.length + Number(length)).startsWith("\nendstream\nendobj\n")).toBe(true);
    return { number: Number(number), entries, content };
  };
  const table = streamAt(start);
  const rows = inflateSync(table.content);
  const objects = new Map<number, string>();
  const free: number[] = [];
  const row = Buffer.alloc(7);
  for (let number = 0; number * 8 < rows.length; number++) {
    expect(rows[number * 8]).toBe(2);
    for (let k = 0; k < 7; k++) row[k] = row.readUInt8(k) + rows.readUInt8(number * 8 + 1 + k);
    const [kind, place, index] = [row.readUInt8(0), row.readUInt32BE(1), row.readUInt16BE(5)];
    if (kind === 0) {
      expect([place, index]).toEqual([0, 65_535]);
      free.push(number);
    } else if (kind === 1) {
      const found = streamAt(place);
      expect(found.number).toBe(number);
      objects.set(number, `${found.entries} ${found.content.toString("latin1")}`);
    } else {
      const [pack, ...content] = [objects.get(place)];
      expect([kind, pack, content]).toEqual([2, undefined, []]);
      objects.set(number, `in ${place} at ${index}`);
    }
  }
  for (const [number, text] of objects) {
    const [, place, index] = /^in (\d+) at (\d+)$/.exec(text) ?? [];
    if (place === undefined) continue;
    const packed = objects.get(Number(place)) ?? "";
    const [, count, first] = /^\/Type\/ObjStm\/N (\d+)\/First (\d+)\/Filter\/FlateDecode /.exec(packed) ?? [];
    const content = inflateSync(
      Buffer.from(packed.slice(packed.indexOf(" ", packed.indexOf("Flate")) + 1), "latin1"),
    );
    const heads = content.toString("latin1", 0, Number(first)).trim().split(" ").map(Number);
    expect(heads).toHaveLength(2 * Number(count));
    expect(heads[2 * Number(index)]).toBe(number);
    const next = heads[2 * Number(index) + 3];
    const from = Number(first) + (heads[2 * Number(index) + 1] ?? 0);
    objects.set(
      number,
      content.toString("latin1", from, next === undefined ? undefined : Number(first) + next - 1),
    );
  }
  return { objects, free, trailer: table.entries };
}
