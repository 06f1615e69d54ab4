/**
 * Images as a PDF stores them, with their compressed bytes unchanged: the PDF contains what the camera sent, and
 * nothing is decoded in memory. Only two things are rearranged: the alpha samples of a PNG move to a separate mask,
 * and the rows of an interlaced PNG into their order. An image that a PDF cannot store this way is rejected with
 * the reason.
 */
import { orientationOf } from "#app/lib/images/orientation.ts";
import { deinterlace, paletteAlpha, splitAlpha } from "#app/lib/images/png-pixels.ts";

type ImageStream = { entries: string; data: Uint8Array[] };
export type PdfImage = ImageStream & {
  /** As stored, before the image is turned. */
  width: number;
  height: number;
  /** How a reader has to turn the image, by EXIF (2 to 8); undefined if it is upright. */
  orientation?: number | undefined;
  /** Opacity of the pixels, if the image has an alpha channel. */
  mask?: ImageStream;
};

/** The reason why an image cannot be embedded, as a text for the reader of the document. */
export class PdfImageProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PdfImageProblem";
  }
}

/** Returns a JPEG or PNG for embedding. Throws PdfImageProblem if a PDF cannot hold it with unchanged pixels. */
export function pdfImage(bytes: Uint8Array, type: string): PdfImage {
  if (type === "image/jpeg") return jpegImage(bytes);
  if (type === "image/png") {
    const png = readPng(bytes);
    return { ...pngImage(png), orientation: png.orientation };
  }
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
  let orientation: number | undefined;
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) break;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
      continue;
    }
    if (marker === 0xee && view.getUint32(at + 4) === 0x41646f62) isAdobe = true;
    if (marker === 0xe1)
      orientation ??= orientationOf(bytes.subarray(at + 4, at + 2 + view.getUint16(at + 2)));
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      if (marker > 0xc2) throw new PdfImageProblem("This kind of JPEG cannot be shown in a PDF.");
      const [bits, height, width, parts] = [
        view.getUint8(at + 4),
        view.getUint16(at + 5),
        view.getUint16(at + 7),
        view.getUint8(at + 9),
      ];
      const space = COLOR_SPACES[parts];
      if (bits !== 8 || !space || width === 0 || height === 0) break;
      // Adobe's CMYK files store inverted inks.
      const decode = parts === 4 && isAdobe ? "/Decode[1 0 1 0 1 0 1 0]" : "";
      const entries = `${size(width, height)}/ColorSpace${space}/BitsPerComponent 8${decode}/Filter/DCTDecode`;
      return { width, height, orientation, entries, data: [bytes] };
    }
    at += 2 + view.getUint16(at + 2);
  }
  throw new PdfImageProblem(DAMAGED);
}

/** Samples per pixel by PNG color type: gray, color, palette, gray with alpha, color with alpha. */
const CHANNELS: Record<number, 1 | 2 | 3 | 4> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Bits per sample that each color type allows. */
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
  /** The transparent color, or the alpha of each palette entry. */
  transparent?: Uint8Array;
  orientation?: number | undefined;
};

function readPng(bytes: Uint8Array): Png {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 33) throw new PdfImageProblem(DAMAGED);
  const png: Png = {
    width: view.getUint32(16),
    height: view.getUint32(20),
    bits: view.getUint8(24),
    color: view.getUint8(25),
    isInterlaced: bytes[28] === 1,
    data: [],
    palette: new Uint8Array(0),
  };
  if (view.getUint8(28) > 1) throw new PdfImageProblem(DAMAGED);
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const chunk = bytes.subarray(at + 8, at + 8 + length);
    if (type === "IDAT") png.data.push(chunk);
    if (type === "PLTE") png.palette = chunk;
    if (type === "tRNS") png.transparent = chunk;
    if (type === "eXIf") png.orientation ??= orientationOf(chunk);
    at += 12 + length;
  }
  return png;
}

function pngImage(png: Png): PdfImage {
  const { width, height, bits, color, palette } = png;
  const channels = CHANNELS[color];
  // Other programs show nothing if the palette ends within a color.
  const isPalette = palette.length > 0 && palette.length % 3 === 0;
  const isWhole = png.data.length > 0 && width > 0 && height > 0 && (color !== 3 || isPalette);
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

/** Returns the mask entry of the single transparent color. */
function colorOf(transparent: Uint8Array, channels: number): string {
  const view = new DataView(transparent.buffer, transparent.byteOffset, transparent.byteLength);
  const samples = Array.from({ length: transparent.length >> 1 }, (_, i) => view.getUint16(i * 2));
  if (samples.length !== channels) throw new PdfImageProblem(DAMAGED);
  return `/Mask[${samples.flatMap((sample) => [sample, sample]).join(" ")}]`;
}

/**
 * Returns the mask entry of a palette whose transparent colors are adjacent and whose other colors are opaque;
 * empty if all are opaque, undefined otherwise.
 */
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
