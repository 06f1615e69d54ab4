import { expect, it } from "vitest";
import { joined, joinedToFit } from "#app/entities/search/investigate/windows.ts";

const windows = (...list: [number, number][]) => list.map(([from, to]) => ({ from, to }));

it("windows are joined where they touch or overlap, oldest first, and the given ones stay as they are", () => {
  const given = windows([8, 9], [0, 2], [2, 3], [4, 7], [5, 6], [0, 1]);
  expect(joined(given)).toEqual(windows([0, 3], [4, 7], [8, 9]));
  expect(given).toEqual(windows([8, 9], [0, 2], [2, 3], [4, 7], [5, 6], [0, 1]));
  expect(joined([])).toEqual([]);
});

it.each([
  [
    9,
    [
      [0, 1],
      [3, 4],
      [9, 10],
      [12, 13],
    ],
  ],
  [
    4,
    [
      [0, 1],
      [3, 4],
      [9, 10],
      [12, 13],
    ],
  ],
  [
    3,
    [
      [0, 4],
      [9, 10],
      [12, 13],
    ],
  ],
  [
    2,
    [
      [0, 4],
      [9, 13],
    ],
  ],
  [1, [[0, 13]]],
  [0, [[0, 13]]],
] as [number, [number, number][]][])(
  "at most %d windows leave out the longest gaps: %j",
  (most, expected) => {
    // The gaps are 2, 5 and 2.5 long.
    const list = windows([0, 1], [3, 4], [9, 10], [12.5, 13]);
    const found = joinedToFit(list, most).map(({ from, to }) => ({ from: Math.floor(from), to }));
    expect(found).toEqual(windows(...expected));
  },
);
