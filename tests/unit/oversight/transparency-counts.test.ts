import { describe, expect, it } from "vitest";
import {
  dispositionsOf,
  FEW,
  knownPurpose,
  MonthCounts,
  monthsShown,
  NowCounts,
  publishMonth,
  publishNow,
  publishYear,
  spanOf,
} from "#app/entities/oversight/transparency.ts";

const COUNTS: MonthCounts = {
  searches: [
    { purpose: "investigation", count: 60, withCase: 50 },
    { purpose: "of-an-older-version", count: 2, withCase: 1 },
    { purpose: "", count: 38, withCase: 10 },
    { purpose: "crash", count: 4, withCase: 4 },
  ],
  refused: 4,
  searchers: 5,
  exports: 6,
  hits: 100,
  judged: { correct: 80, "wrong-state": 10, misread: 3, dismissed: 7 },
  purges: 2,
};
const exactly = (count: number) => ({ low: count, high: count });
const HIDDEN = { low: 1, high: 4 };
const ZERO = exactly(0);

describe("the public statistics of a month", () => {
  const month = publishMonth({
    month: "2026-10",
    counts: COUNTS,
    reviews: { findings: 12, reviewed: 5, violations: 1 },
  });

  it("show each count in its place, and purges exactly", () => {
    expect(month).toEqual({
      month: "2026-10",
      searches: { low: 101, high: 104 },
      by_purpose: [
        { purpose: "investigation", count: 60 },
        { purpose: "warrant", count: 0 },
        { purpose: "missing-person", count: 0 },
        { purpose: "stolen-vehicle", count: 0 },
        { purpose: "hit", count: 0 },
        { purpose: "crash", count: FEW },
        { purpose: "audit", count: 0 },
        { purpose: "other", count: 0 },
        { purpose: "", count: 40 },
      ],
      // 61 of 100.
      with_case_number: exactly(61),
      refused: FEW,
      searchers: 5,
      exports: 6,
      hits: 100,
      judged: { correct: 80, "wrong-state": 10, misread: FEW, dismissed: 7 },
      // 80 of 94 at least, and 80 of 91 at most.
      hit_quality: { low: 85, high: 88 },
      purges: 2,
      reviews: { findings: 12, reviewed: 5, violations: FEW },
    });
  });

  it("say nothing of findings that are not counted yet", () => {
    expect(publishMonth({ month: "2026-10", counts: COUNTS, reviews: null }).reviews).toEqual({
      findings: null,
      reviewed: null,
      violations: null,
    });
  });

  it("are zero for a review that found nothing", () => {
    expect(publishMonth({ month: "2026-10", counts: COUNTS }).reviews).toEqual({
      findings: 0,
      reviewed: 0,
      violations: 0,
    });
  });

  it.each([
    [
      { correct: 45, "wrong-state": 3, misread: 50 },
      { low: 45, high: 47 },
    ],
    [
      { correct: 2, "wrong-state": 0, misread: 6 },
      { low: 14, high: 40 },
    ],
    [{ correct: 0, "wrong-state": 9, misread: 0 }, ZERO],
    [{ correct: 0, "wrong-state": 2, misread: 0 }, ZERO],
  ])("give the hit quality of %j as %j", (judged, quality) => {
    const counts = { ...COUNTS, judged: { ...judged, dismissed: 3 } };
    expect(publishMonth({ month: "2026-10", counts }).hit_quality).toEqual(quality);
  });

  it.each([
    [200, 0, ZERO],
    // From 1 to 4 of 200, rounded.
    [200, 1, { low: 1, high: 2 }],
    [200, 4, { low: 1, high: 2 }],
    [200, 5, exactly(3)],
    [200, 195, exactly(98)],
    [200, 196, { low: 98, high: 100 }],
    [200, 199, { low: 98, high: 100 }],
    [200, 200, exactly(100)],
    [6, 3, { low: 17, high: 67 }],
  ])("give the share of %d searches of which %d have a case number as %j", (count, withCase, share) => {
    const counts = { ...COUNTS, searches: [{ purpose: "crash", count, withCase }] };
    expect(publishMonth({ month: "2026-10", counts }).with_case_number).toEqual(share);
  });

  it("are summed to those of a year, with hidden counts as one to four each", () => {
    const year = publishYear([month, month]);
    expect(year).toEqual({
      months: 2,
      searches: { low: 202, high: 208 },
      by_purpose: [
        { purpose: "investigation", count: exactly(120) },
        { purpose: "warrant", count: ZERO },
        { purpose: "missing-person", count: ZERO },
        { purpose: "stolen-vehicle", count: ZERO },
        { purpose: "hit", count: ZERO },
        { purpose: "crash", count: { low: 2, high: 8 } },
        { purpose: "audit", count: ZERO },
        { purpose: "other", count: ZERO },
        { purpose: "", count: exactly(80) },
      ],
      refused: { low: 2, high: 8 },
      exports: exactly(12),
      hits: exactly(200),
      judged: {
        correct: exactly(160),
        "wrong-state": exactly(20),
        misread: { low: 2, high: 8 },
        dismissed: exactly(14),
      },
      // 160 of 188 at least, and 160 of 182 at most.
      hit_quality: { low: 85, high: 88 },
    });
  });

  it("are zero for a year without months, and for purposes that an older version did not count", () => {
    expect(publishYear([])).toMatchObject({ months: 0, searches: ZERO, hits: ZERO, hit_quality: null });
    expect(publishYear([{ ...month, by_purpose: [] }]).by_purpose[0]).toEqual({
      purpose: "investigation",
      count: ZERO,
    });
  });
});

describe("the current counts", () => {
  const now = {
    cameras: 3,
    reads: 2,
    retention_days: 4,
    hotlist_entries: 1,
    holds: 2,
    shared_with: ["Avon PD"],
    reviews: { "2026-10": { findings: 1, reviewed: 0, violations: 0 } },
  };

  it("are published exactly except legal holds, without the findings of the review", () => {
    expect(publishNow(now)).toEqual({
      cameras: 3,
      reads: 2,
      retention_days: 4,
      hotlist_entries: 1,
      holds: FEW,
      shared_with: ["Avon PD"],
    });
    expect(publishNow({ ...now, holds: 5 }).holds).toBe(5);
  });

  it("are stored as whole numbers from zero", () => {
    expect(NowCounts.parse(now)).toEqual(now);
    expect(NowCounts.safeParse({ ...now, cameras: -1 }).success).toBe(false);
    expect(MonthCounts.parse({ ...COUNTS, hits: 0 })).toEqual({ ...COUNTS, hits: 0 });
    expect(MonthCounts.safeParse({ ...COUNTS, hits: -1 }).success).toBe(false);
    expect(MonthCounts.safeParse({ ...COUNTS, hits: 1.5 }).success).toBe(false);
  });
});

describe("the parts of the statistics", () => {
  it("are taken for each disposition, and as a span for each count", () => {
    expect(dispositionsOf((disposition) => disposition.length)).toEqual({
      correct: 7,
      "wrong-state": 11,
      misread: 7,
      dismissed: 9,
    });
    expect([spanOf(0), spanOf(7), spanOf(FEW)]).toEqual([ZERO, exactly(7), HIDDEN]);
  });

  it("know every purpose by its code, and count others as not stated", () => {
    expect(["warrant", "other", "", "Warrant", "immigration"].map(knownPurpose)).toEqual([
      "warrant",
      "other",
      "",
      "",
      "",
    ]);
  });

  it("start twelve months before the current one, or when the agency joined", () => {
    const now = Date.parse("2026-11-21T06:00:00Z");
    const first = (since: string) => monthsShown({ now, since: Date.parse(since) })[0];
    expect(first("2025-10-31T23:59:59.999Z")).toBe("2025-11");
    expect(first("2025-11-30T23:59:59.999Z")).toBe("2025-11");
    expect(first("2025-12-01T00:00:00.000Z")).toBe("2025-12");
  });
});
