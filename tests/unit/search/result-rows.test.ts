import { describe, expect, it } from "vitest";
import { appendSightings, createColumns } from "#app/entities/search/result-builder.ts";
import {
  ARRIVAL_TIME_NOTE,
  forWords,
  idAt,
  likeliestFirst,
  matchOf,
  matchWord,
  newestFirst,
  placeAt,
  rowAt,
  wordAt,
  wordCount,
  wordOf,
} from "#app/entities/search/result-columns.ts";
import { vocabularyOf } from "#app/entities/search/result-words.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";

const full: Sighting = {
  id: "0123456789abcdef0123456789abcdef",
  program: "Axis",
  sourceId: "axis-1",
  agency: "Berlin",
  plate: "ABC123",
  plateState: "CT",
  make: "Honda",
  color: "Red",
  bodyType: "SUV",
  capturedAt: 1_763_700_000_000,
  cameraName: "Main St",
  cameraId: "7",
  latitude: 41.7654321,
  longitude: -72.67,
  confidence: 73,
  vehicleImage: "v",
  plateImage: "p",
  timeIsArrival: true,
  plateCorners: null,
};
const sparse: Sighting = {
  ...full,
  id: "f".repeat(32),
  program: "Rekor",
  plate: "",
  plateState: "",
  capturedAt: null,
  latitude: null,
  longitude: null,
  confidence: null,
  vehicleImage: null,
  plateImage: null,
  timeIsArrival: false,
};

function columnsOf(sightings: Sighting[], match?: Parameters<typeof createColumns>[0]) {
  const columns = createColumns(match);
  appendSightings(columns, sightings);
  return columns;
}

describe("a row of a result set", () => {
  const columns = columnsOf([sparse, full]);

  it("has everything that its read has", () => {
    expect(rowAt(columns, 1)).toEqual({
      row: 1,
      id: "0123456789abcdef0123456789abcdef",
      program: "Axis",
      plate: "ABC123",
      state: "CT",
      make: "Honda",
      color: "Red",
      bodyType: "SUV",
      agency: "Berlin",
      camera: "Main St",
      sourceId: "axis-1",
      capturedAt: 1_763_700_000_000,
      latitude: 41.765432,
      longitude: -72.67,
      confidence: 73,
      hasVehicleImage: true,
      hasPlateImage: true,
      timeIsArrival: true,
    });
  });

  it("says what its read does not have", () => {
    expect(rowAt(columns, 0)).toMatchObject({
      id: "f".repeat(32),
      program: "Rekor",
      plate: "",
      state: "",
      capturedAt: null,
      latitude: null,
      longitude: null,
      confidence: null,
      hasVehicleImage: false,
      hasPlateImage: false,
      timeIsArrival: false,
    });
    expect(rowAt(columns, 0)).not.toHaveProperty("match");
  });

  it.each([
    ["v", null, true, false],
    [null, "p", false, true],
  ])("has a vehicle image %j and a plate image %j", (vehicleImage, plateImage, vehicle, plate) => {
    const one = columnsOf([{ ...sparse, vehicleImage, plateImage }]);
    expect(rowAt(one, 0)).toMatchObject({
      hasVehicleImage: vehicle,
      hasPlateImage: plate,
      timeIsArrival: false,
    });
  });

  it("has a place only with both coordinates", () => {
    expect(placeAt(columns, 1)).toEqual({ latitude: 41.765432, longitude: -72.67 });
    expect(placeAt(columnsOf([{ ...full, latitude: null }]), 0)).toBeNull();
    expect(placeAt(columnsOf([{ ...full, longitude: null }]), 0)).toBeNull();
    expect(placeAt(columnsOf([{ ...full, latitude: 0, longitude: 0 }]), 0)).toEqual({
      latitude: 0,
      longitude: 0,
    });
  });

  it("has the words and the id of its own columns", () => {
    expect([wordAt(columns, "plate", 0), wordAt(columns, "plate", 1)]).toEqual(["", "ABC123"]);
    expect([wordAt(columns, "cameraId", 1), wordOf(columns, "plate", 9)]).toEqual(["7", ""]);
    expect(idAt(columns, 1)).toBe(full.id);
    expect([wordCount(columns, "plate"), wordCount(columns, "make")]).toEqual([2, 1]);
  });

  it("has the words of the vocabularies of a decoded set", () => {
    const words = vocabularyOf(new TextEncoder().encode("X\nY\nZ"), 3);
    const set = { ...columns, vocabularies: forWords(() => words) };
    expect([wordAt(set, "plate", 1), wordCount(set, "plate"), wordOf(set, "plate", 3)]).toEqual(["Y", 3, ""]);
  });

  it("is marked if its time is that of arrival", () => {
    expect(ARRIVAL_TIME_NOTE).toBe("Time of arrival: the camera sent none or a wrong one.");
  });
});

describe("how a plate matches", () => {
  it.each([
    [{ score: 1, reason: "" }, "1.00"],
    [{ score: 0.9, reason: "2 read as Z" }, "0.90 2 read as Z"],
    [{ score: 0, reason: "x" }, "0.00 x"],
  ])("%j is stored as %j", (match, word) => {
    expect(matchWord(match)).toBe(word);
    expect(matchOf(word)).toEqual(match);
  });

  it("is unknown in other searches", () => {
    expect(matchOf("")).toBeUndefined();
  });
});

describe("the order of the rows", () => {
  it("is newest first, equal times in their own order, missing times last", () => {
    const times = Float64Array.from([1, Number.NaN, 3, 0, 3, Number.NaN, -5]);
    expect([...newestFirst({ count: 7, times })]).toEqual([2, 4, 0, 3, 6, 1, 5]);
    expect([...newestFirst({ count: 2, times })]).toEqual([0, 1]);
    expect([...newestFirst({ count: 2, times: Float64Array.from([Number.NaN, 1]) })]).toEqual([1, 0]);
  });

  it("of a search with look-alikes is the likeliest first, each newest first", () => {
    const scores = new Map([
      ["A", 0.5],
      ["B", 1],
      ["C", 0.5],
    ]);
    const reads = ["A", "B", "C", "D", "B"].map((plate, i) => ({
      ...full,
      id: String(i).padStart(32, "0"),
      plate,
      capturedAt: 1000 + i,
    }));
    const columns = columnsOf(reads, (plate) => {
      const score = scores.get(plate);
      return score === undefined ? undefined : { score, reason: plate };
    });
    expect([...likeliestFirst(columns)]).toEqual([4, 1, 2, 0, 3]);
    expect(rowAt(columns, 0).match).toEqual({ score: 0.5, reason: "A" });
  });
});
