import { describe, expect, it } from "vitest";
import { camerasOf, correctColumns } from "#app/entities/ingest/camera-corrections.ts";
import { appendSightings, createColumns } from "#app/entities/search/result-builder.ts";
import { decodeColumns, encodeColumns } from "#app/entities/search/result-codec.ts";
import { newestFirst, rowAt } from "#app/entities/search/result-columns.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { BLANK_SIGHTING, sightingId } from "../../support/search/sighting.ts";

function sighting(index: number, over: Partial<Sighting> = {}): Sighting {
  return {
    ...BLANK_SIGHTING,
    id: sightingId(index),
    sourceId: "key-1",
    agency: "Hartford Police Department",
    plate: `AB${index}`,
    capturedAt: 1_700_000_000_000 + index,
    cameraName: `Camera ${index % 3}`,
    cameraId: `AGENT/${index % 3}`,
    latitude: 41.5,
    longitude: -72.5,
    ...over,
  };
}

function columnsOf(sightings: Sighting[]) {
  const columns = createColumns();
  appendSightings(columns, sightings);
  return columns;
}

describe("a location correction", () => {
  const correction = {
    cameraId: "AGENT/1",
    agencyId: "another",
    latitude: 41.123456,
    longitude: -72.654321,
    agency: "Another",
  };

  it("does not move another program's camera with the same id", () => {
    const columns = columnsOf([sighting(1, { program: "Axis" }), sighting(4)]);
    const axis = rowAt(columns, 0);
    correctColumns(columns, [correction]);
    expect(rowAt(columns, 0)).toEqual(axis);
    expect(rowAt(columns, 1)).toMatchObject({ agency: "Another" });
  });

  it("moves the rows of its camera and no others, stored or just collected", () => {
    const gathered = columnsOf(Array.from({ length: 9 }, (_, i) => sighting(i)));
    const stored = decodeColumns(encodeColumns(gathered, newestFirst(gathered)));
    for (const columns of [gathered, stored]) {
      const before = Array.from({ length: 9 }, (_, row) => rowAt(columns, row));
      expect(correctColumns(columns, [correction])).toBe(true);
      const again = decodeColumns(
        encodeColumns(
          columns,
          Uint32Array.from({ length: 9 }, (_, row) => row),
        ),
      );
      before.forEach((was, row) => {
        const { latitude, longitude, agency } = correction;
        const moved = was.camera === "Camera 1" ? { ...was, latitude, longitude, agency } : was;
        expect(rowAt(again, row)).toEqual(moved);
      });
    }
  });

  it("changes nothing if its camera is not among the reads, or a read names none", () => {
    const columns = columnsOf([sighting(0), sighting(2, { cameraId: undefined as never })]);
    expect(correctColumns(columns, [correction, { ...correction, cameraId: "" }])).toBe(true);
    expect(correctColumns(columnsOf([sighting(0)]), [correction])).toBe(false);
    expect(rowAt(columns, 0).latitude).toBe(41.5);
  });

  it.each([256, 300])("assigns an agency that comes after %d others", (count) => {
    const columns = columnsOf(
      Array.from({ length: count }, (_, i) => sighting(i, { agency: `Agency ${i}` })),
    );
    const stored = decodeColumns(encodeColumns(columns, newestFirst(columns)));
    correctColumns(stored, [correction]);
    const agencies = new Set(
      Array.from({ length: count }, (_, row) => rowAt(stored, row)).flatMap((row) =>
        row.camera === "Camera 1" ? [row.agency] : [],
      ),
    );
    expect(agencies).toEqual(new Set(["Another"]));
  });

  it("without an agency leaves the agency of the reads", () => {
    const columns = columnsOf([sighting(0, { agency: "First" }), sighting(1, { agency: "Second" })]);
    correctColumns(columns, [{ ...correction, agency: null }]);
    expect(rowAt(columns, 1)).toMatchObject({ latitude: 41.123456, agency: "Second" });
    expect(columns.dictionaries.agency).toEqual(["First", "Second"]);
  });

  it("does not add an agency that the reads already name", () => {
    const columns = columnsOf([sighting(0, { agency: "First" }), sighting(1, { agency: "Second" })]);
    correctColumns(columns, [{ ...correction, agency: "First" }]);
    expect(rowAt(columns, 1).agency).toBe("First");
    expect(columns.dictionaries.agency).toEqual(["First", "Second"]);
  });
});

describe("the cameras of search results", () => {
  it("are listed once, with their latest time and the agency of their key", () => {
    const columns = columnsOf([
      ...Array.from({ length: 9 }, (_, i) => sighting(i)),
      sighting(20, { cameraId: "AGENT/9", sourceId: "key-2", capturedAt: null }),
    ]);
    const cameras = camerasOf(columns, new Map([["key-1", "agency-1"]]));
    expect(cameras.map(({ id, at, agencyId }) => [id, at - 1_700_000_000_000, agencyId]).sort()).toEqual([
      ["AGENT/0", 6, "agency-1"],
      ["AGENT/1", 7, "agency-1"],
      ["AGENT/2", 8, "agency-1"],
    ]);
  });

  it("have the name and place of their latest read, whatever the order of the reads", () => {
    const columns = columnsOf([
      sighting(1, { capturedAt: 2000, cameraName: "Middle", latitude: null, longitude: null }),
      sighting(4, { capturedAt: 3000, cameraName: "Latest" }),
      sighting(7, { capturedAt: 1000, cameraName: "Earliest", latitude: 40, longitude: -70 }),
    ]);
    expect(camerasOf(columns, new Map())).toEqual([
      {
        id: "AGENT/1",
        agencyId: null,
        name: "Latest",
        siteName: "",
        latitude: 41.5,
        longitude: -72.5,
        at: 3000,
        kind: "past-read",
      },
    ]);
  });

  it("may have no place", () => {
    const columns = columnsOf([sighting(1, { latitude: null, longitude: null })]);
    expect(camerasOf(columns, new Map())).toMatchObject([{ id: "AGENT/1", latitude: null, longitude: null }]);
  });

  it("do not include cameras of other programs, and reads without a camera", () => {
    const others = [sighting(1, { program: "Axis" }), sighting(2, { program: "Axon" })];
    expect(camerasOf(columnsOf(others), new Map())).toEqual([]);
    expect(camerasOf(columnsOf([sighting(1, { cameraId: "" })]), new Map())).toEqual([]);
  });
});
