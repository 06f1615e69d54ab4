import { describe, expect, test } from "vitest";
import { mapPoints } from "#app/entities/search/map/points.ts";
import {
  boundsOfTrack,
  DEFAULT_GAP,
  shownReads,
  trackOf,
  trackSpots,
} from "#app/entities/search/map/track.ts";
import { columnsOf, type MapRead } from "../../../support/map-reads.ts";

const T0 = Date.UTC(2026, 10, 20, 12);
const SOUTH: MapRead["place"] = [10, 20];
const NORTH: MapRead["place"] = [11, 20];
const EAST: MapRead["place"] = [10, 30];
const read = (time: number | null, place: MapRead["place"], plate = "ABC123"): MapRead => ({
  place,
  time: time === null ? null : T0 + time,
  plate,
  program: "Axis",
});

// Newest first: rows 0 to 4 have times, rows 5 and 6 none or no place.
const columns = columnsOf([
  read(500, SOUTH),
  read(300, EAST),
  read(200, NORTH, "OTHER"),
  read(100, NORTH),
  read(0, SOUTH),
  read(null, SOUTH),
  read(-5, [null, 20]),
]);
const points = mapPoints(columns);
const track = (pass = [1, 1, 1, 1, 1, 1, 1], plate = "ABC123") =>
  trackOf(points, { columns, plate, pass: Uint8Array.from(pass), gap: 200 });
const rowsOf = ({ reads }: ReturnType<typeof track>) => reads.map(({ row }) => row);

describe("the track of a plate", () => {
  test("has trips that a gap ends, with the miles between their reads", () => {
    const { reads, trips, leftOut } = track();
    expect(reads.map(({ row, trip, time }) => [row, trip, time - T0])).toEqual([
      [4, 0, 0],
      [3, 0, 100],
      [1, 0, 300],
      [0, 0, 500],
    ]);
    expect(leftOut).toBe(2);
    expect(trips).toHaveLength(1);
    const { trips: parted } = trackOf(points, {
      columns,
      plate: "ABC123",
      pass: new Uint8Array(7).fill(1),
      gap: 199,
    });
    // One degree of latitude is 69.09 miles.
    expect(parted).toEqual([
      { start: 0, end: 2, miles: expect.closeTo(69.093, 2) },
      { start: 2, end: 3, miles: 0 },
      { start: 3, end: 4, miles: 0 },
    ]);
    expect(DEFAULT_GAP).toBe(21_600_000);
  });

  test("leaves out reads whose time is that of their arrival, which does not say when the plate was there", () => {
    const delayed = columnsOf([
      read(200, SOUTH),
      { ...read(100, NORTH), timeIsArrival: true },
      read(0, SOUTH),
    ]);
    const found = trackOf(mapPoints(delayed), {
      columns: delayed,
      plate: "ABC123",
      pass: new Uint8Array(3).fill(1),
      gap: 200,
    });
    expect([rowsOf(found), found.leftOut]).toEqual([[2, 0], 1]);
    expect(found.trips).toEqual([{ start: 0, end: 2, miles: 0 }]);
  });

  test("has passing reads only, also among those left out", () => {
    const some = track([1, 0, 1, 1, 0, 1, 0]);
    expect([rowsOf(some), some.leftOut]).toEqual([[3, 0], 1]);
    expect(track(undefined, "NOPE9")).toEqual({ reads: [], trips: [], leftOut: 0 });
    expect(rowsOf(track(undefined, "OTHER"))).toEqual([2]);
  });

  test("has spots in order of appearance, and the smallest bounds", () => {
    const spots = trackSpots(track());
    expect(spots.map(({ indexes }) => indexes)).toEqual([[0, 3], [1], [2]]);
    expect(spots.map(({ spot }) => spot)).toEqual(
      track()
        .reads.slice(0, 3)
        .map(({ spot }) => spot),
    );
    expect(spots[2]?.x).toBeCloseTo(210 / 360, 12);
    const degrees = (west: number, east: number, south: number, north: number) => ({
      west: expect.closeTo(west, 9),
      east: expect.closeTo(east, 9),
      south: expect.closeTo(south, 9),
      north: expect.closeTo(north, 9),
    });
    expect(boundsOfTrack(track())).toEqual(degrees(20, 30, 10, 11));
    expect(boundsOfTrack(track([0, 1, 0, 0, 0, 0, 0]))).toEqual(degrees(30, 30, 10, 10));
    expect(boundsOfTrack(track(undefined, "NOPE9"))).toBeNull();
  });

  test.each([
    [null, null, [0, 4]],
    [0, 500, [0, 4]],
    [1, 499, [1, 3]],
    [100, 300, [1, 3]],
    [101, 299, [0, 0]],
    [501, null, [0, 0]],
    [null, -1, [0, 0]],
    [400, 200, [0, 0]],
    [null, 100, [0, 2]],
    [300, null, [2, 4]],
  ])("shows from %j to %j the reads %j", (from, to, expected) => {
    const time = (at: number | null) => (at === null ? null : T0 + at);
    expect(shownReads(track(), { from: time(from), to: time(to) })).toEqual(expected);
  });
});
