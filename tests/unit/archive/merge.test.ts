import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { at } from "#app/lib/at.ts";
import { fetchInOrder, joinNewestFirst } from "#app/store/archive/merge.ts";

describe("merging", () => {
  it("returns all rows newest first, one page at a time, and reports where it stopped", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(50), { maxLength: 30 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 0, max: 60 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        async (lists, pageSize, maxRows, inTurn, oneIn) => {
          const all = lists.flatMap((times, s) => times.sort((a, b) => b - a).map((at, i) => ({ at, i, s })));
          const next = (s: number) => {
            const rest = all.filter((row) => row.s === s);
            return async (limit: number) => {
              const rows = rest.splice(0, limit);
              // An answer may be short although there are more rows, and then says when the next ones are at most.
              const ended = rest.length === 0 && rows.length < limit;
              return { rows, ended, rest: rest[0] && rest[0].at + (s % 3) };
            };
          };
          const isWanted = (row: { i: number }) => row.i % oneIn === 0;
          const sources = lists.map((times, s) => ({
            newest: inTurn ? (times[0] ?? 50) + (s % 2) : Number.POSITIVE_INFINITY,
            next: next(s),
          }));
          const { signal } = new AbortController();
          const given = [];
          let truncated = false;
          for await (const page of joinNewestFirst({
            sources,
            pageSize,
            maxRows,
            timeOf: (row) => row.at,
            idOf: (row) => `${row.s}.${row.i}`,
            open: async (rows) => rows.filter(isWanted).map((row) => row.at),
            signal,
          })) {
            expect(truncated).toBe(false);
            expect(page.rows.length).toBeLessThanOrEqual(pageSize);
            given.push(...page.rows);
            truncated = page.truncated;
          }
          const wanted = all.filter(isWanted).map((row) => row.at);
          expect(given).toEqual(wanted.sort((a, b) => b - a).slice(0, maxRows));
          expect(truncated).toBe(wanted.length > maxRows);
        },
      ),
    );
  });

  it("of parts one after the other returns all rows in order, and a bound for the next ones", async () => {
    const sizes = fc.array(fc.nat(20), { minLength: 1, maxLength: 6 });
    const shares = fc.constantFrom(1 / 8, 2 / 3, 1);
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 30 }), shares, async (lists, limit, share) => {
        const newest = lists.length * 100;
        const parts = lists.map((count, n) =>
          Array.from({ length: count }, (_, i) => newest - 100 * n - 1 - i),
        );
        const asked: (string | undefined)[] = [];
        const given: number[] = [];
        let prepared = 0;
        const fetch = fetchInOrder<number, string>({
          share,
          newest: () => (prepared < parts.length ? newest - 100 * prepared : undefined),
          prepare: async ({ found, wanted }) => {
            expect(found).toBe(parts.slice(0, prepared).flat().length);
            expect(wanted).toBe(limit - (found - given.length));
            const rest = [...at(parts, prepared++)];
            return async (most, check) => {
              asked.push(check);
              const page = rest.splice(0, most);
              return { rows: page, ended: page.length < most };
            };
          },
        });
        for (let first: string | undefined = "first"; ; first = undefined) {
          const answer = await fetch(limit, first);
          given.push(...(answer?.rows ?? []));
          if (answer?.ended) break;
          const next = parts.flat()[given.length] ?? Number.NEGATIVE_INFINITY;
          expect(answer?.rest ?? Number.POSITIVE_INFINITY).toBeGreaterThan(next);
        }
        expect(given).toEqual(parts.flat());
        expect(asked.filter((check) => check !== undefined)).toEqual(["first"]);
      }),
    );
  });

  it("stops waiting when it is aborted", async () => {
    const controller = new AbortController();
    const pages = joinNewestFirst<number, number>({
      sources: [{ newest: 0, next: () => new Promise(() => {}) }],
      pageSize: 10,
      maxRows: 10,
      timeOf: (row) => row,
      idOf: String,
      open: async (rows) => rows,
      signal: controller.signal,
    });
    const first = pages.next();
    controller.abort(new Error("given up"));
    await expect(first).rejects.toThrow("given up");
  });
});
