import { describe, expect, it } from "vitest";
import { type ConvoyInput, rankConvoy } from "#app/entities/search/investigate/convoy.ts";
import { rankPlaces } from "#app/entities/search/investigate/places.ts";

const MINUTE = 60_000;

const plates = (ranked: readonly { plate: string }[]) => ranked.map(({ plate }) => plate);
/** Reads of these plates, with rows from a number on. */
const reads = (list: readonly string[], from = 0) => list.map((plate, i) => ({ plate, row: from + i }));

describe("plates in many places", () => {
  it("are in order of their plate if chance explains them equally", () => {
    const places = [reads(["B", "A", "C"]), reads(["C", "A", "B"], 10)];
    expect(plates(rankPlaces({ places, elsewhere: [], atLeast: 2 }))).toEqual(["A", "B", "C"]);
  });

  it("have the number of vehicles that chance would yield, and what it is computed from", () => {
    const places = [reads(["A", "A", "B"]), reads(["A", "C"], 10)];
    const [found, ...others] = rankPlaces({ places, elsewhere: ["D", "D", "A"], atLeast: 2 });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ plate: "A", places: [0, 1], rows: [0, 1, 10] });
    // Four vehicles with three reads elsewhere: an activity of 2 / (1 + 3 / 4). In each place there is one other vehicle.
    const chance = (1 - (1 - 1.5 / 5) ** (2 / 1.75)) ** 2;
    expect(Math.exp(found?.logChance ?? 0)).toBeCloseTo(chance, 12);
    expect(found?.expected).toBeCloseTo(4 * chance, 12);
  });

  it("are those in at least the requested number of places", () => {
    const places = [reads(["A", "B"]), reads(["A", "B"], 10), reads(["A"], 20)];
    expect(plates(rankPlaces({ places, elsewhere: [], atLeast: 3 }))).toEqual(["A"]);
    expect(rankPlaces({ places: [[], []], elsewhere: [], atLeast: 2 })).toEqual([]);
  });
});

describe("companions", () => {
  /** A plate passes cameras at these minutes; others are read there so many minutes later. */
  const convoy = (
    passes: readonly [string, number][],
    others: Record<string, readonly (number | null)[]>,
    more: Partial<ConvoyInput> = {},
  ) =>
    rankConvoy({
      anchors: passes.map(([camera, minute], row) => ({ camera, row, at: minute * MINUTE })),
      others: Object.entries(others).flatMap(([plate, late], i) =>
        passes.flatMap(([camera, minute], pass) => {
          const by = late[pass];
          return by === null || by === undefined
            ? []
            : [{ plate, camera, row: 100 * (i + 1) + pass, at: (minute + by) * MINUTE }];
        }),
      ),
      withinMs: 2 * MINUTE,
      atLeast: 2,
      ...more,
    });
  const route: [string, number][] = [
    ["a", 0],
    ["b", 10],
    ["c", 20],
  ];

  it("were read within the time, both ends included", () => {
    expect(plates(convoy(route, { X: [2, -2, null], Y: [2.01, -2, null], Z: [0, -2.01, null] }))).toEqual([
      "X",
    ]);
  });

  it("are in order of their plate if chance explains them equally", () => {
    expect(plates(convoy(route, { B: [1, 1, 1], A: [1, 1, 1], C: [1, 1, 1] }))).toEqual(["A", "B", "C"]);
  });

  it("have pairs with the nearest read, the earlier among equals, and its distance in time", () => {
    const others = [
      { plate: "X", camera: "a", row: 3, at: MINUTE },
      { plate: "X", camera: "a", row: 2, at: -MINUTE },
      { plate: "X", camera: "a", row: 1, at: -MINUTE },
      { plate: "X", camera: "b", row: 4, at: 11.5 * MINUTE },
      { plate: "X", camera: "b", row: 5, at: 9 * MINUTE },
    ];
    const [found] = convoy(route, {}, { others });
    expect(found?.pairs).toEqual([
      { anchor: 0, row: 1, camera: "a", at: 0, apartMs: -MINUTE },
      { anchor: 1, row: 5, camera: "b", at: 10 * MINUTE, apartMs: -MINUTE },
    ]);
  });

  it("have trips that a gap of more than an hour ends", () => {
    const trips = (gap: number) =>
      convoy(
        [
          ["a", 0],
          ["b", gap],
        ],
        { X: [0, 0] },
      )[0]?.trips;
    expect([trips(60), trips(60.01), trips(121)]).toEqual([1, 2, 2]);
    expect(
      convoy(
        [
          ["a", 0],
          ["b", 61],
          ["c", 122],
          ["d", 130],
        ],
        { X: [0, 0, 0, 0] },
      )[0]?.trips,
    ).toBe(3);
  });

  it("pass once while the given plate stands before a camera", () => {
    const standing: [string, number][] = [
      ["a", 0],
      ["a", 2],
      ["a", 4],
      ["b", 10],
      ["a", 12.01],
    ];
    const [found] = convoy(standing, { X: [0, 0, 0, 0, 0] });
    expect(found?.pairs.map(({ anchor }) => anchor)).toEqual([0, 3, 4]);
    expect(
      convoy(
        [
          ["a", 0],
          ["a", 2],
        ],
        { X: [0, 0] },
        { atLeast: 1 },
      )[0]?.pairs,
    ).toHaveLength(1);
    // Read again just after the time: a pass of its own.
    expect(
      convoy(
        [
          ["a", 0],
          ["a", 2.01],
        ],
        { X: [0, 0] },
        { atLeast: 1 },
      )[0]?.pairs,
    ).toHaveLength(2);
  });

  it("may have been read near any read of a pass, not only near its first", () => {
    const standing: [string, number][] = [
      ["a", 0],
      ["a", 1.5],
      ["a", 3],
      ["b", 10],
    ];
    const others = [
      { plate: "X", camera: "a", row: 10, at: 4 * MINUTE },
      { plate: "X", camera: "b", row: 11, at: 10 * MINUTE },
      { plate: "LATE", camera: "a", row: 12, at: 5.01 * MINUTE },
      { plate: "LATE", camera: "b", row: 13, at: 10 * MINUTE },
    ];
    const found = convoy(standing, {}, { others });
    expect(found.map(({ plate, pairs }) => [plate, pairs])).toEqual([
      [
        "X",
        [
          { anchor: 2, row: 10, camera: "a", at: 3 * MINUTE, apartMs: MINUTE },
          { anchor: 3, row: 11, camera: "b", at: 10 * MINUTE, apartMs: 0 },
        ],
      ],
    ]);
  });

  it("have the number of pairs that chance would yield, by the traffic around each pass", () => {
    const [found] = convoy(
      [
        ["a", 0],
        ["b", 10],
      ],
      { X: [0, 0], Y: [1, null] },
      {},
    );
    // Two vehicles, no other reads: shares of (1 + 1/2) / 3 and (0 + 1/2) / 3.
    expect(found).toMatchObject({ plate: "X", cameras: 2, expected: expect.closeTo(0.5 + 0.5 / 3, 12) });
    expect(found?.lift).toBeCloseTo(2 / (0.5 + 0.5 / 3), 12);
    expect(convoy([], { X: [] })).toEqual([]);
    expect(convoy(route, {}, { others: [{ plate: "X", camera: "z", row: 1, at: 0 }] })).toEqual([]);
  });

  it("are less likely to be so by chance the more pairs and cameras they have", () => {
    const far: [string, number][] = [...route, ["a", 10 * 60], ["d", 11 * 60]];
    expect(plates(convoy(far, { TWO: [0, 0], FIVE: [0, 0, 0, 0, 0], THREE: [0, 0, 0] }))).toEqual([
      "FIVE",
      "THREE",
      "TWO",
    ]);
  });
});
