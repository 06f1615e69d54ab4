import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boundsOf,
  countBySpot,
  mapPoints,
  onePoint,
  rowsOnSpots,
  spotPlace,
  spotsNear,
  timeRange,
  timeSlice,
} from "#app/entities/search/map/points.ts";
import { columnsOf, type MapRead } from "../../../support/map-reads.ts";

const T0 = Date.UTC(2026, 10, 20, 12);
const HERE: MapRead["place"] = [41.5, -72.7];
const THERE: MapRead["place"] = [0, 90];
const read = (time: number | null, place = HERE, program: MapRead["program"] = "Axis"): MapRead => ({
  place,
  time,
  plate: "A",
  program,
});
const all = (count: number) => new Uint8Array(count).fill(1);

describe("the points of a result set", () => {
  test("are its mappable reads, oldest first, those without a plausible time last", () => {
    const columns = columnsOf([
      read(T0 + 2, THERE, "Rekor"),
      read(T0 + 1, [90, 10]),
      read(T0),
      read(T0 - 1, [null, 10]),
      read(Date.UTC(1979, 0)),
      read(null, THERE, "Axon"),
    ]);
    const points = mapPoints(columns);
    // Rows of the set are newest first: 2 is the read of T0, 4 that of 1979, 5 has no time.
    expect([...points.rows]).toEqual([2, 0, 5, 4]);
    expect([...points.pointOfRow]).toEqual([1, -1, 0, -1, 3, 2]);
    expect([...points.times]).toEqual([T0, T0 + 2, Number.NaN, Number.NaN]);
    expect([points.count, points.timed, points.spotCount]).toEqual([4, 2, 2]);
    expect(Array.from(points.programs, (program) => columns.programs.indexOf(program))).toEqual([1, 0, 5, 1]);
    expect([...points.x]).toEqual([107.3 / 360, 0.75, 0.75, 107.3 / 360].map((x) => expect.closeTo(x, 12)));
    expect([points.y[1], points.y[2]]).toEqual([0.5, 0.5]);
    expect([...points.spots]).toEqual([0, 1, 1, 0]);
    expect([...points.spotPoints]).toEqual([0, 3, 1, 2]);
    expect([...points.spotStarts]).toEqual([0, 2, 4]);
  });

  test("have no time if it is later than the latest", () => {
    const points = mapPoints(columnsOf([read(T0), read(T0 + 1)]), T0);
    expect([...points.times]).toEqual([T0, Number.NaN]);
    expect(points.timed).toBe(1);
  });

  test("are in order of time even if the set is not, equal times by row from the last", () => {
    const columns = columnsOf([read(T0 + 5), read(T0), read(T0 + 9), read(T0), read(null)], [0, 1, 2, 3, 4]);
    expect([...mapPoints(columns).rows]).toEqual([3, 1, 0, 2, 4]);
  });

  test("share a spot if their coordinates round to the same hundred-thousandths of a degree", () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -5, max: 5 })), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(steps, (list) => {
        const columns = columnsOf(list.map(([n, e], i) => read(T0 + i, [41.5 + n / 1e5, -72.7 + e / 1e5])));
        const keys = list.map(String);
        const distinct = [...new Set(keys)];
        const points = mapPoints(columns);
        expect([...points.spots]).toEqual(keys.map((key) => distinct.indexOf(key)));
        const own = (spot: number) => keys.flatMap((key, i) => (key === distinct[spot] ? [i] : []));
        expect([...points.spotPoints]).toEqual(distinct.flatMap((_, spot) => own(spot)));
      }),
    );
  });
});

test("a hundred spots are told apart", () => {
  const list = Array.from({ length: 100 }, (_, n) => read(T0 + n, [41 + n / 1e5, -72 - n / 1e5]));
  expect([...mapPoints(columnsOf(list)).spots]).toEqual(list.map((_, n) => n));
});

describe("the reads that pass a filter", () => {
  // Rows 0 to 4, newest first; points 0 to 3 are rows 3, 2, 1 and 0, point 4 is row 4.
  const places: MapRead["place"][] = [THERE, HERE, [-30, 10], HERE, THERE];
  const points = mapPoints(
    columnsOf([3, 2, 1, 0].map((i) => read(T0 + i, places[3 - i])).concat(read(null, THERE))),
  );

  test("have the smallest bounds around them", () => {
    const bounds = boundsOf(points, all(5));
    expect(bounds).toEqual({
      west: expect.closeTo(-72.7, 9),
      east: expect.closeTo(90, 9),
      north: expect.closeTo(41.5, 9),
      south: expect.closeTo(-30, 9),
    });
    const one = {
      west: expect.closeTo(10, 9),
      east: expect.closeTo(10, 9),
      north: expect.closeTo(-30, 9),
      south: expect.closeTo(-30, 9),
    };
    expect(boundsOf(points, Uint8Array.of(0, 0, 1, 0, 0))).toEqual(one);
    expect(boundsOf(points, new Uint8Array(5))).toBeNull();
  });

  test("are counted by spot", () => {
    expect(countBySpot(points, all(5))).toEqual({ counts: Uint32Array.of(2, 1, 2), total: 5 });
    expect(countBySpot(points, Uint8Array.of(0, 1, 1, 0, 1))).toEqual({
      counts: Uint32Array.of(1, 1, 1),
      total: 3,
    });
  });

  test("are listed newest first over several spots, those without a time last", () => {
    expect(rowsOnSpots(points, [2, 0, 1], all(5))).toEqual([0, 1, 2, 3, 4]);
    expect(rowsOnSpots(points, [2, 0], all(5))).toEqual([0, 1, 3, 4]);
    expect(rowsOnSpots(points, [2], Uint8Array.of(0, 1, 1, 1, 1))).toEqual([4]);
    expect(rowsOnSpots(points, [9], all(5))).toEqual([]);
  });

  test("between two times, both included, are a slice of those with a time", () => {
    const slice = (from: number | null, to: number | null) =>
      timeSlice(points, from === null ? null : T0 + from, to === null ? null : T0 + to);
    expect([slice(null, null), slice(0, 3), slice(1, 2), slice(-9, 0)]).toEqual([
      [0, 4],
      [0, 4],
      [1, 3],
      [0, 1],
    ]);
    expect([slice(4, null), slice(null, -1), slice(0.5, 0.9)]).toEqual([
      [4, 4],
      [0, 0],
      [1, 1],
    ]);
  });

  test("have a first and a last time", () => {
    expect(timeRange(points)).toEqual({ from: T0, to: T0 + 3 });
    expect(timeRange(mapPoints(columnsOf([read(null)])))).toBeNull();
  });
});

describe("the spots near a place", () => {
  const longitudes = [0, 11.25, 22.5, 33.75];
  const points = mapPoints(columnsOf(longitudes.map((longitude, i) => read(T0 + i, [10, longitude]))));
  const { y } = spotPlace(points, 0);
  // The spots are at 16, 17, 18 and 19 parts of 32.
  const near = (x: number, reach: number, counts = Uint32Array.of(1, 1, 1, 1)) =>
    spotsNear(points, { x, y, reach, counts });

  test("are those within reach, nearest first, equal distances by number", () => {
    expect(spotPlace(points, 2)).toEqual({ x: 18 / 32, y: points.y[0] });
    expect(near(0.57, 0.04)).toEqual([2, 3, 1]);
    expect(near(16.5 / 32, 0.02)).toEqual([0, 1]);
    expect(near(0.5, 0)).toEqual([0]);
    expect(spotsNear(points, { x: 0.5, y: y + 0.01, reach: 0.009, counts: all32(4) })).toEqual([]);
  });

  test("have passing reads", () => {
    expect(near(0.57, 0.04, Uint32Array.of(1, 0, 1, 1))).toEqual([2, 3]);
  });
});

const all32 = (count: number) => new Uint32Array(count).fill(1);

test("a single marker is a map of one point without a time", () => {
  const points = onePoint({ latitude: 0, longitude: 90, program: 2 });
  expect([points.count, points.timed, points.spotCount]).toEqual([1, 0, 1]);
  expect([...points.rows, ...points.pointOfRow, ...points.spots, ...points.spotPoints]).toEqual([0, 0, 0, 0]);
  expect([...points.x, ...points.y, ...points.programs, ...points.times]).toEqual([0.75, 0.5, 2, Number.NaN]);
  expect([...points.spotStarts]).toEqual([0, 1]);
});
