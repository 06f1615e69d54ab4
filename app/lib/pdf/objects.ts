/**
 * Writes the objects of a PDF 1.7 file as they come, so that a file of any length needs memory for its table of
 * offsets alone. Small objects are gathered into compressed object streams, and that table is a compressed stream too.
 */
import { zlibSync } from "fflate";
import { hex } from "#app/lib/crypto/encoding.ts";

/** Objects of one object stream: enough to compress well, few enough to be found quickly. */
const PACK_OBJECTS = 200;

export type PdfObjects = {
  /** A number for an object that is written later. */
  reserve: () => number;
  /** An object without a stream, in its PDF form. */
  write: (number: number, text: string) => void;
  /** A stream as it is; `entries` name its filter, if it has one. */
  stream: (number: number, entries: string, data: readonly Uint8Array[]) => void;
  /** A stream that is packed here; of a text each character is a byte, and none is above 255. */
  packed: (number: number, entries: string, data: Uint8Array | string) => void;
  /** Ends the file; returns the offset of its cross-references. */
  finish: (file: { root: number; info: number; id: Uint8Array }) => number;
};

/** A name, number or reference needs no escape; texts do. Latin texts stay readable, others become UTF-16. */
export function pdfText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `(${text.replace(/[\\()]/g, "\\$&")})`;
  let digits = "FEFF";
  for (let i = 0; i < text.length; i++)
    digits += text.charCodeAt(i).toString(16).toUpperCase().padStart(4, "0");
  return `<${digits}>`;
}

/** A number with at most two decimals, as short as it can be written. */
export function pdfNumber(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Objects that go to `write`, whose bytes are only good for as long as the call. */
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

/** Texts as bytes, each character one; all in the same memory, so that each is only good until the next. */
function createTextBytes(): (text: string) => Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(16_384);
  return (text) => {
    if (text.length > bytes.length) bytes = new Uint8Array(text.length * 2);
    const { read, written } = encoder.encodeInto(text, bytes);
    // Characters above 127, which UTF-8 writes in two bytes, are rare.
    if (read !== text.length || written !== read)
      for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes.subarray(0, text.length);
  };
}

/** The first byte of a row of the table of places. */
const [FREE, IN_FILE, IN_STREAM] = [0, 1, 2];
const ROW = 7;

type Place = {
  kind: number;
  /** Offset in the file, or the object stream's number. */
  at: number;
  index: number;
};

/** Where each object is, as the rows that the file ends with: seven bytes an object are all that a report keeps. */
function createPlaces() {
  let rows = new DataView(new ArrayBuffer(ROW * 1024));
  let count = 0;

  function reserve(): number {
    if ((count + 1) * ROW > rows.byteLength) {
      const larger = new Uint8Array(rows.byteLength * 2);
      larger.set(new Uint8Array(rows.buffer));
      rows = new DataView(larger.buffer);
    }
    // Free until it is set, and never to be used again.
    set(count, { kind: FREE, at: 0, index: 0xffff });
    return count++;
  }

  function set(number: number, { kind, at, index }: Place): void {
    rows.setUint8(number * ROW, kind);
    rows.setUint32(number * ROW + 1, at);
    rows.setUint16(number * ROW + 5, index);
  }

  /** Each row as the difference to the one above (PNG's filter "up"), which packs far better. */
  function table(): Uint8Array {
    const bytes = new Uint8Array(rows.buffer);
    const filtered = new Uint8Array(count * (ROW + 1));
    for (let i = 0; i < count; i++) {
      filtered[i * (ROW + 1)] = 2;
      for (let k = 0; k < ROW; k++) {
        const above = i === 0 ? 0 : (bytes[(i - 1) * ROW + k] as number);
        filtered[i * (ROW + 1) + 1 + k] = (bytes[i * ROW + k] as number) - above;
      }
    }
    return filtered;
  }

  // Object 0 is none.
  reserve();
  return { reserve, set, table, count: () => count };
}
