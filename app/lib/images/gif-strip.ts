import { joined } from "#app/lib/buffers.ts";
import type { StrippedImage } from "./strip.ts";

const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

/** Applications whose extension says how often an animation repeats. */
const LOOPS = new Set(["NETSCAPE2.0", "ANIMEXTS1.0"]);

/**
 * Returns a GIF with only what draws it (GIF89a specification): its screen, color tables, frames with their timing
 * and repetition; no comments, texts, other applications' data such as XMP, or bytes after its end. Returns
 * undefined if it is malformed or has no frame. Throws RangeError if it is truncated.
 */
export function stripGif(bytes: Uint8Array): StrippedImage | undefined {
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
