import { describe, expect, it } from "vitest";
import {
  type ImpossibleTrip,
  impossibleTrips,
  type TripRead,
  tripWords,
} from "#app/entities/search/analysis/impossible-trips.ts";

const T0 = Date.UTC(2026, 10, 20, 10);
const MINUTE = 60_000;
/** Degrees of latitude per mile, on the sphere of 6371 km. */
const MILE = 180 / Math.PI / (6371 / 1.609344);

/** A read some miles north of the first camera, some minutes after the start. */
const read = (row: number, miles: number, minutes: number, part: Partial<TripRead> = {}): TripRead => ({
  row,
  plate: "ABC123",
  time: T0 + minutes * MINUTE,
  latitude: 41 + miles * MILE,
  longitude: -72.7,
  state: "CT",
  make: "Honda",
  color: "Blue",
  camera: `mile ${miles}`,
  ...part,
});
const looksAlike = (a: string, b: string) => a.replaceAll("B", "8") === b.replaceAll("B", "8");
const tripsOf = (reads: TripRead[], limit = 120) => impossibleTrips(reads, { looksAlike, limit }).trips;
/** The cause of the trip of ABC123 from mile 0 to mile 20 within a minute. */
const causeWith = (...others: TripRead[]) =>
  tripsOf([read(0, 0, 0), read(1, 20, 1), ...others]).find(({ from }) => from.plate === "ABC123")?.cause;

describe("a trip is impossible", () => {
  it.each([
    ["at a speed above the limit only", 2.001, 1, 1],
    ["at the limit itself: no", 1.999, 1, 0],
    ["from half a mile on", 0.5001, 0, 1],
    ["below half a mile: no", 0.4999, 0, 0],
    ["at the same place and time: no", 0, 0, 0],
  ])("%s", (_, miles, minutes, count) => {
    expect(tripsOf([read(0, 0, 0), read(1, miles, minutes)])).toHaveLength(count);
  });

  it("with a limit of 120 mph unless another is given, and without look-alikes", () => {
    expect(impossibleTrips([read(0, 0, 0), read(1, 2.01, 1)]).trips).toHaveLength(1);
    expect(impossibleTrips([read(0, 0, 0), read(1, 1.99, 1)]).trips).toEqual([]);
    const alike = read(2, 20, 2, { plate: "A8C123" });
    expect(impossibleTrips([read(0, 0, 0), read(1, 20, 1), alike]).trips[0]?.cause).toEqual({
      kind: "unknown",
    });
  });

  it("in order of the second read, then of its row", () => {
    const other = { plate: "XYZ9" };
    const reads = [read(9, 0, 0), read(8, 20, 3), read(7, 0, 0, other), read(6, 20, 3, other), read(5, 0, 4)];
    expect(tripsOf(reads).map(({ to }) => to.row)).toEqual([6, 8, 5]);
  });

  it("and reads without a plate count neither as trips nor as left out", () => {
    const without = [
      read(0, 0, 0, { plate: "" }),
      read(1, 20, 1, { plate: "" }),
      read(2, 0, 0, { plate: "", time: null }),
    ];
    expect(impossibleTrips(without)).toEqual({ trips: [], leftOut: 0 });
    const half = [
      read(0, 0, 0),
      read(1, 0, 0, { latitude: null }),
      read(2, 0, 0, { longitude: null }),
      read(3, 0, 0, { time: null }),
    ];
    expect(impossibleTrips(half)).toEqual({ trips: [], leftOut: 3 });
  });
});

describe("a camera's clock is the cause", () => {
  /** Reads of other plates at two cameras, some minutes apart. */
  const others = (count: number, miles: number, minutes: number, prefix = "CAR") =>
    Array.from({ length: count }, (_, i) => [
      read(100 + i, 0, 0, { plate: `${prefix}${i}` }),
      read(200 + i, miles, minutes, { plate: `${prefix}${i}` }),
    ]).flat();
  const both = { kind: "clock", cameras: ["mile 0", "mile 20"], plates: 2 };

  it("from two other plates on, if half of those compared disagree", () => {
    expect(causeWith(...others(1, 20, 1))).toEqual({ kind: "unknown" });
    expect(causeWith(...others(2, 20, 1))).toEqual(both);
    expect(causeWith(...others(2, 20, 1), ...others(2, 20, 30, "OK"))).toEqual(both);
    expect(causeWith(...others(2, 20, 1), ...others(3, 20, 30, "OK"))).toEqual({ kind: "unknown" });
  });

  it("by the share of plates: not of a camera that other cameras agree with", () => {
    const cause = causeWith(...others(2, 20, 1), ...others(1, 30, 30, "OK"));
    expect(cause).toEqual({ kind: "clock", cameras: ["mile 20"], plates: 2 });
  });

  it("by reads within an hour and half a mile apart only", () => {
    expect(causeWith(...others(2, 20, 1), ...others(3, 20, 60, "OK"))).toEqual({ kind: "unknown" });
    expect(causeWith(...others(2, 20, 1), ...others(3, 20, 60.01, "OK"))).toEqual(both);
    const near = { kind: "clock", cameras: ["mile 0", "mile 20"], plates: 2 };
    expect(causeWith(...others(2, 20, 1), ...others(3, 0.49, 30, "OK"))).toEqual(near);
  });

  it("of one of two cameras with the same name, which their agencies tell apart", () => {
    const pair = (first: number, plate: string) => [
      read(first, 0, 0, { plate, camera: "Main St", agency: "Berlin" }),
      read(first + 1, 20, 1, { plate, camera: "Main St", agency: "Avon" }),
    ];
    const reads = [...pair(0, "ABC123"), ...pair(2, "CAR1"), ...pair(4, "CAR2")];
    const cause = { kind: "clock", cameras: ["Main St (Avon)", "Main St (Berlin)"], plates: 2 };
    expect(tripsOf(reads)[0]?.cause).toEqual(cause);
    // Other plates agree with the camera in Berlin, so that it is the one in Avon.
    const good = [
      read(6, 0, 0, { plate: "OK1", camera: "Main St", agency: "Berlin" }),
      read(7, 30, 30, { plate: "OK1" }),
    ];
    expect(tripsOf([...reads, ...good])[0]?.cause).toEqual({ ...cause, cameras: ["Main St (Avon)"] });
  });

  it("never of a camera without a name, or by the plate itself", () => {
    const unnamed = { camera: "" };
    const pair = [read(0, 0, 0, unnamed), read(1, 20, 1, unnamed)];
    const same = Array.from({ length: 3 }, (_, i) =>
      pair.map((one) => ({ ...one, plate: `CAR${i}` })),
    ).flat();
    expect(tripsOf([...pair, ...same])[0]?.cause).toEqual({ kind: "unknown" });
    const again = [read(2, 0, 120), read(3, 20, 121), read(4, 0, 240), read(5, 20, 241)];
    expect(causeWith(...again)).toEqual({ kind: "unknown" });
  });
});

describe("a misread is the cause", () => {
  const alike = { plate: "A8C123" };
  const misread = (row: number, plate = "A8C123") => ({ kind: "misread", row, plate });

  it("within half an hour before or after", () => {
    expect(causeWith(read(2, 20, 31, alike))).toEqual(misread(1));
    expect(causeWith(read(2, 20, 31.01, alike))).toEqual({ kind: "unknown" });
    expect(causeWith(read(2, 0, -30, alike))).toEqual(misread(0));
    expect(causeWith(read(2, 0, -30.01, alike))).toEqual({ kind: "unknown" });
  });

  it("of the second read before that of the first, by the look-alike nearest in time, the earlier among equals", () => {
    expect(causeWith(read(2, 0, 0, alike), read(3, 20, 1, alike))).toEqual(misread(1));
    const plates = (...list: [string, number][]) =>
      causeWith(...list.map(([plate, minutes], i) => read(2 + i, 20, minutes, { plate })));
    expect(plates(["A8C123", 5], ["AB8123", 3])).toEqual(misread(1));
    const anyPlate = (list: TripRead[]) =>
      impossibleTrips([read(0, 0, 0), read(1, 20, 1), ...list], { looksAlike: () => true }).trips[0]?.cause;
    expect(anyPlate([read(2, 20, 5, { plate: "FAR" }), read(3, 20, 3, { plate: "NEAR" })])).toEqual(
      misread(1, "NEAR"),
    );
    expect(anyPlate([read(2, 20, 5, { plate: "LATE" }), read(3, 20, -3, { plate: "EARLY" })])).toEqual(
      misread(1, "EARLY"),
    );
    expect(anyPlate([read(2, 20, 6, { plate: "LATE" }), read(3, 20, -3, { plate: "EARLY" })])).toEqual(
      misread(1, "EARLY"),
    );
    expect(anyPlate([read(2, 20, 4, { plate: "LATE" }), read(3, 20, -3, { plate: "EARLY" })])).toEqual(
      misread(1, "LATE"),
    );
  });

  it("on a vehicle whose make and color match, with one of them known", () => {
    const causeOf = (part: Partial<TripRead>, other = part) =>
      tripsOf([read(0, 0, 0, part), read(1, 20, 1, part), read(2, 20, 2, { ...alike, ...other })])[0]?.cause;
    expect(causeOf({ make: "" })).toEqual(misread(1));
    expect(causeOf({ color: "" })).toEqual(misread(1));
    expect(causeOf({ make: "", color: "" })).toEqual({ kind: "unknown" });
    expect(causeOf({}, { color: "Red" })).toEqual({ kind: "unknown" });
    expect(causeOf({ make: "a", color: "b" }, { make: "a b", color: "" })).toEqual({ kind: "unknown" });
  });
});

describe("a trip in words", () => {
  const trip = (part: Partial<ImpossibleTrip>): ImpossibleTrip => ({
    from: read(0, 0, 2),
    to: read(1, 20, 3),
    miles: 20,
    mph: 1200.2,
    cause: { kind: "unknown" },
    ...part,
  });
  const words = (part: Partial<ImpossibleTrip>) =>
    tripWords(trip(part), (time) => `+${(time - T0) / MINUTE}`);

  it("has the speed, or the distance at the same time", () => {
    expect(words({})).toBe(
      "1,201 mph would be needed from mile 0 +2 to mile 20 +3; these reads do not show why",
    );
    expect(words({ mph: null, miles: 20.06 })).toBe(
      "20.1 miles apart at the same time: mile 0 +2 and mile 20 +3; these reads do not show why",
    );
  });

  it("names a camera without a name, and a read without a time", () => {
    const from = read(0, 0, 2, { camera: "", time: null });
    expect(words({ from })).toContain("from an unnamed camera to mile 20 +3;");
  });

  it.each<[ImpossibleTrip["cause"], string]>([
    [{ kind: "clock", cameras: ["A"], plates: 3 }, "camera clock off (A; 3 other plates disagree as well)"],
    [
      { kind: "clock", cameras: ["A", "B"], plates: 2 },
      "camera clock off (A or B; 2 other plates disagree as well)",
    ],
    [{ kind: "misread", row: 1, plate: "A8C123" }, "misread (A8C123 on a matching vehicle passed nearby)"],
    [{ kind: "clone", differs: ["state"] }, "cloned plate (state differs)"],
    [{ kind: "clone", differs: ["make", "color"] }, "cloned plate (make and color differ)"],
  ])("has the likelier cause %j", (cause, text) => {
    expect(words({ cause }).endsWith(`; likelier: ${text}`)).toBe(true);
  });
});
