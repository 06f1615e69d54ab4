/**
 * Images as a PDF holds them, their compressed bytes untouched: what is embedded is what the camera sent, and nothing
 * is decoded in memory. Only the transparency of a PNG is dealt out into a mask of its own, sample by sample, and the
 * rows of an interlaced one are put in their order. An image that a PDF cannot hold so is refused with the reason.
 */
import { splitAlpha } from "#app/lib/images/png-alpha.ts";
import { deinterlace, paletteAlpha } from "#app/lib/images/png-pixels.ts";

type ImageStream = { entries: string; data: Uint8Array[] };
export type PdfImage = ImageStream & {
  width: number;
  height: number;
  /** How much of what lies beneath shows through, where the image says so. */
  mask?: ImageStream;
};

/** Says why an image cannot be embedded, in words for the reader of the document. */
export class PdfImageProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PdfImageProblem";
  }
}

/** The image of a JPEG or PNG. Throws PdfImageProblem for what a PDF cannot hold without its pixels being changed. */
export function pdfImage(bytes: Uint8Array, type: string): PdfImage {
  if (type === "image/jpeg") return jpegImage(bytes);
  if (type === "image/png") return pngImage(bytes);
  const name = type.split("/")[1]?.toUpperCase() ?? "";
  throw new PdfImageProblem(`A PDF cannot hold ${name} images unchanged; the ZIP archive has the original.`);
}

const DAMAGED = "The image is damaged and cannot be shown.";
const UNCHANGED = "cannot be embedded unchanged; the ZIP archive has the original.";
const TOO_MUCH = `A PNG that is damaged or this large ${UNCHANGED}`;

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
  throw new PdfImageProblem(DAMAGED);
}

/** Samples of a pixel by colour type of PNG: grey, colour, palette, grey with alpha, colour with alpha. */
const CHANNELS: Record<number, 1 | 2 | 3 | 4> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Bits that a sample may have, by colour type. */
const BITS: Record<number, number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

type Png = {
  width: number;
  height: number;
  bits: number;
  color: number;
  isInterlaced: boolean;
  data: Uint8Array[];
  palette: Uint8Array;
  /** Which colour, or how much of each of the palette's, is transparent. */
  transparent?: Uint8Array;
};

function readPng(bytes: Uint8Array): Png {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 33) throw new PdfImageProblem(DAMAGED);
  const png: Png = {
    width: view.getUint32(16),
    height: view.getUint32(20),
    bits: bytes[24] as number,
    color: bytes[25] as number,
    isInterlaced: bytes[28] === 1,
    data: [],
    palette: new Uint8Array(0),
  };
  if ((bytes[28] as number) > 1) throw new PdfImageProblem(DAMAGED);
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const chunk = bytes.subarray(at + 8, at + 8 + length);
    if (type === "IDAT") png.data.push(chunk);
    if (type === "PLTE") png.palette = chunk;
    if (type === "tRNS") png.transparent = chunk;
    at += 12 + length;
  }
  return png;
}

function pngImage(bytes: Uint8Array): PdfImage {
  const png = readPng(bytes);
  const { width, height, bits, color, palette } = png;
  const channels = CHANNELS[color];
  const isWhole = png.data.length > 0 && width > 0 && height > 0 && (color !== 3 || palette.length > 0);
  if (!channels || !isWhole || !BITS[color]?.includes(bits)) throw new PdfImageProblem(DAMAGED);
  const samples = { width, height, bits, channels };
  const data = png.isInterlaced ? deinterlace(png.data, samples) : png.data;
  if (!data) throw new PdfImageProblem(TOO_MUCH);
  const stream = (space: string, one: { colors: number; bits: number; data: Uint8Array[] }): ImageStream => ({
    entries: `${size(width, height)}/ColorSpace${space}/BitsPerComponent ${one.bits}/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors ${one.colors}/BitsPerComponent ${one.bits}/Columns ${width}>>`,
    data: one.data,
  });
  const gray = (bits: number, data: Uint8Array[]) => stream("/DeviceGray", { colors: 1, bits, data });
  if (channels === 2 || channels === 4) {
    const split = splitAlpha(data, { width, height, channels, sample: bits === 16 ? 2 : 1 });
    if (!split) throw new PdfImageProblem(TOO_MUCH);
    const mask = gray(bits, split.alpha);
    if (channels === 2) return { width, height, ...gray(bits, split.color), mask };
    return { width, height, ...stream("/DeviceRGB", { colors: 3, bits, data: split.color }), mask };
  }
  const digits = Array.from(palette, (value) => value.toString(16).padStart(2, "0")).join("");
  const indexed = `[/Indexed/DeviceRGB ${palette.length / 3 - 1}<${digits}>]`;
  const space = color === 3 ? indexed : channels === 1 ? "/DeviceGray" : "/DeviceRGB";
  const image = { width, height, ...stream(space, { colors: channels, bits, data }) };
  const { transparent } = png;
  if (!transparent) return image;
  const key = color === 3 ? rangeOf(transparent) : colorOf(transparent, channels);
  if (key !== undefined) return { ...image, entries: image.entries + key };
  const alpha = paletteAlpha(data, samples, transparent);
  if (!alpha) throw new PdfImageProblem(TOO_MUCH);
  return { ...image, mask: gray(8, alpha) };
}

/** The one colour that is transparent, which a PDF leaves out by its number. */
function colorOf(transparent: Uint8Array, channels: number): string {
  const view = new DataView(transparent.buffer, transparent.byteOffset, transparent.byteLength);
  const samples = Array.from({ length: transparent.length >> 1 }, (_, i) => view.getUint16(i * 2));
  if (samples.length !== channels) throw new PdfImageProblem(DAMAGED);
  return `/Mask[${samples.flatMap((sample) => [sample, sample]).join(" ")}]`;
}

/** The colours of a palette that are left out, where they follow each other and all others are opaque. */
function rangeOf(transparent: Uint8Array): string | undefined {
  if (transparent.every((alpha) => alpha === 255)) return "";
  const [first, last] = [transparent.indexOf(0), transparent.lastIndexOf(0)];
  const isRange = transparent.every(
    (alpha, i) => alpha === (i >= first && i <= last && first >= 0 ? 0 : 255),
  );
  return isRange ? `/Mask[${first} ${last}]` : undefined;
}

function size(width: number, height: number): string {
  return `/Width ${width}/Height ${height}`;
}
