/**
 * Images as a PDF holds them, their compressed bytes untouched: what is embedded is what the camera sent, and nothing
 * is decoded in memory. An image that a PDF cannot hold so is refused with the reason.
 */

export type PdfImage = { width: number; height: number; entries: string; data: Uint8Array[] };

/** Says why an image cannot be embedded, in words for the reader of the document. */
export class PdfImageProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PdfImageProblem";
  }
}

/** The image of a JPEG or PNG. Throws PdfImageProblem for what a PDF cannot hold unchanged. */
export function pdfImage(bytes: Uint8Array, type: string): PdfImage {
  if (type === "image/jpeg") return jpegImage(bytes);
  if (type === "image/png") return pngImage(bytes);
  const name = type.split("/")[1]?.toUpperCase() ?? "";
  throw new PdfImageProblem(`A PDF cannot hold ${name} images unchanged; the ZIP archive has the original.`);
}

const COLOR_SPACES: Record<number, string> = { 1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK" };

function jpegImage(bytes: Uint8Array): PdfImage {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let isAdobe = false;
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) break;
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
      continue;
    }
    if (marker === 0xee && view.getUint32(at + 4) === 0x41646f62) isAdobe = true;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      if (marker > 0xc2) throw new PdfImageProblem("This kind of JPEG cannot be shown in a PDF.");
      const [bits, height, width, parts] = [
        bytes[at + 4] as number,
        view.getUint16(at + 5),
        view.getUint16(at + 7),
        bytes[at + 9] as number,
      ];
      const space = COLOR_SPACES[parts];
      if (bits !== 8 || !space || width === 0 || height === 0) break;
      // Adobe's CMYK files hold their inks inverted.
      const decode = parts === 4 && isAdobe ? "/Decode[1 0 1 0 1 0 1 0]" : "";
      const entries = `${size(width, height)}/ColorSpace${space}/BitsPerComponent 8${decode}/Filter/DCTDecode`;
      return { width, height, entries, data: [bytes] };
    }
    at += 2 + view.getUint16(at + 2);
  }
  throw new PdfImageProblem("The image is damaged and cannot be shown.");
}

/** Colour types of PNG whose rows a PDF reads as they are: grey, colour, palette. */
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1 };

function pngImage(bytes: Uint8Array): PdfImage {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 33) throw new PdfImageProblem("The image is damaged and cannot be shown.");
  const [width, height, bits, color] = [
    view.getUint32(16),
    view.getUint32(20),
    bytes[24] as number,
    bytes[25] as number,
  ];
  const channels = CHANNELS[color];
  const unchanged = "cannot be embedded unchanged; the ZIP archive has the original.";
  if (!channels) throw new PdfImageProblem(`A PNG with transparency ${unchanged}`);
  if (bytes[28] !== 0) throw new PdfImageProblem(`An interlaced PNG ${unchanged}`);
  const data: Uint8Array[] = [];
  let palette = "";
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const chunk = bytes.subarray(at + 8, at + 8 + length);
    if (type === "tRNS") throw new PdfImageProblem(`A PNG with transparency ${unchanged}`);
    if (type === "IDAT") data.push(chunk);
    if (type === "PLTE") for (const value of chunk) palette += value.toString(16).padStart(2, "0");
    at += 12 + length;
  }
  if (data.length === 0 || (color === 3 && palette === ""))
    throw new PdfImageProblem("The image is damaged and cannot be shown.");
  const indexed = `[/Indexed/DeviceRGB ${palette.length / 6 - 1}<${palette}>]`;
  const space = color === 3 ? indexed : channels === 1 ? "/DeviceGray" : "/DeviceRGB";
  const parameters = `/DecodeParms<</Predictor 15/Colors ${channels}/BitsPerComponent ${bits}/Columns ${width}>>`;
  const entries = `${size(width, height)}/ColorSpace${space}/BitsPerComponent ${bits}/Filter/FlateDecode${parameters}`;
  return { width, height, entries, data };
}

function size(width: number, height: number): string {
  return `/Width ${width}/Height ${height}`;
}
