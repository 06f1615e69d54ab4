import { describe, expect, it } from "vitest";
import { companionsIn } from "#app/domain/search/investigate/convoy.ts";
import { appendSightings, createColumns } from "#app/entities/search/result-builder.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { BLANK_SIGHTING, sightingId } from "../../../support/search/sighting.ts";

const START = Date.UTC(2026, 10, 20, 10);

/** Gathers reads of plates at cameras, at so many minutes or without a time. */
function gathered(reads: readonly [plate: string, camera: string, minute: number | null][]) {
  const columns = createColumns();
  for (const [plate, cameraId, minute] of reads)
    appendSightings(columns, [
      {
        ...BLANK_SIGHTING,
        id: sightingId(columns.count),
        plate,
        capturedAt: minute === null ? null : START + minute * MINUTE,
        cameraId,
      },
    ]);
  return columns;
}

describe("the companions among gathered reads", () => {
  const passes: [string, string, number][] = [
    ["LEADER1", "a", 0],
    ["LEADER1", "b", 10],
    ["LEADER1", "a", 600],
    ["LEADER1", "b", 610],
  ];
  const companions = (others: [string, string, number | null][]) =>
    companionsIn({
      columns: gathered([...passes, ...others]),
      plate: "LEADER1",
      anchors: { rows: [0, 1, 2, 3], found: 4 },
      withinMs: 2 * MINUTE,
      atLeast: 2,
    }).map(({ plate, pairs }) => [plate, pairs.length]);
  /** What a program returns around the passes of one trip: newest first, reads without a time last. */
  const around = (minute: number): [string, string, number | null][] => [
    ["FRIEND2", "b", minute + 11],
    ["FRIEND2", "a", minute + 1],
    ["LOST3", "a", null],
    ["LOST3", "b", null],
  ];

  it("do not include plates that were read there without a time", () => {
    expect(companions([...around(0), ...around(600)])).toEqual([["FRIEND2", 4]]);
  });

  it("are found if the traffic of the later trip arrives before that of the first", () => {
    expect(companions([...around(600), ...around(0)])).toEqual([["FRIEND2", 4]]);
  });
});
