import { describe, expect, test } from "vitest";
import {
  type Area,
  areasOverlap,
  type Box,
  type Circle,
  contains,
  type InvestigationCamera,
} from "#app/entities/search/investigate/areas.ts";

const circle = (latitude: number, longitude: number, radius_miles: number): Circle => ({
  kind: "circle",
  latitude,
  longitude,
  radius_miles,
});
const box = (south: number, north: number, west: number, east: number): Box => ({
  kind: "box",
  south,
  north,
  west,
  east,
});
const camera = (id: string, latitude: number | null, longitude: number | null): InvestigationCamera => ({
  id,
  sourceId: null,
  readAs: id,
  name: id,
  agency: "Berlin",
  program: "Axis",
  latitude,
  longitude,
});
const CAMERAS = new Map(
  [
    camera("a", 41.5, -72.5),
    camera("b", 43, -72.5),
    camera("half", 41.5, null),
    camera("other half", null, -72.5),
  ].map((one) => [one.id, one]),
);
const picked = (...cameras: string[]): Area => ({ kind: "cameras", cameras });
const at = (latitude: number, longitude: number) => ({ latitude, longitude });

const BOX = box(41, 42, -73, -72);

describe("a box contains a point", () => {
  test.each([
    [at(41.5, -72.5), true],
    [at(41, -73), true],
    [at(42, -72), true],
    [at(40.99, -72.5), false],
    [at(42.01, -72.5), false],
    [at(41.5, -73.01), false],
    [at(41.5, -71.99), false],
  ])("%j: %s", (point, inside) => {
    expect(contains(BOX, point)).toBe(inside);
  });
});

test("a circle contains the points within its radius", () => {
  // One degree of latitude is 69.093 miles.
  expect(contains(circle(41, -72, 69.1), at(42, -72))).toBe(true);
  expect(contains(circle(41, -72, 69.09), at(42, -72))).toBe(false);
  expect(contains(circle(41, -72, 0), at(41, -72))).toBe(true);
});

describe("areas overlap", () => {
  test.each<[string, Area, Area, boolean]>([
    ["boxes with a common part", BOX, box(41.9, 43, -72.1, -71), true],
    ["boxes that touch", BOX, box(42, 43, -72, -71), true],
    ["a box within a box", BOX, box(41.4, 41.6, -72.6, -72.4), true],
    ["a box north of a box", BOX, box(42.1, 43, -73, -72), false],
    ["a box south of a box", BOX, box(40, 40.9, -73, -72), false],
    ["a box east of a box", BOX, box(41, 42, -71.9, -71), false],
    ["a box west of a box", BOX, box(41, 42, -74, -73.1), false],
    ["circles that share their radii", circle(41, -72, 35), circle(42, -72, 34.1), true],
    ["circles farther apart than their radii", circle(41, -72, 35), circle(42, -72, 34), false],
    ["a circle north of a box, within reach", BOX, circle(42.1, -72.5, 7), true],
    ["a circle north of a box, out of reach", BOX, circle(42.1, -72.5, 6.8), false],
    ["a circle south of a box, within reach", BOX, circle(40.9, -72.5, 7), true],
    ["a circle south of a box, out of reach", BOX, circle(40.9, -72.5, 6.8), false],
    // A tenth of a degree of longitude is 5.17 miles here.
    ["a circle east of a box, within reach", BOX, circle(41.5, -71.9, 5.2), true],
    ["a circle east of a box, out of reach", BOX, circle(41.5, -71.9, 5.1), false],
    ["a circle west of a box, within reach", BOX, circle(41.5, -73.1, 5.2), true],
    ["a circle west of a box, out of reach", BOX, circle(41.5, -73.1, 5.1), false],
    ["a circle beside the corner of a box", BOX, circle(42.1, -73.1, 8), false],
    // Boxes do not cross 180 degrees of longitude, but circles may: 0.2 degrees are 8.7 miles there.
    ["a circle beyond 180 degrees of a box", box(51, 52, -180, -179), circle(51.5, 179.9, 9), true],
    ["a circle on the other side of 180 degrees", box(51, 52, 179.5, 180), circle(51.5, -179.9, 9), true],
    ["a circle beyond 180 degrees, out of reach", box(51, 52, -179.8, -179), circle(51.5, 179.9, 9), false],
    ["a small circle within a box", BOX, circle(41.5, -72.5, 0.05), true],
    ["the same camera twice", picked("a", "b"), picked("x", "b"), true],
    ["other cameras", picked("a"), picked("b"), false],
    ["a camera in a box", BOX, picked("b", "a"), true],
    ["a camera outside a box", BOX, picked("b"), false],
    ["a camera in a circle", circle(41.5, -72.4, 6), picked("a"), true],
    [
      "a camera without a latitude or longitude",
      box(-80, 80, -170, 170),
      picked("half", "other half"),
      false,
    ],
    ["an unknown camera", box(-80, 80, -170, 170), picked("x"), false],
  ])("%s", (_, a, b, expected) => {
    expect(areasOverlap(a, b, CAMERAS)).toBe(expected);
    expect(areasOverlap(b, a, CAMERAS)).toBe(expected);
  });
});
