// Reads and writes the directories and the header of a PMTiles archive, version 3. The package `pmtiles` only reads tiles:
// it exports no directory reader with a limit of size, and no writer at all.

import { gunzipSync, gzipSync } from "node:zlib";
import { readVarint } from "pmtiles";
import type { Box } from "./regions.ts";

/** A directory entry. Without a run it points at another directory; offsets count from the start of its section. */
export type Entry = { tileId: number; runLength: number; offset: number; length: number };

export const HEADER_BYTES = 127;
/** Header and root directory must be in the first 16 KiB. */
const MAX_ROOT = 16_384 - HEADER_BYTES;
const LEAF_ENTRIES = 4096;
/** More bytes than any directory has: one with 4096 entries has about 20 KB. */
const MAX_DIRECTORY = 64 * 1024 * 1024;

export function unpacked(bytes: Uint8Array, compression: number): Buffer {
  if (compression === 1) return Buffer.from(bytes);
  if (compression !== 2) throw new Error("The archive is compressed with a method that Odin cannot read.");
  return gunzipSync(bytes, { maxOutputLength: MAX_DIRECTORY });
}

/** Returns the entries of an uncompressed directory. Throws Error if it is malformed. */
export function readDirectory(bytes: Uint8Array): Entry[] {
  const at = { buf: bytes, pos: 0 };
  const next = () => {
    if (at.pos >= bytes.length) throw new Error("A directory of the archive ends too early.");
    return readVarint(at);
  };
  const count = next();
  if (count > bytes.length) throw new Error("A directory of the archive is malformed.");
  const entries: Entry[] = [];
  let tileId = 0;
  for (let i = 0; i < count; i++) {
    const step = next();
    if (i > 0 && step === 0) throw new Error("A directory of the archive is not sorted.");
    tileId += step;
    entries.push({ tileId, runLength: 0, offset: 0, length: 0 });
  }
  for (const entry of entries) entry.runLength = next();
  for (const entry of entries) entry.length = next();
  entries.forEach((entry, i) => {
    const value = next();
    const before = entries[i - 1];
    // Zero: directly after the previous entry.
    entry.offset = value === 0 && before ? before.offset + before.length : value - 1;
  });
  return entries;
}

function writeDirectory(entries: readonly Entry[]): Uint8Array {
  const numbers: number[] = [entries.length];
  let last = 0;
  for (const { tileId } of entries) {
    numbers.push(tileId - last);
    last = tileId;
  }
  for (const { runLength } of entries) numbers.push(runLength);
  for (const { length } of entries) numbers.push(length);
  entries.forEach(({ offset }, i) => {
    const before = entries[i - 1];
    numbers.push(before && offset === before.offset + before.length ? 0 : offset + 1);
  });
  return gzipSync(varints(numbers));
}

function varints(numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(numbers.length * 8);
  let size = 0;
  for (let rest of numbers) {
    while (rest >= 128) {
      bytes[size++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    bytes[size++] = rest;
  }
  return bytes.subarray(0, size);
}

/** Returns a root directory that fits the first 16 KiB, and the leaf directories that it points at. */
export function writeDirectories(entries: readonly Entry[]): { root: Uint8Array; leaves: Uint8Array } {
  if (entries.length <= LEAF_ENTRIES * 4) {
    const root = writeDirectory(entries);
    if (root.length <= MAX_ROOT) return { root, leaves: new Uint8Array(0) };
  }
  for (let size = LEAF_ENTRIES; ; size *= 2) {
    const pointers: Entry[] = [];
    const leaves: Uint8Array[] = [];
    let offset = 0;
    for (let from = 0; from < entries.length; from += size) {
      const leaf = writeDirectory(entries.slice(from, from + size));
      pointers.push({ tileId: entries[from]?.tileId ?? 0, runLength: 0, offset, length: leaf.length });
      leaves.push(leaf);
      offset += leaf.length;
    }
    const root = writeDirectory(pointers);
    if (root.length <= MAX_ROOT) return { root, leaves: Buffer.concat(leaves) };
  }
}

export type ArchiveParts = {
  root: Uint8Array;
  metadata: Uint8Array;
  leaves: Uint8Array;
  dataBytes: number;
  tiles: { addressed: number; entries: number; contents: number };
  tileCompression: number;
  tileType: number;
  minZoom: number;
  maxZoom: number;
  bounds: Box;
};

/** Returns what precedes the tiles: header, root directory, metadata and leaf directories, in this order. */
export function writeHead(parts: ArchiveParts): Uint8Array<ArrayBuffer> {
  const { root, metadata, leaves, dataBytes, tiles, bounds } = parts;
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  new Uint8Array(header.buffer).set(new TextEncoder().encode("PMTiles"));
  header.setUint8(7, 3);
  const sizes = [root.length, metadata.length, leaves.length, dataBytes];
  let offset = HEADER_BYTES;
  sizes.forEach((size, i) => {
    header.setBigUint64(8 + 16 * i, BigInt(offset), true);
    header.setBigUint64(16 + 16 * i, BigInt(size), true);
    offset += size;
  });
  [tiles.addressed, tiles.entries, tiles.contents].forEach((count, i) => {
    header.setBigUint64(72 + 8 * i, BigInt(count), true);
  });
  // Not clustered: tiles keep the order of the source, in which a repeated tile may be before its first use here.
  header.setUint8(96, 0);
  header.setUint8(97, 2);
  header.setUint8(98, parts.tileCompression);
  header.setUint8(99, parts.tileType);
  header.setUint8(100, parts.minZoom);
  header.setUint8(101, parts.maxZoom);
  const degrees = (at: number, value: number) => header.setInt32(at, Math.round(value * 1e7), true);
  degrees(102, bounds.west);
  degrees(106, bounds.south);
  degrees(110, bounds.east);
  degrees(114, bounds.north);
  header.setUint8(118, parts.minZoom);
  degrees(119, (bounds.west + bounds.east) / 2);
  degrees(123, (bounds.south + bounds.north) / 2);
  const head = new Uint8Array(HEADER_BYTES + root.length + metadata.length + leaves.length);
  head.set(new Uint8Array(header.buffer));
  head.set(root, HEADER_BYTES);
  head.set(metadata, HEADER_BYTES + root.length);
  head.set(leaves, HEADER_BYTES + root.length + metadata.length);
  return head;
}
