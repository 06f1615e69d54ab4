import { describe, expect, it } from "vitest";
import { decodeLocators, offsetsRange, textRange } from "#app/entities/search/image-locators.ts";
import {
  appendSightings,
  type ColumnsBuilder,
  cornersAt,
  createColumns,
  encodeLocators,
  pickRows,
} from "#app/entities/search/result-builder.ts";
import { newestFirst, rowAt, wordAt } from "#app/entities/search/result-columns.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { at } from "#app/lib/at.ts";
import { sightingId } from "../../../support/search/sighting.ts";

const read: Sighting = {
  id: "0".repeat(32),
  program: "Rekor",
  sourceId: "rekor-1",
  agency: "Berlin",
  plate: "ABC123",
  plateState: "CT",
  make: "Honda",
  color: "Red",
  bodyType: "SUV",
  capturedAt: 1_763_700_000_000,
  cameraName: "Main St",
  cameraId: "7",
  latitude: 41.5,
  longitude: -72.7,
  confidence: 73,
  vehicleImage: "v",
  plateImage: "p",
  timeIsArrival: false,
  plateCorners: null,
};
/** The n-th of many reads, different in every field. */
const numbered = (n: number): Sighting => ({
  ...read,
  id: sightingId(n),
  program: at(["Rekor", "Axon", "Axis"] as const, n % 3),
  sourceId: `source-${n % 7}`,
  plate: `P${n}`,
  capturedAt: 1_763_700_000_000 + n,
  cameraName: `Camera ${n % 400}`,
  latitude: 41 + n / 10_000,
  longitude: -72 - n / 10_000,
  confidence: n % 101,
  vehicleImage: n % 2 === 0 ? null : `vehicle ${n} ${"é".repeat(n % 50)}`,
  plateImage: n % 5 === 0 ? null : `plate ${n}`,
  timeIsArrival: n % 11 === 0,
  plateCorners: n % 4 === 0 ? null : [n, 1, 2, 3, 4, 5, 6, -n],
});
const built = (...sightings: Sighting[]) => {
  const builder = createColumns();
  appendSightings(builder, sightings);
  return builder;
};

/** Returns the locators of a row as they are read from the stored file. */
function locatorsOf(builder: ColumnsBuilder, order: Uint32Array, row: number) {
  const file = encodeLocators(builder, order);
  const { offset, length } = offsetsRange(row);
  const range = textRange(file.slice(offset, offset + length), order.length);
  return decodeLocators(file.slice(range.offset, range.offset + range.length));
}

describe("a result set of thousands of reads", () => {
  const reads = Array.from({ length: 5000 }, (_, n) => numbered(n));
  const builder = built(...reads);
  const order = Uint32Array.from(reads.keys()).reverse();

  it.each([0, 1, 1023, 1024, 1025, 2047, 2048, 4095, 4096, 4999])("keeps read %d unchanged", (n) => {
    const { latitude, longitude, ...rest } = rowAt(builder, n);
    expect(rest).toEqual({
      row: n,
      id: at(reads, n).id,
      program: at(["Rekor", "Axon", "Axis"], n % 3),
      plate: `P${n}`,
      state: "CT",
      make: "Honda",
      color: "Red",
      bodyType: "SUV",
      agency: "Berlin",
      camera: `Camera ${n % 400}`,
      sourceId: `source-${n % 7}`,
      capturedAt: 1_763_700_000_000 + n,
      confidence: n % 101,
      hasVehicleImage: n % 2 !== 0,
      hasPlateImage: n % 5 !== 0,
      timeIsArrival: n % 11 === 0,
    });
    expect([latitude, longitude]).toEqual(
      [41 + n / 10_000, -72 - n / 10_000].map((x) => expect.closeTo(x, 6)),
    );
    expect(wordAt(builder, "cameraId", n)).toBe("7");
    expect(cornersAt(builder, n)).toEqual(n % 4 === 0 ? null : [n, 1, 2, 3, 4, 5, 6, -n]);
    const { sourceId, vehicleImage: vehicle, plateImage: plate } = at(reads, n);
    expect(locatorsOf(builder, order, 4999 - n)).toEqual({ sourceId, vehicle, plate });
  });

  it("has each id and each word once", () => {
    expect([builder.count, builder.dictionaries.camera.length, builder.dictionaries.source.length]).toEqual([
      5000, 400, 7,
    ]);
    expect(appendSightings(builder, [numbered(7), numbered(5000), numbered(5000)])).toBe(1);
    expect(builder.count).toBe(5001);
  });
});

it("locators may be far longer than usual", () => {
  const long = (letter: string) => letter.repeat(200_000);
  const builder = built(
    { ...numbered(1), vehicleImage: "short" },
    { ...numbered(3), vehicleImage: long("é") },
    { ...numbered(7), vehicleImage: long("z"), plateImage: long("🚓") },
  );
  const order = Uint32Array.of(0, 1, 2);
  expect(locatorsOf(builder, order, 0).vehicle).toBe("short");
  expect(locatorsOf(builder, order, 1).vehicle === long("é")).toBe(true);
  const { vehicle, plate } = locatorsOf(builder, order, 2);
  expect([vehicle === long("z"), plate === long("🚓")]).toEqual([true, true]);
});

describe("a value that does not fit", () => {
  const one = (part: Partial<Sighting>) => rowAt(built({ ...read, ...part }), 0);
  it.each([
    [null, null],
    [Number.NaN, null],
    [0, 0],
    [-90, -90],
    [2000, 2000],
    [-2000, -2000],
    [2000.1, null],
    [-2000.1, null],
    [41.1234567, 41.123457],
  ])("as a coordinate, such as %d, is %j", (value, expected) => {
    expect(one({ latitude: value }).latitude).toBe(expected);
    expect(one({ longitude: value }).longitude).toBe(expected);
  });

  it.each([
    [null, null],
    [Number.NaN, null],
    [-1, null],
    [-0.1, null],
    [0, 0],
    [72.5, 73],
    [72.4, 72],
    [100, 100],
    [254.6, 100],
  ])("as a confidence, such as %d, is %j", (value, expected) => {
    expect(one({ confidence: value }).confidence).toBe(expected);
  });

  it("as a camera's id is empty if there is none", () => {
    const { cameraId: _, ...without } = read;
    expect(wordAt(built(without), "cameraId", 0)).toBe("");
  });

  it("as corners is left out unless all eight are given", () => {
    expect(cornersAt(built({ ...read, plateCorners: [1, 2, 3, 4, 5, 6, 7] }), 0)).toBeNull();
    expect(cornersAt(built({ ...read, plateCorners: [0, 0, 0, 0, 0, 0, 0, 0] }), 0)).toEqual([
      0, 0, 0, 0, 0, 0, 0, 0,
    ]);
  });
});

describe("some rows of a result set", () => {
  it("are a set of their own in their order, with no other words", () => {
    const reads = [1, 2, 3, 4].map(numbered);
    const picked = pickRows(built(...reads), [3, 0]);
    expect(picked.count).toBe(2);
    expect(picked.dictionaries.plate).toEqual(["P4", "P1"]);
    for (const [row, n] of [
      [0, 4],
      [1, 1],
    ] as const) {
      expect(rowAt(picked, row)).toEqual({ ...rowAt(built(numbered(n)), 0), row });
      const { sourceId, vehicleImage: vehicle, plateImage: plate } = numbered(n);
      expect(locatorsOf(picked, Uint32Array.of(0, 1), row)).toEqual({ sourceId, vehicle, plate });
      expect(cornersAt(picked, row)).toEqual(numbered(n).plateCorners);
      expect(wordAt(picked, "cameraId", row)).toBe("7");
    }
    expect(pickRows(picked, [])).toMatchObject({ count: 0 });
  });

  it("keep the match of a search with look-alikes", () => {
    const matched = createColumns(() => ({ score: 0.5, reason: "x" }));
    appendSightings(matched, [read]);
    expect(rowAt(matched, 0).match).toEqual({ score: 0.5, reason: "x" });
    expect([...newestFirst(matched)]).toEqual([0]);
  });
});
