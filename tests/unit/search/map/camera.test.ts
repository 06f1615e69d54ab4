import { describe, expect, test } from "vitest";
import {
  clampedCamera,
  compassPoint,
  fittedCamera,
  frameOf,
  latitudeAt,
  longitudeAt,
  mercatorX,
  mercatorY,
  milesBetween,
  pannedBy,
  project,
  scaleBar,
  unproject,
  zoomedAround,
} from "#app/entities/search/map/camera.ts";

const SIZE = { width: 1000, height: 600 };
const HARTFORD = { longitude: -72.7, latitude: 41.76, zoom: 9 };
/** A tile of 256 px at zoom 9, in degrees of longitude. */
const TILE_DEGREES = 360 / 512;

/** The row of a tile by the formula of the OpenStreetMap wiki, "Slippy map tilenames", as a part of the world. */
const slippyY = (latitude: number) => {
  const radians = (latitude * Math.PI) / 180;
  return (1 - Math.log(Math.tan(radians) + 1 / Math.cos(radians)) / Math.PI) / 2;
};

describe("Web Mercator", () => {
  test("has the longitudes evenly from 0 to 1", () => {
    expect([-180, -90, 0, 180].map(mercatorX)).toEqual([0, 0.25, 0.5, 1]);
    expect([0, 0.25, 0.5, 1].map(longitudeAt)).toEqual([-180, -90, 0, 180]);
  });

  test("has the latitudes of tile maps, and ends where the world is square", () => {
    for (const latitude of [-80, -41.5, 0, 10, 41.76, 66, 85]) {
      expect(mercatorY(latitude)).toBeCloseTo(slippyY(latitude), 12);
      expect(latitudeAt(slippyY(latitude))).toBeCloseTo(latitude, 10);
    }
    for (const latitude of [85.06, 89, 90, 200]) expect(mercatorY(latitude)).toBeCloseTo(0, 12);
    for (const latitude of [-85.06, -90]) expect(mercatorY(latitude)).toBeCloseTo(1, 12);
  });
});

describe("a view", () => {
  test("has its center in the middle, and a tile every 256 pixels", () => {
    expect(project(HARTFORD, HARTFORD, SIZE)).toEqual({ x: 500, y: 300 });
    const next = { longitude: HARTFORD.longitude + TILE_DEGREES, latitude: HARTFORD.latitude };
    expect(project(next, HARTFORD, SIZE).x).toBeCloseTo(756, 6);
    expect(unproject({ x: 756, y: 300 }, HARTFORD, SIZE).longitude).toBeCloseTo(next.longitude, 9);
    const above = unproject({ x: 500, y: 44 }, HARTFORD, SIZE);
    expect(slippyY(HARTFORD.latitude) - slippyY(above.latitude)).toBeCloseTo(1 / 512, 12);
    expect(above.longitude).toBeCloseTo(HARTFORD.longitude, 9);
  });

  test("has a frame that converts Mercator units to the same pixels", () => {
    const { scale, left, top } = frameOf({ longitude: 0, latitude: 0, zoom: 3 }, SIZE);
    expect([scale, left, top]).toEqual([2048, 500 - 1024, 300 - 1024]);
  });

  test("is held within the world and the zooms of the map", () => {
    expect(clampedCamera({ longitude: -181, latitude: -90, zoom: 1 })).toEqual({
      longitude: -180,
      latitude: -85.0511287798066,
      zoom: 1.5,
    });
    expect(clampedCamera({ longitude: 181, latitude: 90, zoom: 20 })).toEqual({
      longitude: 180,
      latitude: 85.0511287798066,
      zoom: 19,
    });
    expect(clampedCamera(HARTFORD)).toEqual(HARTFORD);
  });

  test("zooms around a pixel, halving its distance from the center", () => {
    const at = { x: 756, y: 44 };
    const after = zoomedAround(HARTFORD, SIZE, { steps: 1, at });
    expect(after.zoom).toBe(10);
    expect(after.longitude).toBeCloseTo(HARTFORD.longitude + TILE_DEGREES / 2, 9);
    expect(slippyY(HARTFORD.latitude) - slippyY(after.latitude)).toBeCloseTo(0.5 / 512, 12);
    for (const [steps, zoom] of [
      [20, 19],
      [-20, 1.5],
    ] as const)
      expect(zoomedAround(HARTFORD, SIZE, { steps, at: { x: 500, y: 300 } })).toEqual({
        longitude: expect.closeTo(HARTFORD.longitude, 9),
        latitude: expect.closeTo(HARTFORD.latitude, 9),
        zoom,
      });
  });

  test("moves by pixels, right and down", () => {
    const after = pannedBy(HARTFORD, SIZE, { x: 256, y: 256 });
    expect(after.longitude).toBeCloseTo(HARTFORD.longitude + TILE_DEGREES, 9);
    expect(slippyY(after.latitude) - slippyY(HARTFORD.latitude)).toBeCloseTo(1 / 512, 12);
    expect(after.zoom).toBe(9);
  });
});

describe("a view fitted to bounds", () => {
  const wide = { west: -72.7, east: -72.7 + TILE_DEGREES, south: 41.76, north: 41.76 };
  const middle = { longitude: -72.7 + TILE_DEGREES / 2, latitude: 41.76 };

  test("fills the width within 50 pixels, and 44 more for the zoom buttons", () => {
    const size = { width: 50 + 256 + 94, height: 600 };
    const look = fittedCamera(wide, size);
    expect(look.zoom).toBeCloseTo(9, 9);
    const at = project(middle, look, size);
    expect([at.x, at.y]).toEqual([expect.closeTo(50 + 128, 6), expect.closeTo(300, 6)]);
  });

  test("fills the height within its own insets", () => {
    const north = latitudeAt(slippyY(41.76) - 1 / 512);
    const size = { width: 600, height: 10 + 256 + 30 };
    const insets = { top: 10, right: 7, bottom: 30, left: 3 };
    const look = fittedCamera({ west: -72.7, east: -72.7, south: 41.76, north }, size, { insets });
    expect(look.zoom).toBeCloseTo(9, 9);
    expect(project({ longitude: -72.7, latitude: north }, look, size)).toEqual({
      x: expect.closeTo(298, 6),
      y: expect.closeTo(10, 6),
    });
  });

  test("shows all states on a narrow phone", () => {
    const size = { width: 288, height: 600 };
    const states = { west: -176.6, east: -67, south: 18.9, north: 71.4 };
    const look = fittedCamera(states, size);
    for (const place of [
      { longitude: states.west, latitude: states.north },
      { longitude: states.east, latitude: states.south },
    ]) {
      const { x, y } = project(place, look, size);
      expect(Math.min(x, size.width - x, y, size.height - y)).toBeGreaterThan(10);
    }
  });

  test("is no closer than asked, and a single spot shows the towns around it", () => {
    const near = { ...wide, east: -72.6999 };
    expect(fittedCamera(near, SIZE).zoom).toBe(16);
    expect(fittedCamera(near, SIZE, { maxZoom: 13 }).zoom).toBe(13);
    const spot = { ...wide, east: -72.7 };
    expect(fittedCamera(spot, SIZE).zoom).toBe(12);
    expect(fittedCamera(spot, SIZE, { maxZoom: 10 }).zoom).toBe(10);
    expect(fittedCamera({ ...spot, north: 41.7601 }, SIZE).zoom).toBe(16);
  });

  test("is the farthest where the insets leave no room", () => {
    expect(fittedCamera({ ...wide, east: -70 }, { width: 60, height: 60 }).zoom).toBe(1.5);
  });
});

describe("the scale bar", () => {
  // At the equator the world has 131,479,714 feet: 3.9184 feet per pixel at zoom 17, 1003.1 at zoom 9.
  test.each([
    [0, 17, 100, 200, "200 ft", 51.04],
    [0, 17, 128, 500, "500 ft", 127.6],
    [0, 17, 30, 100, "100 ft", 25.52],
    [0, 9, 100, 52_800, "10 mi", 52.636],
    [0, 9, 110, 105_600, "20 mi", 105.27],
    [60, 10, 100, 10_560, "2 mi", 42.11],
    // Feet below half a mile (2640 feet), miles from there on.
    [0, 17, 673, 2000, "2000 ft", 510.4],
    [0, 17, 674.5, 2640, "0.5 mi", 673.7],
  ])(
    "at latitude %d and zoom %d, at most %d pixels wide, is %d feet",
    (latitude, zoom, most, feet, label, pixels) => {
      const bar = scaleBar({ longitude: 0, latitude, zoom }, most);
      expect(bar).toEqual({ feet, label, pixels: expect.closeTo(pixels, 1) });
    },
  );
});

describe("places on a sphere", () => {
  test("are apart by its great circles", () => {
    const origin = { latitude: 0, longitude: 0 };
    // The mean radius is 6371 km; a mile has 1.609344 km.
    expect(milesBetween(origin, { latitude: 1, longitude: 0 })).toBeCloseTo(69.0933, 4);
    expect(milesBetween(origin, { latitude: 0, longitude: -1 })).toBeCloseTo(69.0933, 4);
    expect(milesBetween(origin, { latitude: 0, longitude: 90 })).toBeCloseTo(
      (6371 * Math.PI) / 2 / 1.609344,
      6,
    );
    expect(milesBetween({ latitude: 30, longitude: 10 }, { latitude: -30, longitude: -170 })).toBeCloseTo(
      (6371 * Math.PI) / 1.609344,
      3,
    );
    // New York (JFK) to Los Angeles (LAX) in the Aviation Formulary: 2144 nautical miles of 1852 m.
    const jfk = { latitude: 40 + 38 / 60, longitude: -(73 + 47 / 60) };
    const lax = { latitude: 33 + 57 / 60, longitude: -(118 + 24 / 60) };
    expect(milesBetween(jfk, lax) / ((2144 * 1.852) / 1.609344)).toBeCloseTo(1, 2);
    expect(milesBetween(lax, lax)).toBe(0);
  });

  test("lie in one of eight directions, with degrees of longitude as narrow as they are", () => {
    const from = { latitude: 60, longitude: -70 };
    const to = (east: number, north: number) =>
      compassPoint(from, { latitude: 60 + north, longitude: -70 + east * 2 });
    expect([to(0, 1), to(1, 1), to(1, 0), to(1, -1), to(0, -1), to(-1, -1), to(-1, 0), to(-1, 1)]).toEqual([
      "N",
      "NE",
      "E",
      "SE",
      "S",
      "SW",
      "W",
      "NW",
    ]);
    expect(to(1.5, 1)).toBe("NE");
    expect(to(3, 1)).toBe("E");
    expect(to(0.4, 1)).toBe("N");
  });
});
