import { describe, expect, it } from "vitest";
import { appendSightings, createColumns } from "#app/entities/search/result-builder.ts";
import {
  coordinateOf,
  coordinateOffsets,
  decodeColumns,
  encodeColumns,
  encodeRows,
} from "#app/entities/search/result-codec.ts";
import { idAt, NO_COORDINATE, placeAt, rowAt } from "#app/entities/search/result-columns.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { sightingId } from "../../../support/search/sighting.ts";

const numbered = (n: number, part: Partial<Sighting> = {}): Sighting => ({
  id: sightingId(n),
  program: "Axon",
  sourceId: "axon-1",
  agency: "Berlin",
  plate: `P${n}`,
  plateState: "CT",
  make: n % 2 === 0 ? "Honda" : "Ford",
  color: "Red",
  bodyType: "SUV",
  capturedAt: 1_763_700_000_000 + n,
  cameraName: "Main St",
  latitude: 41 + n,
  longitude: -72 - n,
  confidence: n,
  vehicleImage: null,
  plateImage: "p",
  timeIsArrival: n % 2 === 1,
  plateCorners: null,
  ...part,
});
function columnsOf(sightings: Sighting[], match?: Parameters<typeof createColumns>[0]) {
  const builder = createColumns(match);
  appendSightings(builder, sightings);
  return builder;
}
const rows = (count: number) => Uint32Array.from({ length: count }, (_, row) => row);
const coded = (sightings: Sighting[]) =>
  decodeColumns(encodeColumns(columnsOf(sightings), rows(sightings.length)));
const plates = (texts: string[]) => coded(texts.map((plate, n) => numbered(n, { plate })));

describe("the words of an encoded set", () => {
  it("are sorted with numbers as numbers, and by code units where they are equal", () => {
    const columns = plates(["Camera 10", "camera 2", "Camera 2", "Camera 1", "", "Élan", "\uFE73"]);
    expect(columns.dictionaries.plate).toEqual([
      "",
      "\uFE73",
      "Camera 1",
      "camera 2",
      "Camera 2",
      "Camera 10",
      "Élan",
    ]);
    expect([...columns.words.plate]).toEqual([5, 3, 4, 2, 0, 6, 1]);
  });

  it("are sorted by code units if there are more than 5,000", () => {
    const few = plates(Array.from({ length: 5000 }, (_, n) => `Camera ${5000 - n}`));
    expect(few.dictionaries.plate.slice(0, 3)).toEqual(["Camera 1", "Camera 2", "Camera 3"]);
    const many = plates(Array.from({ length: 5001 }, (_, n) => `Camera ${5001 - n}`));
    expect(many.dictionaries.plate.slice(0, 3)).toEqual(["Camera 1", "Camera 10", "Camera 100"]);
    expect(many.dictionaries.plate.at(-1)).toBe("Camera 999");
    expect(rowAt(many, 0).plate).toBe("Camera 5001");
  });

  it("have codes of one, two or four bytes, as many as there are", () => {
    const bytesOf = (count: number) => {
      const one = columnsOf([numbered(1)]);
      one.dictionaries.plate = Array.from({ length: count }, (_, n) => `P${n}`);
      one.words.plate[0] = count - 1;
      const columns = decodeColumns(encodeColumns(one, rows(1)));
      expect(rowAt(columns, 0).plate).toBe(`P${count - 1}`);
      return columns.words.plate.BYTES_PER_ELEMENT;
    };
    expect([256, 257, 65_536, 65_537].map(bytesOf)).toEqual([1, 2, 2, 4]);
  });

  it("have spaces instead of line breaks", () => {
    expect(plates(["A\nB\r\nC"]).dictionaries.plate).toEqual(["A B  C"]);
  });

  it("have a column of matches only in a search with look-alikes", () => {
    const match = { score: 0.9, reason: "B read as 8" };
    const builder = columnsOf(
      [1, 2].map((n) => numbered(n)),
      (plate) => (plate === "P2" ? match : undefined),
    );
    const columns = decodeColumns(encodeColumns(builder, rows(2)));
    expect([rowAt(columns, 0).match, rowAt(columns, 1).match]).toEqual([undefined, match]);
    expect(columns.dictionaries.match).toEqual(["", "0.90 B read as 8"]);
    const plain = encodeColumns(columnsOf([numbered(1)]), rows(1));
    expect(new TextDecoder().decode(plain)).not.toContain("match words");
    const without = decodeColumns(plain);
    expect([without.dictionaries.match, [...without.words.match], rowAt(without, 0).match]).toEqual([
      [""],
      [0],
      undefined,
    ]);
  });
});

describe("the rows of an encoded set", () => {
  const builder = columnsOf([1, 2, 3, 4, 5].map((n) => numbered(n)));

  it("are in the given order", () => {
    const columns = decodeColumns(encodeColumns(builder, Uint32Array.of(4, 0, 2)));
    expect(columns.count).toBe(3);
    expect([0, 1, 2].map((row) => rowAt(columns, row))).toEqual(
      [4, 0, 2].map((from, row) => ({ ...rowAt(builder, from), row })),
    );
    expect([0, 1, 2].map((row) => idAt(columns, row))).toEqual([5, 1, 3].map((n) => numbered(n).id));
  });

  it("may be some of a decoded set, with only their own words", () => {
    const whole = decodeColumns(encodeColumns(builder, rows(5)));
    const few = decodeColumns(encodeRows(whole, Uint32Array.of(3, 1)));
    expect([0, 1].map((row) => rowAt(few, row))).toEqual(
      [3, 1].map((from, row) => ({ ...rowAt(builder, from), row })),
    );
    expect([few.dictionaries.plate, few.dictionaries.make]).toEqual([["P2", "P4"], ["Honda"]]);
    expect(decodeColumns(encodeRows(whole, new Uint32Array())).count).toBe(0);
  });
});

describe("the bytes of an encoded set", () => {
  const sightings = [numbered(1), numbered(2, { latitude: null })];
  const bytes = encodeColumns(columnsOf(sightings), rows(2));
  const view = new DataView(bytes.buffer);

  it("start with its magic, its version and the length of its header", () => {
    expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe("ODIN");
    expect([view.getUint16(4, true), view.getUint16(6, true)]).toEqual([3, 0]);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + view.getUint32(8, true))));
    expect(header.count).toBe(2);
    const offsets: number[] = header.columns.map(({ offset }: { offset: number }) => offset);
    expect(offsets.every((offset) => offset % 8 === 0)).toBe(true);
    expect(bytes.length % 8).toBe(0);
  });

  it("have the coordinates of a row at known places", () => {
    const found = (row: number) => {
      const offsets = coordinateOffsets(bytes.slice(0, 8192), row);
      return (
        offsets && [offsets.latitude, offsets.longitude].map((at) => coordinateOf(bytes.slice(at, at + 4)))
      );
    };
    expect([found(0), found(1), found(2)]).toEqual([[42, -73], [null, -74], null]);
    const within = new Uint8Array(bytes.length + 5);
    within.set(bytes, 5);
    expect(coordinateOffsets(within.subarray(5), 1)).toEqual(coordinateOffsets(bytes, 1));
    const value = new Uint8Array(Int32Array.of(7, 41_765_432, NO_COORDINATE).buffer);
    expect([coordinateOf(value.subarray(4, 8)), coordinateOf(value.subarray(8))]).toEqual([41.765432, null]);
  });

  const changed = (change: (copy: Uint8Array<ArrayBuffer>, view: DataView) => void) => {
    const copy = bytes.slice();
    change(copy, new DataView(copy.buffer));
    return () => decodeColumns(copy);
  };
  /** Renames a column in the header, to another name of the same length. */
  const renamed = (from: string, to: string) =>
    changed((copy) => {
      const at = new TextDecoder("latin1").decode(copy).indexOf(`"${from}"`);
      copy.set(new TextEncoder().encode(`"${to}"`), at);
    });

  it("are refused if they are not a set, or end too early", () => {
    expect(changed((copy) => copy.set([0x4f, 0x44, 0x49, 0x4f]))).toThrow(new TypeError("not a result set"));
    expect(changed((_, view) => view.setUint16(4, 2, true))).toThrow(new TypeError("not a result set"));
    expect(() => decodeColumns(bytes.slice(0, 11))).toThrow(new TypeError("not a result set"));
    const early = new TypeError("a result set that ends too early");
    expect(() => decodeColumns(bytes.slice(0, 12))).toThrow(early);
    expect(() => decodeColumns(bytes.slice(0, -1))).toThrow(early);
    expect(changed((_, view) => view.setUint32(8, 20, true))).toThrow(early);
    expect(() => coordinateOffsets(bytes.slice(0, 40), 0)).toThrow(early);
  });

  it.each(["times", "latitudes", "ids", "plate", "plate words", "flags"])(
    "are refused without %s",
    (name) => {
      expect(renamed(name, "x".repeat(name.length))).toThrow(new TypeError(`a result set without ${name}`));
    },
  );

  it("are read where they are not aligned, and have places of their own", () => {
    for (const by of [1, 4, 8]) {
      const larger = new Uint8Array(bytes.length + by);
      larger.set(bytes, by);
      const columns = decodeColumns(larger.subarray(by));
      expect([placeAt(columns, 0), rowAt(columns, 1).plate]).toEqual([
        { latitude: 42, longitude: -73 },
        "P2",
      ]);
    }
  });
});
