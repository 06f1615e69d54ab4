import { describe, expect, it } from "vitest";
import {
  cameraOf,
  localCamera,
  mapSource,
  nearestPlaces,
  overviewCamera,
} from "#app/entities/exports/map.ts";

type Town = { longitude: number; latitude: number; name?: string };

function sourceOf(towns: Town[]) {
  const places = towns.map((town) => ({ name: "Town", state: "CT", population: 1, ...town }));
  return mapSource({ land: [], neighbours: [], states: [], counties: [], places });
}

const CENTER = { longitude: 0, latitude: 0 };
const SQUARE = { width: 256, height: 256 };
const SMALL = { width: 146, height: 92 };

/** Returns towns around the center, so many degrees away in one direction. */
const towns = (count: number, longitude: number, latitude: number): Town[] =>
  Array.from({ length: count }, () => ({ longitude, latitude }));

describe("the map of one place", () => {
  const zoomFor = (...around: Town[][]) => localCamera(sourceOf(around.flat()), CENTER, SQUARE).zoom;

  // At these zooms, the map reaches 0.249, 0.497, 0.994 and 1.989 degrees from its center.
  it.each([
    [0.24, 9.5],
    [0.26, 8.5],
    [0.49, 8.5],
    [0.51, 7.5],
    [0.98, 7.5],
    [1.01, 6.5],
    [1.9, 6.5],
    [3, 6.5],
  ])("reaches a tenth town %d degrees away at zoom %d", (away, zoom) => {
    const near = towns(9, 0.1, 0.1);
    for (const [longitude, latitude] of [
      [away, 0],
      [-away, 0],
      [0, away],
      [0, -away],
    ] as const)
      expect(zoomFor(near, towns(1, longitude, latitude))).toBe(zoom);
  });

  it("is the widest if there are fewer than ten towns", () => {
    expect(zoomFor(towns(10, 0.1, 0))).toBe(9.5);
    expect(zoomFor(towns(9, 0.1, 0))).toBe(6.5);
    expect(zoomFor()).toBe(6.5);
  });

  it("has the place in its center", () => {
    const place = { longitude: -72.5, latitude: 41.5 };
    expect(localCamera(sourceOf([]), place, SMALL)).toEqual({ ...place, zoom: 6.5 });
  });
});

describe("the map of several places", () => {
  /** Returns the latitude that is as far north on a Mercator map as this longitude is east. */
  const north = (degrees: number) => (Math.atan(Math.sinh((degrees * Math.PI) / 180)) * 180) / Math.PI;

  it("shows the places with a margin of 18 on each side", () => {
    // 36 of 360 degrees are 256 wide in a world of 2560, which is 256 * 2 ** 3.3219.
    const wide = cameraOf(
      [
        { longitude: 46, latitude: 5 },
        { longitude: 10, latitude: 5 },
        { longitude: 20, latitude: 5 },
      ],
      { width: 292, height: 900 },
      12,
    );
    expect(wide.longitude).toBeCloseTo(28, 6);
    expect(wide.latitude).toBeCloseTo(5, 6);
    expect(wide.zoom).toBeCloseTo(3.321928, 5);
    const high = cameraOf(
      [
        { longitude: -72, latitude: north(10) },
        { longitude: -72, latitude: north(46) },
        { longitude: -72, latitude: north(20) },
      ],
      { width: 900, height: 292 },
      12,
    );
    expect(high.longitude).toBeCloseTo(-72, 6);
    expect(high.latitude).toBeCloseTo(north(28), 6);
    expect(high.zoom).toBeCloseTo(3.321928, 5);
  });

  it("is not closer than the given zoom", () => {
    const places = [
      { longitude: -72, latitude: 41 },
      { longitude: -72.001, latitude: 41.001 },
    ];
    expect(cameraOf(places, SMALL, 9.5).zoom).toBe(9.5);
    expect(cameraOf(places, SMALL, 7).zoom).toBe(7);
  });

  it("is zoomed out by halves until it shows every place, at most to the whole world", () => {
    const zoomOf = (longitude: number, latitude: number) =>
      cameraOf(
        [
          { longitude: -longitude, latitude: -latitude },
          { longitude, latitude },
        ],
        SMALL,
        9,
      ).zoom;
    // 146 of the world's 256 * 2 ** zoom.
    expect(zoomOf(100, 0)).toBe(0);
    expect(zoomOf(103, 0)).toBe(-0.5);
    expect(zoomOf(170, 0)).toBe(-1);
    // 92 of them.
    expect(zoomOf(0, north(64))).toBe(0);
    expect(zoomOf(0, north(65))).toBe(-0.5);
    expect(zoomOf(0, 80)).toBe(-1);
  });

  it("shows the towns around places that are close together", () => {
    const places = [
      { longitude: 0.01, latitude: 0 },
      { longitude: -0.01, latitude: 0 },
    ];
    expect(overviewCamera(sourceOf(towns(10, 0.1, 0)), places, SQUARE).zoom).toBe(9.5);
    const camera = overviewCamera(sourceOf([]), places, SQUARE);
    expect(camera.zoom).toBe(6.5);
    expect(camera.longitude).toBeCloseTo(0, 9);
  });

  it("is as wide as the places that are far apart, whatever towns there are", () => {
    const places = [
      { longitude: 10, latitude: 5 },
      { longitude: 46, latitude: 5 },
    ];
    for (const around of [[], towns(10, 28, 5)])
      expect(overviewCamera(sourceOf(around), places, { width: 292, height: 900 }).zoom).toBeCloseTo(
        3.321928,
        5,
      );
  });
});

describe("the towns near a place", () => {
  const place = { longitude: -72, latitude: 41 };
  const town = (name: string, latitude: number, longitude = -72) => ({ name, latitude, longitude });
  const nearest = (count: number, ...list: Town[]) => nearestPlaces(sourceOf(list), place, count);

  // A degree of latitude is 69.09 miles.
  it.each([
    ["Avon, CT", 41, -72],
    ["Avon, CT", 41.0043, -72],
    ["Avon, CT 0.3 mi N", 41.0044, -72],
    ["Avon, CT 6.9 mi N", 41.1, -72],
    ["Avon, CT 34.5 mi S", 40.5, -72],
    ["Avon, CT 5.2 mi E", 41, -71.9],
    ["Avon, CT 5.2 mi W", 41, -72.1],
    ["Avon, CT 69.0 mi N", 41.999, -72],
    ["Avon, CT 69.0 mi S", 40.001, -72],
  ])("are written as %s from %d, %d", (text, latitude, longitude) => {
    expect(nearest(1, town("Avon", latitude, longitude))).toEqual([text]);
  });

  it.each([
    [42, -72],
    [40, -72],
    [41, -71],
    [41, -73],
    [-41, 72],
  ])("do not include one at %d, %d, a degree or more away", (latitude, longitude) => {
    expect(nearest(1, town("Avon", latitude, longitude))).toEqual([]);
  });

  it("are the nearest, by distance", () => {
    const list = [town("Three", 41.3), town("One", 40.9), town("Four", 40.6), town("Two", 41.2)];
    expect(nearest(3, ...list)).toEqual(["One, CT 6.9 mi S", "Two, CT 13.8 mi N", "Three, CT 20.7 mi N"]);
    expect(nearest(0, ...list)).toEqual([]);
  });
});
