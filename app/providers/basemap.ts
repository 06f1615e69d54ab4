// Tiles of the operator's basemap: from a template address, a PMTiles archive behind an address, or one in R2.
// They reach the browser only through Odin, so that nobody else learns which places are looked at from where.

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
  describe(): Promise<BasemapInfo>;
  /** Null where the map has no such tile. Throws an Error where its source does not answer as it should. */
  tile(address: TileAddress): Promise<Tile | null>;
};

export type BasemapOptions = {
  source: BasemapSource | undefined;
  attribution: string;
  allowLoopback: boolean;
  /** Reads a range of the archive in R2, which is under one of these keys. */
  readRange: (keys: readonly string[]) => (offset: number, length: number) => Promise<ArrayBuffer | null>;
};

const TILE_LIMIT = 4 * 1024 * 1024;
const PATIENCE_MS = 8000;
const MAX_ZOOM = 19;
const VECTOR_TYPE = "application/vnd.mapbox-vector-tile";

export function createBasemap(options: BasemapOptions): Basemap {
  const { source } = options;
  if (!source) return { describe: async () => EMBEDDED_BASEMAP, tile: async () => null };
  return source.from === "template" ? templateBasemap(source, options) : archiveBasemap(source, options);
}

function templateBasemap(
  source: Extract<BasemapSource, { from: "template" }>,
  { attribution, allowLoopback }: BasemapOptions,
): Basemap {
  return {
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
      if (!data) throw new Error("the tile archive is not there");
      return { data };
    },
  });
  const kindOf = (type: TileType) => (type === TileType.Mvt ? "vector" : "raster");
  return {
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
  // A key of the tile service stands in the query; the rule on addresses looks at what comes before it.
  const problem = publicAddressProblem(url.split("?")[0] as string, { allowLoopback });
  if (problem) throw new Error(`BASEMAP_URL: ${problem}`);
}

function guardedFetch(url: string, headers: Record<string, string>): Promise<Response> {
  return fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(PATIENCE_MS) });
}

/** Type by content: what a tile server calls its answer is not believed. */
function checkedTile(bytes: Uint8Array<ArrayBuffer>, kind: "raster" | "vector"): Tile | null {
  if (bytes.length === 0) return null;
  if (kind === "vector") return { bytes, type: VECTOR_TYPE };
  const starts = (...head: number[]) => head.every((byte, i) => bytes[i] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47)) return { bytes, type: "image/png" };
  if (starts(0xff, 0xd8, 0xff)) return { bytes, type: "image/jpeg" };
  if (starts(0x52, 0x49, 0x46, 0x46) && bytes[8] === 0x57) return { bytes, type: "image/webp" };
  throw new Error("the tile is not an image");
}
