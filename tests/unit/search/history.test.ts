import { describe, expect, test } from "vitest";
import {
  expectedRange,
  type PastSearch,
  rangeAgain,
  searchesKeptDays,
} from "#app/entities/search/history/past-search.ts";
import { hasWords, type SearchFacts, searchSentence } from "#app/entities/search/history/words.ts";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";

const AT = Date.parse("2026-11-20T19:03:07Z");
const lastDays = (days: number) => ({ start_time: isoTime(AT - days * DAY), end_time: isoTime(AT) });
const facts = (over: Partial<SearchFacts> = {}): SearchFacts => ({
  tool: "search",
  plate: "",
  query: lastDays(7),
  agencies: 3,
  at: AT,
  zone: "America/New_York",
  ...over,
});
const window = (name: string, from: number, to: number) => ({
  name,
  area: { kind: "cameras", cameras: ["axis:1"] },
  start_time: isoTime(AT - from * HOUR),
  end_time: isoTime(AT - to * HOUR),
});

describe("the sentence of a search", () => {
  test.each<[string, Partial<SearchFacts>, string]>([
    ["any plate", {}, "Any plate, 3 agencies, 7 days"],
    [
      "a pattern and a vehicle",
      { plate: "ABC*", query: { ...lastDays(7), vehicle_color: "Silver/Gray", vehicle_make: "Honda" } },
      "Plate ABC*, silver or gray Honda, 3 agencies, 7 days",
    ],
    [
      "look-alikes, a state and marks",
      {
        plate: "8B4",
        agencies: 1,
        query: { ...lastDays(1), look_alikes: true, plate_state: "CT", filters: { top_rack: true } },
      },
      "Plate 8B4 and look-alikes (CT), top rack, 1 agency, 24 hours",
    ],
    [
      "a range in the past",
      {
        query: { start_time: isoTime(AT - 9 * DAY), end_time: isoTime(AT - 7 * DAY) },
      },
      "Any plate, 3 agencies, 2 days until 2026-11-13 14:03:07 EST",
    ],
    [
      "a state without a plate, and an old row",
      { agencies: null, query: { plate_state: "CT" } },
      "Any plate (CT)",
    ],
    [
      "many places",
      {
        tool: "places",
        query: {
          places: [window("The bank", 5, 4), window("", 3, 2)],
          at_least: 2,
          vehicle_make: "Honda",
          plate_state: "NY",
        },
      },
      "Plates (NY) in at least 2 of 2 places (The bank, Place 2), Honda, 3 agencies, 3 hours until 2026-11-20 12:03:07 EST",
    ],
    [
      "a convoy",
      { tool: "convoy", plate: "KMY6237", query: { ...lastDays(7), minutes: 1, at_least: 3 } },
      "Vehicles traveling with plate KMY6237, within 1 minute at 3 or more cameras, 3 agencies, 7 days",
    ],
    [
      "places that are not in the order of their times",
      {
        tool: "places",
        agencies: 1,
        query: { places: [window("A", 3, 2), window("B", 7, 6), window("C", 5, 4)], at_least: 2 },
      },
      "Plates in at least 2 of 3 places (A, B, C), 1 agency, 5 hours until 2026-11-20 12:03:07 EST",
    ],
    [
      "one place",
      { tool: "places", query: { places: [window("", 1, 0)], at_least: 1 } },
      "Plates in at least 1 of 1 place (Place 1), 3 agencies, 1 hour",
    ],
    [
      "a convoy of several minutes",
      { tool: "convoy", plate: "KMY6237", query: { minutes: 5, at_least: 2, plate_state: "CT" } },
      "Vehicles traveling with plate KMY6237 (CT), within 5 minutes at 2 or more cameras, 3 agencies",
    ],
    [
      "a damaged convoy",
      { tool: "convoy", plate: "KMY6237", query: { at_least: 2 } },
      "Vehicles traveling with plate KMY6237, within 0 minutes at 2 or more cameras, 3 agencies",
    ],
    [
      "a damaged row",
      { tool: "places", query: { places: "none" } },
      "Plates in at least  of 0 places (), 3 agencies",
    ],
  ])("%s", (_, over, sentence) => {
    expect(searchSentence(facts(over))).toBe(sentence);
  });
});

describe("the filter", () => {
  const search: PastSearch = {
    id: "1",
    tool: "search",
    searched_at: isoTime(AT),
    what: "Plate ABC*, silver Honda, 3 agencies, 7 days",
    justification: "Burglary on Main Street",
    purpose: "stolen-vehicle",
    case_number: "26-1044",
    programs: ["Axis"],
    state: "done",
    reads: 3,
    truncated: false,
    name: "The thief",
    pinned: false,
    results_until: null,
    service_account: "",
  };

  test("finds every word in any of the shown texts", () => {
    for (const filter of ["", "abc*", "HONDA 26-1044", "thief burglary", "stolen vehicle", "  silver   7 "])
      expect(hasWords(search, filter), filter).toBe(true);
    for (const filter of ["abd", "honda 26-1045", "axis"])
      expect(hasWords(search, filter), filter).toBe(false);
  });

  test("finds a plate that is typed with hyphens, dots or spaces", () => {
    const plate = { ...search, what: "Plate KMY6237, 3 agencies, 7 days" };
    for (const filter of ["kmy-6237", "KMY 6237", "k.m.y-62", "burglary kmy-6237"])
      expect(hasWords(plate, filter), filter).toBe(true);
    for (const filter of ["kmy-6238", "--", "main-street"])
      expect(hasWords(plate, filter), filter).toBe(false);
    expect(hasWords(search, "ab-c*")).toBe(true);
  });

  test("does not find words across two texts", () => {
    expect(hasWords(search, "thiefburglary")).toBe(false);
  });

  test("finds the label of a stated purpose", () => {
    expect(hasWords(search, "vehicle or")).toBe(true);
    expect(hasWords({ ...search, purpose: "" }, "stated")).toBe(false);
  });
});

describe("the range of a search that is run again", () => {
  test("ends now if it ended at the time of the search, and otherwise keeps its dates", () => {
    expect(expectedRange({ end: AT - 15 * MINUTE, searchedAt: AT })).toBe("now");
    // The end of the day is in the future of the search.
    expect(expectedRange({ end: AT + 15 * MINUTE, searchedAt: AT })).toBe("now");
    expect(expectedRange({ end: AT - 16 * MINUTE, searchedAt: AT })).toBe("original");
  });

  test("has the same length in both cases", () => {
    const range = { start: AT - 3 * DAY, end: AT, now: AT + 30 * DAY };
    expect(rangeAgain("now", range)).toEqual({ start: AT + 27 * DAY, end: AT + 30 * DAY });
    expect(rangeAgain("original", range)).toEqual({ start: AT - 3 * DAY, end: AT });
  });
});

test("searches are listed as long as records are kept, at most as long as the audit log", () => {
  expect(searchesKeptDays({ recordDays: 365, auditDays: 730 })).toBe(365);
  expect(searchesKeptDays({ recordDays: 900, auditDays: 730 })).toBe(730);
});
