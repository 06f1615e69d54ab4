/** Writes a ZIP archive file by file, stored and not compressed: images hardly shrink, and storing costs no time. */
import { Zip, type ZipInputFile } from "fflate";

/** ZIP without its 64-bit extension ends at 4 GiB; some room is left for the directory. */
const LIMIT = 0xffff_ffff - 64 * 1024 * 1024;
const MAX_FILES = 65_000;

export type ZipWriter = {
  /** Adds a file from its chunks. Throws a RangeError where the archive would become too large. */
  add: (name: string, chunks: readonly Uint8Array[]) => void;
  finish: () => void;
};

export function createZip(write: (bytes: Uint8Array) => void, modifiedAt: number): ZipWriter {
  let [size, files] = [0, 0];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    size += chunk.length;
    write(chunk);
  });
  return {
    add(name, chunks) {
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      if (size + bytes > LIMIT || ++files > MAX_FILES) throw new RangeError("the archive is too large");
      const file: ZipInputFile = {
        filename: name,
        size: bytes,
        crc: chunks.reduce((crc, chunk) => crc32(chunk, crc), 0),
        compression: 0,
        mtime: modifiedAt,
      };
      zip.add(file);
      chunks.forEach((chunk, i) => {
        file.ondata?.(null, chunk as Uint8Array<ArrayBuffer>, i === chunks.length - 1);
      });
    },
    finish: () => zip.end(),
  };
}

let tables: Uint32Array | undefined;

/** Tables for eight bytes at a time, which is several times as fast as one. */
function crcTables(): Uint32Array {
  if (tables) return tables;
  tables = new Uint32Array(8 * 256);
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    tables[n] = c;
  }
  for (let n = 0; n < 256; n++) {
    for (let k = 1; k < 8; k++) {
      const before = tables[(k - 1) * 256 + n] as number;
      tables[k * 256 + n] = (before >>> 8) ^ (tables[before & 255] as number);
    }
  }
  return tables;
}

/** CRC-32 as ZIP has it, of bytes that follow those with the given one. */
export function crc32(bytes: Uint8Array, before = 0): number {
  const t = crcTables();
  let c = ~before;
  let at = 0;
  const end = bytes.length - 8;
  for (; at <= end; at += 8) {
    const low =
      c ^
      ((bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24));
    c =
      (t[1792 + (low & 255)] as number) ^
      (t[1536 + ((low >>> 8) & 255)] as number) ^
      (t[1280 + ((low >>> 16) & 255)] as number) ^
      (t[1024 + (low >>> 24)] as number) ^
      (t[768 + (bytes[at + 4] as number)] as number) ^
      (t[512 + (bytes[at + 5] as number)] as number) ^
      (t[256 + (bytes[at + 6] as number)] as number) ^
      (t[bytes[at + 7] as number] as number);
  }
  for (; at < bytes.length; at++) c = (t[(c ^ (bytes[at] as number)) & 255] as number) ^ (c >>> 8);
  return ~c >>> 0;
}
