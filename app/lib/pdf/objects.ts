/**
 * Writes the objects of a PDF 1.7 file as they come, so that a file of any length needs memory only for its offset
 * table. Small objects are collected into compressed object streams, and the table is a compressed stream too.
 */
import { zlibSync } from "fflate";
import { hex } from "#app/lib/crypto/encoding.ts";

/** Objects per object stream: enough to compress well, few enough to find quickly. */
const PACK_OBJECTS = 200;

export type PdfObjects = {
  /** Returns a number for an object that is written later. */
  reserve: () => number;
  /** Writes an object without a stream, in PDF syntax. */
  write: (number: number, text: string) => void;
  /** Writes a stream unchanged; `entries` name its filter, if any. */
  stream: (number: number, entries: string, data: readonly Uint8Array[]) => void;
  /** Writes a stream compressed. In a text, each character is one byte. */
  packed: (number: number, entries: string, data: Uint8Array | string) => void;
  /** Ends the file. Returns the offset of its cross-reference table. */
  finish: (file: { root: number; info: number; id: Uint8Array }) => number;
};

/**
 * Returns a PDF string. Names, numbers and references need no escape; texts do. ASCII stays readable, other text
 * becomes UTF-16.
 */
export function pdfText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `(${text.replace(/[\\()]/g, "\\$&")})`;
  let digits = "FEFF";
  for (let i = 0; i < text.length; i++)
    digits += text.charCodeAt(i).toString(16).toUpperCase().padStart(4, "0");
  return `<${digits}>`;
}

/** Returns a number with at most two decimals in its shortest form. */
export function pdfNumber(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/**
 * Returns a writer of objects. The bytes passed to `write` are valid only during the call. The writer throws RangeError
 * once the file has more than 4 GiB.
 */
export function createPdfObjects(write: (bytes: Uint8Array) => void): PdfObjects {
  const places = createPlaces();
  const bytesOf = createTextBytes();
  let offset = 0;
  let gathered: { number: number; text: string }[] = [];

  function put(bytes: Uint8Array): void {
    write(bytes);
    offset += bytes.length;
  }

  function stream(number: number, entries: string, data: readonly Uint8Array[]): void {
    const length = data.reduce((sum, part) => sum + part.length, 0);
    places.set(number, { kind: IN_FILE, at: offset, index: 0 });
    put(bytesOf(`${number} 0 obj\n<<${entries}/Length ${length}>>stream\n`));
    for (const part of data) put(part);
    put(bytesOf("\nendstream\nendobj\n"));
  }

  function packed(number: number, entries: string, data: Uint8Array | string): void {
    const bytes = zlibSync(typeof data === "string" ? bytesOf(data) : data, { level: 6 });
    stream(number, `${entries}/Filter/FlateDecode`, [bytes]);
  }

  function endPack(): void {
    if (gathered.length === 0) return;
    const number = places.reserve();
    let head = "";
    let at = 0;
    gathered.forEach(({ number: packed, text }, i) => {
      head += `${packed} ${at} `;
      at += text.length + 1;
      places.set(packed, { kind: IN_STREAM, at: number, index: i });
    });
    const body = head + gathered.map(({ text }) => text).join("\n");
    packed(number, `/Type/ObjStm/N ${gathered.length}/First ${head.length}`, body);
    gathered = [];
  }

  put(
    Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x37, 0x0a, 0x25, 0xe2, 0xe3, 0xcf, 0xd3, 0x0a),
  );

  return {
    reserve: places.reserve,
    stream,
    packed,
    write(number, text) {
      gathered.push({ number, text });
      if (gathered.length === PACK_OBJECTS) endPack();
    },
    finish({ root, info, id }) {
      endPack();
      const number = places.reserve();
      const start = offset;
      places.set(number, { kind: IN_FILE, at: start, index: 0 });
      const name = hex(id).toUpperCase();
      const entries = `/Type/XRef/Size ${places.count()}/W[1 4 2]/Root ${root} 0 R/Info ${info} 0 R/ID[<${name}><${name}>]`;
      const parameters = "/DecodeParms<</Predictor 12/Columns 7>>";
      packed(number, entries + parameters, places.table());
      put(bytesOf(`startxref\n${start}\n%%EOF\n`));
      return start;
    },
  };
}

/**
 * Returns an encoder of texts with one byte per character. All results share one buffer: each is valid until the
 * next.
 */
function createTextBytes(): (text: string) => Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(16_384);
  return (text) => {
    if (text.length > bytes.length) bytes = new Uint8Array(text.length * 2);
    const { read, written } = encoder.encodeInto(text, bytes);
    // Characters above 127, which take two bytes in UTF-8, are rare.
    if (read !== text.length || written !== read)
      for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes.subarray(0, text.length);
  };
}

/** The first byte of a row in the offset table: the kind of its entry. */
const [FREE, IN_FILE, IN_STREAM] = [0, 1, 2];
const ROW = 7;
/** Offsets have four bytes. With larger ones, no reader would find the objects. */
const MAX_OFFSET = 0xffff_ffff;

type Place = {
  kind: number;
  /** Offset in the file, or number of the object stream. */
  at: number;
  index: number;
};

/** The offset of each object as a row of the final table: seven bytes per object are all that a report keeps. */
function createPlaces() {
  let rows = new DataView(new ArrayBuffer(ROW * 1024));
  let count = 0;

  function reserve(): number {
    if ((count + 1) * ROW > rows.byteLength) {
      const larger = new Uint8Array(rows.byteLength * 2);
      larger.set(new Uint8Array(rows.buffer));
      rows = new DataView(larger.buffer);
    }
    // Free until it is set; a free number is never used again.
    set(count, { kind: FREE, at: 0, index: 0xffff });
    return count++;
  }

  function set(number: number, { kind, at, index }: Place): void {
    if (at > MAX_OFFSET) throw new RangeError("the document is too large");
    rows.setUint8(number * ROW, kind);
    rows.setUint32(number * ROW + 1, at);
    rows.setUint16(number * ROW + 5, index);
  }

  /**
   * Returns the table with each row as the difference to the one above (PNG filter "up"), which compresses far
   * better.
   */
  function table(): Uint8Array {
    const bytes = new Uint8Array(rows.buffer);
    const filtered = new Uint8Array(count * (ROW + 1));
    for (let i = 0; i < count; i++) {
      filtered[i * (ROW + 1)] = 2;
      for (let k = 0; k < ROW; k++) {
        const above = i === 0 ? 0 : (bytes[(i - 1) * ROW + k] ?? 0);
        filtered[i * (ROW + 1) + 1 + k] = (bytes[i * ROW + k] ?? 0) - above;
      }
    }
    return filtered;
  }

  // Object 0 is always free.
  reserve();
  return { reserve, set, table, count: () => count };
}
