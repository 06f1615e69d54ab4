import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ImpossibleTrip,
  impossibleTrips,
  type TripRead,
  tripWords,
} from "#app/entities/search/analysis/impossible-trips.ts";
import { at } from "#app/lib/at.ts";

const T0 = Date.UTC(2026, 10, 20, 10);
const MINUTE = 60_000;
/** Cameras on a meridian; one degree of latitude is about 69.1 miles. */
const CAMERAS = ["Maple Ave", "Elm St", "I-91 Exit 11", "Route 2", ""].map((camera, i) => ({
  camera,
  latitude: 41 + i * 0.15,
  longitude: -72.7,
}));

function readOf(part: Partial<TripRead>): TripRead {
  const vehicle = { state: "CT", make: "Honda", color: "Blue" };
  return { row: 0, plate: "ABC123", time: T0, ...vehicle, ...at(CAMERAS, 0), ...part };
}

const world = fc
  .array(
    fc.record({
      plate: fc.constantFrom("ABC123", "A8C123", "XYZ9", ""),
      minute: fc.option(fc.integer({ min: 0, max: 90 }), { nil: null, freq: 12 }),
      camera: fc.constantFrom(...CAMERAS),
      isPlaced: fc.boolean(),
      state: fc.constantFrom("CT", "NY", ""),
      make: fc.constantFrom("Honda", "Ford", ""),
      color: fc.constantFrom("Blue", ""),
    }),
    { maxLength: 40 },
  )
  .map((list) =>
    list.map(({ minute, camera, isPlaced, ...rest }, row): TripRead => {
      const place = isPlaced ? camera : { ...camera, latitude: null, longitude: null };
      return { row, time: minute === null ? null : T0 + minute * MINUTE, ...rest, ...place };
    }),
  );

/** Returns straight-line miles by the spherical law of cosines; the product uses the haversine formula. */
function naiveMiles(a: TripRead, b: TripRead): number {
  const [x, y] = [a, b].map(({ latitude, longitude }) => {
    const [lat, lon] = [((latitude ?? 0) * Math.PI) / 180, ((longitude ?? 0) * Math.PI) / 180];
    return [Math.cos(lat) * Math.cos(lon), Math.cos(lat) * Math.sin(lon), Math.sin(lat)];
  });
  const dot = [0, 1, 2].reduce((sum, i) => sum + (x?.[i] ?? 0) * (y?.[i] ?? 0), 0);
  return Math.acos(Math.min(1, Math.max(-1, dot))) * 3958.76;
}

const isComplete = ({ plate, time, latitude }: TripRead) =>
  plate !== "" && time !== null && latitude !== null;

/** Compares every read with every other: pairs of a plate with no third read of it between them. */
function naivePairs(reads: TripRead[], limit: number): string[] {
  const key = ({ time, row }: TripRead) => (time ?? 0) * 1000 + row;
  const found: [number, string][] = [];
  for (const a of reads.filter(isComplete)) {
    for (const b of reads.filter(isComplete)) {
      if (a.plate !== b.plate || key(a) >= key(b)) continue;
      const isBetween = (c: TripRead) =>
        isComplete(c) && c.plate === a.plate && key(c) > key(a) && key(c) < key(b);
      if (reads.some(isBetween)) continue;
      const [miles, hours] = [naiveMiles(a, b), (Number(b.time) - Number(a.time)) / 3_600_000];
      if (miles > 0.5 && miles > limit * hours) found.push([key(b), `${a.row} ${b.row}`]);
    }
  }
  return found.sort(([a], [b]) => a - b).map(([, pair]) => pair);
}

describe("impossible trips", () => {
  test("are the ones that comparing every pair of reads finds, in time order", () => {
    fc.assert(
      fc.property(world, fc.integer({ min: 30, max: 700 }), (reads, limit) => {
        const { trips, leftOut } = impossibleTrips(reads, { limit });
        expect(trips.map(({ from, to }) => `${from.row} ${to.row}`)).toEqual(naivePairs(reads, limit));
        expect(leftOut).toBe(reads.filter((read) => read.plate !== "" && !isComplete(read)).length);
      }),
    );
  });

  test("exist wherever any two reads of a plate are too far apart, not only consecutive ones", () => {
    fc.assert(
      fc.property(world, (reads) => {
        const { trips } = impossibleTrips(reads, { limit: 120 });
        const complete = reads.filter(isComplete);
        const any = complete.some((a) =>
          complete.some((b) => {
            const hours = Math.abs(Number(b.time) - Number(a.time)) / 3_600_000;
            return a.plate === b.plate && naiveMiles(a, b) - 0.5 * complete.length > 120 * hours;
          }),
        );
        expect(any && trips.length === 0).toBe(false);
      }),
    );
  });

  test("do not depend on the order of the reads", () => {
    const shuffled = world.chain((reads) =>
      fc.shuffledSubarray(reads, { minLength: reads.length }).map((other) => [reads, other] as const),
    );
    const looksAlike = (a: string, b: string) => a.replaceAll("B", "8") === b.replaceAll("B", "8");
    fc.assert(
      fc.property(shuffled, ([reads, other]) => {
        expect(impossibleTrips(other, { looksAlike })).toEqual(impossibleTrips(reads, { looksAlike }));
      }),
    );
  });

  test("need a speed above the limit and more than half a mile", () => {
    const pairAfter = (minutes: number, camera = 1) => [
      readOf({}),
      readOf({ row: 1, time: T0 + minutes * MINUTE, ...at(CAMERAS, camera) }),
    ];
    const mph = (reads: TripRead[], limit?: number) =>
      impossibleTrips(reads, { limit }).trips.map((trip) => trip.mph);
    // The distance is 10.4 miles.
    expect(mph(pairAfter(5.3))).toEqual([]);
    expect(mph(pairAfter(5.0))).toEqual([expect.closeTo(124.4, 0)]);
    expect(mph(pairAfter(5.0), 130)).toEqual([]);
    expect(mph(pairAfter(0))).toEqual([null]);
    const near = readOf({ row: 1, latitude: 41.007 });
    expect(mph([readOf({}), near])).toEqual([]);
  });
});

describe("the likelier cause", () => {
  const wordsOf = (trip: ImpossibleTrip | undefined) =>
    trip && tripWords(trip, (time) => new Date(time).toISOString().slice(11, 16));
  const looksAlike = (a: string, b: string) => a.replaceAll("B", "8") === b.replaceAll("B", "8");
  const pair = (second: Partial<TripRead> = {}) => [
    readOf({ row: 10, time: T0 + 2 * MINUTE }),
    readOf({ row: 11, time: T0 + 6 * MINUTE, ...at(CAMERAS, 1), ...second }),
  ];
  const causeOf = (reads: TripRead[]) =>
    impossibleTrips(reads, { looksAlike }).trips.find(({ from }) => from.plate === "ABC123")?.cause;

  test("is a misread if a look-alike on a matching vehicle passed nearby", () => {
    const alike = { row: 12, plate: "A8C123", ...at(CAMERAS, 1) };
    const passed = readOf({ ...alike, time: T0 + 12 * MINUTE });
    const { trips } = impossibleTrips([...pair(), passed], { looksAlike });
    expect(trips[0]?.cause).toEqual({ kind: "misread", row: 11, plate: "A8C123" });
    expect(wordsOf(trips[0])).toBe(
      "156 mph would be needed from Maple Ave 10:02 to Elm St 10:06; likelier: misread (A8C123 on a matching vehicle passed nearby)",
    );
    for (const other of [
      { ...passed, make: "Ford" },
      { ...passed, plate: "XYZ9" },
      { ...passed, time: T0 + 50 * MINUTE },
      { ...passed, ...at(CAMERAS, 3), time: T0 + 7 * MINUTE },
    ])
      expect(causeOf([...pair(), other])).toEqual({ kind: "unknown" });
    const unknown = { make: "", color: "" };
    expect(causeOf([...pair(unknown), { ...passed, ...unknown }])).toEqual({ kind: "unknown" });
  });

  test("is a cloned plate if state, make or color differ", () => {
    expect(causeOf(pair({ make: "Ford", color: "Red" }))).toEqual({
      kind: "clone",
      differs: ["make", "color"],
    });
    expect(causeOf(pair({ state: "NY" }))).toEqual({ kind: "clone", differs: ["state"] });
    expect(causeOf(pair({ state: "", make: "" }))).toEqual({ kind: "unknown" });
    expect(wordsOf(impossibleTrips(pair({ make: "Ford", color: "Red" })).trips[0])).toMatch(
      /likelier: cloned plate \(make and color differ\)$/,
    );
  });

  test("is a camera clock if most of its other plates disagree as well", () => {
    const other = (plate: string, row: number, minutes: number): TripRead[] => [
      readOf({ row, plate, time: T0 }),
      readOf({ row: row + 1, plate, time: T0 + minutes * MINUTE, ...at(CAMERAS, 1) }),
    ];
    const two = [...other("CAR1", 20, 1), ...other("CAR2", 30, 2)];
    const clock = { kind: "clock", cameras: ["Elm St", "Maple Ave"], plates: 2 };
    expect(causeOf([...pair({ make: "Ford" }), ...two])).toEqual(clock);
    expect(causeOf([...pair({ make: "Ford" }), ...other("CAR1", 20, 1)])).toMatchObject({ kind: "clone" });
    // Maple Ave agrees with a third camera, so only Elm St is suspect.
    const agreeing = [1, 2, 3].flatMap((i) => [
      readOf({ row: 40 + i, plate: `OK${i}`, time: T0 }),
      readOf({ row: 50 + i, plate: `OK${i}`, time: T0 + 40 * MINUTE, ...at(CAMERAS, 2) }),
    ]);
    expect(causeOf([...pair(), ...two, ...agreeing])).toEqual({ ...clock, cameras: ["Elm St"] });
    // As many plates agree with both cameras: no clock is off.
    const fine = ["CAR3", "CAR4", "CAR5"].flatMap((plate, i) => other(plate, 60 + i * 2, 30));
    expect(causeOf([...pair(), ...two, ...fine])).toEqual({ kind: "unknown" });
    expect(wordsOf(impossibleTrips([...pair(), ...two]).trips.at(-1))).toMatch(
      /clock off \(Elm St or Maple Ave; 2 other plates disagree as well\)$/,
    );
  });

  test("is unknown otherwise, also for reads at the same time", () => {
    const same = [readOf({}), readOf({ row: 1, ...at(CAMERAS, 1) })];
    expect(wordsOf(impossibleTrips(same).trips[0])).toBe(
      "10.4 miles apart at the same time: Maple Ave 10:00 and Elm St 10:00; these reads do not show why",
    );
  });

  test("is a misread if and only if some other read supports it, and a clone only without such a read", () => {
    fc.assert(
      fc.property(world, (reads) => {
        for (const { from, to, cause } of impossibleTrips(reads, { looksAlike }).trips) {
          if (cause.kind === "clock") continue;
          const explains = (read: TripRead, other: TripRead) =>
            isComplete(other) &&
            other.plate !== read.plate &&
            looksAlike(other.plate, read.plate) &&
            other.make + other.color !== "" &&
            other.make === read.make &&
            other.color === read.color &&
            Math.abs(Number(other.time) - Number(read.time)) <= 30 * MINUTE &&
            naivePairs(
              [
                { ...read, plate: "X" },
                { ...other, plate: "X" },
              ],
              120,
            ).length === 0;
          const misread = [to, from].find((read) => reads.some((other) => explains(read, other)));
          expect(cause.kind === "misread" ? cause.row : undefined).toBe(misread?.row);
          const differs = (["state", "make", "color"] as const).filter(
            (word) => from[word] !== "" && to[word] !== "" && from[word] !== to[word],
          );
          if (!misread)
            expect(cause).toEqual(differs.length > 0 ? { kind: "clone", differs } : { kind: "unknown" });
        }
      }),
    );
  });

  test("is found with at most 100 comparisons per read, where every read is impossible", () => {
    let compared = 0;
    const reads = Array.from({ length: 20_000 }, (_, row) =>
      readOf({ row, plate: `P${row % 8000}`, time: T0 + row, ...at(CAMERAS, row % 3) }),
    );
    const { trips } = impossibleTrips(reads, {
      looksAlike: () => {
        compared++;
        return false;
      },
    });
    expect(trips).toHaveLength(12_000);
    expect(compared).toBeLessThanOrEqual(12_000 * 2 * 100);
  });
});
