import { describe, expect, it } from "vitest";
import {
  FEW,
  isSettled,
  type MonthCounts,
  monthsShown,
  publishMonth,
  publishYear,
  type ReviewCounts,
  type Shown,
  shown,
  spanOf,
} from "#app/entities/oversight/transparency.ts";
import { plainLines, slugsOf } from "#app/entities/oversight/transparency-page.ts";
import { statisticWords } from "#app/entities/oversight/transparency-words.ts";
import { monthName, monthOf, monthStart, monthsFrom } from "#app/lib/time/months.ts";

const NONE = { correct: 0, "wrong-state": 0, misread: 0, dismissed: 0 };

function counts(over: Partial<MonthCounts> = {}): MonthCounts {
  return {
    searches: [],
    refused: 0,
    searchers: 0,
    exports: 0,
    hits: 0,
    judged: NONE,
    purges: 0,
    ...over,
  };
}

function searches(of: Record<string, number>, withCase: Record<string, number> = {}) {
  return Object.entries(of).map(([purpose, count]) => ({ purpose, count, withCase: withCase[purpose] ?? 0 }));
}

const publish = (over: Partial<MonthCounts>, month = "2026-10", reviews?: ReviewCounts) =>
  publishMonth({ month, counts: counts(over), reviews });

describe("a published count", () => {
  it("hides one to four, but not zero or five", () => {
    expect([0, 1, 2, 3, 4, 5, 6].map(shown)).toEqual([0, FEW, FEW, FEW, FEW, 5, 6]);
    expect(statisticWords(FEW)).toBe("<5");
    expect(statisticWords({ low: 1234, high: 1240 })).toBe("1,234–1,240");
    expect(statisticWords({ low: 7, high: 7 })).toBe("7");
  });

  it("is the same for every hidden value, in everything published about a month", () => {
    const published = (hidden: number) =>
      publish(
        {
          searches: searches(
            { investigation: 120, warrant: hidden, "": 17 },
            { investigation: 100, warrant: hidden, "": 3 },
          ),
          refused: hidden,
          searchers: hidden,
          exports: hidden,
          hits: hidden,
          judged: { correct: 40, "wrong-state": hidden, misread: 9, dismissed: hidden },
        },
        "2026-10",
        { findings: 7, reviewed: hidden, violations: hidden },
      );
    for (const hidden of [2, 3, 4]) expect(published(hidden)).toEqual(published(1));
    const year = (hidden: number) => publishYear([published(hidden), publish({ hits: 12 }, "2026-09")]);
    for (const hidden of [2, 3, 4]) expect(year(hidden)).toEqual(year(1));
  });

  it("cannot be derived from totals, which are given as ranges", () => {
    const month = publish({ searches: searches({ investigation: 50, warrant: 3, crash: 1 }) });
    expect(month.searches).toEqual({ low: 52, high: 58 });
    const others = month.by_purpose.reduce((sum, { count }) => sum + (count === FEW ? 0 : count), 0);
    expect(month.searches.low - others).toBe(2);
    expect(month.searches.high - others).toBe(8);
    expect(publish({ searches: searches({ investigation: 50, warrant: 5 }) }).searches).toEqual({
      low: 55,
      high: 55,
    });
  });

  it("excludes hidden purposes from the share of case numbers, and gives a range if few lack one", () => {
    const share = (withCase: number, hidden: number) =>
      publish({
        searches: searches(
          { investigation: 100, warrant: hidden },
          { investigation: withCase, warrant: hidden },
        ),
      }).with_case_number;
    expect(share(80, 4)).toEqual({ low: 80, high: 80 });
    expect(share(98, 1)).toEqual({ low: 96, high: 99 });
    expect(share(97, 3)).toEqual({ low: 96, high: 99 });
    expect(share(3, 3)).toEqual({ low: 1, high: 4 });
    expect(share(100, 3)).toEqual({ low: 100, high: 100 });
    expect(publish({ searches: searches({ warrant: 3 }) }).with_case_number).toBeNull();
  });

  it("computes hit quality as the share of correct hits, as a range if a count is hidden", () => {
    const quality = (judged: Partial<typeof NONE>) => publish({ judged: { ...NONE, ...judged } }).hit_quality;
    expect(quality({ correct: 90, "wrong-state": 5, misread: 5 })).toEqual({ low: 90, high: 90 });
    expect(quality({ correct: 90, dismissed: 70 })).toEqual({ low: 100, high: 100 });
    expect(quality({ correct: 50, misread: 2 })).toEqual({ low: 93, high: 98 });
    expect(quality({})).toBeNull();
    expect(quality({ dismissed: 9 })).toBeNull();
  });

  it("counts an unknown purpose code as not stated", () => {
    const month = publish({ searches: searches({ "of-an-older-version": 6, "": 2 }) });
    expect(month.by_purpose.at(-1)).toEqual({ purpose: "", count: 8 });
    expect(month.by_purpose.slice(0, -1).every(({ count }) => count === 0)).toBe(true);
  });

  it("is summed over months", () => {
    const year = publishYear([publish({ hits: 10 }, "2026-09"), publish({ hits: 20 }, "2026-10")]);
    expect(year).toMatchObject({ months: 2, hits: { low: 30, high: 30 } });
  });

  it("is always within its range", () => {
    for (let count = 0; count < 12; count++) {
      const value: Shown = shown(count);
      const { low, high } = spanOf(value);
      expect(low <= count && count <= high).toBe(true);
    }
  });
});

describe("hits that the agency no longer keeps", () => {
  const unknown = publish({ hits: null, judged: null }, "2026-09");

  it("are a dash, and no part of the year; a year without any known month has a dash too", () => {
    expect(unknown).toMatchObject({ hits: null, judged: null, hit_quality: null });
    expect(statisticWords(unknown.hits)).toBe("–");
    expect(publishYear([unknown, publish({ hits: 12 })])).toMatchObject({
      months: 2,
      hits: { low: 12, high: 12 },
      judged: { correct: { low: 0, high: 0 } },
    });
    expect(publishYear([unknown])).toMatchObject({ hits: null, judged: null, hit_quality: null });
  });
});

describe("the months of the page", () => {
  const at = (text: string) => Date.parse(text);

  it("are the last twelve completed ones: the current month would reveal single actions between two views", () => {
    const months = monthsShown({ now: at("2026-11-21T06:00:00Z"), since: 0 });
    expect(months).toHaveLength(12);
    expect([months[0], months.at(-1)]).toEqual(["2025-11", "2026-10"]);
    const end = at("2026-12-01T00:00:00Z");
    expect(monthsShown({ now: end + 3_599_999, since: 0 }).at(-1)).toBe("2026-10");
    expect(monthsShown({ now: end + 3_600_000, since: 0 }).at(-1)).toBe("2026-11");
  });

  it("start with the month in which the agency joined; none at first, even with a wrong clock", () => {
    const now = at("2026-11-21T06:00:00Z");
    expect(monthsShown({ now, since: at("2026-09-30T23:59:59Z") })).toEqual(["2026-09", "2026-10"]);
    expect(monthsShown({ now, since: now })).toEqual([]);
    expect(monthsShown({ now, since: at("2027-02-01T00:00:00Z") })).toEqual([]);
  });

  it("begin at midnight UTC, across years and leap days", () => {
    expect(monthOf(at("2026-12-31T23:59:59.999Z"))).toBe("2026-12");
    expect(monthOf(at("2027-01-01T00:00:00Z"))).toBe("2027-01");
    expect(monthStart("2028-02", 1) - monthStart("2028-02")).toBe(29 * 86_400_000);
    expect(monthsFrom("2026-11", "2027-02")).toEqual(["2026-11", "2026-12", "2027-01", "2027-02"]);
    expect(monthName("2027-01")).toBe("January 2027");
  });

  it("are final an hour after their end", () => {
    const end = at("2026-12-01T00:00:00Z");
    expect(isSettled({ month: "2026-11", countedAt: end + 3_599_999 })).toBe(false);
    expect(isSettled({ month: "2026-11", countedAt: end + 3_600_000 })).toBe(true);
  });
});

describe("the URL of the page", () => {
  it("uses the agency's name or its beginning, never only the first of several words", () => {
    expect(slugsOf({ id: "a", name: "New Haven Police Department" })).toEqual([
      "new-haven-police-department",
      "new-haven-police",
      "new-haven",
    ]);
    expect(slugsOf({ id: "a", name: "Sheriff" })).toEqual(["sheriff"]);
    expect(slugsOf({ id: "a", name: "  St. Mary’s — Sheriff (Côte) " })[0]).toBe("st-marys-sheriff-cote");
  });

  it("uses the ID if the name has no Latin letters, and is never too long", () => {
    expect(slugsOf({ id: "Ab_9", name: "警察" })[0]).toBe("agency-ab-9");
    for (const slug of slugsOf({ id: "a", name: "Department of Public Safety ".repeat(8) })) {
      expect(slug.length).toBeLessThanOrEqual(80);
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    }
  });
});

describe("an introduction", () => {
  it("keeps its line breaks and drops invisible characters", () => {
    expect(plainLines(" One.\r\n\r\n\r\n\r\nTwo\u200b\u202e.  \nThree.\u0007 ")).toBe("One.\n\nTwo.\nThree.");
  });
});
