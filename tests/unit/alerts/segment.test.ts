import { describe, expect, it } from "vitest";
import type { AlertFilter } from "#app/entities/alerts/hit.ts";
import {
  archivedBefore,
  contentOf,
  type FilteredFields,
  isExpired,
  oldestFirst,
  passesFilter,
} from "#app/entities/alerts/segment.ts";

const NOW = Date.UTC(2026, 10, 25, 12);
const daysAgo = (days: number) => NOW - days * 86_400_000;

describe("hits leave the database", () => {
  it("after 91 days, and after 120 even if they do not fill a segment", () => {
    expect(archivedBefore(NOW, 30)).toEqual({ before: daysAgo(91), latest: daysAgo(120) });
    expect(archivedBefore(NOW, 90)).toEqual({ before: daysAgo(91), latest: daysAgo(120) });
  });

  it("a day after their images if those stay longer", () => {
    expect(archivedBefore(NOW, 91)).toEqual({ before: daysAgo(92), latest: daysAgo(121) });
    expect(archivedBefore(NOW, 365)).toEqual({ before: daysAgo(366), latest: daysAgo(395) });
  });
});

describe("the row of a segment", () => {
  const hit = {
    id: "b",
    capturedAt: 20,
    createdAt: 25,
    dispositionAt: null,
    cameraId: "c1",
    cameraName: "Main St",
    caseNumber: "",
  };

  it("has the first and last times of its hits", () => {
    const hits = [
      { ...hit, capturedAt: 20, createdAt: 25, dispositionAt: 70 },
      { ...hit, capturedAt: 10, createdAt: 35, dispositionAt: null },
      { ...hit, capturedAt: 30, createdAt: 15, dispositionAt: 60 },
    ];
    expect(contentOf(hits)).toMatchObject({
      minCapturedAt: 10,
      maxCapturedAt: 30,
      minCreatedAt: 15,
      maxCreatedAt: 35,
      minDispositionAt: 60,
      maxDispositionAt: 70,
    });
  });

  it("has no times of dispositions if no hit was judged", () => {
    expect(contentOf([hit])).toEqual({
      minCapturedAt: 20,
      maxCapturedAt: 20,
      minCreatedAt: 25,
      maxCreatedAt: 25,
      minDispositionAt: null,
      maxDispositionAt: null,
      cameras: [["c1", "Main St", 25]],
      cases: [["", 25]],
    });
  });

  it("counts a hit that was judged at once", () => {
    expect(contentOf([{ ...hit, dispositionAt: 0 }])).toMatchObject({
      minDispositionAt: 0,
      maxDispositionAt: 0,
    });
  });

  it("has each camera once, with its name in its newest hit", () => {
    const hits = [
      { ...hit, createdAt: 1, cameraName: "Old name" },
      { ...hit, createdAt: 3, cameraName: "New name" },
      { ...hit, createdAt: 2, cameraName: "Middle name" },
      { ...hit, createdAt: 1, cameraId: "c2", cameraName: "Elm St" },
    ];
    expect(contentOf(hits).cameras).toEqual([
      ["c1", "New name", 3],
      ["c2", "Elm St", 1],
    ]);
  });

  it("has each case once, as SQLite folds it, with the time of its oldest hit", () => {
    const hits = [
      { ...hit, createdAt: 2, caseNumber: "  26-AB 7 " },
      { ...hit, createdAt: 1, caseNumber: "26-ab 7" },
      { ...hit, createdAt: 3, caseNumber: "26-aB 7" },
      // SQLite's lower() changes ASCII letters only, and its trim() removes only spaces.
      { ...hit, createdAt: 4, caseNumber: "ÄZ\t" },
    ];
    expect(contentOf(hits).cases).toEqual([
      ["26-ab 7", 1],
      ["Äz\t", 4],
    ]);
  });
});

describe("a hit is expired", () => {
  const rule = (...cases: string[]) => ({ before: 100, heldCases: new Set(cases) });

  it("if it was created before the instant", () => {
    expect(isExpired({ createdAt: 99, caseNumber: "" }, rule())).toBe(true);
    expect(isExpired({ createdAt: 100, caseNumber: "" }, rule())).toBe(false);
  });

  it("unless its case is held, however it is written", () => {
    expect(isExpired({ createdAt: 99, caseNumber: " 26-A " }, rule("26-a"))).toBe(false);
    expect(isExpired({ createdAt: 99, caseNumber: "26-b" }, rule("26-a"))).toBe(true);
  });

  it("if it has no case, even if an empty case is held", () => {
    expect(isExpired({ createdAt: 99, caseNumber: "" }, rule(""))).toBe(true);
  });
});

describe("the filter of a history", () => {
  const hit: FilteredFields = {
    plate: "AB123",
    listedPlate: "A8123",
    program: "Axis",
    cameraId: "c1",
    capturedAt: 50,
    disposition: null,
  };
  const passes = (filter: Partial<AlertFilter>, of: Partial<FilteredFields> = {}) =>
    passesFilter(
      { ...hit, ...of },
      { plate: "", program: "", camera: "", from: null, until: null, disposition: "", ...filter },
    );

  it("lets every hit pass if it is empty", () => {
    expect(passes({})).toBe(true);
  });

  it.each<[Partial<AlertFilter>, boolean]>([
    [{ program: "Axis" }, true],
    [{ program: "Rekor" }, false],
    [{ camera: "c1" }, true],
    [{ camera: "c2" }, false],
    [{ from: 50 }, true],
    [{ from: 51 }, false],
    [{ from: 0 }, true],
    [{ until: 50 }, true],
    [{ until: 49 }, false],
    [{ until: 0 }, false],
    [{ plate: "AB*" }, true],
    [{ plate: "A8*" }, true],
    [{ plate: "A9*" }, false],
    [{ plate: "AB*", camera: "c2" }, false],
    [{ disposition: "none" }, true],
    [{ disposition: "correct" }, false],
  ])("%j: %s", (filter, expected) => {
    expect(passes(filter)).toBe(expected);
  });

  it("compares the disposition", () => {
    expect(passes({ disposition: "misread" }, { disposition: "misread" })).toBe(true);
    expect(passes({ disposition: "none" }, { disposition: "misread" })).toBe(false);
    expect(passes({ disposition: "" }, { disposition: "misread" })).toBe(true);
  });
});

it("a history is ordered by the time of the read, then by id", () => {
  const hits = [
    { capturedAt: 2, id: "a" },
    { capturedAt: 1, id: "c" },
    { capturedAt: 1, id: "b" },
    { capturedAt: 1, id: "b" },
  ];
  expect(
    hits
      .toSorted(oldestFirst)
      .map(({ capturedAt, id }) => `${capturedAt}${id}`)
      .join(),
  ).toBe("1b,1b,1c,2a");
  expect(oldestFirst({ capturedAt: 1, id: "b" }, { capturedAt: 1, id: "b" })).toBe(0);
});
