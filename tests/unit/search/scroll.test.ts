import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  afterScroll,
  boxHeight,
  type Drawn,
  drawnNext,
  positionOf,
  positionToShow,
  rowsAt,
  type ScrollGeometry,
  scrollOf,
  TALLEST_BOX,
} from "#app/components/search/results/scroll-scale.ts";
import { anchorPlace } from "#app/components/search/results/use-read-list.ts";

const geometry: fc.Arbitrary<ScrollGeometry> = fc.record({
  rows: fc.integer({ min: 0, max: 1_000_000 }),
  rowHeight: fc.constantFrom(36, 56, 212),
  viewport: fc.integer({ min: 100, max: 2000 }),
});
const endOf = ({ rows, rowHeight, viewport }: ScrollGeometry) => Math.max(0, rows * rowHeight - viewport);

describe("scrolling through any number of rows", () => {
  test("keeps the box within the browser limit", () => {
    fc.assert(
      fc.property(geometry, (given) => {
        expect(boxHeight(given)).toBeLessThanOrEqual(TALLEST_BOX);
      }),
    );
  });

  test("the ends of the box show the first and the last row", () => {
    fc.assert(
      fc.property(geometry, (given) => {
        const bottom = Math.max(0, boxHeight(given) - given.viewport);
        expect(rowsAt(positionOf(0, given), given, 0).first).toBe(0);
        expect(rowsAt(positionOf(bottom, given), given, 0).last).toBe(given.rows);
        expect(afterScroll({ scroll: 0, position: 0 }, bottom, given).position).toBeCloseTo(endOf(given), 3);
      }),
    );
  });

  test("converts between scroll offset and position", () => {
    fc.assert(
      fc.property(geometry, fc.double({ min: 0, max: 1, noNaN: true }), (given, part) => {
        const position = endOf(given) * part;
        expect(positionOf(scrollOf(position, given), given)).toBeCloseTo(position, 2);
      }),
    );
  });

  test("a small scroll step moves the rows by its pixels, a long one to the proportional position", () => {
    const given = { rows: 250_000, rowHeight: 212, viewport: 800 };
    const before = { scroll: 4_000_000, position: 26_000_000 };
    expect(afterScroll(before, 4_000_100, given).position).toBe(26_000_100);
    expect(afterScroll(before, 2_000_000, given).position).toBe(positionOf(2_000_000, given));
    expect(afterScroll({ scroll: 50, position: 20 }, 0, given).position).toBe(0);
  });

  test("renders all visible rows and little more", () => {
    fc.assert(
      fc.property(geometry, fc.double({ min: 0, max: 1, noNaN: true }), (given, part) => {
        const position = endOf(given) * part;
        const { first, last } = rowsAt(position, given, 6);
        expect(last - first).toBeLessThanOrEqual(given.viewport / given.rowHeight + 14);
        if (given.rows === 0) return;
        expect(first * given.rowHeight).toBeLessThanOrEqual(position);
        const seenTo = Math.min(position + given.viewport, given.rows * given.rowHeight);
        expect(last * given.rowHeight).toBeGreaterThanOrEqual(seenTo - 1e-6);
      }),
    );
  });

  test("renders the same number of rows at every position", () => {
    fc.assert(
      fc.property(geometry, fc.double({ min: 0, max: 1, noNaN: true }), (given, part) => {
        const here = rowsAt(endOf(given) * part, given, 4);
        const start = rowsAt(0, given, 4);
        expect(here.last - here.first).toBe(start.last - start.first);
        expect(here.first).toBeGreaterThanOrEqual(0);
        expect(here.last).toBeLessThanOrEqual(given.rows);
      }),
    );
  });

  test("rows that stay keep their elements, and a jump reuses every element in place", () => {
    const keysOf = ({ first, last, keyOffset }: Drawn) =>
      Array.from({ length: last - first }, (_, i) => first + i + keyOffset);
    fc.assert(
      fc.property(
        fc.array(fc.nat(100_000), { minLength: 2 }),
        fc.integer({ min: 8, max: 40 }),
        (firsts, count) => {
          let before: Drawn | undefined;
          for (const first of firsts) {
            const next = drawnNext(before, { first, last: first + count });
            if (before && Math.abs(before.first - first) <= count / 2) {
              expect(next.keyOffset).toBe(before.keyOffset);
            } else if (before) expect(keysOf(next)).toEqual(keysOf(before));
            before = next;
          }
        },
      ),
    );
  });

  test("makes a row fully visible with the smallest move", () => {
    fc.assert(
      fc.property(geometry, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (given, any, part) => {
        if (given.rows === 0) return;
        const row = any % given.rows;
        const position = endOf(given) * part;
        const shown = positionToShow(row, position, given);
        if (given.rowHeight <= given.viewport) {
          expect(row * given.rowHeight).toBeGreaterThanOrEqual(shown - 1e-6);
          expect((row + 1) * given.rowHeight).toBeLessThanOrEqual(shown + given.viewport + 1e-6);
        }
        expect(positionToShow(row, shown, given)).toBeCloseTo(shown, 6);
      }),
    );
  });
});

test("the current read stays where it is if it is visible, or else the first visible one", () => {
  const view = Uint32Array.from([4, 2, 0, 1, 3]);
  const places = Int32Array.from([2, 3, 1, 4, 0]);
  const anchor = (current: number | null, first: number) =>
    anchorPlace({ view, places, current }, { first, page: 1, perLine: 2 });
  expect(anchor(0, 0)).toBe(2);
  expect(anchor(0, 1)).toBe(2);
  expect(anchor(0, 2)).toBe(4);
  expect(anchor(null, 1)).toBe(2);
  expect(anchor(3, 0)).toBe(0);
  expect(anchor(null, 9)).toBe(4);
});
