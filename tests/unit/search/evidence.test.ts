import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leftOutNotes, shownEvidence } from "#app/domain/search/investigate/evidence.ts";
import { MAX_EVIDENCE } from "#app/entities/search/investigate/answer.ts";

describe("the reads that a pattern search shows as evidence", () => {
  it("include reads of every place, even if one place has more than are shown", () => {
    const times = Float64Array.from({ length: 300 }, (_, row) => (row * 7919) % 300);
    const parked = Array.from({ length: 200 }, (_, i) => i);
    const { places, leftOut } = shownEvidence({ times }, [parked, [250], [260, 261]]);
    expect(places.map(({ length }) => length)).toEqual([MAX_EVIDENCE - 3, 1, 2]);
    expect(leftOut).toBe(203 - MAX_EVIDENCE);
  });

  it("are the newest of each place, newest first, up to the limit", () => {
    const world = fc.array(fc.array(fc.nat(50), { maxLength: 90 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(world, (timesOf) => {
        const times = Float64Array.from(timesOf.flat());
        let next = 0;
        const rows = timesOf.map((own) => own.map(() => next++));
        const shown = shownEvidence({ times }, rows);
        const all = rows.flat().length;
        expect(shown.places.flat().length).toBe(Math.min(all, MAX_EVIDENCE));
        expect(shown.leftOut).toBe(all - shown.places.flat().length);
        for (const [i, own] of rows.entries()) {
          const listed = shown.places[i] ?? [];
          const newest = [...own].sort((a, b) => (times[b] ?? 0) - (times[a] ?? 0) || a - b);
          expect(listed).toEqual(newest.slice(0, listed.length));
          if (own.length > 0) expect(listed.length).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe("the notes about reads that are not evidence", () => {
  it("say how many there are, and why", () => {
    expect(leftOutNotes({ unread: 0, arrivals: 0, undated: 0 })).toEqual([]);
    expect(leftOutNotes({ unread: 1, arrivals: 2000, undated: 3 })).toEqual([
      "1 read has no plate of at least 3 characters and was left out.",
      "2,000 reads have only the time of arrival and were left out.",
      "3 reads have no time and were left out.",
    ]);
  });
});
