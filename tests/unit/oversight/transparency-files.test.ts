import { describe, expect, it } from "vitest";
import {
  FEW,
  type MonthCounts,
  type PublishedStatistics,
  publishMonth,
  publishNow,
  publishYear,
} from "#app/entities/oversight/transparency.ts";
import { statisticsCsv, statisticsJson } from "#app/entities/oversight/transparency-files.ts";

const OCTOBER: MonthCounts = {
  searches: [
    { purpose: "investigation", count: 100, withCase: 98 },
    { purpose: "warrant", count: 3, withCase: 3 },
    { purpose: "", count: 20, withCase: 0 },
  ],
  refused: 2,
  searchers: 7,
  exports: 0,
  hits: 64,
  judged: { correct: 50, "wrong-state": 0, misread: 2, dismissed: 9 },
  purges: 31,
};

const SEPTEMBER: MonthCounts = {
  searches: [],
  refused: 0,
  searchers: 0,
  exports: 0,
  hits: 0,
  judged: { correct: 0, "wrong-state": 0, misread: 0, dismissed: 0 },
  purges: 0,
};

const MONTHS = [
  publishMonth({ month: "2026-10", counts: OCTOBER, reviews: { findings: 12, reviewed: 6, violations: 1 } }),
  publishMonth({ month: "2026-09", counts: SEPTEMBER }),
];

const STATISTICS: PublishedStatistics = {
  agency: "Hartford PD",
  introduction: "",
  contact: "",
  as_of: Date.UTC(2026, 10, 20, 12),
  now: publishNow({
    cameras: 12,
    reads: 34_567,
    retention_days: 21,
    hotlist_entries: 5,
    holds: 3,
    shared_with: ["Avon PD", "Simsbury PD"],
    reviews: {},
  }),
  year: publishYear(MONTHS),
  months: MONTHS,
  not_available: [],
  audit: {
    position: 900,
    rowAt: Date.UTC(2026, 10, 20, 11),
    intact: true,
    checked_at: Date.UTC(2026, 10, 20, 12),
  },
};

const lines = (statistics: PublishedStatistics) =>
  statisticsCsv(statistics)
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) => line.replaceAll('"', ""));

describe("the statistics as a table", () => {
  it("have one line each, with what the page shows and its least and most", () => {
    expect(lines(STATISTICS)).toEqual([
      "Period,Figure,Value,Least,Most",
      "now,Counted at,2026-11-20T12:00:00.000Z,,",
      "now,Cameras,12,12,12",
      "now,Reads kept,34567,34567,34567",
      "now,Days that reads are kept,21,21,21",
      "now,Hotlist entries in force,5,5,5",
      "now,Legal holds in force,<5,1,4",
      "now,Can search its reads or gets alerts about them,Avon PD,,",
      "now,Can search its reads or gets alerts about them,Simsbury PD,,",
      "now,Audit log verified up to,2026-11-20T11:00:00.000Z,,",
      "2026-10,Searches,121 to 124,121,124",
      "2026-10,Searches: Active criminal investigation,100,100,100",
      "2026-10,Searches: Warrant or court order,<5,1,4",
      "2026-10,Searches: Missing or endangered person,0,0,0",
      "2026-10,Searches: Stolen vehicle or plate,0,0,0",
      "2026-10,Searches: Checking a hotlist hit,0,0,0",
      "2026-10,Searches: Crash or hit-and-run,0,0,0",
      "2026-10,Searches: Audit, training or test,0,0,0",
      "2026-10,Searches: Other lawful duty,0,0,0",
      "2026-10,Searches: Not stated,20,20,20",
      // 98 of the 120 whose purposes are shown.
      "2026-10,Searches with a case number,82%,82,82",
      "2026-10,Searches refused,<5,1,4",
      "2026-10,People who searched,7,7,7",
      "2026-10,Exports,0,0,0",
      "2026-10,Hits,64,64,64",
      "2026-10,Hits judged: Correct,50,50,50",
      "2026-10,Hits judged: Wrong state,0,0,0",
      "2026-10,Hits judged: Misread,<5,1,4",
      "2026-10,Hits judged: Dismissed,9,9,9",
      // 50 of 54 at least, and 50 of 51 at most.
      "2026-10,Hit quality,93 to 98%,93,98",
      "2026-10,Purge certificates,31,31,31",
      "2026-10,Review findings,12,12,12",
      "2026-10,Review findings decided,6,6,6",
      "2026-10,Review findings that were violations,<5,1,4",
      "2026-09,Searches,0,0,0",
      "2026-09,Searches: Active criminal investigation,0,0,0",
      "2026-09,Searches: Warrant or court order,0,0,0",
      "2026-09,Searches: Missing or endangered person,0,0,0",
      "2026-09,Searches: Stolen vehicle or plate,0,0,0",
      "2026-09,Searches: Checking a hotlist hit,0,0,0",
      "2026-09,Searches: Crash or hit-and-run,0,0,0",
      "2026-09,Searches: Audit, training or test,0,0,0",
      "2026-09,Searches: Other lawful duty,0,0,0",
      "2026-09,Searches: Not stated,0,0,0",
      "2026-09,Searches with a case number,,,",
      "2026-09,Searches refused,0,0,0",
      "2026-09,People who searched,0,0,0",
      "2026-09,Exports,0,0,0",
      "2026-09,Hits,0,0,0",
      "2026-09,Hits judged: Correct,0,0,0",
      "2026-09,Hits judged: Wrong state,0,0,0",
      "2026-09,Hits judged: Misread,0,0,0",
      "2026-09,Hits judged: Dismissed,0,0,0",
      "2026-09,Hit quality,,,",
      "2026-09,Purge certificates,0,0,0",
      "2026-09,Review findings,0,0,0",
      "2026-09,Review findings decided,0,0,0",
      "2026-09,Review findings that were violations,0,0,0",
    ]);
  });

  it("names months that are not available", () => {
    const shown = lines({ ...STATISTICS, not_available: ["2026-08"] });
    expect(shown).toContain("2026-08,Not available,,,");
    expect(shown.filter((line) => line.startsWith("2026-08"))).toHaveLength(1);
  });

  it("say that a row of the audit log failed verification, as the page does", () => {
    const failed = { position: 0, rowAt: null, intact: false, checked_at: Date.UTC(2026, 10, 20, 12) };
    expect(lines({ ...STATISTICS, audit: failed })).toContain(
      "now,A row of the audit log failed verification at,2026-11-20T12:00:00.000Z,,",
    );
    expect(lines(STATISTICS).join()).not.toContain("failed verification");
  });

  it.each<[what: string, audit: PublishedStatistics["audit"]]>([
    ["was never verified", null],
    ["has no rows", { position: 0, rowAt: null, intact: true, checked_at: 0 }],
  ])("have no line about an audit log that %s", (_, audit) => {
    expect(lines({ ...STATISTICS, months: [], audit })).toEqual([
      "Period,Figure,Value,Least,Most",
      "now,Counted at,2026-11-20T12:00:00.000Z,,",
      "now,Cameras,12,12,12",
      "now,Reads kept,34567,34567,34567",
      "now,Days that reads are kept,21,21,21",
      "now,Hotlist entries in force,5,5,5",
      "now,Legal holds in force,<5,1,4",
      "now,Can search its reads or gets alerts about them,Avon PD,,",
      "now,Can search its reads or gets alerts about them,Simsbury PD,,",
    ]);
  });
});

describe("the statistics for programs", () => {
  const byPurpose = {
    investigation: 100,
    warrant: FEW,
    "missing-person": 0,
    "stolen-vehicle": 0,
    hit: 0,
    crash: 0,
    audit: 0,
    other: 0,
    "not-stated": 20,
  };

  it("have counts by the codes of purposes", () => {
    const { months, year } = statisticsJson(STATISTICS);
    const [october] = months;
    expect(october?.by_purpose).toEqual(byPurpose);
    expect(october).toMatchObject({ month: "2026-10", searches: { low: 121, high: 124 }, refused: "<5" });
    expect(year.by_purpose).toEqual({
      investigation: { low: 100, high: 100 },
      warrant: { low: 1, high: 4 },
      "missing-person": { low: 0, high: 0 },
      "stolen-vehicle": { low: 0, high: 0 },
      hit: { low: 0, high: 0 },
      crash: { low: 0, high: 0 },
      audit: { low: 0, high: 0 },
      other: { low: 0, high: 0 },
      "not-stated": { low: 20, high: 20 },
    });
    expect(year).toMatchObject({ months: 2, hits: { low: 64, high: 64 } });
  });

  it("explain the codes and the statistics", () => {
    const { purposes, meaning } = statisticsJson(STATISTICS);
    expect(purposes).toEqual({
      investigation: "Active criminal investigation",
      warrant: "Warrant or court order",
      "missing-person": "Missing or endangered person",
      "stolen-vehicle": "Stolen vehicle or plate",
      hit: "Checking a hotlist hit",
      crash: "Crash or hit-and-run",
      audit: "Audit, training or test",
      other: "Other lawful duty",
      "not-stated": "Not stated",
    });
    expect(meaning.searchers).toBe("Number of people who searched.");
  });

  it("have times as ISO texts", () => {
    const json = statisticsJson(STATISTICS);
    expect(json).toMatchObject({ agency: "Hartford PD", as_of: "2026-11-20T12:00:00.000Z" });
    expect(json.audit).toEqual({
      intact: true,
      rows: 900,
      verified_up_to: "2026-11-20T11:00:00.000Z",
      checked_at: "2026-11-20T12:00:00.000Z",
    });
  });

  it("have no time of a row if the audit log has none, and nothing about a log that was never verified", () => {
    const audit = { position: 0, rowAt: null, intact: true, checked_at: 0 };
    expect(statisticsJson({ ...STATISTICS, audit }).audit).toEqual({
      intact: true,
      rows: 0,
      verified_up_to: null,
      checked_at: "1970-01-01T00:00:00.000Z",
    });
    expect(statisticsJson({ ...STATISTICS, audit: null }).audit).toBeNull();
  });
});
