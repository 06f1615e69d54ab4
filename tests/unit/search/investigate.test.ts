import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chanceText } from "#app/entities/search/investigate/answer.ts";
import { areasOverlap, contains } from "#app/entities/search/investigate/areas.ts";
import { logChanceOfAtLeast } from "#app/entities/search/investigate/chance.ts";
import { type ConvoyInput, rankConvoy } from "#app/entities/search/investigate/convoy.ts";
import { convoyIn, placesIn } from "#app/entities/search/investigate/fields.ts";
import { type PlacesInput, rankPlaces } from "#app/entities/search/investigate/places.ts";
import { joinedToFit } from "#app/entities/search/investigate/windows.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const unique = <T>(list: readonly T[]) => [...new Set(list)];

/** Computes the same result from the definition, one plate at a time, without indexes. */
function naivePlaces({ places, elsewhere, atLeast }: PlacesInput) {
  const platesAt = places.map((reads) => unique(reads.map(({ plate }) => plate)));
  const vehicles = unique([...platesAt.flat(), ...elsewhere]);
  return unique(platesAt.flat())
    .map((plate) => {
      const seenIn = places.flatMap((reads, i) => (reads.some((read) => read.plate === plate) ? [i] : []));
      const own = elsewhere.filter((other) => other === plate).length;
      const activity = (1 + own) / (1 + elsewhere.length / vehicles.length);
      const chance = seenIn
        .map(
          (i) =>
            1 -
            (1 - ((platesAt[i]?.length ?? 0) - 1 + 1 / places.length) / (vehicles.length + 1)) ** activity,
        )
        .reduce((product, one) => product * one, 1);
      const rows = seenIn.flatMap((i) =>
        (places[i] ?? []).filter((read) => read.plate === plate).map(({ row }) => row),
      );
      return { plate, places: seenIn, rows, chance };
    })
    .filter((one) => one.places.length >= atLeast);
}

/** The chance of `least` or more events, from the definition of the Poisson distribution. */
function naiveTail(least: number, expected: number): number {
  let sum = 0;
  for (let count = least; count < least + 200; count++) {
    let term = Math.exp(-expected);
    for (let i = 1; i <= count; i++) term *= expected / i;
    sum += term;
  }
  return sum;
}

function naiveConvoy({ anchors, others, withinMs, atLeast }: ConvoyInput) {
  const sorted = [...anchors].sort((a, b) => a.at - b.at || a.row - b.row);
  const passes: ConvoyInput["anchors"][number][][] = [];
  for (const read of sorted) {
    const before = passes.findLast(([first]) => first?.camera === read.camera);
    const last = before?.at(-1);
    if (before && last && read.at - last.at <= withinMs) before.push(read);
    else passes.push([read]);
  }
  type Read = { at: number; row: number };
  const gap = (a: Read, b: Read) => Math.abs(a.at - b.at);
  const nearestTo = <R extends Read>(to: Read, reads: readonly R[]) =>
    [...reads].sort((a, b) => gap(a, to) - gap(b, to) || a.at - b.at || a.row - b.row)[0] as R;
  const isBeside = (read: ConvoyInput["others"][number], pass: ConvoyInput["anchors"]) =>
    pass.some(({ camera, at }) => read.camera === camera && Math.abs(read.at - at) <= withinMs);
  const plates = unique(others.map(({ plate }) => plate));
  const apart = others.filter((read) => !passes.some((pass) => isBeside(read, pass)));
  return plates
    .map((plate) => {
      const own = others.filter((read) => read.plate === plate);
      const pairs = passes
        .flatMap((pass) => {
          const beside = own
            .filter((read) => isBeside(read, pass))
            .map((read) => ({ read, anchor: nearestTo(read, pass) }))
            .sort(
              (a, b) =>
                gap(a.read, a.anchor) - gap(b.read, b.anchor) ||
                a.read.at - b.read.at ||
                a.read.row - b.read.row,
            );
          return beside.slice(0, 1);
        })
        .sort((a, b) => a.anchor.at - b.anchor.at)
        .map(({ read, anchor }) => ({ anchor: anchor.row, row: read.row, camera: anchor.camera }));
      const activity =
        (1 + apart.filter((read) => read.plate === plate).length) / (1 + apart.length / plates.length);
      const expected = passes
        .map((pass) => {
          const rest = others.filter((read) => read.plate !== plate && isBeside(read, pass));
          const share =
            (unique(rest.map((read) => read.plate)).length + 1 / passes.length) / (plates.length + 1);
          return 1 - (1 - share) ** activity;
        })
        .reduce((sum, one) => sum + one, 0);
      const cameras = unique(pairs.map(({ camera }) => camera)).length;
      return { plate, pairs, cameras, expected, chance: naiveTail(pairs.length, expected) };
    })
    .filter(({ cameras }) => cameras >= atLeast);
}

/** Checks that a list is in order of a number, with room for rounding. */
function expectAscending(values: readonly number[]) {
  for (let i = 1; i < values.length; i++) {
    const [before = 0, after = 0] = [values[i - 1], values[i]];
    expect(after).toBeGreaterThanOrEqual(before - 1e-9 * Math.max(1, Math.abs(before)));
  }
}

const plate = fc.integer({ min: 0, max: 12 }).map((n) => `P${n}`);
const rowed = <T extends object>(reads: readonly T[], from = 0) =>
  reads.map((read, i) => ({ ...read, row: from + i }));

const placesWorld = fc
  .record({
    places: fc.array(fc.array(fc.record({ plate }), { maxLength: 25 }), { minLength: 2, maxLength: 5 }),
    elsewhere: fc.array(plate, { maxLength: 40 }),
    atLeast: fc.integer({ min: 2, max: 5 }),
  })
  .map(
    ({ places, ...rest }): PlacesInput => ({
      ...rest,
      places: places.map((reads, i) => rowed(reads, i * 100)),
    }),
  );

const cameraRead = {
  at: fc.integer({ min: 0, max: 120 }).map((n) => n * MINUTE),
  camera: fc.constantFrom("a", "b", "c", "d"),
};
const convoyWorld = fc
  .record({
    anchors: fc.array(fc.record(cameraRead), { maxLength: 15 }),
    others: fc.array(fc.record({ ...cameraRead, plate }), { maxLength: 120 }),
    withinMs: fc.integer({ min: 1, max: 10 }).map((n) => n * MINUTE),
    atLeast: fc.integer({ min: 1, max: 3 }),
  })
  .map(
    ({ anchors, others, ...rest }): ConvoyInput => ({
      ...rest,
      anchors: rowed(anchors),
      others: rowed(others, 1000),
    }),
  );

describe("many places", () => {
  it("finds the plates that a naive search finds, in the same order, with the same reads", () => {
    fc.assert(
      fc.property(placesWorld, (world) => {
        const ranked = rankPlaces(world);
        const naive = new Map(naivePlaces(world).map((one) => [one.plate, one]));
        expect(new Set(ranked.map((one) => one.plate))).toEqual(new Set(naive.keys()));
        for (const one of ranked) {
          const other = naive.get(one.plate);
          expect(one.places).toEqual(other?.places);
          expect(one.rows).toEqual(other?.rows);
          expect(Math.exp(one.logChance)).toBeCloseTo(other?.chance ?? Number.NaN, 9);
        }
        expectAscending(ranked.map((one) => naive.get(one.plate)?.chance ?? Number.NaN));
      }),
    );
  });

  it("ranks a vehicle in three quiet places before one in two, and a rare one before a bus", () => {
    const crowd = Array.from({ length: 50 }, (_, i) => ({ plate: `C${i}` }));
    const place = (n: number) =>
      rowed([...crowd.slice(n * 10, n * 10 + 10), { plate: "THREE" }, { plate: "BUS" }], n * 100);
    const two = (n: number) => [...place(n), { plate: "TWO", row: n * 100 + 50 }];
    const places = [two(0), two(1), place(2)];
    const elsewhere = Array.from({ length: 30 }, () => "BUS");
    const ranked = rankPlaces({ places, elsewhere, atLeast: 2 });
    expect(ranked.map((one) => one.plate)).toEqual(["THREE", "TWO", "BUS"]);
  });
});

describe("convoy", () => {
  it("finds the companions that a naive search finds, in the same order, with the same pairs", () => {
    fc.assert(
      fc.property(convoyWorld, (world) => {
        const ranked = rankConvoy(world);
        const naive = new Map(naiveConvoy(world).map((one) => [one.plate, one]));
        expect(new Set(ranked.map((one) => one.plate))).toEqual(new Set(naive.keys()));
        for (const one of ranked) {
          const other = naive.get(one.plate);
          expect(one.pairs.map(({ anchor, row, camera }) => ({ anchor, row, camera }))).toEqual(other?.pairs);
          expect(one.cameras).toBe(other?.cameras);
          expect(one.expected).toBeCloseTo(other?.expected ?? Number.NaN, 9);
          expect(one.lift).toBeCloseTo(one.pairs.length / one.expected, 9);
          expect(Math.exp(one.logChance)).toBeCloseTo(other?.chance ?? Number.NaN, 9);
        }
        expectAscending(ranked.map((one) => naive.get(one.plate)?.chance ?? Number.NaN));
      }),
    );
  });

  it("counts trips by gaps of more than an hour, and a parked car as one pass", () => {
    const at = [0, 10 * MINUTE, 3 * HOUR, 3 * HOUR + MINUTE];
    const anchors = rowed(at.map((time, i) => ({ at: time, camera: i < 2 ? `c${i}` : "c2" })));
    const others = rowed(
      at.map((time, i) => ({ at: time + 1000, camera: i < 2 ? `c${i}` : "c2", plate: "X" })),
      10,
    );
    const [found] = rankConvoy({ anchors, others, withinMs: 2 * MINUTE, atLeast: 3 });
    expect(found).toMatchObject({ plate: "X", cameras: 3, trips: 2 });
    expect(found?.pairs.map(({ anchor }) => anchor)).toEqual([0, 1, 2]);
  });
});

describe("the chance of many coincidences", () => {
  it("is that of the Poisson distribution, and its logarithm is finite where the chance itself underflows", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 25 }),
        fc.double({ min: 0.01, max: 20, noNaN: true }),
        (least, expected) => {
          expect(Math.exp(logChanceOfAtLeast(least, expected))).toBeCloseTo(naiveTail(least, expected), 9);
        },
      ),
    );
    const long = logChanceOfAtLeast(200, 0.5);
    expect(long).toBeLessThan(logChanceOfAtLeast(199, 0.5));
    expect(Number.isFinite(long)).toBe(true);
    expect(logChanceOfAtLeast(0, 3)).toBe(0);
    expect(logChanceOfAtLeast(1, 0)).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("the windows of a convoy's queries", () => {
  const window = fc
    .tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 20 }))
    .map(([from, length]) => ({ from, to: from + length }));
  it("cover every pass within the allowed number of queries, over the shortest possible total time", () => {
    fc.assert(
      fc.property(fc.array(window, { minLength: 1 }), fc.integer({ min: 1, max: 12 }), (passes, most) => {
        const fitted = joinedToFit(passes, most);
        expect(fitted.length).toBeLessThanOrEqual(most);
        for (const { from, to } of passes)
          expect(fitted.some((one) => one.from <= from && one.to >= to)).toBe(true);
        const free = Array.from({ length: 1030 }, (_, at) => at).filter(
          (at) => !passes.some(({ from, to }) => from <= at && at < to),
        );
        // Stretches between passes that no query needs to cover; the longest ones are left out.
        const [first, last] = [
          Math.min(...passes.map((one) => one.from)),
          Math.max(...passes.map((one) => one.to)),
        ];
        const gaps: number[] = [];
        for (const at of free.filter((at) => at >= first && at < last)) {
          const isNew = !free.includes(at - 1) || at === first || passes.some(({ to }) => to === at);
          if (isNew) gaps.push(1);
          else gaps.push((gaps.pop() ?? 0) + 1);
        }
        const leftOut = gaps.sort((a, b) => b - a).slice(0, most - 1);
        const sum = (numbers: number[]) => numbers.reduce((total, n) => total + n, 0);
        expect(sum(fitted.map(({ from, to }) => to - from))).toBe(last - first - sum(leftOut));
      }),
    );
  });
  it("are empty without passes", () => {
    expect(joinedToFit([], 3)).toEqual([]);
  });
});

describe("places on the map", () => {
  const near = {
    latitude: fc.double({ min: 41, max: 42, noNaN: true }),
    longitude: fc.double({ min: -73, max: -72, noNaN: true }),
  };
  const area = fc.oneof(
    fc.record({
      kind: fc.constant("circle" as const),
      ...near,
      radius_miles: fc.double({ min: 1, max: 25, noNaN: true }),
    }),
    fc.record({ a: fc.record(near), b: fc.record(near) }).map(({ a, b }) => ({
      kind: "box" as const,
      north: Math.max(a.latitude, b.latitude),
      south: Math.min(a.latitude, b.latitude),
      east: Math.max(a.longitude, b.longitude),
      west: Math.min(a.longitude, b.longitude),
    })),
  );
  it("overlap if they share a point, whichever comes first", () => {
    fc.assert(
      fc.property(area, area, fc.record(near), (a, b, point) => {
        const overlap = areasOverlap(a, b, new Map());
        expect(areasOverlap(b, a, new Map())).toBe(overlap);
        if (contains(a, point) && contains(b, point)) expect(overlap).toBe(true);
      }),
    );
  });

  it("do not overlap if they are a mile apart", () => {
    const circle = (latitude: number) => ({
      kind: "circle" as const,
      latitude,
      longitude: -72.7,
      radius_miles: 1,
    });
    expect(areasOverlap(circle(41.7), circle(41.72), new Map())).toBe(true);
    expect(areasOverlap(circle(41.7), circle(41.75), new Map())).toBe(false);
    expect(
      areasOverlap({ kind: "cameras", cameras: ["a"] }, { kind: "cameras", cameras: ["b"] }, new Map()),
    ).toBe(false);
  });
});

describe("the form of many places", () => {
  const common = { justification: ["Burglaries"], case_number: ["26-1"], agencies: ["x"] };
  const place = (n: number, camera = "axis:1") => ({
    [`p${n}_kind`]: ["cameras"],
    [`p${n}_cameras`]: [camera],
    [`p${n}_start`]: ["2026-11-01T01:00"],
    [`p${n}_end`]: ["2026-11-01T02:00"],
  });
  it("leaves out empty optional places, and reports problems with the place numbers of the form", () => {
    const { request, named } = placesIn({ ...common, ...place(0), ...place(1), ...place(4) }, "UTC");
    expect(request?.places.map(({ name }) => name)).toEqual(["", "", "Place 5"]);
    // The server counts the places that were sent.
    expect(named?.({ "places.2.start_time": "Late", plate: "Bad" })).toEqual({
      p4_start: "Late",
      plate: "Bad",
    });
    const bad = { ...common, ...place(0), ...place(1), ...place(4), p4_cameras: [], p4_end: [""] };
    expect(Object.keys(placesIn(bad, "UTC").problems ?? {})).toEqual(["p4_area", "p4_end"]);
    const circle = {
      p1_kind: ["circle"],
      p1_latitude: ["95"],
      p1_longitude: ["-190"],
      p1_radius_miles: ["200"],
    };
    expect(placesIn({ ...common, ...place(0), ...place(1), ...circle }, "UTC").problems).toEqual({
      p1_area:
        "A latitude is a number from -90 to 90. A longitude is a number from -180 to 180. A circle has a radius of 0.05 to 25 miles.",
    });
  });

  it("reads times in the given zone, and asks for a case number", () => {
    const { request } = placesIn({ ...common, ...place(0), ...place(1) }, "America/New_York");
    // Clocks show 01:00 twice on that day; a window starts at the first occurrence.
    expect(request?.places[0]).toMatchObject({
      start_time: "2026-11-01T05:00:00.000Z",
      end_time: "2026-11-01T07:00:00.000Z",
    });
    // The form refuses the hour that clocks skip, because the server would read it in the agency's zone.
    const skipped = { p0_start: ["2026-03-08T02:30"], p0_end: ["2026-03-08T04:00"] };
    const spring = placesIn({ ...common, ...place(0), ...skipped, ...place(1) }, "America/New_York");
    expect(spring.problems).toEqual({
      p0_start: "02:30 does not exist on 2026-03-08: clocks skip that hour.",
    });
    const convoy = { ...common, plate: ["ABC123"], start_time: skipped.p0_start, end_time: skipped.p0_end };
    expect(Object.keys(convoyIn(convoy, "America/New_York").problems ?? {})).toEqual(["start_time"]);
    expect(placesIn({ ...common, case_number: [" "], ...place(0), ...place(1) }, "UTC").problems).toEqual({
      case_number: "A case number is required for place and convoy searches.",
    });
  });
});

describe("a probability", () => {
  it("is written as odds", () => {
    expect([0, -0.7, -3, -3.62, -12.4].map(chanceText)).toEqual([
      "expected by chance",
      "1 in 5",
      "1 in 1,000",
      "1 in 4,200",
      "less than 1 in a billion",
    ]);
  });
});
