import { describe, expect, test } from "vitest";
import {
  labelZoom,
  parseBasemapUrl,
  parseTile,
  tileZoom,
  unpackBasemap,
} from "#app/entities/search/map/basemap.ts";

describe("BASEMAP_URL", () => {
  const tiles = (url: string, kind: string) => ({ from: "template", url, kind });
  test.each([
    ["", undefined],
    ["  ", undefined],
    ["r2:ct.pmtiles", { from: "bucket", keys: ["basemap/ct.pmtiles", "ct.pmtiles"] }],
    [
      " r2:basemap/new-england_1.pmtiles ",
      { from: "bucket", keys: ["basemap/new-england_1.pmtiles", "new-england_1.pmtiles"] },
    ],
    ["http://t.example/ct.pmtiles", { from: "archive", url: "http://t.example/ct.pmtiles" }],
    [
      "https://t.example/ct.pmtiles?v=2#top",
      { from: "archive", url: "https://t.example/ct.pmtiles?v=2#top" },
    ],
    ["https://t.example/{z}/{x}/{y}.png", tiles("https://t.example/{z}/{x}/{y}.png", "raster")],
    ["https://t.example/{z}/{y}/{x}", tiles("https://t.example/{z}/{y}/{x}", "raster")],
    ["https://t.example/{z}/{x}/{y}.mvt#a", tiles("https://t.example/{z}/{x}/{y}.mvt#a", "vector")],
    ["https://t.example/{z}/{x}/{y}.pbf", tiles("https://t.example/{z}/{x}/{y}.pbf", "vector")],
    ["https://t.example/{z}/{x}/{y}.pbf.png", tiles("https://t.example/{z}/{x}/{y}.pbf.png", "raster")],
    ["https://t.example/{z}/{x}/{y}.png?a=.pbf", tiles("https://t.example/{z}/{x}/{y}.png?a=.pbf", "raster")],
    ["https://t.example/{z}/{x}?y={y}", tiles("https://t.example/{z}/{x}?y={y}", "raster")],
  ])("%s is %j", (url, expected) => {
    expect(parseBasemapUrl(url)).toEqual(expected);
  });

  const neither = "BASEMAP_URL is neither a URL nor r2:<file>.pmtiles";
  const parts = "BASEMAP_URL needs {z}, {x} and {y} once each, or a .pmtiles file";
  test.each([
    ["r2:ct.png", neither],
    ["r2:ct.pmtiles.bak", neither],
    ["xr2:ct.pmtiles", neither],
    ["r2:", neither],
    ["ct.pmtiles", neither],
    ["ftp://https://t.example/{z}/{x}/{y}.png", neither],
    ["https://t.example/{z}/{x}", parts],
    ["https://t.example/{z}/{x}/{y}/{z}.png", parts],
    ["https://t.example/tiles", parts],
    ["https://t.example/a?b=.pmtiles", parts],
  ])("%s is refused", (url, message) => {
    expect(() => parseBasemapUrl(url)).toThrow(new TypeError(message));
  });
});

describe("the zoom of the tiles of a view", () => {
  const map = { minZoom: 6, maxZoom: 14 };
  test.each([
    [14.4, 14],
    [9.5, 10],
    [17, 14],
    [6, 6],
    [5, 6],
    // Twice as many tiles a side for each zoom less: the map would ask for thousands.
    [4, undefined],
    [3, undefined],
  ])("at zoom %j it is %j", (zoom, expected) => {
    expect(tileZoom(map, zoom)).toBe(expected);
  });
});

describe("a tile address", () => {
  test.each([
    ["0", "0", "0"],
    ["1", "1", "1"],
    ["3", "7", "0"],
    ["19", "524287", "524287"],
    ["10", "100", "1000"],
  ])("%s/%s/%s is in the world", (z, x, y) => {
    expect(parseTile(z, x, y)).toEqual({ z: Number(z), x: Number(x), y: Number(y) });
  });

  test.each([
    ["0", "1", "0"],
    ["0", "0", "1"],
    ["3", "8", "0"],
    ["3", "0", "8"],
    ["20", "0", "0"],
    ["3", "00", "0"],
    ["3", "0x", "0"],
    ["3", "x0", "0"],
    ["", "0", "0"],
    ["3", "-0", "0"],
    ["3", "0", "1.0"],
    ["3", "0", " 1"],
  ])("%s/%s/%s is not", (z, x, y) => {
    expect(parseTile(z, x, y)).toBeUndefined();
  });
});

test("the packed basemap has lines of differences in ten-thousandths of a degree", () => {
  const { land, neighbours, states, counties, places } = unpackBasemap({
    land: [
      [-727000, 415000, 10, -20, 5, 5],
      [10000, 20000],
    ],
    neighbours: [[30000, 40000, 1, 1]],
    states: [],
    counties: [[50000, 60000], []],
    places: [
      ["Hartford", "CT", -726820, 417640, 124006],
      ["Avon", "CT", -728310, 418100, 18932],
    ],
  });
  const points = (lines: typeof land) =>
    lines.map(({ longitudes, latitudes }) =>
      Array.from(longitudes, (longitude, i) => [longitude, latitudes[i]]),
    );
  expect(points(land)).toEqual([
    [
      [-72.7, 41.5],
      [-72.699, 41.498],
      [-72.6985, 41.4985],
    ],
    [[1, 2]],
  ]);
  expect(points(neighbours)).toEqual([
    [
      [3, 4],
      [3.0001, 4.0001],
    ],
  ]);
  expect([points(states), points(counties)]).toEqual([[], [[[5, 6]], []]]);
  expect(land[0]?.latitudes).toHaveLength(3);
  expect(places).toEqual([
    { name: "Hartford", state: "CT", longitude: -72.682, latitude: 41.764, population: 124006 },
    { name: "Avon", state: "CT", longitude: -72.831, latitude: 41.81, population: 18932 },
  ]);
});

test.each([
  [8_400_000, 4],
  [1_000_000, 4],
  [999_999, 5.5],
  [300_000, 5.5],
  [299_999, 7],
  [100_000, 7],
  [99_999, 8],
  [50_000, 8],
  [49_999, 9],
  [20_000, 9],
  [19_999, 10],
  [8000, 10],
  [7999, 11],
  [3000, 11],
  [2999, 12],
  [0, 12],
])("a place of %d people is labeled from zoom %d", (population, zoom) => {
  expect(labelZoom(population)).toBe(zoom);
});
