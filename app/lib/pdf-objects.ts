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
export function contentBytes(content: string): Uint8Array {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are bytes, not characters
  if (/^[\x00-\x7f]*$/.test(content)) return encoder.encode(content);
  const bytes = new Uint8Array(content.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = content.charCodeAt(i);
  return bytes;
}

export function createPdfObjects(write: (bytes: Uint8Array) => void): PdfObjects {
  /** Where each object is: [0, offset] in the file, or [stream's number + 1, place] within an object stream. */
  const places: ([number, number] | undefined)[] = [[0, 0]];
  let offset = 0;
  let pack: { number: number; text: string }[] = [];

  function put(bytes: Uint8Array): void {
    write(bytes);
    offset += bytes.length;
  }

  function reserve(): number {
    return places.push(undefined) - 1;
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
    places[number] = [0, offset];
    put(encoder.encode(`${number} 0 obj\n<<${entries}${filter}/Length ${length}>>stream\n`));
    for (const part of parts) put(part);
    put(encoder.encode("\nendstream\nendobj\n"));
  }

  function endPack(): void {
    if (pack.length === 0) return;
    const number = reserve();
    let head = "";
    let at = 0;
    pack.forEach(({ number: packed, text }, i) => {
      head += `${packed} ${at} `;
      at += text.length + 1;
      places[packed] = [number + 1, i];
    });
    const body = encoder.encode(head + pack.map(({ text }) => text).join("\n"));
    stream(number, `/Type/ObjStm/N ${pack.length}/First ${head.length}`, [body], { deflate: true });
    pack = [];
  }

  put(
    Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x37, 0x0a, 0x25, 0xe2, 0xe3, 0xcf, 0xd3, 0x0a),
  );

  return {
    reserve,
    stream,
    write(number, text) {
      pack.push({ number, text });
      if (pack.length === PACK_OBJECTS) endPack();
    },
    finish({ root, info, id }) {
      endPack();
      const number = reserve();
      places[number] = [0, offset];
      const start = offset;
      const name = hex(id).toUpperCase();
      const entries = `/Type/XRef/Size ${places.length}/W[1 4 2]/Root ${root} 0 R/Info ${info} 0 R/ID[<${name}><${name}>]`;
      const parameters = "/DecodeParms<</Predictor 12/Columns 7>>";
      stream(number, entries + parameters, [placesTable(places)], { deflate: true });
      put(encoder.encode(`startxref\n${start}\n%%EOF\n`));
    },
  };
}

/** Rows of type, place and index, each as the difference to the row above (PNG's filter "up"), which packs far better. */
function placesTable(places: readonly ([number, number] | undefined)[]): Uint8Array {
  const rows = new DataView(new ArrayBuffer(places.length * 7));
  places.forEach((place, i) => {
    const [inStream, at] = place ?? [0, 0];
    const isFree = i === 0 || place === undefined;
    rows.setUint8(i * 7, isFree ? 0 : inStream === 0 ? 1 : 2);
    rows.setUint32(i * 7 + 1, inStream === 0 ? at : inStream - 1);
    rows.setUint16(i * 7 + 5, isFree ? 0xffff : inStream === 0 ? 0 : at);
  });
  const bytes = new Uint8Array(rows.buffer);
  const filtered = new Uint8Array(places.length * 8);
  for (let i = 0; i < places.length; i++) {
    filtered[i * 8] = 2;
    for (let k = 0; k < 7; k++) {
      const above = i === 0 ? 0 : (bytes[(i - 1) * 7 + k] as number);
      filtered[i * 8 + 1 + k] = (bytes[i * 7 + k] as number) - above;
    }
  }
  return filtered;
}
