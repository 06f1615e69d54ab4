/** A part of a file, in bytes. */
export type BytePart = { offset: number; length: number };

/**
 * Returns the part of a file of `size` bytes that a Range header names (RFC 9110, section 14.2). Undefined without a
 * header, and for ranges that a server may ignore: another unit, several parts, and a part beyond the file.
 */
export function partOf(range: string | null, size: number): BytePart | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(range?.trim() ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const offset = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(Number(last) + 1, size);
  return offset < end ? { offset, length: end - offset } : undefined;
}
