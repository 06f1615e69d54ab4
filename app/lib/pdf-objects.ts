/**
 * Writes the objects of a PDF 1.7 file as they come, so that a file of any length needs memory for its table of
 * offsets alone. Small objects are gathered into compressed object streams, and that table is a compressed stream too.
 */
import { zlibSync } from "fflate";
import { hex } from "./encoding.ts";

const encoder = new TextEncoder();

/** Objects of one object stream: enough to compress well, few enough to be found quickly. */
const PACK_OBJECTS = 200;

export type PdfObjects = {
  /** A number for an object that is written later. */
  reserve: () => number;
  /** An object without a stream, in its PDF form. */
  write: (number: number, text: string) => void;
  /** A stream; `deflate` compresses it here, otherwise `entries` name its filter, if it has one. */
  stream: (
    number: number,
    entries: string,
    data: readonly Uint8Array[],
    options?: { deflate: boolean },
  ) => void;
  /** Ends the file. */
  finish: (file: { root: number; info: number; id: Uint8Array }) => void;
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

/** Content as bytes: each character is one, and none is above 255. */
export function contentBytes(content: string): Uint8Array<ArrayBuffer> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are bytes, not characters
  if (/^[\x00-\x7f]*$/.test(content)) return encoder.encode(content);
  const bytes = new Uint8Array(content.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = content.charCodeAt(i);
  return bytes;
}

export function createPdfObjects(write: (bytes: Uint8Array) => void): PdfObjects {
  const places = createPlaces();
  let offset = 0;
  let pack: { number: number; text: string }[] = [];

  function put(bytes: Uint8Array): void {
    write(bytes);
    offset += bytes.length;
  }

  function stream(
    number: number,
    entries: string,
    data: readonly Uint8Array[],
    options: { deflate: boolean } = { deflate: false },
  ): void {
    const parts = options.deflate ? [zlibSync(data[0] as Uint8Array, { level: 6 })] : data;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const filter = options.deflate ? "/Filter/FlateDecode" : "";
    places.set(number, { kind: IN_FILE, at: offset, index: 0 });
    put(encoder.encode(`${number} 0 obj\n<<${entries}${filter}/Length ${length}>>stream\n`));
    for (const part of parts) put(part);
    put(encoder.encode("\nendstream\nendobj\n"));
  }

  function endPack(): void {
    if (pack.length === 0) return;
    const number = places.reserve();
    let head = "";
    let at = 0;
    pack.forEach(({ number: packed, text }, i) => {
      head += `${packed} ${at} `;
      at += text.length + 1;
      places.set(packed, { kind: IN_STREAM, at: number, index: i });
    });
    const body = encoder.encode(head + pack.map(({ text }) => text).join("\n"));
    stream(number, `/Type/ObjStm/N ${pack.length}/First ${head.length}`, [body], { deflate: true });
    pack = [];
  }

  put(
    Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x37, 0x0a, 0x25, 0xe2, 0xe3, 0xcf, 0xd3, 0x0a),
  );

  return {
    reserve: places.reserve,
    stream,
    write(number, text) {
      pack.push({ number, text });
      if (pack.length === PACK_OBJECTS) endPack();
    },
    finish({ root, info, id }) {
      endPack();
      const number = places.reserve();
      const start = offset;
      places.set(number, { kind: IN_FILE, at: start, index: 0 });
      const name = hex(id).toUpperCase();
      const entries = `/Type/XRef/Size ${places.count()}/W[1 4 2]/Root ${root} 0 R/Info ${info} 0 R/ID[<${name}><${name}>]`;
      const parameters = "/DecodeParms<</Predictor 12/Columns 7>>";
      stream(number, entries + parameters, [places.table()], { deflate: true });
      put(encoder.encode(`startxref\n${start}\n%%EOF\n`));
    },
  };
}

/** The first byte of a row of the table of places. */
const [FREE, IN_FILE, IN_STREAM] = [0, 1, 2];
const ROW = 7;

type Place = {
  kind: number /** Offset in the file, or the object stream's number. */;
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
