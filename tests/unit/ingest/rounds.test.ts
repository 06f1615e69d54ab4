import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CAR_STATES } from "#app/entities/ingest/pass.ts";
import { isNearMidnight, roundsOf, upToBegin } from "#app/entities/ingest/rounds.ts";
import { DAY, HOUR, MINUTE, utcDay } from "#app/lib/time/dates.ts";

const NOON = Date.UTC(2026, 5, 20, 12);
const event = (
  capturedAt: number,
  over: { carId?: string; carState?: (typeof CAR_STATES)[number] } = {},
) => ({
  cameraId: "cam",
  carId: "1",
  carState: "update" as const,
  capturedAt,
  ...over,
});

describe("rounds of events", () => {
  it("have the successive events of a parked car together, and those of several cars side by side", () => {
    const parked = Array.from({ length: 300 }, (_, i) => event(NOON + i * MINUTE));
    expect(roundsOf(parked)).toEqual([parked.map((_, i) => i)]);
    const claimed = parked.map((one) => ({ ...one, capturedAt: NOON + 12 * HOUR - MINUTE }));
    expect(roundsOf(claimed)).toEqual([claimed.map((_, i) => i)]);
    const list = [
      event(NOON, { carState: "new" }),
      event(NOON, { carId: "2", carState: "new" }),
      event(NOON + 1000),
      event(NOON + 2000, { carState: "lost" }),
      event(NOON + 3000, { carId: "2" }),
    ];
    expect(roundsOf(list)).toEqual([
      [0, 1],
      [2, 3, 4],
    ]);
  });

  it("have every event once, each car's in the order of the list, and in one day", () => {
    const events = fc.array(
      fc.record({
        cameraId: fc.constantFrom("cam", "other"),
        carId: fc.constantFrom("1", "01", "x"),
        carState: fc.constantFrom(...CAR_STATES),
        capturedAt: fc.integer({ min: NOON - DAY, max: NOON + DAY }),
      }),
    );
    fc.assert(
      fc.property(events, (list) => {
        const rounds = roundsOf(list);
        expect(rounds.flat().sort((a, b) => a - b)).toEqual(list.map((_, i) => i));
        const carOf = (i: number) => `${list[i]?.cameraId} ${list[i]?.carId}`;
        for (const own of Map.groupBy(rounds.flat(), carOf).values())
          expect(own).toEqual(own.toSorted((a, b) => a - b));
        for (const round of rounds)
          for (const own of Map.groupBy(round, carOf).values()) {
            const times = own.map((i) => list[i]?.capturedAt ?? 0);
            expect(new Set(times.map(utcDay)).size).toBe(1);
            expect(new Set(own.map((i) => list[i]?.carState === "new")).size).toBe(1);
          }
      }),
    );
  });

  it("end for a car at an event that starts another pass", () => {
    const reads = [event(NOON), event(NOON + HOUR), event(NOON + HOUR + 1000), event(NOON, { carId: "2" })];
    const events = reads.map((read, at) => ({ at, read }));
    const places = (begin: number[]) => upToBegin(events, new Set(begin)).map(({ at }) => at);
    expect(places([])).toEqual([0, 1, 2, 3]);
    expect(places([1])).toEqual([0, 1, 3]);
    expect(places([3])).toEqual([0, 1, 2, 3]);
  });
});

it("a pass is claimed if it is within ten minutes of midnight", () => {
  const midnight = Date.UTC(2026, 5, 20);
  for (const [offset, near] of [
    [-10 * MINUTE - 1, false],
    [-10 * MINUTE, true],
    [0, true],
    [10 * MINUTE - 1, true],
    [10 * MINUTE, false],
  ] as const)
    expect([offset, isNearMidnight(midnight + offset)]).toEqual([offset, near]);
});
