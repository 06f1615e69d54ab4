import { at } from "#app/lib/at.ts";
import { compareNames } from "#app/lib/text.ts";
import {
  COORDINATE_SCALE,
  type Columns,
  forWords,
  NO_COORDINATE,
  type ResultColumns,
  WORDS,
  type Word,
  wordAt,
} from "./result-columns.ts";
import { type Vocabulary, vocabularyOf } from "./result-words.ts";

/**
 * Result sets as binary columns: stored in R2, sent to the browser once, and read by the table and the map. A row takes
 * about 50 bytes instead of 400 as JSON, and decoding creates views over the bytes, not objects.
 *
 * Layout: "ODIN", version (u16), 0 (u16), header length (u32), header (JSON, padded to 8), columns (each padded to 8).
 * Dictionaries are columns of UTF-8 text, one word per line, in sorted order: a code is its word's rank, so sorting by
 * a word never compares texts. A dictionary is split into strings on first use.
 */
const MAGIC = 0x4e49444f;
const VERSION = 3;

/** In larger dictionaries "Camera 2" sorts after "Camera 10": the numeric comparison would take a second. */
const COLLATED_WORDS = 5000;

/** Returns the codes in the order of their words; small dictionaries compare numbers within words as numbers. */
function sortedCodes(dictionary: readonly string[]): Uint32Array {
  const codes = Uint32Array.from(dictionary, (_, code) => code);
  const text = (code: number) => at(dictionary, code);
  // No word occurs twice.
  const byUnits = (a: number, b: number) => (text(a) < text(b) ? -1 : 1);
  if (dictionary.length > COLLATED_WORDS) return codes.sort(byUnits);
  // The collation ignores some marks and treats such words as equal; then code units decide.
  return codes.sort((a, b) => compareNames(text(a), text(b)) || byUnits(a, b));
}

type ArrayName = "u8" | "u16" | "u32" | "i32" | "f64";
type ColumnHeader = { name: string; type: ArrayName; offset: number; length: number };
type Header = { count: number; columns: ColumnHeader[]; dictionaryLengths: Record<Word, number> };

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array };

function padded(length: number): number {
  return (length + 7) & ~7;
}

function narrowest(size: number): "u8" | "u16" | "u32" {
  return size <= 0x100 ? "u8" : size <= 0x10000 ? "u16" : "u32";
}

/**
 * Returns the columns, with rows in the given order, encoded for R2 and the browser. Line breaks in words become
 * spaces.
 */
export function encodeColumns(columns: Columns, order: Uint32Array): Uint8Array<ArrayBuffer> {
  const count = order.length;
  const parts: { header: ColumnHeader; write: (into: Uint8Array<ArrayBuffer>) => void }[] = [];
  let offset = 0;
  const add = (name: string, type: ArrayName, length: number, value: (row: number) => number) => {
    const at = offset;
    parts.push({
      header: { name, type, offset: at, length },
      write: (into) => {
        const array = new ARRAYS[type](into.buffer, into.byteOffset + at, length);
        for (let i = 0; i < length; i++) array[i] = value(order[i] ?? 0);
      },
    });
    offset += padded(length * ARRAYS[type].BYTES_PER_ELEMENT);
  };
  const addBytes = (name: string, length: number, write: (into: Uint8Array) => void) => {
    const at = offset;
    parts.push({
      header: { name, type: "u8", offset: at, length },
      write: (into) => write(into.subarray(at, at + length)),
    });
    offset += padded(length);
  };
  add("times", "f64", count, (row) => columns.times[row] ?? 0);
  add("latitudes", "i32", count, (row) => columns.latitudes[row] ?? 0);
  add("longitudes", "i32", count, (row) => columns.longitudes[row] ?? 0);
  add("programs", "u8", count, (row) => columns.programs[row] ?? 0);
  add("confidences", "u8", count, (row) => columns.confidences[row] ?? 0);
  add("flags", "u8", count, (row) => columns.flags[row] ?? 0);
  for (const word of WORDS) {
    const dictionary = columns.dictionaries[word];
    if (word === "match" && dictionary.every((text) => text === "")) continue;
    const sorted = sortedCodes(dictionary);
    const ranks = new Uint32Array(sorted.length);
    for (let rank = 0; rank < sorted.length; rank++) ranks[sorted[rank] ?? 0] = rank;
    const codes = columns.words[word];
    add(word, narrowest(dictionary.length), count, (row) => ranks[codes[row] ?? 0] ?? 0);
    const lines = Array.from(sorted, (code) => at(dictionary, code).replace(/[\r\n]/g, " "));
    const text = new TextEncoder().encode(lines.join("\n"));
    addBytes(textColumn(word), text.length, (into) => into.set(text));
  }
  addBytes("ids", count * 16, (into) => {
    for (let i = 0; i < count; i++) {
      const row = order[i] ?? 0;
      into.set(columns.ids.subarray(row * 16, row * 16 + 16), i * 16);
    }
  });
  const header: Header = {
    count,
    columns: parts.map((part) => part.header),
    dictionaryLengths: forWords((word) => columns.dictionaries[word].length),
  };
  const head = new TextEncoder().encode(JSON.stringify(header));
  const bodyAt = padded(12 + head.length);
  const bytes = new Uint8Array(bodyAt + offset);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint16(4, VERSION, true);
  view.setUint32(8, head.length, true);
  bytes.set(head, 12);
  const body = bytes.subarray(bodyAt);
  for (const part of parts) part.write(body);
  return bytes;
}

/** Returns the given rows alone, encoded, with only the words that they use. */
export function encodeRows(columns: Columns, rows: Uint32Array): Uint8Array<ArrayBuffer> {
  const texts = forWords((word) => Array.from(rows, (row) => wordAt(columns, word, row)));
  const dictionaries = forWords((word) => [...new Set(texts[word])]);
  const few: Columns = {
    count: rows.length,
    ids: Uint8Array.from([...rows].flatMap((row) => [...columns.ids.subarray(row * 16, row * 16 + 16)])),
    times: Float64Array.from(rows, (row) => at(columns.times, row)),
    latitudes: Int32Array.from(rows, (row) => at(columns.latitudes, row)),
    longitudes: Int32Array.from(rows, (row) => at(columns.longitudes, row)),
    programs: Uint8Array.from(rows, (row) => at(columns.programs, row)),
    confidences: Uint8Array.from(rows, (row) => at(columns.confidences, row)),
    flags: Uint8Array.from(rows, (row) => at(columns.flags, row)),
    words: forWords((word) => Uint16Array.from(texts[word], (text) => dictionaries[word].indexOf(text))),
    dictionaries,
  };
  return encodeColumns(few, Uint32Array.from(rows.keys()));
}

function textColumn(word: Word): string {
  return `${word} words`;
}

/** Returns views over encoded columns. Throws TypeError if the bytes are not a result set or are truncated. */
export function decodeColumns(bytes: Uint8Array<ArrayBuffer>): ResultColumns {
  // Typed arrays must be aligned; a slice of a larger buffer may not be.
  const source = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const header = readHeader(source);
  const bodyAt = padded(12 + new DataView(source.buffer, source.byteOffset).getUint32(8, true));
  const column = (name: string) => {
    const found = header.columns.find((candidate) => candidate.name === name);
    if (!found) throw new TypeError(`a result set without ${name}`);
    const end = bodyAt + found.offset + found.length * ARRAYS[found.type].BYTES_PER_ELEMENT;
    if (end > source.byteLength) throw new TypeError("a result set that ends too early");
    return new ARRAYS[found.type](source.buffer, source.byteOffset + bodyAt + found.offset, found.length);
  };
  // Only searches with look-alikes have the column of matches.
  const hasNone = (word: Word) =>
    word === "match" && !header.columns.some(({ name }) => name === textColumn(word));
  const vocabularies = forWords((word) =>
    hasNone(word)
      ? vocabularyOf(new Uint8Array(), 1)
      : vocabularyOf(column(textColumn(word)) as Uint8Array, header.dictionaryLengths[word]),
  );
  return {
    count: header.count,
    ids: column("ids") as Uint8Array,
    times: column("times") as Float64Array,
    latitudes: column("latitudes") as Int32Array,
    longitudes: column("longitudes") as Int32Array,
    programs: column("programs") as Uint8Array,
    confidences: column("confidences") as Uint8Array,
    flags: column("flags") as Uint8Array,
    words: forWords((word) =>
      hasNone(word) ? new Uint8Array(header.count) : (column(word) as Uint8Array | Uint16Array | Uint32Array),
    ),
    dictionaries: splitWhenAsked(vocabularies),
    vocabularies,
  };
}

function readHeader(bytes: Uint8Array<ArrayBuffer>): Header {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 12 || view.getUint32(0, true) !== MAGIC || view.getUint16(4, true) !== VERSION) {
    throw new TypeError("not a result set");
  }
  try {
    return JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + view.getUint32(8, true))));
  } catch {
    throw new TypeError("a result set that ends too early");
  }
}

function splitWhenAsked(vocabularies: Record<Word, Vocabulary>) {
  const dictionaries = {} as Record<Word, string[]>;
  for (const word of WORDS) {
    Object.defineProperty(dictionaries, word, { enumerable: true, get: vocabularies[word].all });
  }
  return dictionaries;
}

/** Returns the byte offsets of a row's coordinates in encoded columns, from the first 8 KiB, which hold the header. */
export function coordinateOffsets(
  head: Uint8Array<ArrayBuffer>,
  row: number,
): { latitude: number; longitude: number } | null {
  const { count, columns } = readHeader(head);
  if (row >= count) return null;
  const bodyAt = padded(12 + new DataView(head.buffer, head.byteOffset).getUint32(8, true));
  const offset = (name: string) => {
    const found = columns.find((column) => column.name === name);
    return bodyAt + (found?.offset ?? 0) + row * Int32Array.BYTES_PER_ELEMENT;
  };
  return { latitude: offset("latitudes"), longitude: offset("longitudes") };
}

/** Returns degrees from the four bytes of a coordinate; null if the program gave none. */
export function coordinateOf(bytes: Uint8Array<ArrayBuffer>): number | null {
  const value = new DataView(bytes.buffer, bytes.byteOffset, 4).getInt32(0, true);
  return value === NO_COORDINATE ? null : value / COORDINATE_SCALE;
}
