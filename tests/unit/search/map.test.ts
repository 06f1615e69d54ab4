import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isHardware } from "#app/components/map/renderer.ts";
import { plateInView } from "#app/entities/search/analysis/plate-in-view.ts";
import {
  DETAIL_ZOOM,
  FIT_PADDING,
  fittedCamera,
  LONE_SPOT_ZOOM,
  latitudeAt,
  longitudeAt,
  milesBetween,
  pannedBy,
  project,
  scaleBar,
  unproject,
  zoomedAround,
} from "#app/entities/search/map/camera.ts";
import {
  boundsOf,
  countBySpot,
  mapPoints,
  rowsOnSpots,
  timeRange,
  timeSlice,
} from "#app/entities/search/map/points.ts";
import {
  chosenSpan,
  filterOf,
  histogram,
  movedRange,
  movedThumb,
  stepTimes,
  timeAfterKey,
  timeStep,
} from "#app/entities/search/map/time.ts";
import {
  boundsOfTrack,
  DEFAULT_GAP,
  shownReads,
  trackOf,
  trackSpots,
} from "#app/entities/search/map/track.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { placeAt, type ResultColumns } from "#app/entities/search/result-columns.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import { at } from "#app/lib/at.ts";
import { columnsOf, type MapRead as Read } from "../../support/map-reads.ts";

const T0 = Date.UTC(2026, 10, 20, 12);
const place = fc.oneof(
  fc.constantFrom<[number | null, number | null]>(
    [0, 0],
    [-1, -1],
    [null, -72],
    [90, 0],
    [-90, 10],
    [41, 180],
    [41, -180],
    [Number.NaN, -72],
    [41.76, -72.67],
    [41.5, -72.7],
  ),
  fc.tuple(fc.double({ min: 41, max: 42, noNaN: true }), fc.double({ min: -73, max: -72, noNaN: true })),
);
const time = fc.oneof(
  fc.constantFrom<number | null>(null, 0, -5, Date.UTC(2300, 0), T0),
  fc.integer({ min: T0, max: T0 + 60_000 }),
);
const reads = fc.array(
  fc.record({
    place,
    time,
    plate: fc.constantFrom("", "ABC123", "XYZ9"),
    program: fc.constantFrom(...SOURCE_PROGRAMS),
  }),
  { maxLength: 60 },
);
/** Returns the coordinates of a mappable row. */
function mappablePlace(columns: ResultColumns, row: number): { latitude: number; longitude: number } {
  const place = placeAt(columns, row);
  if (!place) throw new Error(`Row ${row} has no place.`);
  return place;
}

const all = (count: number) => new Uint8Array(count).fill(1);
const passes = (columns: { count: number }) =>
  fc.uint8Array({ minLength: columns.count, maxLength: columns.count, max: 1 });

describe("points of a search result", () => {
  test("are the mappable rows, each once, in time order, reads without a time last", () => {
    fc.assert(
      fc.property(reads, (list) => {
        const columns = columnsOf(list);
        const points = mapPoints(columns);
        const mappable = Array.from({ length: columns.count }, (_, row) => row).filter((row) => {
          const own = placeAt(columns, row);
          return own !== null && isMappable(own.latitude, own.longitude);
        });
        expect([...points.rows].sort((a, b) => a - b)).toEqual(mappable);
        const times = [...points.times];
        expect(times.slice(0, points.timed)).toEqual(times.slice(0, points.timed).sort((a, b) => a - b));
        expect(times.slice(points.timed).every(Number.isNaN)).toBe(true);
        for (let row = 0; row < columns.count; row++) {
          const point = at(points.pointOfRow, row);
          expect(point === -1 ? mappable.includes(row) : points.rows[point] === row).toBe(point !== -1);
        }
      }),
    );
  });

  test("share a spot if and only if they are within a meter", () => {
    fc.assert(
      fc.property(reads, (list) => {
        const columns = columnsOf(list);
        const points = mapPoints(columns);
        const keys = new Map<string, number>();
        for (let point = 0; point < points.count; point++) {
          const { latitude, longitude } = mappablePlace(columns, at(points.rows, point));
          const key = `${Math.round(latitude * 1e5)},${Math.round(longitude * 1e5)}`;
          expect(keys.get(key) ?? points.spots[point]).toBe(points.spots[point]);
          keys.set(key, at(points.spots, point));
        }
        expect(keys.size).toBe(points.spotCount);
        expect(new Set(keys.values()).size).toBe(points.spotCount);
      }),
    );
  });

  test("are listed by spot newest first, and counts match the lists", () => {
    fc.assert(
      fc.property(
        reads.chain((list) => {
          const columns = columnsOf(list);
          return passes(columns).map((pass) => ({ columns, pass }));
        }),
        ({ columns, pass }) => {
          const points = mapPoints(columns);
          const { counts, total } = countBySpot(points, pass);
          let seen = 0;
          for (let spot = 0; spot < points.spotCount; spot++) {
            const rows = rowsOnSpots(points, [spot], pass);
            expect(rows).toHaveLength(at(counts, spot));
            seen += rows.length;
            const times = rows.map((row) => at(points.times, at(points.pointOfRow, row)));
            const timed = times.filter((time) => !Number.isNaN(time));
            expect(timed).toEqual([...timed].sort((a, b) => b - a));
            expect(times.slice(timed.length).every(Number.isNaN)).toBe(true);
          }
          expect(seen).toBe(total);
        },
      ),
    );
  });

  test("are within their bounds, and bounds are null without points", () => {
    fc.assert(
      fc.property(reads, (list) => {
        const columns = columnsOf(list);
        const points = mapPoints(columns);
        const bounds = boundsOf(points, all(columns.count));
        expect(bounds === null).toBe(points.count === 0);
        for (const row of points.rows) {
          const { latitude, longitude } = mappablePlace(columns, row);
          expect(latitude).toBeGreaterThanOrEqual((bounds?.south ?? 0) - 1e-9);
          expect(latitude).toBeLessThanOrEqual((bounds?.north ?? 0) + 1e-9);
          expect(longitude).toBeGreaterThanOrEqual((bounds?.west ?? 0) - 1e-9);
          expect(longitude).toBeLessThanOrEqual((bounds?.east ?? 0) + 1e-9);
        }
      }),
    );
  });
});

describe("times", () => {
  test("the binary search returns the same slice as a filter", () => {
    fc.assert(
      fc.property(
        reads,
        fc.option(fc.integer({ min: T0 - 10, max: T0 + 60_010 }), { nil: null }),
        fc.option(fc.integer({ min: T0 - 10, max: T0 + 60_010 }), { nil: null }),
        (list, from, to) => {
          const points = mapPoints(columnsOf(list));
          const [first, end] = timeSlice(points, from, to);
          const naive = Array.from({ length: points.timed }, (_, i) => i).filter((i) => {
            const time = at(points.times, i);
            return time >= (from ?? -Infinity) && time <= (to ?? Infinity);
          });
          const found = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
          expect(found).toEqual(naive);
        },
      ),
    );
  });

  test("a histogram counts every timed read that passes once", () => {
    fc.assert(
      fc.property(reads, fc.integer({ min: 1, max: 50 }), (list, bins) => {
        const columns = columnsOf(list);
        const points = mapPoints(columns);
        const span = timeRange(points);
        fc.pre(span !== null);
        const counts = histogram(points, { pass: all(columns.count), span, bins });
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(points.timed);
        const none = histogram(points, { pass: new Uint8Array(columns.count), span, bins });
        expect(none.every((count) => count === 0)).toBe(true);
      }),
    );
  });

  const span = { from: T0, to: T0 + 7 * 86_400_000 };
  const chosen = fc
    .tuple(fc.integer({ min: span.from, max: span.to }), fc.integer({ min: span.from, max: span.to }))
    .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

  test("thumbs stay within the span and never cross", () => {
    fc.assert(
      fc.property(
        chosen,
        fc.constantFrom("from" as const, "to" as const),
        fc.constantFrom("ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"),
        (before, thumb, key) => {
          const time = timeAfterKey(key, before[thumb], span);
          if (time === undefined) throw new Error(`${key} moves no thumb.`);
          const after = movedThumb(before, thumb, { at: time, span });
          expect(after.from).toBeGreaterThanOrEqual(span.from);
          expect(after.to).toBeLessThanOrEqual(span.to);
          expect(after.from).toBeLessThanOrEqual(after.to);
        },
      ),
    );
    expect(timeAfterKey("x", T0, span)).toBeUndefined();
    expect(timeStep({ from: 0, to: 10 })).toBe(1000);
  });

  test("an arrow key always moves a thumb that has room", () => {
    fc.assert(
      fc.property(chosen, (before) => {
        const later = timeAfterKey("ArrowRight", before.to, span);
        const earlier = timeAfterKey("ArrowLeft", before.to, span);
        expect(later).toBeGreaterThan(before.to);
        expect(earlier).toBeLessThan(before.to);
      }),
    );
  });

  test("a range keeps its length while it moves", () => {
    fc.assert(
      fc.property(chosen, fc.integer({ min: -1e9, max: 1e9 }), (before, by) => {
        const after = movedRange(before, by, span);
        expect(after.to - after.from).toBe(before.to - before.from);
        expect(after.from).toBeGreaterThanOrEqual(span.from);
        expect(after.to).toBeLessThanOrEqual(span.to);
      }),
    );
  });

  test("a chosen span converts to a filter and back, and the whole span is not a filter", () => {
    fc.assert(
      fc.property(chosen, (picked) => {
        expect(chosenSpan(filterOf(picked, span), span)).toEqual(picked);
      }),
    );
    expect(filterOf(span, span)).toEqual({ from: null, to: null });
    expect(chosenSpan({ from: span.to + 5, to: span.from - 5 }, span)).toEqual({
      from: span.to,
      to: span.to,
    });
  });
});

describe("tracks", () => {
  const gaps = fc.integer({ min: 0, max: 60_000 });
  /** The reads of ABC123 that have a place and a plausible time. */
  const tracked = (list: Read[]) =>
    list.filter(
      ({ plate, time, place: [latitude, longitude] }) =>
        plate === "ABC123" && time !== null && time > 1e12 && time < 5e12 && isMappable(latitude, longitude),
    );

  test("contain every read of the plate in time order, and count the reads that they leave out", () => {
    fc.assert(
      fc.property(reads, gaps, (list, gap) => {
        const columns = columnsOf(list);
        const pass = all(columns.count);
        const track = trackOf(mapPoints(columns), { columns, plate: "ABC123", pass, gap });
        const times = tracked(list).map(({ time }) => time);
        expect(track.reads.map(({ time }) => time)).toEqual(times.sort((a, b) => Number(a) - Number(b)));
        expect(track.leftOut).toBe(list.filter(({ plate }) => plate === "ABC123").length - times.length);
        const spots = trackSpots(track);
        expect(spots.flatMap(({ indexes }) => indexes).sort((a, b) => a - b)).toEqual(
          track.reads.map((_, index) => index),
        );
        expect(new Set(spots.map(({ spot }) => spot)).size).toBe(spots.length);
        for (const { spot, indexes } of spots)
          for (const index of indexes) expect(track.reads[index]?.spot).toBe(spot);
      }),
    );
  });

  test("break exactly where the gap is longer, and measure distances within a trip only", () => {
    fc.assert(
      fc.property(reads, gaps, (list, gap) => {
        const columns = columnsOf(list);
        const pass = all(columns.count);
        const track = trackOf(mapPoints(columns), { columns, plate: "ABC123", pass, gap });
        track.reads.slice(1).forEach((read, i) => {
          const before = at(track.reads, i);
          expect(read.trip - before.trip).toBe(read.time - before.time > gap ? 1 : 0);
        });
        expect(track.trips.flatMap(({ start, end }) => [start, end])).toEqual(
          track.trips.flatMap((_, trip) => {
            const own = track.reads.flatMap((read, index) => (read.trip === trip ? [index] : []));
            return [at(own, 0), at(own, own.length - 1) + 1];
          }),
        );
        track.trips.forEach(({ start, end, miles }) => {
          const places = track.reads.slice(start, end).map(({ row }) => mappablePlace(columns, row));
          const own = places.slice(1).reduce((sum, to, i) => sum + milesBetween(at(places, i), to), 0);
          expect(miles).toBeCloseTo(own, 6);
        });
      }),
    );
  });

  test("show exactly the reads within the time filter during playback", () => {
    fc.assert(
      fc.property(
        reads,
        fc.option(fc.integer({ min: T0 - 10, max: T0 + 60_010 }), { nil: null }),
        fc.option(fc.integer({ min: T0 - 10, max: T0 + 60_010 }), { nil: null }),
        (list, from, to) => {
          const columns = columnsOf(list);
          const pass = all(columns.count);
          const track = trackOf(mapPoints(columns), { columns, plate: "ABC123", pass, gap: DEFAULT_GAP });
          const [start, end] = shownReads(track, { from, to });
          expect(track.reads.slice(start, end)).toEqual(
            track.reads.filter(({ time }) => time >= (from ?? -Infinity) && time <= (to ?? Infinity)),
          );
        },
      ),
    );
  });

  test("have bounds around all reads, none if empty", () => {
    fc.assert(
      fc.property(reads, (list) => {
        const columns = columnsOf(list);
        const pass = all(columns.count);
        const track = trackOf(mapPoints(columns), { columns, plate: "ABC123", pass, gap: DEFAULT_GAP });
        const bounds = boundsOfTrack(track);
        expect(bounds === null).toBe(track.reads.length === 0);
        for (const { x, y } of track.reads) {
          expect(longitudeAt(x)).toBeGreaterThanOrEqual((bounds?.west ?? 0) - 1e-9);
          expect(longitudeAt(x)).toBeLessThanOrEqual((bounds?.east ?? 0) + 1e-9);
          expect(latitudeAt(y)).toBeGreaterThanOrEqual((bounds?.south ?? 0) - 1e-9);
          expect(latitudeAt(y)).toBeLessThanOrEqual((bounds?.north ?? 0) + 1e-9);
        }
      }),
    );
  });

  test("play each time once", () => {
    fc.assert(
      fc.property(reads, (list) => {
        const columns = columnsOf(list);
        const points = mapPoints(columns);
        const times = [...points.times].slice(0, points.timed);
        expect([...stepTimes(points, all(columns.count))]).toEqual([...new Set(times)]);
        expect([...stepTimes(points, new Uint8Array(columns.count))]).toEqual([]);
      }),
    );
  });

  test("are offered for the current read, the searched plate, or the only plate", () => {
    const read = (plate: string): Read => ({ place: [41.5, -72.7], time: T0, plate, program: "Axis" });
    const candidate = (
      plates: string[],
      input: { current?: number; searched?: string; pass?: Uint8Array },
    ) => {
      const columns = columnsOf(plates.map(read));
      const { current = null, searched = "", pass = all(columns.count) } = input;
      return plateInView(columns, { current, searched, pass });
    };
    expect(candidate(["ABC123", "XYZ9"], { current: 1, searched: "ABC123" })).toBe("XYZ9");
    expect(candidate(["ABC123", "ABC1234"], { searched: "ABC123" })).toBe("ABC123");
    expect(candidate(["ABC1234", "XABC123"], { searched: "ABC123" })).toBe("");
    expect(candidate(["XYZ9", "XYZ9"], {})).toBe("XYZ9");
    expect(candidate(["XYZ9", "ABC123"], {})).toBe("");
    expect(candidate(["XYZ9", "ABC123"], { pass: Uint8Array.of(1, 0) })).toBe("XYZ9");
    expect(candidate([], { searched: "XYZ9" })).toBe("");
  });
});

describe("the camera", () => {
  const camera = fc.record({
    longitude: fc.double({ min: -170, max: 170, noNaN: true }),
    latitude: fc.double({ min: -75, max: 75, noNaN: true }),
    zoom: fc.double({ min: 3, max: 19, noNaN: true }),
  });
  const size = { width: 1200, height: 600 };
  const pixel = fc.record({
    x: fc.double({ min: 0, max: 1200, noNaN: true }),
    y: fc.double({ min: 0, max: 600, noNaN: true }),
  });

  test("converts a pixel to a place and back", () => {
    fc.assert(
      fc.property(camera, pixel, (look, at) => {
        const back = project(unproject(at, look, size), look, size);
        expect(Math.hypot(back.x - at.x, back.y - at.y)).toBeLessThan(0.01);
      }),
    );
  });

  test("keeps the place under the pointer while zooming", () => {
    fc.assert(
      fc.property(camera, pixel, fc.double({ min: -1, max: 1, noNaN: true }), (look, at, steps) => {
        const under = unproject(at, look, size);
        const after = zoomedAround(look, size, { steps, at });
        fc.pre(Math.abs(after.longitude) < 180 && Math.abs(after.latitude) < 84);
        const still = project(under, after, size);
        expect(Math.hypot(still.x - at.x, still.y - at.y)).toBeLessThan(0.05);
      }),
    );
  });

  test("is at the same place after panning there and back", () => {
    fc.assert(
      fc.property(camera, (look) => {
        fc.pre(look.zoom > 6);
        const back = pannedBy(pannedBy(look, size, { x: 90, y: -40 }), size, { x: -90, y: 40 });
        expect(back.longitude).toBeCloseTo(look.longitude, 6);
        expect(back.latitude).toBeCloseTo(look.latitude, 6);
      }),
    );
  });

  test("fits bounds within its padding", () => {
    const degree = fc.tuple(
      fc.double({ min: -80, max: -65, noNaN: true }),
      fc.double({ min: 36, max: 47, noNaN: true }),
    );
    fc.assert(
      fc.property(degree, degree, ([x1, y1], [x2, y2]) => {
        const bounds = {
          west: Math.min(x1, x2),
          east: Math.max(x1, x2),
          south: Math.min(y1, y2),
          north: Math.max(y1, y2),
        };
        const look = fittedCamera(bounds, size);
        for (const corner of [
          { longitude: bounds.west, latitude: bounds.north },
          { longitude: bounds.east, latitude: bounds.south },
        ]) {
          const at = project(corner, look, size);
          expect(at.x).toBeGreaterThanOrEqual(FIT_PADDING - 0.5);
          // Room for the zoom buttons.
          expect(at.x).toBeLessThanOrEqual(size.width - FIT_PADDING - 44 + 0.5);
          expect(at.y).toBeGreaterThanOrEqual(FIT_PADDING - 0.5);
          expect(at.y).toBeLessThanOrEqual(size.height - FIT_PADDING + 0.5);
        }
      }),
    );
    const point = { west: -72.7, east: -72.7, south: 41.5, north: 41.5 };
    expect(fittedCamera(point, size).zoom).toBe(LONE_SPOT_ZOOM);
    expect(fittedCamera(point, { width: 60, height: 60 }).zoom).toBe(LONE_SPOT_ZOOM);
    const near = { ...point, east: -72.69999 };
    expect(fittedCamera(near, size).zoom).toBe(DETAIL_ZOOM);
  });

  test("has a scale bar of a round length within its maximum", () => {
    fc.assert(
      fc.property(camera, (look) => {
        const { pixels, label } = scaleBar(look, 110);
        expect(pixels).toBeGreaterThan(110 / 5.1);
        expect(pixels).toBeLessThanOrEqual(110.001);
        expect(label).toMatch(/^(1|2|5)0*(\.\d+)? (ft|mi)$|^0\.\d+ mi$/);
      }),
    );
  });
});

test("software WebGL does not count as a graphics card", () => {
  expect(isHardware("ANGLE (NVIDIA, NVIDIA GeForce RTX 3060)")).toBe(true);
  for (const name of [
    "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)",
    "llvmpipe (LLVM 15.0.7, 256 bits)",
    "Microsoft Basic Render Driver",
    "",
  ]) {
    expect(isHardware(name)).toBe(false);
  }
});
