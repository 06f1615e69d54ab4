import { joined } from "#app/lib/buffers.ts";
import { crc32 } from "#app/lib/files/zip.ts";
import { orientationExif, orientationOf } from "./orientation.ts";
import { type ImageType, imageTypeOf } from "./type.ts";

/** An image without its metadata, and its size in pixels. */
export type StrippedImage = { bytes: Uint8Array<ArrayBuffer>; width: number; height: number };

export type StrippableType = ImageType | "image/gif";

/**
 * Returns the type of an image by its first bytes, ignoring the declared type. SVG is a document and is not
 * accepted.
 */
export function strippableTypeOf(bytes: Uint8Array): StrippableType | undefined {
  const begins = ascii(bytes, 0, 6);
  return imageTypeOf(bytes) ?? (begins === "GIF87a" || begins === "GIF89a" ? "image/gif" : undefined);
}

/** Brands of the ISO base media formats that hold pictures coded with HEVC (ISO/IEC 23008-12, annex B). */
const HEIC_BRANDS = new Set(["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "msf1"]);

/** Returns whether a file is a HEIC or HEIF picture by its first bytes. */
export function isHeic(bytes: Uint8Array): boolean {
  return ascii(bytes, 4, 4) === "ftyp" && HEIC_BRANDS.has(ascii(bytes, 8, 4));
}

type Strip = (bytes: Uint8Array) => StrippedImage | undefined;

/**
 * Rewrites a JPEG, PNG, WebP or GIF with only what is needed to display it: no EXIF (location, device, thumbnail)
 * except the orientation, no XMP, IPTC, comments, or bytes after its end. The pixels stay unchanged: no image codec
 * runs on Workers. Returns undefined if the file is truncated or malformed.
 */
export function stripImage(bytes: Uint8Array, type: StrippableType): StrippedImage | undefined {
  try {
    return STRIPS[type](bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The markers of the parts needed for display besides frames: Huffman and arithmetic tables, scans, quantization,
 * lines, restarts, hierarchies.
 */
const DRAWING_MARKERS = new Set([0xc4, 0xcc, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf]);

/** Keeps the segments needed for display: frames, tables, restart intervals, JFIF, and Adobe's color transform. */
const stripJpeg: Strip = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts = [bytes.subarray(0, 2)];
  let width = 0;
  let height = 0;
  let turned = false;
  let at = 2;
  for (;;) {
    if (view.getUint8(at) !== 0xff) return undefined;
    while (view.getUint8(at + 1) === 0xff) at += 1;
    const marker = view.getUint8(at + 1);
    if (marker === 0xd9) {
      parts.push(bytes.subarray(at, at + 2));
      break;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) return undefined;
    const end = at + 2 + view.getUint16(at + 2);
    if (end > bytes.length || end < at + 4) return undefined;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      height = view.getUint16(at + 5);
      width = view.getUint16(at + 7);
    }
    const isAdobe = marker === 0xee && end - at >= 9 && ascii(bytes, at + 4, 5) === "Adobe";
    const isJfif = marker === 0xe0 && end - at >= 18 && ascii(bytes, at + 4, 5) === "JFIF\0";
    // A JFIF header may contain a thumbnail from before an edit.
    const isExif = marker === 0xe1 && end - at >= 10 && ascii(bytes, at + 4, 6) === "Exif\0\0";
    const orientation = isExif && !turned ? orientationOf(bytes.subarray(at + 4, end)) : undefined;
    if (orientation) {
      turned = true;
      parts.push(exifSegment(orientation));
    } else if (isJfif) parts.push(jfifWithoutThumbnail(bytes.subarray(at, at + 18)));
    else if (isAdobe || isFrame || DRAWING_MARKERS.has(marker)) parts.push(bytes.subarray(at, end));
    at = end;
    if (marker !== 0xda) continue;
    const start = at;
    while (!(view.getUint8(at) === 0xff && isMarker(view.getUint8(at + 1)))) at += 1;
    parts.push(bytes.subarray(start, at));
  }
  return width > 0 && height > 0 ? { bytes: joined(parts), width, height } : undefined;
};

function exifSegment(orientation: number): Uint8Array {
  const exif = orientationExif(orientation);
  const header = [0xff, 0xe1, 0, exif.length + 8, 0x45, 0x78, 0x69, 0x66, 0, 0];
  return joined([Uint8Array.from(header), exif]);
}

function jfifWithoutThumbnail(segment: Uint8Array): Uint8Array {
  const header = segment.slice();
  header.set([0, 16], 2);
  header.set([0, 0], 16);
  return header;
}

/** In entropy-coded data, FF 00 is a byte, FF D0 to D7 are restarts, and FF FF is padding. */
function isMarker(byte: number): boolean {
  return byte !== 0 && byte !== 0xff && !(byte >= 0xd0 && byte <= 0xd7);
}

function ascii(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

/** Chunks needed for display, and their maximum length by definition (PNG, third edition, section 11). */
const PNG_CHUNKS = new Map([
  ["IHDR", 13],
  ["PLTE", 768],
  ["IDAT", Number.POSITIVE_INFINITY],
  ["tRNS", 256],
  ["gAMA", 4],
  ["cHRM", 32],
  ["sRGB", 1],
  ["sBIT", 4],
  ["bKGD", 6],
  ["pHYs", 9],
]);

const stripPng: Strip = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts = [bytes.subarray(0, 8)];
  let at = 8;
  if (ascii(bytes, 12, 4) !== "IHDR") return undefined;
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  for (;;) {
    const end = at + 12 + view.getUint32(at);
    if (end > bytes.length) return undefined;
    const name = ascii(bytes, at + 4, 4);
    if (end - at - 12 <= (PNG_CHUNKS.get(name) ?? -1)) parts.push(bytes.subarray(at, end));
    const orientation = name === "eXIf" ? orientationOf(bytes.subarray(at + 8, end - 4)) : undefined;
    if (orientation) parts.push(pngChunk("eXIf", orientationExif(orientation)));
    at = end;
    if (name === "IEND") break;
  }
  parts.push(pngChunk("IEND", new Uint8Array()));
  return width > 0 && height > 0 ? { bytes: joined(parts), width, height } : undefined;
};

function pngChunk(name: string, content: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(content.length + 12);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, content.length);
  chunk.set(new TextEncoder().encode(name), 4);
  chunk.set(content, 8);
  view.setUint32(content.length + 8, crc32(chunk.subarray(4, content.length + 8)));
  return chunk;
}

const WEBP_CHUNKS = new Set(["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF"]);
const EXIF_FLAG = 0x08;
const EXIF_AND_XMP_AND_ICC = EXIF_FLAG | 0x04 | 0x20;

const stripWebp: Strip = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = view.getUint32(4, true) + 8;
  if (whole > bytes.length) return undefined;
  const parts = [bytes.slice(0, 12)];
  let size: { width: number; height: number } | undefined;
  let extended: Uint8Array<ArrayBuffer> | undefined;
  for (let at = 12; at + 8 <= whole; ) {
    const name = ascii(bytes, at, 4);
    const length = view.getUint32(at + 4, true);
    const end = at + 8 + length + (length % 2);
    if (end > whole) return undefined;
    if (WEBP_CHUNKS.has(name)) {
      const chunk = name === "ANMF" ? webpFrame(bytes.subarray(at, end), length) : bytes.slice(at, end);
      if (!chunk) return undefined;
      if (name === "VP8X") {
        chunk[8] = (chunk[8] ?? 0) & ~EXIF_AND_XMP_AND_ICC;
        extended = chunk;
      }
      parts.push(chunk);
      size ??= webpSize(view, name, at + 8);
    }
    // Only the extended format has a flag for EXIF.
    const orientation =
      name === "EXIF" && extended ? orientationOf(bytes.subarray(at + 8, at + 8 + length)) : undefined;
    if (orientation && extended) {
      extended[8] = (extended[8] ?? 0) | EXIF_FLAG;
      parts.push(webpExif(orientation));
    }
    at = end;
  }
  const stripped = joined(parts);
  new DataView(stripped.buffer).setUint32(4, stripped.length - 8, true);
  return size && size.width > 0 && size.height > 0 ? { bytes: stripped, ...size } : undefined;
};

const FRAME_CHUNKS = new Set(["VP8 ", "VP8L", "ALPH"]);
const FRAME_HEAD = 8 + 16;

/** Returns an animation frame with only the chunks that draw it; they follow 16 bytes of position and duration. */
function webpFrame(chunk: Uint8Array, length: number): Uint8Array<ArrayBuffer> | undefined {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  const parts = [chunk.slice(0, FRAME_HEAD)];
  for (let at = FRAME_HEAD; at + 8 <= 8 + length; ) {
    const size = view.getUint32(at + 4, true);
    const end = at + 8 + size + (size % 2);
    if (end > chunk.length) return undefined;
    if (FRAME_CHUNKS.has(ascii(chunk, at, 4))) parts.push(chunk.slice(at, end));
    at = end;
  }
  const frame = joined(parts);
  new DataView(frame.buffer).setUint32(4, frame.length - 8, true);
  return frame;
}

function webpExif(orientation: number): Uint8Array<ArrayBuffer> {
  const exif = orientationExif(orientation);
  return joined([Uint8Array.of(0x45, 0x58, 0x49, 0x46, exif.length, 0, 0, 0), exif]);
}

function webpSize(view: DataView, name: string, at: number): { width: number; height: number } | undefined {
  const u24 = (offset: number) => view.getUint16(offset, true) + view.getUint8(offset + 2) * 2 ** 16;
  if (name === "VP8X") return { width: u24(at + 4) + 1, height: u24(at + 7) + 1 };
  if (name === "VP8 ")
    return { width: view.getUint16(at + 6, true) & 0x3fff, height: view.getUint16(at + 8, true) & 0x3fff };
  if (name !== "VP8L") return undefined;
  const bits = view.getUint32(at + 1, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

const STRIPS: Record<StrippableType, Strip> = {
  "image/jpeg": stripJpeg,
  "image/png": stripPng,
  "image/webp": stripWebp,
  "image/gif": stripGif,
};

const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

/** Applications whose extension says how often an animation repeats. */
const LOOPS = new Set(["NETSCAPE2.0", "ANIMEXTS1.0"]);

/**
 * Returns a GIF with only the parts that draw it (GIF89a specification): its screen, color tables, frames with their
 * timing and repetition; no comments, texts, other applications' data such as XMP, or bytes after its end. Returns
 * undefined if it is malformed or has no frame. Throws RangeError if it is truncated.
 */
function stripGif(bytes: Uint8Array): StrippedImage | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const head = 13 + colorTableSize(view.getUint8(10));
  const parts = [sliceOf(bytes, 0, head)];
  let [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  let frames = 0;
  for (let at = head; ; ) {
    const kind = view.getUint8(at);
    if (kind === TRAILER) {
      parts.push(Uint8Array.of(TRAILER));
      break;
    }
    if (kind === IMAGE) {
      const data = at + 10 + colorTableSize(view.getUint8(at + 9));
      const end = endOfBlocks(view, data + 1);
      parts.push(sliceOf(bytes, at, end));
      width = Math.max(width, view.getUint16(at + 1, true) + view.getUint16(at + 5, true));
      height = Math.max(height, view.getUint16(at + 3, true) + view.getUint16(at + 7, true));
      frames += 1;
      at = end;
      continue;
    }
    if (kind !== EXTENSION) return undefined;
    const end = endOfBlocks(view, at + 2);
    const kept = extensionOf(bytes, at);
    if (kept) parts.push(kept);
    at = end;
  }
  if (frames === 0 || width === 0 || height === 0) return undefined;
  return { bytes: joined(parts), width, height };
}

/** Returns a complete extension that affects drawing, in its shortest form; undefined for any other. */
function extensionOf(bytes: Uint8Array, from: number): Uint8Array | undefined {
  const label = bytes[from + 1];
  const size = bytes[from + 2];
  if (label === GRAPHIC_CONTROL && size === 4) return Uint8Array.of(...bytes.subarray(from, from + 7), 0);
  if (label !== APPLICATION || size !== 11) return undefined;
  const name = String.fromCharCode(...bytes.subarray(from + 3, from + 14));
  const isLoop = LOOPS.has(name) && bytes[from + 14] === 3 && bytes[from + 15] === 1;
  return isLoop ? Uint8Array.of(...bytes.subarray(from, from + 18), 0) : undefined;
}

function colorTableSize(packed: number): number {
  return packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0;
}

/**
 * Returns the end of a chain of data blocks, each of which begins with its length; a block of length 0 is the last.
 */
function endOfBlocks(view: DataView, from: number): number {
  let at = from;
  for (;;) {
    const size = view.getUint8(at);
    at += 1 + size;
    if (size === 0) return at;
  }
}

function sliceOf(bytes: Uint8Array, from: number, to: number): Uint8Array {
  if (to > bytes.length) throw new RangeError("The image is truncated.");
  return bytes.subarray(from, to);
}
