/**
 * A tile server and a tile archive: `/tiles/{z}/{x}/{y}.png` is a plain square with an edge, `.pbf` a vector tile of
 * land only, `/tiles/world.pmtiles` an archive of zooms 0 and 1 without one tile, served in ranges as object stores do.
 */
import { crc32 } from "#app/lib/files/zip.ts";

const SIDE = 256;
/** Zooms 0 and 1 have five tiles. The archive lacks the last one, so that tests have a missing tile. */
const ARCHIVED_TILES = 4;

/** Returns whether a path is one of this server. */
export function isTilePath(pathname: string): boolean {
  return pathname.startsWith("/tiles/");
}

export async function handleTiles(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/tiles/world.pmtiles") return rangeOf(await tileArchive(), request);
  const [, z, x, y, kind] = /^\/tiles\/(\d+)\/(\d+)\/(\d+)\.(png|pbf)$/.exec(pathname) ?? [];
  // The top row of zoom 4 and higher is sea, which has no tiles.
  if (z === undefined || (Number(z) > 3 && Number(y) === 0))
    return new Response("Not found", { status: 404 });
  if (kind === "pbf")
    return new Response(LAND_TILE, { headers: { "content-type": "application/x-protobuf" } });
  return new Response(await squareTile((Number(x) + Number(y)) % 2 === 0), {
    headers: { "content-type": "image/png" },
  });
}

/** A layer `earth` with one square that covers the tile (Mapbox Vector Tile 2.1). */
const LAND_TILE = (() => {
  const geometry = [9, 0, 0, 26, 128, 64, 0, 0, 128, 64, 255, 63, 0, 15];
  const feature = [0x18, 3, 0x22, geometry.length, ...geometry];
  const name = [...new TextEncoder().encode("earth")];
  const layer = [0x78, 2, 0x0a, name.length, ...name, 0x12, feature.length, ...feature, 0x28, 128, 32];
  return Uint8Array.from([0x1a, layer.length, ...layer]);
})();

/** Returns a PNG of 256 x 256 pixels in one of two grays, with a darker edge. */
async function squareTile(isLight: boolean): Promise<Uint8Array<ArrayBuffer>> {
  const pixels = new Uint8Array(SIDE * (SIDE + 1)).fill(isLight ? 0xe8 : 0xdc);
  for (let i = 0; i < SIDE; i++) {
    pixels[i * (SIDE + 1)] = 0;
    pixels[i * (SIDE + 1) + 1] = 0xb0;
    if (i > 0) pixels[i] = 0xb0;
  }
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, SIDE);
  header.setUint32(4, SIDE);
  header.setUint8(8, 8);
  const packed = new Response(new Blob([pixels]).stream().pipeThrough(new CompressionStream("deflate")));
  return joined([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("IDAT", new Uint8Array(await packed.arrayBuffer())),
    chunk("IEND", new Uint8Array()),
  ]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = joined([new TextEncoder().encode(type), data]);
  const length = new DataView(new ArrayBuffer(4));
  length.setUint32(0, data.length);
  const sum = new DataView(new ArrayBuffer(4));
  sum.setUint32(0, crc32(body));
  return joined([new Uint8Array(length.buffer), body, new Uint8Array(sum.buffer)]);
}

const HEADER_BYTES = 127;

/** Returns a PMTiles archive, version 3: header, one directory, metadata, and one image for all of its tiles. */
export async function tileArchive(): Promise<Uint8Array<ArrayBuffer>> {
  const tile = await squareTile(true);
  // One entry: first tile 0, run of ARCHIVED_TILES tiles, length, at the start of the data.
  const directory = Uint8Array.from([1, 0, ARCHIVED_TILES, ...varint(tile.length), 1]);
  const metadata = new TextEncoder().encode("{}");
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  new Uint8Array(header.buffer).set(new TextEncoder().encode("PMTiles"));
  header.setUint8(7, 3);
  const dataAt = HEADER_BYTES + directory.length + metadata.length;
  const places = [
    [HEADER_BYTES, directory.length],
    [HEADER_BYTES + directory.length, metadata.length],
    [dataAt, 0],
    [dataAt, tile.length],
    [ARCHIVED_TILES, 1],
  ].flat();
  for (const [i, value] of places.entries()) header.setBigUint64(8 + i * 8, BigInt(value), true);
  header.setBigUint64(88, 1n, true);
  // Clustered, not compressed, PNG tiles, zooms 0 to 1, whole world.
  for (const [i, value] of [1, 1, 1, 2, 0, 1].entries()) header.setUint8(96 + i, value);
  for (const [i, value] of [-180e7, -85e7, 180e7, 85e7].entries()) header.setInt32(102 + i * 4, value, true);
  return joined([new Uint8Array(header.buffer), directory, metadata, tile]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

/** Returns all bytes, or the requested range. */
function rangeOf(bytes: Uint8Array<ArrayBuffer>, request: Request): Response {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "") ?? [];
  if (from === undefined) return new Response(bytes);
  const part = bytes.slice(Number(from), Number(to) + 1);
  if (part.length === 0) return new Response(null, { status: 416 });
  const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`;
  return new Response(part, { status: 206, headers: { "content-range": range } });
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
