import { describe, expect, it } from "vitest";
import { drawMap, mapSource } from "#app/entities/exports/map.ts";

const SIZE = { width: 100, height: 60 };
/** Ten pixels per degree at the equator: a world of 3600. */
const CAMERA = { longitude: 0, latitude: 0, zoom: Math.log2(3600 / 256) };

/** Returns the place at a pixel of the map: the inverse of the Mercator projection. */
function placeAt([x, y]: readonly [number, number]) {
  const north = ((SIZE.height / 2 - y) / 10) * (Math.PI / 180);
  return { longitude: (x - SIZE.width / 2) / 10, latitude: (Math.atan(Math.sinh(north)) * 180) / Math.PI };
}

type Named = [name: string, x: number, y: number];

/** Returns the labels of a map with towns and markers at these pixels: `Avon at 50,27.5`. */
function labelsOf(named: Named[], markers: [number, number][] = []): string[] {
  const places = named.map(([name, x, y]) => ({ name, state: "CT", population: 1, ...placeAt([x, y]) }));
  const source = mapSource({ land: [], neighbours: [], states: [], counties: [], places });
  const map = drawMap(source, { ...SIZE, camera: CAMERA, markers: markers.map(placeAt) });
  const rounded = (value: number) => Math.round(value * 100) / 100;
  return map.labels.map(({ text, x, y }) => `${text} at ${rounded(x)},${rounded(y)}`);
}

describe("the label of a town", () => {
  // A label of four letters is 14.4 wide. It keeps 2 from the left and right edges.
  it.each([
    ["above its dot", 50, 30, "50,27.5"],
    ["at the left edge", 3, 30, "9.2,27.5"],
    ["near the left edge", 9, 30, "9.2,27.5"],
    ["away from the left edge", 10, 30, "10,27.5"],
    ["at the right edge", 98, 30, "90.8,27.5"],
    ["away from the right edge", 90, 30, "90,27.5"],
    ["below its dot at the top", 50, 1, "50,8.5"],
    ["below its dot near the top", 50, 8.4, "50,15.9"],
    ["above its dot away from the top", 50, 8.6, "50,6.1"],
    ["above its dot at the bottom", 80, 59.9, "80,57.4"],
  ])("is %s: at %d, %d it is at %s", (_, x, y, place) => {
    expect(labelsOf([["Avon", x, y]])).toEqual([`Avon at ${place}`]);
  });

  it("is as wide as its letters", () => {
    expect(labelsOf([["A", 1, 30]])).toEqual(["A at 3.8,27.5"]);
    expect(labelsOf([["West Hartford", 1, 30]])).toEqual(["West Hartford at 25.4,27.5"]);
  });

  it("has a dot at the town", () => {
    const places = [{ name: "Avon", state: "CT", population: 1, ...placeAt([3, 8]) }];
    const source = mapSource({ land: [], neighbours: [], states: [], counties: [], places });
    const [label] = drawMap(source, { ...SIZE, camera: CAMERA, markers: [] }).labels;
    expect(label?.dot.x).toBeCloseTo(3, 6);
    expect(label?.dot.y).toBeCloseTo(8, 6);
  });

  it.each([
    [-1, 30],
    [101, 30],
    [50, -1],
    [80, 61],
  ])("is absent if the town is outside of the map, at %d, %d", (x, y) => {
    expect(labelsOf([["Avon", x, y]])).toEqual([]);
  });

  // The scale is at the lower left: 50 wide and 16 high.
  it.each([
    [20, 58, []],
    [57.1, 58, []],
    [57.3, 58, ["Avon at 57.3,55.5"]],
    [20, 44.9, ["Avon at 20,42.4"]],
    [20, 45.1, []],
  ])("does not cover the scale: at %d, %d", (x, y, labels) => {
    expect(labelsOf([["Avon", x, y]])).toEqual(labels);
  });

  // A marker is 10 wide and high; here from 45 to 55 and from 25 to 35. A label reaches from 5.5 above its line to 1.5 below.
  it.each([
    [50, 30, []],
    [50, 25.9, ["Avon at 50,23.4"]],
    [50, 26.1, []],
    [50, 32.9, []],
    [50, 33.1, ["Avon at 50,40.6"]],
    [37.7, 30, ["Avon at 37.7,27.5"]],
    [37.9, 30, []],
    [62.1, 30, []],
    [62.3, 30, ["Avon at 62.3,27.5"]],
  ])("does not cover a marker: at %d, %d", (x, y, labels) => {
    expect(labelsOf([["Avon", x, y]], [[50, 30]])).toEqual(labels);
  });

  it.each<[Named, string[]]>([
    [["Bath", 70, 33], ["Bath at 70,40.5"]],
    [["Bath", 70, 37.1], ["Bath at 70,34.6"]],
    [["Bath", 70, 36.9], ["Bath at 70,44.4"]],
    [["Bath", 84.5, 30], ["Bath at 84.5,27.5"]],
    [["Bath", 84.3, 30], ["Bath at 84.3,37.5"]],
    [["Bath", 55.5, 30], ["Bath at 55.5,27.5"]],
    [["Bath", 55.7, 30], ["Bath at 55.7,37.5"]],
  ])("does not cover the label of a larger town: %j", (town, labels) => {
    expect(labelsOf([["Avon", 70, 30], town])).toEqual(["Avon at 70,27.5", ...labels]);
  });

  it("keeps 2 from the bottom", () => {
    const below = (y: number) =>
      labelsOf([
        ["Avon", 80, 50],
        ["Bath", 80, y],
      ]).slice(1);
    expect(below(50.4)).toEqual(["Bath at 80,57.9"]);
    expect(below(50.6)).toEqual([]);
  });

  it("is given to the largest towns, one for each 1,500 square units", () => {
    const six = ["A", "B", "C", "D", "E", "F"].map((name, i): Named => [name, 10 + i * 15, 30]);
    expect(labelsOf(six)).toEqual(["A at 10,27.5", "B at 25,27.5", "C at 40,27.5", "D at 55,27.5"]);
    // The second has no room, so the fifth gets a label.
    const crowded = six.map(([name, x, y], i): Named => (i === 1 ? [name, 50, 2] : [name, x, y]));
    expect(labelsOf(crowded, [[50, 8]])).toEqual([
      "A at 10,27.5",
      "C at 40,27.5",
      "D at 55,27.5",
      "E at 70,27.5",
    ]);
  });
});
