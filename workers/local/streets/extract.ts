// Extracts a region from a PMTiles archive in the Protomaps layout. First only directories are read, which gives the exact
// size; then the tiles are copied in the order of the source, in a few large reads. In memory are the directory of the
// result (MAX_TILES entries at most) and about 40 MB of tiles.

import { gzipSync } from "node:zlib";
import { bytesToHeader, type Header, TileType } from "pmtiles";
import {
  type Entry,
  HEADER_BYTES,
  readDirectory,
  unpacked,
  writeDirectories,
  writeHead,
} from "./directories.ts";
import type { Box, Region } from "./regions.ts";
import type { ByteSource } from "./source.ts";
import { type IdRange, tileRanges } from "./tile-ranges.ts";

/** Layers without which the map would show no streets. */
const LAYERS = ["earth", "water", "roads"];
/**
 * Maximum number of entries in a result: less than a gigabyte of memory. Every state but Alaska has fewer, at all
 * zooms.
 */
const MAX_TILES = 4_000_000;
const MAX_METADATA = 4 * 1024 * 1024;
const MAX_DIRECTORY = 16 * 1024 * 1024;
/** Odin refuses larger tiles when it serves them. */
const MAX_TILE = 4 * 1024 * 1024;
/** Directories below directories; the package that reads the archive follows three. */
const MAX_DEPTH = 3;

/** Tiles closer than this in the source are read together. */
const GAP = 64 * 1024;
const MAX_READ = 8 * 1024 * 1024;
const READS_AT_ONCE = 4;

export type Archive = { source: ByteSource; header: Header; metadata: Record<string, unknown> };

/** Opens an archive and checks that the map can show it. Throws Error with a plain message. */
export async function openArchive(source: ByteSource): Promise<Archive> {
  const start = await source.read(0, HEADER_BYTES).catch((error: unknown) => {
    if (error instanceof Error && error.message.includes("ends before")) throw notPmtiles();
    throw error;
  });
  if (new TextDecoder("windows-1252").decode(start.subarray(0, 7)) !== "PMTiles") throw notPmtiles();
  if (start[7] !== 3)
    throw new Error(`The archive has version ${start[7]} of PMTiles; Odin reads version 3.`);
  const header = bytesToHeader(start.slice().buffer);
  if (header.tileType !== TileType.Mvt)
    throw new Error(
      "The archive has images or another kind of tiles. Odin needs vector tiles in the Protomaps layout.",
    );
  if (header.tileCompression !== 1 && header.tileCompression !== 2)
    throw new Error("The tiles are compressed with a method that Odin cannot read.");
  if (header.maxZoom > 22 || header.minZoom > header.maxZoom)
    throw new Error("The zooms of the archive are invalid.");
  const metadata = await readMetadata(source, header);
  const layers = Array.isArray(metadata.vector_layers) ? metadata.vector_layers : [];
  const ids = layers.map((layer: unknown) =>
    typeof layer === "object" && layer !== null && "id" in layer ? layer.id : undefined,
  );
  const missing = LAYERS.filter((layer) => !ids.includes(layer));
  if (missing.length > 0)
    throw new Error(
      `The archive is not in the Protomaps layout: it has no layer ${missing.join(", ")}. Its streets could not be drawn.`,
    );
  return { source, header, metadata };
}

const notPmtiles = () => new Error("This is not a PMTiles archive.");

async function readMetadata(source: ByteSource, header: Header): Promise<Record<string, unknown>> {
  const { jsonMetadataOffset, jsonMetadataLength, internalCompression } = header;
  if (jsonMetadataLength > MAX_METADATA) throw new Error("The metadata of the archive is too large.");
  const bytes = unpacked(await source.read(jsonMetadataOffset, jsonMetadataLength), internalCompression);
  try {
    const metadata: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof metadata === "object" && metadata !== null ? { ...metadata } : {};
  } catch {
    throw new Error("The metadata of the archive is not JSON.");
  }
}

/** The tiles of a region: entries with offsets of the result, and where their contents are in the source. */
export type Extract = {
  entries: Entry[];
  /** Contents by their place in the source, without repetitions. */
  contents: { offset: number; length: number }[];
  dataBytes: number;
  tiles: number;
  minZoom: number;
  maxZoom: number;
  bounds: Box;
};

/** Reads the directories that have tiles of the region. Throws Error if the archive is malformed or has no such tile. */
export async function planExtract(
  archive: Archive,
  { region, maxZoom: wanted }: { region: Region; maxZoom: number },
  mostTiles = MAX_TILES,
): Promise<Extract> {
  const { header } = archive;
  const maxZoom = Math.min(wanted, header.maxZoom);
  const ranges = tileRanges(region.boxes, header.minZoom, maxZoom);
  const found: Entry[] = [];
  for await (const entry of entriesIn(archive, ranges)) {
    found.push(entry);
    if (found.length > mostTiles)
      throw new Error(
        `The region has more than ${mostTiles.toLocaleString("en-US")} tiles. Choose a smaller one, or --max-zoom ${maxZoom - 1}.`,
      );
  }
  if (found.length === 0) throw new Error("The archive has no tiles of this region.");
  const contents = distinct(found);
  const places = new Map<number, number>();
  let dataBytes = 0;
  for (const { offset, length } of contents) {
    places.set(offset, dataBytes);
    dataBytes += length;
  }
  const west = Math.min(...region.boxes.map((box) => box.west));
  const east = Math.max(...region.boxes.map((box) => box.east));
  const south = Math.min(...region.boxes.map((box) => box.south));
  const north = Math.max(...region.boxes.map((box) => box.north));
  return {
    entries: joinedRuns(found.map((entry) => ({ ...entry, offset: places.get(entry.offset) ?? 0 }))),
    contents,
    dataBytes,
    tiles: found.reduce((sum, { runLength }) => sum + runLength, 0),
    minZoom: header.minZoom,
    maxZoom,
    bounds: { west, south, east, north },
  };
}

/** Returns the parts of the archive's entries that are in the ranges, in order. Directories outside are not read. */
async function* entriesIn({ source, header }: Archive, ranges: readonly IdRange[]): AsyncGenerator<Entry> {
  let at = 0;
  let lastId = -1;

  async function* walk(
    place: { offset: number; length: number; to: number },
    depth: number,
  ): AsyncGenerator<Entry> {
    if (depth > MAX_DEPTH || place.length > MAX_DIRECTORY)
      throw new Error("A directory of the archive is malformed.");
    const bytes = await source.read(place.offset, place.length);
    const entries = readDirectory(unpacked(bytes, header.internalCompression));
    for (const [i, entry] of entries.entries()) {
      const end =
        entry.runLength === 0 ? (entries[i + 1]?.tileId ?? place.to) : entry.tileId + entry.runLength;
      while (at < ranges.length && (ranges[at]?.to ?? 0) <= entry.tileId) at++;
      const next = ranges[at];
      if (!next) return;
      if (next.from >= end) continue;
      if (entry.runLength === 0) {
        const offset = header.leafDirectoryOffset + entry.offset;
        yield* walk({ offset, length: entry.length, to: end }, depth + 1);
        continue;
      }
      if (entry.tileId <= lastId) throw new Error("The directories of the archive are not sorted.");
      checkTile(entry, header);
      for (let i = at; i < ranges.length; i++) {
        const range = ranges[i];
        if (!range || range.from >= end) break;
        const from = Math.max(range.from, entry.tileId);
        const to = Math.min(range.to, end);
        if (to > from) yield { ...entry, tileId: from, runLength: to - from };
      }
      lastId = end - 1;
    }
  }

  const { rootDirectoryOffset: offset, rootDirectoryLength: length } = header;
  yield* walk({ offset, length, to: Number.POSITIVE_INFINITY }, 0);
}

function checkTile({ offset, length }: Entry, { tileDataLength = 0 }: Header): void {
  if (length === 0 || length > MAX_TILE || offset < 0 || offset + length > tileDataLength)
    throw new Error("The archive has a tile outside its data, or one that is too large.");
}

/** Returns each content once, by its place in the source. */
function distinct(entries: readonly Entry[]): { offset: number; length: number }[] {
  const sorted = entries
    .map(({ offset, length }) => ({ offset, length }))
    .sort((a, b) => a.offset - b.offset);
  return sorted.filter(({ offset, length }, i) => {
    const before = sorted[i - 1];
    if (before?.offset !== offset) return true;
    if (before.length !== length) throw new Error("Two tiles of the archive overlap.");
    return false;
  });
}

/** Joins consecutive tiles with the same content to one run. */
function joinedRuns(entries: Entry[]): Entry[] {
  const joined: Entry[] = [];
  for (const entry of entries) {
    const last = joined.at(-1);
    if (last && last.offset === entry.offset && last.tileId + last.runLength === entry.tileId)
      last.runLength += entry.runLength;
    else joined.push(entry);
  }
  return joined;
}

/** Returns the beginning of the result: everything before the tiles. */
export function headOf({ header, metadata }: Archive, extract: Extract): Uint8Array<ArrayBuffer> {
  const { entries, contents, dataBytes, tiles, minZoom, maxZoom, bounds } = extract;
  return writeHead({
    ...writeDirectories(entries),
    metadata: gzipSync(JSON.stringify(metadata)),
    dataBytes,
    tiles: { addressed: tiles, entries: entries.length, contents: contents.length },
    tileCompression: header.tileCompression,
    tileType: header.tileType,
    minZoom,
    maxZoom,
    bounds,
  });
}

type Read = { offset: number; length: number; contents: { offset: number; length: number }[] };

/** Returns the tiles of the result in order, a few megabytes at a time. */
export async function* tileData(
  { source, header }: Archive,
  { contents }: Extract,
): AsyncGenerator<Uint8Array> {
  const reads = readsOf(contents);
  const under = (read: Read) => source.read(header.tileDataOffset + read.offset, read.length);
  const ahead: { read: Read; bytes: Promise<Uint8Array> }[] = [];
  for (;;) {
    while (ahead.length < READS_AT_ONCE) {
      const { done, value: read } = reads.next();
      if (done || !read) break;
      const bytes = under(read);
      // A failure is thrown when this part is awaited.
      bytes.catch(() => {});
      ahead.push({ read, bytes });
    }
    const first = ahead.shift();
    if (!first) return;
    const bytes = await first.bytes;
    const { read } = first;
    yield Buffer.concat(
      read.contents.map(({ offset, length }) =>
        bytes.subarray(offset - read.offset, offset - read.offset + length),
      ),
    );
  }
}

function* readsOf(contents: Extract["contents"]): Generator<Read> {
  let read: Read | undefined;
  for (const content of contents) {
    const end = content.offset + content.length;
    if (read && content.offset - (read.offset + read.length) <= GAP && end - read.offset <= MAX_READ) {
      read.length = Math.max(read.length, end - read.offset);
      read.contents.push(content);
      continue;
    }
    if (read) yield read;
    read = { offset: content.offset, length: content.length, contents: [content] };
  }
  if (read) yield read;
}
