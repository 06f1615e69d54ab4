import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FILTER_BUCKETS, filtersOf, isFilterOf, printOf } from "#app/entities/oversight/segment-filter.ts";

const hash = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const hashes = fc.array(hash, { maxLength: 300 });
const has = (filters: ReturnType<typeof filtersOf>, one: number) => {
  const { bucket, print } = printOf(one);
  const stored = filters.find((filter) => filter.bucket === bucket)?.prints ?? "";
  return stored.match(/.{6}/g)?.includes(print) === true;
};

describe("the filters of a segment", () => {
  it("name every hash of the segment", () => {
    fc.assert(
      fc.property(hashes, (all) => {
        const filters = filtersOf(all);
        expect(all.every((one) => has(filters, one))).toBe(true);
      }),
    );
  });

  it("are up to 64 buckets of sorted, unique fingerprints of three bytes, in any order of the hashes", () => {
    fc.assert(
      fc.property(hashes, (all) => {
        const filters = filtersOf(all);
        expect(filtersOf([...all, ...all].reverse())).toEqual(filters);
        expect(filters.length).toBeLessThanOrEqual(Math.min(FILTER_BUCKETS, all.length));
        for (const { bucket, prints } of filters) {
          expect(bucket).toBeLessThan(FILTER_BUCKETS);
          expect(prints).toMatch(/^([0-9A-F]{6})+$/);
          const each = prints.match(/.{6}/g) ?? [];
          expect(each).toEqual([...new Set(each)].sort());
        }
      }),
    );
  });

  it("take the fingerprint from the 24 bits above those of the bucket", () => {
    expect(printOf(0)).toEqual({ bucket: 0, print: "000000" });
    expect(printOf(2 ** 48 - 1)).toEqual({ bucket: 63, print: "FFFFFF" });
    expect(printOf(5 + 64 * 0xabcdef + 2 ** 30 * 7)).toEqual({ bucket: 5, print: "ABCDEF" });
    expect(printOf(63 + 64)).toEqual({ bucket: 63, print: "000001" });
  });

  it("rarely name another hash", () => {
    let seed = 1;
    const next = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    const random = () => (next() % 2 ** 24) * 2 ** 24 + (next() % 2 ** 24);
    const filters = filtersOf(Array.from({ length: 6_000 }, random));
    const named = Array.from({ length: 20_000 }, random).filter((one) => has(filters, one));
    expect(named.length).toBeLessThan(5);
  });

  it("are compared exactly", () => {
    fc.assert(
      fc.property(hashes, hash, (all, other) => {
        const filters = filtersOf(all);
        expect(isFilterOf(filters.toReversed(), all)).toBe(true);
        if (has(filters, other)) return;
        expect(isFilterOf(filtersOf([...all, other]), all)).toBe(false);
        expect(isFilterOf(filters, [...all, other])).toBe(false);
      }),
    );
  });
});
