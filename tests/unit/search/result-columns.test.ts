import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decodeLocators,
  locatorsFile,
  locatorsText,
  offsetsRange,
  textRange,
} from "#app/entities/search/image-locators.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { appendSightings, createColumns } from "#app/entities/search/result-builder.ts";
import { decodeColumns, encodeColumns } from "#app/entities/search/result-codec.ts";
import { newestFirst, placeAt, rowAt, WORDS } from "#app/entities/search/result-columns.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { at } from "#app/lib/at.ts";

const text = fc.oneof(
  fc.constantFrom("", "Camera 2", "Camera 10", "מצלמה צפון", "🚓 Main St", "x".repeat(5000)),
  fc.string({ unit: "grapheme" }).map((value) => value.replace(/[\r\n]/g, " ")),
);
const id = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString("hex"));

const sighting: fc.Arbitrary<Sighting> = fc.record({
  id,
  program: fc.constantFrom(...SOURCE_PROGRAMS),
  sourceId: text,
  agency: text,
  plate: text,
  plateState: text,
  make: text,
  color: text,
  bodyType: text,
  capturedAt: fc.option(fc.constantFrom(0, 1, 1_763_700_000_000, -5, 9e15), { nil: null }),
  cameraName: text,
  latitude: fc.option(fc.double({ min: -90, max: 90 }), { nil: null }),
  longitude: fc.option(fc.double({ min: -180, max: 180 }), { nil: null }),
  confidence: fc.option(fc.integer({ min: 0, max: 100 }), { nil: null }),
  vehicleImage: fc.option(fc.constant("v"), { nil: null }),
  plateImage: fc.option(fc.constant("p"), { nil: null }),
  plateCorners: fc.constant(null),
  timeIsArrival: fc.boolean(),
});

function encoded(sightings: Sighting[]) {
  const builder = createColumns();
  appendSightings(builder, sightings);
  const order = newestFirst(builder);
  return { builder, order, columns: decodeColumns(encodeColumns(builder, order)) };
}

describe("result columns", () => {
  test("decode every row unchanged, in the encoded order", () => {
    fc.assert(
      fc.property(fc.array(sighting, { maxLength: 40 }), (sightings) => {
        const { builder, order, columns } = encoded(sightings);
        expect(columns.count).toBe(builder.count);
        for (let row = 0; row < columns.count; row++) {
          expect(rowAt(columns, row)).toEqual({ ...rowAt(builder, at(order, row)), row });
          const original = sightings.find((one) => one.id === rowAt(columns, row).id);
          expect(original).toBeDefined();
          expect(rowAt(columns, row).timeIsArrival).toBe(original?.timeIsArrival);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("keep their words sorted, the empty word first", () => {
    fc.assert(
      fc.property(fc.array(sighting, { minLength: 1, maxLength: 40 }), (sightings) => {
        const { columns } = encoded(sightings);
        const collator = new Intl.Collator("en", { numeric: true });
        for (const word of WORDS) {
          const words = columns.dictionaries[word];
          expect(words.length).toBe(new Set(words).size);
          expect(words.indexOf("")).toBeLessThan(1);
          for (let i = 1; i < words.length; i++) {
            expect(collator.compare(at(words, i - 1), at(words, i))).toBeLessThanOrEqual(0);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test("sort the empty word before a word that the collation ignores", () => {
    const samples = fc.sample(sighting, 2);
    const [one, other] = [at(samples, 0), at(samples, 1)];
    const { columns } = encoded([
      { ...one, id: "0".repeat(32), make: "\uFE73" },
      { ...other, id: "1".repeat(32), make: "" },
    ]);
    expect(columns.dictionaries.make).toEqual(["", "\uFE73"]);
  });

  test("are newest first, a missing time last", () => {
    fc.assert(
      fc.property(fc.array(sighting, { maxLength: 40 }), (sightings) => {
        const { columns } = encoded(sightings);
        const times = Array.from(columns.times, (time) =>
          Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time,
        );
        expect(times).toEqual([...times].sort((a, b) => b - a));
      }),
    );
  });

  test("drop duplicate reads", () => {
    const one = at(fc.sample(sighting, 1), 0);
    const builder = createColumns();
    expect(appendSightings(builder, [one, { ...one, plate: "OTHER" }])).toBe(1);
    expect(appendSightings(builder, [one])).toBe(0);
  });

  test("store no coordinates that are not finite numbers", () => {
    const one = at(fc.sample(sighting, 1), 0);
    const { columns } = encoded([{ ...one, latitude: Number.NaN, longitude: Number.POSITIVE_INFINITY }]);
    expect(placeAt(columns, 0)).toBeNull();
    expect(rowAt(columns, 0)).toMatchObject({ latitude: null, longitude: null });
  });

  test("refuse bytes of another format or a truncated file", () => {
    const bytes = encodeColumns(createColumns(), new Uint32Array());
    expect(decodeColumns(bytes).count).toBe(0);
    expect(() => decodeColumns(new Uint8Array(4))).toThrow(TypeError);
    expect(() => decodeColumns(new TextEncoder().encode("<!doctype html><title>Odin</title>"))).toThrow(
      TypeError,
    );
    const { builder, order } = encoded(fc.sample(sighting, 20));
    const whole = encodeColumns(builder, order);
    for (const length of [14, 200, whole.length - 8]) {
      expect(() => decodeColumns(whole.slice(0, length))).toThrow(TypeError);
    }
  });

  test("decode from the middle of a larger buffer", () => {
    const { builder, order } = encoded(fc.sample(sighting, 5));
    const whole = encodeColumns(builder, order);
    const larger = new Uint8Array(whole.length + 3);
    larger.set(whole, 3);
    expect(rowAt(decodeColumns(larger.subarray(3)), 2)).toEqual(rowAt(decodeColumns(whole), 2));
  });

  test("of 20,000 reads take at most 20 % of the bytes of JSON, 60 % after gzip", () => {
    const sightings = Array.from({ length: 20_000 }, (_, i) => plausible(i));
    const { builder, order } = encoded(sightings);
    const bytes = encodeColumns(builder, order);
    const json = Buffer.from(JSON.stringify(sightings));
    expect(bytes.length / json.length).toBeLessThan(0.2);
    expect(gzipSync(bytes).length / gzipSync(json).length).toBeLessThan(0.6);
  });
});

function plausible(i: number): Sighting {
  const random = (salt: number) => Math.abs(Math.sin(i * 12.9898 + salt * 78.233) * 43758.5453) % 1;
  const hexes = Array.from({ length: 4 }, (_, part) =>
    Math.floor(random(part) * 2 ** 32)
      .toString(16)
      .padStart(8, "0"),
  );
  const camera = Math.floor(random(5) * 400);
  return {
    id: hexes.join(""),
    program: at(SOURCE_PROGRAMS, i % 3),
    sourceId: `source-${camera % 14}`,
    agency: `Agency of Town ${camera % 14}`,
    plate: `${Math.floor(random(6) * 36 ** 6)
      .toString(36)
      .toUpperCase()
      .padStart(6, "A")}`,
    plateState: at(["CT", "NY", "MA", "RI"], Math.floor(random(7) * 4)),
    make: at(["Toyota", "Ford", "Honda", "Subaru"], Math.floor(random(8) * 4)),
    color: at(["White", "Black", "Silver/Gray"], Math.floor(random(9) * 3)),
    bodyType: at(["SUV", "sedan-standard", "van-mini"], Math.floor(random(10) * 3)),
    capturedAt: 1_763_700_000_000 - Math.floor(random(11) * 90 * 86_400_000),
    cameraName: `Camera ${camera} at Main Street`,
    latitude: 41.5 + camera / 1000,
    longitude: -72.7 - camera / 900,
    confidence: 70 + Math.floor(random(12) * 30),
    vehicleImage: hexes.slice(0, 2).join("-"),
    plateImage: hexes.slice(2).join("-"),
    plateCorners: null,
  };
}

describe("image locators", () => {
  const locator = fc.option(fc.string({ unit: "grapheme", maxLength: 40 }), { nil: null });

  test("decode unchanged for any order of the rows", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(locator, locator, fc.boolean()), { minLength: 1, maxLength: 40 }),
        (given) => {
          const rows = given.map(([vehicle, plate, isPart], i) => ({
            sourceId: `source-${i % 3}`,
            vehicle,
            plate: isPart && vehicle !== null ? `${vehicle}|1|2` : plate,
          }));
          const order = Uint32Array.from(rows, (_, i) => rows.length - 1 - i);
          const encoder = new TextEncoder();
          const file = locatorsFile(order, (row) => encoder.encode(locatorsText(at(rows, row))));
          for (let i = 0; i < order.length; i++) {
            const offsets = offsetsRange(i);
            const range = textRange(
              file.slice(offsets.offset, offsets.offset + offsets.length),
              order.length,
            );
            const text = file.slice(range.offset, range.offset + range.length);
            expect(decodeLocators(text)).toEqual(rows[at(order, i)]);
          }
        },
      ),
    );
  });
});
