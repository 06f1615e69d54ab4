import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isHardware } from "#app/components/map/renderer.ts";
import {
  EMBEDDED_BASEMAP,
  parseBasemapUrl,
  parseTile,
  unpackBasemap,
} from "#app/entities/search/map/basemap.ts";
import {
  type Bounds,
  compassPoint,
  DETAIL_ZOOM,
  FIT_PADDING,
  fittedCamera,
  kilometersBetween,
  LONE_SPOT_ZOOM,
  latitudeAt,
  longitudeAt,
  pannedBy,
  project,
  scaleBar,
  unproject,
  zoomedAround,
} from "#app/entities/search/map/camera.ts";
import { hexBins } from "#app/entities/search/map/density.ts";
import {
  boundsOf,
  countBySpot,
  mapPoints,
  onePoint,
  rowsOnSpots,
  spotPlace,
  spotsNear,
  timeRange,
  timeSlice,
} from "#app/entities/search/map/points.ts";
import {
  chosenSpan,
  filterOf,
  histogram,
  movedRange,
  movedThumb,
  timeAfterKey,
  timeStep,
} from "#app/entities/search/map/time.ts";
import { boundsOfTrack, stopsBySpot, trackOf } from "#app/entities/search/map/track.ts";
import { appendSightings, createColumns } from "#app/entities/search/result-builder.ts";
import { decodeColumns, encodeColumns } from "#app/entities/search/result-codec.ts";
import { newestFirst, placeAt } from "#app/entities/search/result-columns.ts";
import { isMappable, type Sighting } from "#app/entities/search/sighting.ts";

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
    program: fc.constantFrom("Rekor", "Axon", "Axis"),
  }),
  { maxLength: 60 },
);
type Read = { place: [number | null, number | null]; time: number | null; plate: string; program: string };

function columnsOf(list: Read[]) {
  const builder = createColumns();
  appendSightings(
    builder,
    list.map(
      (read, i) =>
        ({
          id: i.toString(16).padStart(32, "0"),
          program: read.program,
          sourceId: "s",
          agency: "A",
          plate: read.plate,
          plateState: "CT",
          make: "",
          color: "",
          bodyType: "",
          capturedAt: read.time,
          cameraName: "C",
          latitude: read.place[0],
          longitude: read.place[1],
          confidence: null,
          vehicleImage: null,
          plateImage: null,
          plateCorners: null,
        }) as Sighting,
    ),
  );
  return decodeColumns(encodeColumns(builder, newestFirst(builder)));
}
const all = (count: number) => new Uint8Array(count).fill(1);
const passes = (columns: { count: number }) =>
  fc.uint8Array({ minLength: columns.count, maxLength: columns.count, max: 1 });

describe("points of a result", () => {
  test("are the mappable rows, each once, in the order of time with the timeless last", () => {
    fc.assert(
      fc.property(reads, (list) => {
        const columns = columnsOf(list as Read[]);
        const points = mapPoints(columns);
        const mappable = Array.from({ length: columns.count }, (_, row) => row).filter((row) => {
          const at = placeAt(columns, row);
          return at !== null && isMappable(at.latitude, at.longitude);
        });
        expect([...points.rows].sort((a, b) => a - b)).toEqual(mappable);
        const times = [...points.times];
        expect(times.slice(0, points.timed)).toEqual(times.slice(0, points.timed).sort((a, b) => a - b));
        expect(times.slice(points.timed).every(Number.isNaN)).toBe(true);
        for (let row = 0; row < columns.count; row++) {
          const point = points.pointOfRow[row] as number;
          expect(point === -1 ? mappable.includes(row) : points.rows[point] === row).toBe(point !== -1);
        }
      }),
    );
  });

  test("share a spot exactly where they share a metre", () => {
    fc.assert(
      fc.property(reads, (list) => {
        const columns = columnsOf(list as Read[]);
        const points = mapPoints(columns);
        const keys = new Map<string, number>();
        for (let point = 0; point < points.count; point++) {
          const at = placeAt(columns, points.rows[point] as number) as {
            latitude: number;
            longitude: number;
          };
          const key = `${Math.round(at.latitude * 1e5)},${Math.round(at.longitude * 1e5)}`;
          expect(keys.get(key) ?? points.spots[point]).toBe(points.spots[point]);
          keys.set(key, points.spots[point] as number);
        }
        expect(keys.size).toBe(points.spotCount);
        expect(new Set(keys.values()).size).toBe(points.spotCount);
      }),
    );
  });

  test("are listed by spot newest first, and counted as they are listed", () => {
    fc.assert(
      fc.property(
        reads.chain((list) => {
          const columns = columnsOf(list as Read[]);
          return passes(columns).map((pass) => ({ columns, pass }));
        }),
        ({ columns, pass }) => {
          const points = mapPoints(columns);
          const { counts, total } = countBySpot(points, pass);
          let seen = 0;
          for (let spot = 0; spot < points.spotCount; spot++) {
            const rows = rowsOnSpots(points, [spot], pass);
            expect(rows).toHaveLength(counts[spot] as number);
            seen += rows.length;
            const times = rows.map((row) => points.times[points.pointOfRow[row] as number] as number);
            const timed = times.filter((at) => !Number.isNaN(at));
            expect(timed).toEqual([...timed].sort((a, b) => b - a));
            expect(times.slice(timed.length).every(Number.isNaN)).toBe(true);
          }
          expect(seen).toBe(total);
        },
      ),
    );
  });

  test("lie within their bounds, and bounds are null without points", () => {
    fc.assert(
      fc.property(reads, (list) => {
        const columns = columnsOf(list as Read[]);
        const points = mapPoints(columns);
        const bounds = boundsOf(points, all(columns.count));
        expect(bounds === null).toBe(points.count === 0);
        for (const row of points.rows) {
          const at = placeAt(columns, row) as { latitude: number; longitude: number };
          expect(at.latitude).toBeGreaterThanOrEqual((bounds?.south ?? 0) - 1e-9);
          expect(at.latitude).toBeLessThanOrEqual((bounds?.north ?? 0) + 1e-9);
          expect(at.longitude).toBeGreaterThanOrEqual((bounds?.west ?? 0) - 1e-9);
          expect(at.longitude).toBeLessThanOrEqual((bounds?.east ?? 0) + 1e-9);
        }
      }),
    );
  });

  test("are found near a place, nearest first, where they pass", () => {
    const points = mapPoints(
      columnsOf([
        { place: [41.5, -72.7], time: T0, plate: "A", program: "Axis" },
        { place: [41.5001, -72.7], time: T0, plate: "A", program: "Axis" },
        { place: [42, -72], time: T0, plate: "A", program: "Axis" },
      ]),
    );
    const here = onePoint({ latitude: 41.5, longitude: -72.7, program: 0 });
    const [x, y] = [here.x[0] as number, here.y[0] as number];
    const near = (counts: Uint32Array) => spotsNear(points, { x, y, reach: 1e-5, counts });
    expect(near(Uint32Array.of(1, 1, 1))).toHaveLength(2);
    const nearest = near(Uint32Array.of(1, 1, 1))[0] as number;
    expect(spotPlace(points, nearest).y).toBeCloseTo(y, 9);
    expect(near(new Uint32Array(3))).toEqual([]);
  });

  test("one alone is a map of its own", () => {
    const points = onePoint({ latitude: 41.5, longitude: -72.7, program: 2 });
    expect(countBySpot(points, Uint8Array.of(1)).total).toBe(1);
    expect(timeRange(points)).toBeNull();
    expect(rowsOnSpots(points, [0], Uint8Array.of(1))).toEqual([0]);
  });
});

describe("times", () => {
  test("a slice by binary search is what a filter gives", () => {
    fc.assert(
      fc.property(
        reads,
        fc.option(fc.integer({ min: T0 - 10, max: T0 + 60_010 }), { nil: null }),
        fc.option(fc.integer({ min: T0 - 10, max: T0 + 60_010 }), { nil: null }),
        (list, from, to) => {
          const points = mapPoints(columnsOf(list as Read[]));
          const [first, end] = timeSlice(points, from, to);
          const naive = Array.from({ length: points.timed }, (_, i) => i).filter((i) => {
            const at = points.times[i] as number;
            return at >= (from ?? -Infinity) && at <= (to ?? Infinity);
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
        const columns = columnsOf(list as Read[]);
        const points = mapPoints(columns);
        const span = timeRange(points);
        fc.pre(span !== null);
        const counts = histogram(points, { pass: all(columns.count), span: span as never, bins });
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(points.timed);
        const none = histogram(points, { pass: new Uint8Array(columns.count), span: span as never, bins });
        expect(none.every((count) => count === 0)).toBe(true);
      }),
    );
  });

  const span = { from: T0, to: T0 + 7 * 86_400_000 };
  const chosen = fc
    .tuple(fc.integer({ min: span.from, max: span.to }), fc.integer({ min: span.from, max: span.to }))
    .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

  test("thumbs stay within the span and never cross, whatever key moves them", () => {
    fc.assert(
      fc.property(
        chosen,
        fc.constantFrom("from" as const, "to" as const),
        fc.constantFrom("ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"),
        (before, thumb, key) => {
          const at = timeAfterKey(key, before[thumb], span) as number;
          const after = movedThumb(before, thumb, { at, span });
          expect(after.from).toBeGreaterThanOrEqual(span.from);
          expect(after.to).toBeLessThanOrEqual(span.to);
          expect(after.from).toBeLessThanOrEqual(after.to);
        },
      ),
    );
    expect(timeAfterKey("x", T0, span)).toBeUndefined();
    expect(timeStep({ from: 0, to: 10 })).toBe(1000);
  });

  test("an arrow always moves a thumb that has room", () => {
    fc.assert(
      fc.property(chosen, (before) => {
        const later = timeAfterKey("ArrowRight", before.to, span) as number;
        const earlier = timeAfterKey("ArrowLeft", before.to, span) as number;
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

  test("the filter of a choice gives the choice back, and everything is no filter", () => {
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
  test("go through every read of the plate in the order of time, a stay being one stop", () => {
    fc.assert(
      fc.property(reads, (list) => {
        const columns = columnsOf(list as Read[]);
        const points = mapPoints(columns);
        const { stops, kilometers } = trackOf(points, { columns, plate: "ABC123", pass: all(columns.count) });
        const own = (list as Read[]).filter(
          ({ plate, time, place: [latitude, longitude] }) =>
            plate === "ABC123" &&
            time !== null &&
            time > 1e12 &&
            time < 5e12 &&
            isMappable(latitude, longitude),
        );
        expect(stops.reduce((sum, stop) => sum + stop.reads, 0)).toBe(own.length);
        for (let i = 1; i < stops.length; i++) {
          expect(stops[i]?.spot).not.toBe(stops[i - 1]?.spot);
          expect(stops[i]?.from).toBeGreaterThanOrEqual(stops[i - 1]?.to ?? 0);
        }
        expect(kilometers >= 0).toBe(true);
        const numbers = stopsBySpot({ stops, kilometers });
        expect(numbers.flatMap((place) => place.numbers).sort((a, b) => a - b)).toEqual(
          stops.map((_, i) => i + 1),
        );
        expect(new Set(numbers.map(({ spot }) => spot)).size).toBe(numbers.length);
        for (const { spot, numbers: at } of numbers) expect(stops[(at[0] as number) - 1]?.spot).toBe(spot);
        const bounds = boundsOfTrack({ stops, kilometers });
        expect(bounds === null).toBe(stops.length === 0);
        for (const { x, y } of bounds ? stops : []) {
          expect(longitudeAt(x)).toBeGreaterThanOrEqual((bounds as Bounds).west - 1e-9);
          expect(longitudeAt(x)).toBeLessThanOrEqual((bounds as Bounds).east + 1e-9);
          expect(latitudeAt(y)).toBeGreaterThanOrEqual((bounds as Bounds).south - 1e-9);
          expect(latitudeAt(y)).toBeLessThanOrEqual((bounds as Bounds).north + 1e-9);
        }
      }),
    );
  });

  test("are empty for a plate that nobody read", () => {
    const columns = columnsOf([]);
    expect(trackOf(mapPoints(columns), { columns, plate: "NONE", pass: all(0) }).stops).toEqual([]);
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

  test("gives a pixel's place back as the pixel", () => {
    fc.assert(
      fc.property(camera, pixel, (look, at) => {
        const back = project(unproject(at, look, size), look, size);
        expect(Math.hypot(back.x - at.x, back.y - at.y)).toBeLessThan(0.01);
      }),
    );
  });

  test("zooms around a place that stays where it is", () => {
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

  test("pans there and back", () => {
    fc.assert(
      fc.property(camera, (look) => {
        fc.pre(look.zoom > 6);
        const back = pannedBy(pannedBy(look, size, { x: 90, y: -40 }), size, { x: -90, y: 40 });
        expect(back.longitude).toBeCloseTo(look.longitude, 6);
        expect(back.latitude).toBeCloseTo(look.latitude, 6);
      }),
    );
  });

  test("fits all within its padding", () => {
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
          expect(at.x).toBeLessThanOrEqual(size.width - FIT_PADDING + 0.5);
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

  test("has a scale bar of a round length that fits", () => {
    fc.assert(
      fc.property(camera, (look) => {
        const { pixels, label } = scaleBar(look, 110);
        expect(pixels).toBeGreaterThan(110 / 5.1);
        expect(pixels).toBeLessThanOrEqual(110.001);
        expect(label).toMatch(/^(1|2|5)0*(\.\d+)? (ft|mi)$|^0\.\d+ mi$/);
      }),
    );
  });

  test("knows the compass and distances", () => {
    const hartford = { latitude: 41.764, longitude: -72.682 };
    expect(compassPoint(hartford, { latitude: 41.9, longitude: -72.682 })).toBe("N");
    expect(compassPoint(hartford, { latitude: 41.6, longitude: -72.9 })).toBe("SW");
    expect(kilometersBetween(hartford, { latitude: 41.308, longitude: -72.928 })).toBeCloseTo(54.7, 0);
  });
});

describe("hexagons", () => {
  test("count every point once", () => {
    const coordinate = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(coordinate, coordinate), { maxLength: 80 }), (list) => {
        const points = {
          x: Float64Array.from(list, ([x]) => x),
          y: Float64Array.from(list, ([, y]) => y),
        };
        const radius = 0.03;
        const bins = hexBins(points, { visible: list.map((_, i) => i), radius });
        expect(bins.counts.reduce((sum, count) => sum + count, 0)).toBe(list.length);
        for (const [x, y] of list) {
          const distances = Array.from(bins.x, (bx, i) => Math.hypot(bx - x, (bins.y[i] as number) - y));
          expect(Math.min(...distances)).toBeLessThanOrEqual(radius + 1e-9);
        }
      }),
    );
  });
});

describe("the basemap", () => {
  test("takes addresses of its three forms and nothing else", () => {
    expect(parseBasemapUrl(" ")).toBeUndefined();
    for (const url of ["r2:ct.pmtiles", "r2:basemap/ct.pmtiles"])
      expect(parseBasemapUrl(url)).toEqual({ from: "bucket", keys: ["basemap/ct.pmtiles", "ct.pmtiles"] });
    expect(parseBasemapUrl("https://t.example/{z}/{x}/{y}.png")).toMatchObject({
      from: "template",
      kind: "raster",
    });
    expect(parseBasemapUrl("https://t.example/{z}/{x}/{y}.pbf?key=1")).toMatchObject({ kind: "vector" });
    expect(parseBasemapUrl("https://t.example/ct.pmtiles")).toMatchObject({ from: "archive" });
    for (const bad of [
      "r2:../secret.pmtiles",
      "r2:a/b.pmtiles",
      "file:///x.pmtiles",
      "https://t.example/{z}/{x}",
    ]) {
      expect(() => parseBasemapUrl(bad)).toThrow(TypeError);
    }
    expect(EMBEDDED_BASEMAP.kind).toBe("embedded");
  });

  test("has tiles from zoom 0 to 19 only", () => {
    expect(parseTile("9", "152", "190")).toEqual({ z: 9, x: 152, y: 190 });
    for (const [z, x, y] of [
      ["20", "1", "1"],
      ["1", "2", "0"],
      ["-1", "0", "0"],
      ["01", "0", "0"],
      ["1.5", "0", "0"],
      ["9", "a", "1"],
      ["9", "", "1"],
    ] as const) {
      expect(parseTile(z, x, y)).toBeUndefined();
    }
  });

  test("unpacks what the generator packs", () => {
    const { land, places } = unpackBasemap({
      land: [[-727000, 415000, 10, -20]],
      neighbours: [],
      states: [],
      counties: [],
      places: [["Hartford", "CT", -726820, 417640, 124006]],
    });
    expect([...(land[0]?.longitudes ?? [])]).toEqual([-72.7, -72.699]);
    expect([...(land[0]?.latitudes ?? [])]).toEqual([41.5, 41.498]);
    expect(places[0]).toMatchObject({ name: "Hartford", longitude: -72.682 });
  });
});

test("software WebGL is no graphics card", () => {
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
