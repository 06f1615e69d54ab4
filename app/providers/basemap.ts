// Tiles of the operator's basemap: from a template URL, a PMTiles archive at a URL, or one in R2. Browsers get them
// only through Odin, so that third parties do not learn who views which places.

import { PMTiles, TileType } from "pmtiles";
import {
  type BasemapInfo,
  type BasemapSource,
  EMBEDDED_BASEMAP,
  type TileAddress,
} from "#app/entities/search/map/basemap.ts";
import { readBytes } from "#app/lib/files/bodies.ts";
import { publicAddressProblem } from "#app/lib/public-address.ts";

type Tile = { bytes: Uint8Array<ArrayBuffer>; type: string };

export type Basemap = {
  /** Distinguishes the maps of different settings. */
  name: string;
  describe(): Promise<BasemapInfo>;
  /** Returns null if the map has no such tile. Throws Error if the source fails. */
  tile(address: TileAddress): Promise<Tile | null>;
};

export type BasemapOptions = {
  source: BasemapSource | undefined;
  attribution: string;
  allowLoopback: boolean;
  /** Returns a reader of ranges of the archive in R2, which has one of these keys. */
  readRange: (keys: readonly string[]) => (offset: number, length: number) => Promise<ArrayBuffer | null>;
};

const TILE_LIMIT = 4 * 1024 * 1024;
const PATIENCE_MS = 8000;
const MAX_ZOOM = 19;
const VECTOR_TYPE = "application/vnd.mapbox-vector-tile";

/** Creates the basemap of the configured source, or the embedded one, which has no tiles, without a source. */
export function createBasemap(options: BasemapOptions): Basemap {
  const { source } = options;
  if (!source) return { name: "embedded", describe: async () => EMBEDDED_BASEMAP, tile: async () => null };
  return source.from === "template" ? templateBasemap(source, options) : archiveBasemap(source, options);
}

function templateBasemap(
  source: Extract<BasemapSource, { from: "template" }>,
  { attribution, allowLoopback }: BasemapOptions,
): Basemap {
  return {
    name: source.url,
    describe: async () => ({ kind: source.kind, attribution, minZoom: 0, maxZoom: MAX_ZOOM }),
    tile: async ({ z, x, y }) => {
      const url = source.url.replace("{z}", String(z)).replace("{x}", String(x)).replace("{y}", String(y));
      checkAddress(url, allowLoopback);
      const response = await guardedFetch(url, {});
      if (response.status === 404 || response.status === 204) {
        await response.body?.cancel();
        return null;
      }
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`the tile server answered ${response.status}`);
      }
      return checkedTile(await readBytes(response, TILE_LIMIT), source.kind);
    },
  };
}

function archiveBasemap(
  source: Exclude<BasemapSource, { from: "template" }>,
  { attribution, allowLoopback, readRange }: BasemapOptions,
): Basemap {
  const read =
    source.from === "bucket"
      ? readRange(source.keys)
      : async (offset: number, length: number) => {
          checkAddress(source.url, allowLoopback);
          const range = `bytes=${offset}-${offset + length - 1}`;
          const response = await guardedFetch(source.url, { range });
          if (response.status !== 206) {
            await response.body?.cancel();
            throw new Error(`the tile archive answered ${response.status}`);
          }
          return (await readBytes(response, TILE_LIMIT)).buffer;
        };
  const archive = new PMTiles({
    getKey: () => (source.from === "bucket" ? source.keys.join() : source.url),
    getBytes: async (offset, length) => {
      const data = await read(offset, length);
      if (!data) throw new Error("the tile archive does not exist");
      return { data };
    },
  });
  const kindOf = (type: TileType) => (type === TileType.Mvt ? "vector" : "raster");
  return {
    name: source.from === "bucket" ? source.keys.join() : source.url,
    describe: async () => {
      const { tileType, minZoom, maxZoom } = await archive.getHeader();
      return { kind: kindOf(tileType), attribution, minZoom, maxZoom: Math.min(maxZoom, MAX_ZOOM) };
    },
    tile: async ({ z, x, y }) => {
      const found = await archive.getZxy(z, x, y);
      if (!found) return null;
      const { tileType } = await archive.getHeader();
      return checkedTile(new Uint8Array(found.data), kindOf(tileType));
    },
  };
}

function checkAddress(url: string, allowLoopback: boolean): void {
  // The tile service's key is in the query; the address rule checks what precedes it.
  const [address = ""] = url.split("?");
  const problem = publicAddressProblem(address, { allowLoopback });
  if (problem) throw new Error(`BASEMAP_URL: ${problem}`);
}

function guardedFetch(url: string, headers: Record<string, string>): Promise<Response> {
  return fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(PATIENCE_MS) });
}

/** The first byte of a Mapbox vector tile: the key of field 3, a layer. A tile contains only layers. */
const LAYER = 0x1a;

/** Determines the type from the content, ignoring the tile server's content type. */
function checkedTile(bytes: Uint8Array<ArrayBuffer>, kind: "raster" | "vector"): Tile | null {
  if (bytes.length === 0) return null;
  if (kind === "vector") {
    if (bytes[0] !== LAYER) throw new Error("the tile is not a vector tile");
    return { bytes, type: VECTOR_TYPE };
  }
  const starts = (...head: number[]) => head.every((byte, i) => bytes[i] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47)) return { bytes, type: "image/png" };
  if (starts(0xff, 0xd8, 0xff)) return { bytes, type: "image/jpeg" };
  if (starts(0x52, 0x49, 0x46, 0x46) && bytes[8] === 0x57) return { bytes, type: "image/webp" };
  throw new Error("the tile is not an image");
}
