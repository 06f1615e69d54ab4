import { describe, expect, it } from "vitest";
import {
  comparedCase,
  holdRangeProblem,
  NewLegalHold,
  platesOfHold,
} from "#app/entities/oversight/legal-hold.ts";

const HOLD = {
  case_number: "26-1044",
  reason: "Court order of October 1",
  plates: "ABC123",
  start: "2026-10-01T00:00:00Z",
  end: "2026-10-02T00:00:00Z",
};

/** The problems with a hold, as `field: message`. */
const problemsOf = (changes: object) =>
  NewLegalHold.safeParse({ ...HOLD, ...changes }).error?.issues.map(
    ({ path, message }) => `${path.join(".")}: ${message}`,
  ) ?? [];

describe("a request for a legal hold", () => {
  it("is accepted, without spaces at the ends of its case number and reason", () => {
    expect(
      NewLegalHold.parse({ ...HOLD, case_number: " 26-\u200b1044 ", reason: "  Court order  " }),
    ).toEqual({
      ...HOLD,
      case_number: "26-1044",
      reason: "Court order",
    });
  });

  it.each<[changes: object, problem: string]>([
    [{ case_number: undefined }, "case_number: A case number is required."],
    [{ case_number: "  " }, "case_number: A case number is required."],
    [{ case_number: "\u200b" }, "case_number: A case number is required."],
    [{ reason: undefined }, "reason: A reason is required."],
    [{ reason: "Too short" }, "reason: Explain in a sentence why the reads are needed."],
    [{ reason: "Too short\u200b\u200b" }, "reason: Explain in a sentence why the reads are needed."],
    [{ plates: undefined }, "plates: At least one plate is required."],
    [{ start: "yesterday" }, "start: Start and end are required."],
    [{ start: "" }, "start: Start and end are required."],
    [{ end: "" }, "end: Start and end are required."],
    [{ end: "2026-02-30" }, "end: Start and end are required."],
    [{ end: HOLD.start }, "end: The start must be before the end."],
    [{ end: "2027-10-02T00:00:00.001Z" }, "end: A hold covers at most a year."],
  ])("is refused with %j: %s", (changes, problem) => {
    expect(problemsOf(changes)).toEqual([problem]);
  });

  it.each([
    ["case_number", 64, "A case number has at most 64 characters."],
    ["reason", 500, "A reason has at most 500 characters."],
    ["plates", 4000, "The list of plates has at most 4,000 characters."],
  ])("has a %s of at most %d characters", (field, most, problem) => {
    expect(problemsOf({ [field]: "x".repeat(most) })).toEqual([]);
    expect(problemsOf({ [field]: "x".repeat(most + 1) })).toEqual([`${field}: ${problem}`]);
  });

  it("has a reason of at least ten characters", () => {
    expect(problemsOf({ reason: "x".repeat(10) })).toEqual([]);
    expect(problemsOf({ reason: "x".repeat(9) })).toHaveLength(1);
  });

  it.each([
    ["2026-10-02", "2026-10-01"],
    ["2026-10-02T00:00:00Z", "2026-10-01"],
    ["2026-10-02", "2026-10-01T00:00:00Z"],
  ])("from %s until %s is checked later, because one of them has no zone", (start, end) => {
    expect(problemsOf({ start, end })).toEqual([]);
  });
});

describe("the range of a hold", () => {
  const YEAR = 366 * 86_400_000;
  it.each([
    [-1, "The start must be before the end."],
    [0, "The start must be before the end."],
    [1, undefined],
    [YEAR, undefined],
    [YEAR + 1, "A hold covers at most a year."],
  ])("of %d milliseconds has the problem: %s", (length, problem) => {
    expect(holdRangeProblem({ from: 1000, until: 1000 + length })).toBe(problem);
  });
});

describe("a year of the calendar, by the clocks of a zone", () => {
  const time_zone = "America/New_York";

  // The first ends after the clocks were set back, the second before they were set back again.
  it.each([
    ["2023-11-04T04:00:00.000Z", "2024-11-04T05:00:59.999Z"],
    ["2023-11-05T05:00:00.000Z", "2024-11-05T05:00:59.999Z"],
    ["2023-11-20T05:00:00.000Z", "2024-11-20T05:00:00.000Z"],
    ["2024-03-09T05:00:00.000Z", "2025-03-10T04:00:00.000Z"],
  ])("is not too long for a hold: %s to %s", (start, end) => {
    expect(problemsOf({ start, end, time_zone })).toEqual([]);
  });

  it("and a minute is", () => {
    const [start, end] = ["2023-11-04T04:00:00.000Z", "2024-11-04T05:01:00.000Z"];
    expect(problemsOf({ start, end, time_zone })).toEqual(["end: A hold covers at most a year."]);
  });

  it("needs a known zone", () => {
    const [start, end] = ["2023-11-04T04:00:00.000Z", "2024-11-04T05:00:00.000Z"];
    for (const zone of [undefined, null, "Mars/Olympus"])
      expect(problemsOf({ start, end, time_zone: zone })).toEqual(["end: A hold covers at most a year."]);
  });
});

describe("the plates of a hold", () => {
  it.each<[text: string, plates: string[]]>([
    ["ABC123", ["ABC123"]],
    ["abc-123, DEF 4;GHI5\nJKL6\r\nMNO7", ["ABC123", "DEF4", "GHI5", "JKL6", "MNO7"]],
    ["ABC123,,;\n\n, abc 123 ,", ["ABC123"]],
    ["A".repeat(15), ["A".repeat(15)]],
  ])("%j are %j", (text, plates) => {
    expect(platesOfHold(text)).toEqual({ plates });
  });

  it.each([
    ["", "At least one plate is required."],
    [" , ;\n--", "At least one plate is required."],
    [`AB1,${"A".repeat(16)}`, "A plate has at most 15 characters."],
    // The purge compares whole plates: the read of such a plate would not be kept.
    ["AB1, abc*", "A hold has whole plates: * and ? cannot stand for unknown characters."],
    ["AB?123", "A hold has whole plates: * and ? cannot stand for unknown characters."],
    ["AB1\n\u0410B12345", "The plate mixes letters of two alphabets that look alike. Type it again."],
    ["AB1\n\u0410\u0412123", "The plate has Cyrillic or Greek letters that look like A to Z. Type it again."],
    ["ABC＊", "A hold has whole plates: * and ? cannot stand for unknown characters."],
  ])("%j have the problem: %s", (text, problem) => {
    expect(platesOfHold(text)).toEqual({ problem });
  });

  it("are at most 100, not counting duplicates", () => {
    const plates = Array.from({ length: 101 }, (_, n) => `P${n}`);
    expect(platesOfHold([...plates.slice(0, 100), "p0"].join())).toEqual({ plates: plates.slice(0, 100) });
    expect(platesOfHold(plates.join())).toEqual({ problem: "A hold has at most 100 plates." });
  });
});

describe("the case number that holds compare", () => {
  it.each([
    [" HPD-26 A\u200b ", "hpd-26 a"],
    ["AZaz", "azaz"],
    ["ÄK", "Äk"],
    ["\u212a1", "\u212a1"],
  ])("of %j is %j", (caseNumber, compared) => {
    expect(comparedCase(caseNumber)).toBe(compared);
  });
});
