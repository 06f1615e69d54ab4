import type * as z from "zod/mini";
import type * as answers from "#app/entities/search/answers/search.ts";

/** The map below the markers: vectors that ship with Odin, or the operator's tiles through Odin's own origin. */
export type BasemapInfo = z.infer<typeof answers.BasemapInfo>;

/**
 * Returns the zoom of the tiles that show a view, or undefined if the map begins so much closer that there would be
 * thousands of them.
 */
export function tileZoom(
  { minZoom, maxZoom }: Pick<BasemapInfo, "minZoom" | "maxZoom">,
  zoom: number,
): number | undefined {
  const whole = Math.round(zoom);
  return whole < minZoom - 1 ? undefined : Math.max(minZoom, Math.min(maxZoom, whole));
}

/** The basemap that ships with Odin, for installations without their own tiles. */
export const EMBEDDED_BASEMAP: BasemapInfo = {
  kind: "embedded",
  attribution: "US Census Bureau, Natural Earth, GeoNames (CC BY 4.0)",
  minZoom: 0,
  maxZoom: 19,
};

/** Where tiles come from; `undefined` means the embedded basemap. */
export type BasemapSource =
  | { from: "template"; url: string; kind: "raster" | "vector" }
  | { from: "archive"; url: string }
  /** Possible keys of the archive in the bucket, tried in this order. */
  | { from: "bucket"; keys: readonly string[] };

/** The folder in R2 for the operator's archive; an archive outside it is found too. */
const BUCKET_PREFIX = "basemap/";

/**
 * Parses BASEMAP_URL: empty, `https://host/{z}/{x}/{y}.png` (`.pbf` and `.mvt` are vector tiles),
 * `https://host/file.pmtiles`, or `r2:file.pmtiles` (also `r2:basemap/file.pmtiles`). Throws TypeError for anything
 * else.
 */
export function parseBasemapUrl(text: string): BasemapSource | undefined {
  const url = text.trim();
  if (url === "") return undefined;
  const name = /^r2:(?:basemap\/)?([\w.-]+\.pmtiles)$/.exec(url)?.[1];
  if (name) return { from: "bucket", keys: [BUCKET_PREFIX + name, name] };
  if (!/^https?:\/\//.test(url)) throw new TypeError("BASEMAP_URL is neither a URL nor r2:<file>.pmtiles");
  const [path = ""] = url.split(/[?#]/);
  if (path.endsWith(".pmtiles")) return { from: "archive", url };
  if (["{z}", "{x}", "{y}"].every((part) => url.split(part).length === 2)) {
    return { from: "template", url, kind: /\.(pbf|mvt)$/.test(path) ? "vector" : "raster" };
  }
  throw new TypeError("BASEMAP_URL needs {z}, {x} and {y} once each, or a .pmtiles file");
}

export type TileAddress = { z: number; x: number; y: number };

/** Returns a tile address, or undefined if it is not in the square world or its zoom is not 0 to 19. */
export function parseTile(z: string, x: string, y: string): TileAddress | undefined {
  if (![z, x, y].every((text) => /^(0|[1-9]\d{0,6})$/.test(text))) return undefined;
  const tile = { z: Number(z), x: Number(x), y: Number(y) };
  const side = 2 ** tile.z;
  return tile.z <= 19 && tile.x < side && tile.y < side ? tile : undefined;
}

export type Line = { longitudes: Float64Array; latitudes: Float64Array };
type Place = { name: string; state: string; longitude: number; latitude: number; population: number };
export type EmbeddedBasemap = {
  land: Line[];
  neighbours: Line[];
  states: Line[];
  counties: Line[];
  /** Largest first. */
  places: Place[];
};

/** The format of the vectors that workers/local/basemap.ts packs. */
export type PackedBasemap = {
  land: number[][];
  neighbours: number[][];
  states: number[][];
  counties: number[][];
  places: [name: string, state: string, longitude: number, latitude: number, population: number][];
};

const PACKED_SCALE = 1e4;
const LINES = ["land", "neighbours", "states", "counties"] as const;

/**
 * Returns the basemap with coordinates in degrees. Packed lines have ten-thousandths, each the difference to the point
 * before.
 */
export function unpackBasemap(packed: PackedBasemap): EmbeddedBasemap {
  // One buffer for all lines: there are hundreds, with a few points each.
  const count = LINES.reduce((sum, kind) => packed[kind].reduce((size, { length }) => size + length, sum), 0);
  const numbers = new Float64Array(count);
  let used = 0;
  const lines = (list: number[][]) =>
    list.map((line) => {
      used += line.length;
      return unpackLine(line, numbers.subarray(used - line.length, used));
    });
  return {
    land: lines(packed.land),
    neighbours: lines(packed.neighbours),
    states: lines(packed.states),
    counties: lines(packed.counties),
    places: packed.places.map(([name, state, longitude, latitude, population]) => ({
      name,
      state,
      longitude: longitude / PACKED_SCALE,
      latitude: latitude / PACKED_SCALE,
      population,
    })),
  };
}

function unpackLine(numbers: number[], into: Float64Array): Line {
  const count = numbers.length / 2;
  const line = { longitudes: into.subarray(0, count), latitudes: into.subarray(count) };
  let [x, y] = [0, 0];
  for (let i = 0; i < count; i++) {
    x += numbers[2 * i] ?? 0;
    y += numbers[2 * i + 1] ?? 0;
    line.longitudes[i] = x / PACKED_SCALE;
    line.latitudes[i] = y / PACKED_SCALE;
  }
  return line;
}

/** Returns the zoom from which a place is labeled, by population. */
export function labelZoom(population: number): number {
  if (population >= 1_000_000) return 4;
  if (population >= 300_000) return 5.5;
  if (population >= 100_000) return 7;
  if (population >= 50_000) return 8;
  if (population >= 20_000) return 9;
  if (population >= 8_000) return 10;
  return population >= 3_000 ? 11 : 12;
}
