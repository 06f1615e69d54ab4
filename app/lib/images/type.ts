// Detects images by their bytes: declared types are not trusted, and truncated images are rejected.

export type ImageType = "image/jpeg" | "image/png" | "image/webp";

const startsWith = (bytes: Uint8Array, offset: number, expected: readonly number[]) =>
  expected.every((byte, index) => bytes[offset + index] === byte);

/**
 * Returns the type of an image by its first bytes, ignoring the declared type: JPEG, PNG or WebP. Returns undefined
 * for anything else; SVG is a document with scripts and is never accepted.
 */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  if (startsWith(bytes, 0, [0xff, 0xd8, 0xff])) return "image/jpeg";
  if (startsWith(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  const riff =
    startsWith(bytes, 0, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes, 8, [0x57, 0x45, 0x42, 0x50]);
  return riff ? "image/webp" : undefined;
}

/** Maximum distance of a JPEG's end marker from the end of the file: cameras append their own data. */
const JPEG_TRAILER = 64 * 1024;

/**
 * Returns where the application data and comments at the beginning of a JPEG end. A thumbnail in them has an end marker of
 * its own.
 */
function afterHeader(bytes: Uint8Array): number {
  let at = 2;
  for (;;) {
    const marker = bytes[at + 1] ?? 0;
    const isHeader = bytes[at] === 0xff && ((marker >= 0xe0 && marker <= 0xef) || marker === 0xfe);
    const end = at + 2 + (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0);
    if (!isHeader || end < at + 4 || end > bytes.length) return at;
    at = end;
  }
}

/** Returns whether an image is complete: a truncated image must not be shown or exported as if it were whole. */
export function imageIsWhole(bytes: Uint8Array, type: ImageType): boolean {
  const byteAt = (offset: number) => bytes[offset] ?? 0;
  if (type === "image/jpeg") {
    const earliest = Math.max(3, bytes.length - JPEG_TRAILER, afterHeader(bytes));
    for (let i = bytes.length - 2; i >= earliest; i--)
      if (byteAt(i) === 0xff && byteAt(i + 1) === 0xd9) return true;
    return false;
  }
  if (type === "image/png")
    return startsWith(bytes, bytes.length - 8, [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);
  const size = byteAt(4) + byteAt(5) * 2 ** 8 + byteAt(6) * 2 ** 16 + byteAt(7) * 2 ** 24;
  return bytes.length >= size + 8;
}
