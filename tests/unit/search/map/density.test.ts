import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hexBins } from "#app/entities/search/map/density.ts";
import { at } from "#app/lib/at.ts";

const RADIUS = 2;
/** The centers of pointy-topped hexagons around the origin: rows 1.5 radii apart, every other row moved by half. */
const CENTERS = Array.from({ length: 41 * 41 }, (_, i) => {
  const [row, column] = [Math.floor(i / 41) - 20, (i % 41) - 20];
  return [RADIUS * Math.sqrt(3) * (column + (row % 2 === 0 ? 0 : 0.5)), RADIUS * 1.5 * row] as const;
});
const coordinate = fc.double({ min: -20, max: 20, noNaN: true });
const binsOf = (list: readonly (readonly [number, number])[], visible: ArrayLike<number>) =>
  hexBins(
    { x: Float64Array.from(list, ([x]) => x), y: Float64Array.from(list, ([, y]) => y) },
    { visible, radius: RADIUS },
  );

describe("hexagons", () => {
  test("are those of the nearest centers, each with the number of its points", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(coordinate, coordinate), { maxLength: 40 }), (list) => {
        const counts = new Map<number, number>();
        for (const [x, y] of list) {
          const distances = CENTERS.map(([cx, cy]) => Math.hypot(cx - x, cy - y)).sort((a, b) => a - b);
          // A point on an edge may belong to either hexagon.
          fc.pre(at(distances, 1) - at(distances, 0) > 1e-6);
          const nearest = CENTERS.findIndex(([cx, cy]) => Math.hypot(cx - x, cy - y) === distances[0]);
          counts.set(nearest, (counts.get(nearest) ?? 0) + 1);
        }
        const bins = binsOf(list, list.keys().toArray());
        expect(bins.most).toBe(Math.max(0, ...counts.values()));
        const expected = [...counts].map(([center, count]) => [...at(CENTERS, center), count]);
        expect(Array.from(bins.counts, (count, i) => [bins.x[i], bins.y[i], count])).toEqual(
          expected.map(([x, y, count]) => [expect.closeTo(x ?? 0, 6), expect.closeTo(y ?? 0, 6), count]),
        );
      }),
    );
  });

  test("count visible points only", () => {
    const { x, y, counts, most } = binsOf(
      [
        [0, 0],
        [9, 9],
        [0.1, 0.1],
        [100, 0],
      ],
      [2, 0],
    );
    expect([[...x], [...y], [...counts], most]).toEqual([[0], [0], [2], 2]);
    expect(binsOf([[0, 0]], [])).toEqual({
      x: new Float64Array(),
      y: new Float64Array(),
      counts: new Uint32Array(),
      most: 0,
    });
  });
});
