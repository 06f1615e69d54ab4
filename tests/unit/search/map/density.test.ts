import { describe, expect, test } from "vitest";
import { hexBins } from "#app/entities/search/map/density.ts";
import { at } from "#app/lib/at.ts";

const RADIUS = 2;
/** The centers of pointy-topped hexagons around the origin: rows 1.5 radii apart, every other row moved by half. */
const CENTERS = Array.from({ length: 41 * 41 }, (_, i) => {
  const [row, column] = [Math.floor(i / 41) - 20, (i % 41) - 20];
  return [RADIUS * Math.sqrt(3) * (column + (row % 2 === 0 ? 0 : 0.5)), RADIUS * 1.5 * row] as const;
});
/** Points on a fine grid; none is on an edge between hexagons. */
const POINTS = Array.from(
  { length: 40 * 40 },
  (_, i) => [((i % 40) - 20) * 0.317 + 0.0123, (Math.floor(i / 40) - 20) * 0.293 + 0.0071] as const,
);
const binsOf = (list: readonly (readonly [number, number])[], visible: ArrayLike<number>) =>
  hexBins(
    { x: Float64Array.from(list, ([x]) => x), y: Float64Array.from(list, ([, y]) => y) },
    { visible, radius: RADIUS },
  );

describe("hexagons", () => {
  test("are those of the nearest centers, each with the number of its points", () => {
    const counts = new Map<number, number>();
    for (const [x, y] of POINTS) {
      const distances = CENTERS.map(([cx, cy]) => Math.hypot(cx - x, cy - y));
      const nearest = distances.indexOf(Math.min(...distances));
      counts.set(nearest, (counts.get(nearest) ?? 0) + 1);
    }
    const { x, y, counts: found, most } = binsOf(POINTS, [...POINTS.keys()]);
    expect(most).toBe(Math.max(...counts.values()));
    expect(Array.from(found, (count, i) => [x[i], y[i], count])).toEqual(
      Array.from(counts, ([center, count]) => {
        const [cx, cy] = at(CENTERS, center);
        return [expect.closeTo(cx, 6), expect.closeTo(cy, 6), count];
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
