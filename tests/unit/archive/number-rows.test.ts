import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Column,
  createNumberRows,
  cutColumns,
  MAX_BYTES,
  NO_BITS,
  NO_RUN,
  OLDEST,
  widthOf,
} from "#app/store/archive/number-rows.ts";

const COLUMNS: Column[] = [
  ["id", "id"],
  ["since", "since"],
  ["run", "run"],
  ["low", "bits"],
  ["high", "bits"],
];

/** Cuts a row as SQLite does: a text that is too short gives "", which is 0 as a number. */
function cut(row: string): number[] {
  return cutColumns(COLUMNS).map((sql) => {
    const [, place, digits, least] =
      /substr\(CAST\(value AS BLOB\), (\d+), (\d+)\) AS INTEGER\) \+ \((-?\d+)\)/.exec(sql) ?? [];
    const start = Number(place) - 1;
    return Number(row.slice(start, start + Number(digits))) + Number(least);
  });
}

describe("rows of numbers", () => {
  const bits = fc.integer({ min: 0, max: 2 ** 47 - 1 });
  const row = fc.tuple(
    fc.integer({ min: 1, max: 1e15 }),
    fc.integer({ min: OLDEST, max: 8.64e15 }),
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    bits,
    bits,
  );

  it("are cut into the same numbers", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        const written = createNumberRows();
        for (const numbers of rows) {
          written.begin();
          for (const [i, [, kind]] of COLUMNS.entries()) written.number(numbers[i] ?? 0, kind);
          written.text("[1,2]");
          written.end();
        }
        const texts: string[] = written.values().flatMap((value) => JSON.parse(value));
        expect(texts.map(cut)).toEqual(rows);
        for (const text of texts) expect(text.slice(widthOf(COLUMNS))).toBe("[1,2]");
      }),
    );
  });

  it("may omit trailing fields", () => {
    const written = createNumberRows();
    written.begin();
    written.number(7, "id");
    written.number(0, "since");
    written.end();
    const [json = "[]"] = written.values();
    expect(cut(JSON.parse(json)[0])).toEqual([7, 0, NO_RUN, NO_BITS, NO_BITS]);
  });

  it("are divided into values of a size that D1 accepts", () => {
    const written = createNumberRows();
    const count = (2.5 * MAX_BYTES) / 19;
    for (let id = 0; id < count; id++) {
      written.begin();
      written.number(id, "id");
      written.end();
    }
    const values = written.values();
    expect(values.length).toBe(3);
    for (const value of values) expect(value.length).toBeLessThan(MAX_BYTES + 100);
    expect(values.flatMap((value) => JSON.parse(value))).toHaveLength(Math.ceil(count));
  });
});
