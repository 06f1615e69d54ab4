import fc from "fast-check";
import { PbfWriter } from "pbf";
import { describe, expect, it } from "vitest";
import { openStreetMaps } from "#app/domain/exports/street-maps.ts";
import {
  overviewView,
  pageSize,
  placeView,
  type StreetView,
  streetPage,
  tilesOf,
  viewKey,
} from "#app/entities/exports/street-map.ts";
import { type ShownNames, tileMarkup } from "#app/entities/exports/vector-tile.ts";
import { EMBEDDED_BASEMAP, parseTile } from "#app/entities/search/map/basemap.ts";
import { mercatorX, mercatorY, project } from "#app/entities/search/map/camera.ts";
import { expectLogged } from "../../support/quiet-console.ts";
import { streetTile } from "../../support/street-archive.ts";

const SIZE = { width: 146, height: 92 };
const ZOOMS = { minZoom: 0, maxZoom: 15 };
const place = fc.record({
  longitude: fc.double({ min: -179, max: 179, noNaN: true }),
  latitude: fc.double({ min: -80, max: 80, noNaN: true }),
});

/** Encodes a tile with one named road from edge to edge (Mapbox Vector Tile 2.1). */
function roadTile(name: string): Uint8Array {
  const tile = new PbfWriter();
  tile.writeMessage(
    3,
    (_: unknown, layer: PbfWriter) => {
      layer.writeVarintField(15, 2);
      layer.writeStringField(1, "roads");
      layer.writeMessage(
        2,
        (_: unknown, feature: PbfWriter) => {
          feature.writePackedVarint(2, [0, 0, 1, 1]);
          feature.writeVarintField(3, 2);
          // Move to (0, 2048), line to (2048, 2048) and (4096, 2048).
          feature.writePackedVarint(4, [9, 0, 4096, 18, 4096, 0, 4096, 0]);
        },
        undefined,
      );
      for (const key of ["kind", "name"]) layer.writeStringField(3, key);
      for (const value of ["minor_road", name])
        layer.writeMessage(4, (_: unknown, field: PbfWriter) => field.writeStringField(1, value), undefined);
      layer.writeVarintField(5, 4096);
    },
    undefined,
  );
  return tile.finish();
}

const placed = (shown: ShownNames = []) => ({ left: 0, top: 0, side: 256, shown });

describe("a street map's view", () => {
  it("has its place in the center, and tiles that cover the whole view without gaps", () => {
    fc.assert(
      fc.property(place, fc.integer({ min: 10, max: 19 }), (at, maxZoom) => {
        const view = placeView(at, SIZE);
        const { width, height } = pageSize(view);
        const tiles = tilesOf(view, { minZoom: 0, maxZoom });
        for (const { address, left, top, side } of tiles) {
          expect(parseTile(`${address.z}`, `${address.x}`, `${address.y}`)).toEqual(address);
          const [x, y] = [mercatorX(at.longitude), mercatorY(at.latitude)].map(
            (part) => part * 2 ** address.z,
          );
          expect(left + ((x ?? 0) - address.x) * side).toBeCloseTo(width / 2, 3);
          expect(top + ((y ?? 0) - address.y) * side).toBeCloseTo(height / 2, 3);
        }
        const [first] = tiles;
        const count = (of: (tile: (typeof tiles)[number]) => number) => new Set(tiles.map(of)).size;
        expect(tiles).toHaveLength(count(({ left }) => left) * count(({ top }) => top));
        expect(Math.min(...tiles.map(({ left }) => left))).toBeLessThanOrEqual(0);
        expect(Math.min(...tiles.map(({ top }) => top))).toBeLessThanOrEqual(0);
        expect(Math.max(...tiles.map(({ left }) => left)) + (first?.side ?? 0)).toBeGreaterThanOrEqual(width);
        expect(Math.max(...tiles.map(({ top }) => top)) + (first?.side ?? 0)).toBeGreaterThanOrEqual(height);
        expect(tiles.length).toBeLessThanOrEqual(9);
      }),
    );
  });

  it("shows every place of an overview", () => {
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 20 }), (places) => {
        const { camera, size } = overviewView(places, { width: 252, height: 206 });
        expect(Number.isInteger(camera.zoom)).toBe(true);
        for (const one of places) {
          const { x, y } = project(one, camera, size);
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x).toBeLessThanOrEqual(size.width);
          expect(y).toBeGreaterThanOrEqual(0);
          expect(y).toBeLessThanOrEqual(size.height);
        }
      }),
    );
  });

  it("is a page of two pixels per point", () => {
    expect(pageSize(placeView({ longitude: -72, latitude: 41 }, SIZE))).toEqual({ width: 292, height: 184 });
  });

  /** Tiles as `z/x/y` with their places and sides. At the page's zoom of 1, the world is 512 px wide. */
  const tilesIn = (longitude: number, size: StreetView["size"], info = ZOOMS) =>
    tilesOf({ camera: { longitude, latitude: 0, zoom: 0 }, size }, info).map(
      ({ address: { z, x, y }, left, top, side }) => `${z}/${x}/${y} at ${left},${top}: ${side}`,
    );

  it("has no tiles beyond its edges", () => {
    const whole = [
      "1/0/0 at 0,0: 256",
      "1/1/0 at 256,0: 256",
      "1/0/1 at 0,256: 256",
      "1/1/1 at 256,256: 256",
    ];
    expect(tilesIn(0, { width: 256, height: 256 })).toEqual(whole);
    expect(tilesIn(0, { width: 256, height: 300 })).toEqual([
      "1/0/0 at 0,44: 256",
      "1/1/0 at 256,44: 256",
      "1/0/1 at 0,300: 256",
      "1/1/1 at 256,300: 256",
    ]);
    expect(tilesIn(-90, { width: 100, height: 2 })).toEqual([
      "1/0/0 at -28,-254: 256",
      "1/0/1 at -28,2: 256",
    ]);
    expect(tilesIn(-90, { width: 128, height: 2 })).toEqual(["1/0/0 at 0,-254: 256", "1/0/1 at 0,2: 256"]);
  });

  it("continues west and east of the date line", () => {
    expect(tilesIn(-180, { width: 100, height: 1 })).toEqual([
      "1/1/0 at -156,-255: 256",
      "1/0/0 at 100,-255: 256",
      "1/1/1 at -156,1: 256",
      "1/0/1 at 100,1: 256",
    ]);
    expect(tilesIn(180, { width: 100, height: 1 }).slice(0, 2)).toEqual([
      "1/1/0 at -156,-255: 256",
      "1/0/0 at 100,-255: 256",
    ]);
  });

  it("has smaller or larger tiles beyond the zooms of the map", () => {
    const sizes = (minZoom: number, maxZoom: number) =>
      tilesIn(0, { width: 256, height: 256 }, { minZoom, maxZoom });
    expect(sizes(0, 0)).toEqual(["0/0/0 at 0,0: 512"]);
    expect(sizes(1, 1)).toHaveLength(4);
    const small = sizes(2, 15);
    expect(small).toHaveLength(16);
    expect(small.slice(0, 2)).toEqual(["2/0/0 at 0,0: 128", "2/1/0 at 128,0: 128"]);
    // A map that begins at a closer zoom has none: 49,152 tiles would be read for an overview.
    expect(sizes(9, 15)).toEqual([]);
  });

  it("of one place is rendered at zoom 15, in tiles of 256 pixels", () => {
    const tiles = tilesOf(placeView({ longitude: -72, latitude: 41 }, SIZE), ZOOMS);
    expect(new Set(tiles.map(({ address, side }) => `${address.z} ${side}`))).toEqual(new Set(["15 256"]));
  });

  it("is cached by its zoom, its place to four decimals, and its size", () => {
    const key = (longitude: number) => viewKey(placeView({ longitude, latitude: 41.00004 }, SIZE));
    expect(key(-72.12344)).toBe("14/41.0000/-72.1234/146x92");
    expect(key(-72.12346)).toBe("14/41.0000/-72.1235/146x92");
  });

  it("is a page with each tile at its place", () => {
    const tile = { address: { z: 1, x: 0, y: 0 }, left: -10.456, top: 7, side: 256 };
    const page = streetPage(placeView({ longitude: -72, latitude: 41 }, SIZE), [
      { ...tile, content: "<svg></svg>" },
      { ...tile, left: 245.544, content: "<img>" },
    ]);
    expect(page).toContain("html,body{margin:0;width:292px;height:184px;overflow:hidden;");
    expect(page).toContain(
      '<body><div style="left:-10.46px;top:7.00px;width:256px;height:256px"><svg></svg></div>' +
        '<div style="left:245.54px;top:7.00px;width:256px;height:256px"><img></div></body></html>',
    );
  });
});

describe("a vector tile", () => {
  it("draws a road with its name, once for the same name nearby", () => {
    const shown: ShownNames = [];
    const markup = tileMarkup(roadTile("Maple Ave"), placed(shown));
    expect(markup).toContain("M0 2048L2048 2048L4096 2048");
    expect(markup).toContain(">Maple Ave</textPath>");
    expect(tileMarkup(roadTile("Maple Ave"), { ...placed(shown), left: 64 })).not.toContain("textPath");
  });

  it("draws land, water, rivers, buildings and every kind of road", () => {
    const markup = tileMarkup(streetTile("Main"), placed());
    const fills = [...markup.matchAll(/fill="(#\w+)" fill-rule/g)].map(([, color]) => color);
    expect(fills).toEqual(["#ffffff", "#dfe3e8", "#eceef0"]);
    expect(markup).toMatch(/stroke="#dfe3e8"/);
    // A minor road, a major one, a highway.
    for (const color of ["#a8adb3", "#7b8188", "#5b6067"]) expect(markup).toContain(`stroke="${color}"`);
    expect(markup).toContain("Main Street");
  });

  it("cannot inject markup or external resources into the page", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), (text) => {
        const markup = tileMarkup(roadTile(`</text><script>${text}`), placed());
        expect(markup).not.toContain("<script");
      }),
    );
    const page = streetPage(placeView({ longitude: -72, latitude: 41 }, SIZE), []);
    expect(page).toContain("default-src 'none'; img-src data:");
  });

  it("that is damaged throws an error or draws what it has, and never hangs", () => {
    const whole = roadTile("Main St");
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
        const bytes = whole.slice();
        bytes[at] = value;
        try {
          expect(tileMarkup(bytes, placed())).toMatch(/^<svg/);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });
});

type MapContext = Parameters<typeof openStreetMaps>[0];

/** The part of the context that street maps use. */
function contextOf(parts: Partial<MapContext>): MapContext {
  const basemap: MapContext["basemap"] = {
    name: "test",
    describe: async () => ({ kind: "vector", attribution: "© Somebody", ...ZOOMS }),
    tile: async () => ({ bytes: new Uint8Array(roadTile("Main St")), type: "application/x-protobuf" }),
  };
  return { basemap, openMapBrowser: null, clock: Date.now, ...parts };
}

const viewAt = (n: number) => placeView({ longitude: -72 - n / 100, latitude: 41 }, SIZE);

describe("the street maps of a report", () => {
  it("are absent, without a remark, if no street map is configured", async () => {
    const basemap = { name: "", describe: async () => EMBEDDED_BASEMAP, tile: async () => null };
    const maps = await openStreetMaps(contextOf({ basemap }));
    expect(await maps.of(viewAt(0))).toBeUndefined();
    expect(maps.attribution()).toBe(EMBEDDED_BASEMAP.attribution);
  });

  it.each([
    ["the binding is absent", null, "this installation has no Browser Rendering"],
    [
      "no browser starts",
      () => Promise.reject(new Error("code: 429: Rate limit exceeded")),
      "Browser Rendering did not answer",
    ],
  ])("are absent if %s, and the report says so", async (_, openMapBrowser, why) => {
    expectLogged(/street maps are not available: Error code: 429/);
    const maps = await openStreetMaps(contextOf({ openMapBrowser }));
    expect(await maps.of(viewAt(0))).toBeUndefined();
    expect(maps.attribution()).toContain(`Without streets: ${why}`);
    await maps.close();
  });

  it("come from one browser, are limited in number, and leave enough room for the attribution", async () => {
    const calls = { opened: 0, pictures: 0, closed: 0 };
    const openMapBrowser = async () => {
      calls.opened += 1;
      return {
        async picture() {
          calls.pictures += 1;
          return Uint8Array.of(0xff, 0xd8);
        },
        async close() {
          calls.closed += 1;
        },
      };
    };
    const maps = await openStreetMaps(contextOf({ openMapBrowser }));
    const found = [];
    for (let n = 0; n < 60; n++) found.push(await maps.of(viewAt(n)));
    await maps.close();
    expect(calls).toEqual({ opened: 1, pictures: 40, closed: 1 });
    expect(found.filter((one) => one !== undefined)).toHaveLength(40);
    expect(maps.attribution()).toContain("40 maps show streets; the others show towns");
    expect(maps.attribution().length).toBeLessThanOrEqual(maps.longestAttribution.length);
  });
});
