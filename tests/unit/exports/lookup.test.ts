import fc from "fast-check";
import { expect, it } from "vitest";
import { createLookup } from "#app/domain/exports/lookup.ts";
import type { WantedRecord } from "#app/entities/exports/request.ts";
import type { ResultColumns } from "#app/entities/search/result-columns.ts";
import { at } from "#app/lib/at.ts";

type Read = { plate: string; camera: string; agency: string; program: number; time: number };

const PROGRAMS = ["Rekor", "Axon", "Axis"];

/** The columns that a lookup reads, newest first as in most stored sets, or in the given order. */
function columnsOf(reads: readonly Read[], isNewestFirst = true): { columns: ResultColumns; sorted: Read[] } {
  const sorted = [...reads];
  if (isNewestFirst)
    sorted.sort((a, b) => {
      if (Number.isNaN(a.time)) return Number.isNaN(b.time) ? 0 : 1;
      return Number.isNaN(b.time) ? -1 : b.time - a.time;
    });
  const words = (word: "plate" | "camera" | "agency") =>
    Uint32Array.from(sorted, (_, row) => row * 3 + ["plate", "camera", "agency"].indexOf(word));
  const texts = sorted.flatMap(({ plate, camera, agency }) => [plate, camera, agency]);
  const columns = {
    count: sorted.length,
    ids: new Uint8Array(sorted.length * 16),
    times: Float64Array.from(sorted, ({ time }) => time),
    programs: Uint8Array.from(sorted, ({ program }) => program),
    words: { plate: words("plate"), camera: words("camera"), agency: words("agency") },
    dictionaries: { plate: texts, camera: texts, agency: texts },
  };
  return { columns: columns as unknown as ResultColumns, sorted };
}

const read = fc.record({
  plate: fc.constantFrom("", "AB1", "AB2"),
  camera: fc.constantFrom("North", "South"),
  agency: fc.constantFrom("Hartford", "Avon"),
  program: fc.nat(2),
  time: fc.constantFrom(1000, 2000, 3000, Number.NaN),
});

const wantedOf = (one: Read): WantedRecord => ({
  plate: one.plate.toLowerCase(),
  timestamp: Number.isNaN(one.time) ? "" : new Date(one.time).toISOString(),
  camera_name: one.camera,
  agency: one.agency,
  source_program: at(PROGRAMS, one.program),
});

const keyOf = (one: Read) =>
  JSON.stringify([one.plate, one.camera, one.agency, one.program, String(one.time)]);

it("finds the same reads as a scan of all rows, in the first set that has them, and names the missing ones", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(read, { maxLength: 30 }), { maxLength: 3 }),
      fc.array(read, { maxLength: 20 }),
      (sets, asked) => {
        const lookup = createLookup(asked.map(wantedOf));
        const open = new Map<string, number>();
        for (const one of asked) open.set(keyOf(one), (open.get(keyOf(one)) ?? 0) + 1);
        for (const set of sets) {
          const { columns, sorted } = columnsOf(set);
          const here = new Map(open);
          const expected = sorted.flatMap((one, row) => {
            const left = here.get(keyOf(one)) ?? 0;
            here.set(keyOf(one), left - 1);
            return left > 0 ? [row] : [];
          });
          const mayHave = sorted.some((one) => (open.get(keyOf(one)) ?? 0) > 0);
          if (mayHave) expect(lookup.mayBeIn({ from: 0, to: 4000 })).toBe(true);
          expect(lookup.take(columns)).toEqual(expected);
          for (const row of expected) open.delete(keyOf(at(sorted, row)));
        }
        const missing = asked.flatMap((one, i) => (open.has(keyOf(one)) ? [i] : []));
        expect(lookup.missing()).toEqual(missing);
      },
    ),
  );
});

it.each([
  ["2026-11-20T14:03:07.123Z", [1]],
  ["2026-11-20T09:03:07.123-05:00", [1]],
  ["2026-11-20T14:03:07.12Z", [1]],
  ["2026-11-20T14:03:07.1Z", [1]],
  ["2026-11-20 14:03:07+00", [0]],
  ["2026-11-20T14:03:07.2Z", []],
  ["2026-11-20T14:03:06Z", [2]],
  ["2026-11-20T14:03:05Z", []],
])("finds a read by its time without all digits of the second: %s", (timestamp, rows) => {
  const times = ["2026-11-20T14:03:07.900Z", "2026-11-20T14:03:07.123Z", "2026-11-20T14:03:06.999Z"];
  const reads = times.map(
    (time): Read => ({ plate: "AB1", camera: "North", agency: "Avon", program: 0, time: Date.parse(time) }),
  );
  const lookup = createLookup([{ ...wantedOf(at(reads, 0)), timestamp }]);
  expect(lookup.take(columnsOf(reads).columns)).toEqual(rows);
  expect(lookup.missing()).toEqual(rows.length === 0 ? [0] : []);
});

it("finds reads in a set that is not newest first, as those of searches with look-alikes are", () => {
  fc.assert(
    fc.property(fc.array(read, { minLength: 1, maxLength: 30 }), fc.nat(), (reads, n) => {
      const { columns, sorted } = columnsOf(reads, false);
      const asked = at(reads, n % reads.length);
      const lookup = createLookup([wantedOf(asked)]);
      expect(lookup.take(columns)).toEqual([sorted.findIndex((one) => keyOf(one) === keyOf(asked))]);
      expect(lookup.missing()).toEqual([]);
    }),
  );
});
