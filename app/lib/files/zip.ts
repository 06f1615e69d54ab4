/**
 * Writes a ZIP archive file by file, without compression: images hardly shrink, and storing is fast. Each file
 * costs only its entry in the directory, about 80 bytes.
 */

/** ZIP without its 64-bit extension is limited to 4 GiB, less some room for the directory. */
const LIMIT = 0xffff_ffff - 64 * 1024 * 1024;
const MAX_FILES = 65_000;

export type ZipWriter = {
  /** Adds a file from its chunks. Throws RangeError if the archive would become too large. */
  add: (name: string, chunks: readonly Uint8Array[]) => void;
  /** Begins a file whose bytes follow by `write`; their size and CRC must be as given here. */
  begin: (name: string, content: { size: number; crc: number }) => void;
  /** Writes bytes of the current file. */
  write: (chunk: Uint8Array) => void;
  finish: () => void;
};

const encoder = new TextEncoder();
const UTF_8 = 0x0800;
/** Position of the name in a directory entry, and its maximum length in bytes. */
const [NAME_AT, LONGEST_NAME] = [46, 1024];

/**
 * Returns a writer of an archive. Bytes passed to `write` are valid only during the call. `modifiedAt` is local
 * time (lib/time/zoned-time.ts, localAsUtc): ZIP stores local times without their zone.
 */
export function createZip(write: (bytes: Uint8Array) => void, modifiedAt: number): ZipWriter {
  const directory = createGrowingBytes();
  /** A file's directory entry and its local header; reused for each file. */
  const line = new Uint8Array(NAME_AT + LONGEST_NAME);
  const head = new Uint8Array(30 + LONGEST_NAME);
  const facts = new DataView(line.buffer);
  line.set([0x50, 0x4b, 1, 2, 20, 0, 20, 0]);
  facts.setUint16(8, UTF_8, true);
  facts.setUint32(12, dosTime(new Date(modifiedAt)), true);
  head.set([0x50, 0x4b, 3, 4]);
  let [size, files] = [0, 0];

  function put(bytes: Uint8Array): void {
    size += bytes.length;
    write(bytes);
  }

  function begin(name: string, content: { size: number; crc: number }): void {
    if (size + content.size > LIMIT || ++files > MAX_FILES) throw new RangeError("the archive is too large");
    const length = encoder.encodeInto(name, line.subarray(NAME_AT)).written;
    facts.setUint32(16, content.crc, true);
    facts.setUint32(20, content.size, true);
    facts.setUint32(24, content.size, true);
    facts.setUint16(28, length, true);
    facts.setUint32(42, size, true);
    directory.add(line.subarray(0, NAME_AT + length));
    // The local header repeats the fields of the directory entry.
    head.set(line.subarray(6, 32), 4);
    head.set(line.subarray(NAME_AT, NAME_AT + length), 30);
    put(head.subarray(0, 30 + length));
  }

  return {
    begin,
    write: put,
    add(name, chunks) {
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      begin(name, { size: bytes, crc: chunks.reduce((crc, chunk) => crc32(chunk, crc), 0) });
      for (const chunk of chunks) put(chunk);
    },
    finish() {
      const end = new DataView(new ArrayBuffer(22));
      end.setUint32(0, 0x06054b50, true);
      end.setUint16(8, files, true);
      end.setUint16(10, files, true);
      end.setUint32(12, directory.size(), true);
      end.setUint32(16, size, true);
      for (const piece of directory.pieces()) put(piece);
      put(new Uint8Array(end.buffer));
    },
  };
}

/** Returns date and time in the format of ZIP, with a resolution of two seconds. */
function dosTime(at: Date): number {
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return ((date << 16) | time) >>> 0;
}

const PIECE = 64 * 1024;

/**
 * Bytes that grow in pieces, so that nothing is copied to a larger buffer. An entry is never longer than a piece.
 */
function createGrowingBytes() {
  const full: Uint8Array[] = [];
  let piece = new Uint8Array(PIECE);
  let [filled, size] = [0, 0];
  return {
    add(bytes: Uint8Array): void {
      if (filled + bytes.length > PIECE) {
        full.push(piece.subarray(0, filled));
        piece = new Uint8Array(PIECE);
        filled = 0;
      }
      piece.set(bytes, filled);
      filled += bytes.length;
      size += bytes.length;
    },
    size: () => size,
    pieces: (): Uint8Array[] => [...full, piece.subarray(0, filled)],
  };
}

let tables: Uint32Array | undefined;

/** Tables for eight bytes at a time, several times as fast as one (slicing-by-8). */
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
      const before = tables[(k - 1) * 256 + n] ?? 0;
      tables[k * 256 + n] = (before >>> 8) ^ (tables[before & 255] ?? 0);
    }
  }
  return tables;
}

/**
 * Returns the CRC-32 of bytes that follow those with the CRC `before`. No platform API computes it; this is several
 * times as fast as a byte-wise library.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  const t = crcTables();
  let c = ~before;
  let at = 0;
  const end = bytes.length - 8;
  for (; at <= end; at += 8) {
    const low =
      c ^
      ((bytes[at] ?? 0) |
        ((bytes[at + 1] ?? 0) << 8) |
        ((bytes[at + 2] ?? 0) << 16) |
        ((bytes[at + 3] ?? 0) << 24));
    c =
      (t[1792 + (low & 255)] ?? 0) ^
      (t[1536 + ((low >>> 8) & 255)] ?? 0) ^
      (t[1280 + ((low >>> 16) & 255)] ?? 0) ^
      (t[1024 + (low >>> 24)] ?? 0) ^
      (t[768 + (bytes[at + 4] ?? 0)] ?? 0) ^
      (t[512 + (bytes[at + 5] ?? 0)] ?? 0) ^
      (t[256 + (bytes[at + 6] ?? 0)] ?? 0) ^
      (t[bytes[at + 7] ?? 0] ?? 0);
  }
  for (; at < bytes.length; at++) c = (t[(c ^ (bytes[at] ?? 0)) & 255] ?? 0) ^ (c >>> 8);
  return ~c >>> 0;
}
