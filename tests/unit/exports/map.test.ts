import { describe, expect, it } from "vitest";
import { drawMap, mapSource } from "#app/entities/exports/map.ts";
import { at } from "#app/lib/at.ts";

const VIEW = { width: 146, height: 92, camera: { latitude: 41, longitude: -72, zoom: 9.5 }, markers: [] };

function lineOf(points: [longitude: number, latitude: number][]) {
  return {
    longitudes: Float64Array.from(points, ([longitude]) => longitude),
    latitudes: Float64Array.from(points, ([, latitude]) => latitude),
  };
}

/** The drawn parts of these lines, as single stretches. */
function drawn(lines: ReturnType<typeof lineOf>[]): string[] {
  const source = mapSource({ land: [], neighbours: [], states: [], counties: lines, places: [] });
  return drawMap(source, VIEW)
    .counties.flatMap((line) =>
      Array.from({ length: line.length / 2 - 1 }, (_, i) => line.slice(i * 2, i * 2 + 4).join(" ")),
    )
    .sort();
}

describe("the map of a record", () => {
  it("draws only the nearby parts of a long line", () => {
    for (const [turns, radius] of [
      [1, 0.02],
      [3, 0.14],
      [7, 0.2],
      [40, 0.3],
    ] as const) {
      // A line that winds around the place, in and out of the map and along each of its edges.
      const points = Array.from({ length: 900 }, (_, i): [number, number] => {
        const angle = (i / 900) * 2 * Math.PI * turns;
        const reach = radius * (0.2 + 0.8 * Math.abs(Math.sin(i / 61)));
        return [-72 + reach * Math.cos(angle), 41 + reach * Math.sin(angle)];
      });
      const pieces = points.slice(1).map((point, i) => lineOf([at(points, i), point]));
      const whole = drawn([lineOf(points)]);
      expect(whole, `${turns} turns of ${radius} degrees`).toEqual(drawn(pieces));
      expect(whole.length).toBeGreaterThan(5);
    }
  });
});
