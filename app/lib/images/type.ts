// Tells images by their bytes: what a sender calls them is not believed, and half an image is no image.

export type ImageType = "image/jpeg" | "image/png" | "image/webp";

const startsWith = (bytes: Uint8Array, offset: number, expected: readonly number[]) =>
  expected.every((byte, index) => bytes[offset + index] === byte);

/**
 * The type of an image by its first bytes, whatever its sender calls it: JPEG, PNG or WebP.
 * Undefined for anything else; SVG is a document with scripts and is never an image here.
 */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  if (startsWith(bytes, 0, [0xff, 0xd8, 0xff])) return "image/jpeg";
  if (startsWith(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  const riff =
    startsWith(bytes, 0, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes, 8, [0x57, 0x45, 0x42, 0x50]);
  return riff ? "image/webp" : undefined;
}

/** How far before the end of a JPEG its end mark may stand: cameras append their own data behind it. */
const JPEG_TRAILER = 64 * 1024;

/** Whether an image has its end: half an image must not be shown, and far less exported, as the whole. */
export function imageIsWhole(bytes: Uint8Array, type: ImageType): boolean {
  const at = (offset: number) => bytes[offset] ?? 0;
  if (type === "image/jpeg") {
    const earliest = Math.max(3, bytes.length - JPEG_TRAILER);
    for (let i = bytes.length - 2; i >= earliest; i--) if (at(i) === 0xff && at(i + 1) === 0xd9) return true;
    return false;
  }
  if (type === "image/png")
    return startsWith(bytes, bytes.length - 8, [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);
  const size = at(4) + at(5) * 2 ** 8 + at(6) * 2 ** 16 + at(7) * 2 ** 24;
  return bytes.length >= size + 8;
}
