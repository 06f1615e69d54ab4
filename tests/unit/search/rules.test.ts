import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  normalizePlate,
  PLATE_PATTERN_MAX_LENGTH,
  parsePlatePattern,
  plateMatches,
} from "#app/entities/search/plate.ts";
import { caseNumberProblem, presetOf, RANGE_PRESETS, rangeProblem } from "#app/entities/search/query.ts";
import { queryOf, SearchRequest } from "#app/entities/search/request.ts";
import { sharingEnded } from "#app/entities/search/result-set.ts";
import { coordinate, googleMapsUrl, isMappable } from "#app/entities/search/sighting.ts";
import { VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";
import { DAY, HOUR } from "#app/lib/time/dates.ts";

const NOW = Date.parse("2026-11-20T19:00:00Z");
const valid = {
  plate: "",
  justification: "Case 26-1042",
  start_time: "2026-11-19T19:00:00.000Z",
  end_time: "2026-11-20T19:00:00.000Z",
  agencies: ["key-1"],
};
const problemOf = (changes: Record<string, unknown>) =>
  SearchRequest.safeParse({ ...valid, ...changes }).error?.issues[0]?.message;

describe("plates", () => {
  test("normalizing is idempotent and keeps only letters and digits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const once = normalizePlate(text);
        expect(normalizePlate(once)).toBe(once);
        expect(once).toMatch(/^[\p{L}\p{N}]*$/u);
      }),
    );
  });

  test.each([
    ["ab-12 34", "AB1234"],
    ["ａｂ１２", "AB12"],
    ["1·abc.2", "1ABC2"],
    ["münchen", "MÜNCHEN"],
    ["xy´77", "XY77"],
    // As documents and mails have them: other hyphens, and characters that are not visible.
    ["ab\u20111234", "AB1234"],
    ["ab–1234", "AB1234"],
    ["ab\u00ad1234\u200b", "AB1234"],
  ])("%s is %s", (text, plate) => {
    expect(normalizePlate(text)).toBe(plate);
    expect(parsePlatePattern(text)).toEqual({ kind: "contains", text: plate });
  });

  test("an accepted fragment is normalized like a plate", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 12 }), (text) => {
        const pattern = parsePlatePattern(text);
        if (pattern?.kind === "contains") expect(normalizePlate(text)).toBe(pattern.text);
      }),
    );
  });

  test.each(["", "  ", "*", "**", "- -"])("%j matches any plate", (text) => {
    expect(parsePlatePattern(text)).toEqual({ kind: "any" });
  });

  test.each([
    "a\u0000b",
    "a\tb",
    "ab;1",
    "a'b",
    "a%b",
    "a_b",
    "ab\n",
    "\u202eab",
    "x".repeat(PLATE_PATTERN_MAX_LENGTH + 1),
  ])("%j is not a valid plate pattern", (text) => {
    expect(parsePlatePattern(text)).toBeUndefined();
  });

  test("patterns match whole plates, like the equivalent regular expression", () => {
    const pattern = fc.stringMatching(/^[AB*?]{1,8}$/);
    fc.assert(
      fc.property(pattern, fc.stringMatching(/^[AB]{0,10}$/), (text, plate) => {
        const parsed = parsePlatePattern(text);
        if (!parsed) throw new Error("a pattern was refused");
        const body = text.replaceAll("*", ".*").replaceAll("?", ".");
        const expected = /[*?]/.test(text) ? new RegExp(`^${body}$`) : new RegExp(body);
        expect(plateMatches(parsed, plate)).toBe(expected.test(plate));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["", "AB1", true],
    ["B", "AB1", true],
    ["AC", "ABC", false],
    ["A*", "A", true],
    ["A*", "BA", false],
    ["*A", "BA", true],
    ["*A", "AB", false],
    ["A?", "A", false],
    ["A?", "AB", true],
    ["A?", "ABC", false],
    ["?", "", false],
    ["A*?", "A", false],
    ["A**", "A", true],
    // The star must take more than it did at first.
    ["*AAB", "AAAAB", true],
    ["*AB?", "ABAB1", true],
    ["A*B*C", "ABXCBC", true],
    ["A*B*C", "AXCXB", false],
    ["A?C*", "ABCD", true],
  ])("%j matches the plate %j: %s", (text, plate, matches) => {
    const pattern = parsePlatePattern(text);
    expect(pattern && plateMatches(pattern, plate)).toBe(matches);
  });

  test.each([
    ["a**b***", { kind: "pattern", text: "A*B*" }],
    ["ａ＊", { kind: "pattern", text: "A*" }],
    ["?*", { kind: "pattern", text: "?*" }],
    ["*a•b\u00a0c", { kind: "pattern", text: "*ABC" }],
    ["e\u0301-1", { kind: "contains", text: "É1" }],
    // Two parts of a Korean syllable.
    ["\u1100-\u1161", { kind: "contains", text: "가" }],
  ])("%j is parsed as %j", (text, pattern) => {
    expect(parsePlatePattern(text)).toEqual(pattern);
  });

  test("are composed again after their separators are removed", () => {
    expect(normalizePlate("\u1100-\u1161 ß")).toBe("가SS");
  });

  test("matches a hostile pattern quickly", () => {
    const parsed = parsePlatePattern("*A*A*A*A*A*A*A*A*B");
    const tries = Array.from({ length: 5 }, () => {
      const started = performance.now();
      if (parsed) plateMatches(parsed, "A".repeat(5000));
      return performance.now() - started;
    });
    // Uses the fastest of five runs, because the machine may be busy.
    expect(Math.min(...tries)).toBeLessThan(500);
  });
});

describe("limits of a search", () => {
  test("a pattern has at most 20 characters, not counting separators", () => {
    expect(parsePlatePattern("A".repeat(20))).toEqual({ kind: "contains", text: "A".repeat(20) });
    expect(parsePlatePattern(`A-${"A".repeat(19)}`)).toEqual({ kind: "contains", text: "A".repeat(20) });
    expect(parsePlatePattern("A".repeat(21))).toBeUndefined();
  });

  test("a case number of invisible characters counts as missing", () => {
    for (const text of ["", " ", "\u200b", "\u3164\u00ad"]) {
      expect(caseNumberProblem(text, true)).toBe("Your agency requires a case number for every search.");
      expect(caseNumberProblem(text, false)).toBeUndefined();
    }
    expect(caseNumberProblem("26-1", true)).toBeUndefined();
  });
});

describe("ranges", () => {
  test.each(RANGE_PRESETS)("$label is recognized by its exact span", ({ key, span }) => {
    expect(presetOf(NOW - span, NOW)).toBe(key);
    expect(presetOf(NOW - span - 1, NOW)).toBeUndefined();
    expect(presetOf(NOW - span + 1, NOW)).toBeUndefined();
  });

  const check = (start: number, end: number, limitDays = 90) =>
    rangeProblem({ start, end, now: NOW, limitDays });

  test("accepts valid ranges, including the largest preset and ends in the future", () => {
    expect(check(NOW - 90 * DAY, NOW)).toBeUndefined();
    expect(check(NOW - HOUR, NOW + 5 * HOUR)).toBeUndefined();
    expect(check(NOW - HOUR, NOW + 7 * DAY)).toBeUndefined();
  });

  test("accepts the allowed days on the calendar, of which one has 25 hours in autumn", () => {
    expect(check(NOW - 90 * DAY - HOUR, NOW)).toBeUndefined();
    const [start, end] = [Date.parse("2026-10-31T00:00-04:00"), Date.parse("2026-11-02T00:00-05:00")];
    expect(check(start, end, 2)).toBeUndefined();
  });

  test("refuses ranges that are reversed, empty, in the future, too long or missing", () => {
    expect(check(NOW, NOW - 1)).toBe("The end of the range must be after its start.");
    expect(check(NOW, NOW)).toBe("The end of the range must be after its start.");
    expect(check(NOW + 1, NOW + 2)).toBe("The range is in the future.");
    expect(check(NOW - HOUR, NOW + 90 * DAY + 1)).toBe("Your agency searches at most 90 days at once.");
    expect(check(NOW - 90 * DAY - HOUR - 1, NOW)).toBe("Your agency searches at most 90 days at once.");
    expect(check(NOW - 2 * DAY, NOW, 1)).toBe("Your agency searches at most 1 day at once.");
    expect(check(Number.NaN, NOW)).toBe("Justification and date range are required.");
  });
});

describe("requests", () => {
  test("missing fields default to empty", () => {
    expect(SearchRequest.parse(valid)).toEqual({
      ...valid,
      plate_state: "",
      vehicle_color: "",
      vehicle_make: "",
      vehicle_body_type: "",
      case_number: "",
      purpose: "",
      filters: { top_rack: false, back_rack: false, bumper_stickers: false, window_stickers: false },
    });
  });

  test("fields that are null are missing", () => {
    const missing = { look_alikes: null, confirmation: null, supervisor: null };
    expect(SearchRequest.parse({ ...valid, ...missing })).toEqual(SearchRequest.parse(valid));
  });

  test.each([
    ["CT", "CT"],
    ["us-ct", "CT"],
    ["PR", "PR"],
    ["on", "CA-ON"],
    ["CA-ON", "CA-ON"],
    ["mx-jal", "MX-JAL"],
    [" ", ""],
  ])("the state %j is read as %j", (written, code) => {
    const request = SearchRequest.parse({ ...valid, plate_state: written });
    expect(queryOf(request, Date.now()).plateState).toBe(code);
  });

  // The specification does not show the list of 46 makes, so that of another client may have any of these.
  test.each(["McLaren", "rolls-royce", "ROLLS ROYCE", "KTM", "am general", "Blue Bird", "Moto Guzzi"])(
    "a make that no form of ours lists may be searched: %s",
    (make) => {
      expect(SearchRequest.parse({ ...valid, vehicle_make: make }).vehicle_make).not.toBe("");
    },
  );

  test.each<[Record<string, unknown>, string]>([
    [{ justification: undefined }, "Justification and date range are required."],
    [{ justification: " \u200b " }, "Justification and date range are required."],
    [{ start_time: "" }, "Justification and date range are required."],
    [{ end_time: undefined }, "Justification and date range are required."],
    [{ start_time: "yesterday" }, "Start and end must be ISO times."],
    [{ end_time: "2026-11-20" }, "Start and end must be ISO times."],
    [{ end_time: "2026-11-20T24:00" }, "Start and end must be ISO times."],
    [{ start_time: "2026-02-30T00:00:00Z" }, "Start and end must be ISO times."],
    [{ plate: "a\u0007b" }, "A plate has letters, digits, * and ? only."],
    // A Cyrillic A and a Greek B: no camera reads such a plate, so that nothing would be found.
    [{ plate: "\u0410B12345" }, "The plate mixes letters of two alphabets that look alike. Type it again."],
    [{ plate: "A\u03921*" }, "The plate mixes letters of two alphabets that look alike. Type it again."],
    [
      { plate: "\u0410\u0412123" },
      "The plate has Cyrillic or Greek letters that look like A to Z. Type it again.",
    ],
    // Nothing would be left of these plates, and the search would be one for every plate.
    [{ plate: "-" }, "A plate has letters, digits, * and ? only."],
    [{ plate: " . \u2013 " }, "A plate has letters, digits, * and ? only."],
    [{ plate: "A".repeat(21) }, "A plate has at most 20 characters."],
    [{ plate_state: "XX" }, "Unknown state."],
    [{ vehicle_color: "Teal" }, "Unknown color."],
    [{ vehicle_make: "Trabant" }, "Unknown make."],
    [{ vehicle_body_type: "boat" }, "Unknown body type."],
    [{ purpose: "curiosity" }, "Unknown purpose."],
    [{ agencies: [] }, "Select at least one agency."],
    [{ agencies: "key-1" }, "Select at least one agency."],
    [{ justification: "x".repeat(2001) }, "A justification has at most 2,000 characters."],
  ])("%j is refused: %s", (changes, message) => {
    expect(problemOf(changes)).toBe(message);
  });

  test("every refusal has a message", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(SearchRequest.shape)), fc.jsonValue(), (key, value) => {
        const parsed = SearchRequest.safeParse({ ...valid, [key]: value });
        if (!parsed.success) expect(parsed.error.issues[0]?.message).toMatch(/\S/);
      }),
    );
  });

  test("a query is canonical and never ends in the future", () => {
    const request = SearchRequest.parse({
      ...valid,
      plate: " ab-1* ",
      end_time: "2026-11-20T23:00:00Z",
      filters: { back_rack: true },
    });
    expect(queryOf(request, NOW)).toEqual({
      plate: { kind: "pattern", text: "AB1*" },
      plateState: "",
      color: "",
      make: "",
      bodyType: "",
      marks: ["back_rack"],
      from: NOW - DAY,
      to: NOW,
    });
  });
});

test("there are 46 makes, from Acura to Yamaha", () => {
  expect(new Set(VEHICLE_MAKES).size).toBe(46);
  expect([VEHICLE_MAKES[0], VEHICLE_MAKES.at(-1)]).toEqual(["Acura", "Yamaha"]);
});

describe("the place of a read", () => {
  test.each([
    [89.999999, 179.999999, true],
    [-89.999999, -179.999999, true],
    [90, 1, false],
    [-90, 1, false],
    [1, 180, false],
    [1, -180, false],
    [0, 0, false],
    [0, 1, true],
    [1, 0, true],
    [-1, -1, false],
    [-1, 1, true],
    [1, -1, true],
    [Number.NaN, 1, false],
    [1, Number.NaN, false],
    [null, 1, false],
    [1, null, false],
  ])("%s, %s is on the map: %s", (latitude, longitude, isOn) => {
    expect(isMappable(latitude, longitude)).toBe(isOn);
  });

  test.each([
    [41.5, 41.5],
    [" -72.6 ", -72.6],
    ["", null],
    [" ", null],
    ["41,5", null],
    [Number.POSITIVE_INFINITY, null],
    ["Infinity", null],
    [null, null],
    [[41], null],
  ])("%j is the coordinate %s", (value, number) => {
    expect(coordinate(value)).toBe(number);
  });

  test("has a link to Google Maps", () => {
    expect(googleMapsUrl(41.76, -72.67)).toBe("https://www.google.com/maps/search/?api=1&query=41.76,-72.67");
  });
});

describe("the message about agencies that have ended their sharing", () => {
  test.each([
    [["East PD"], "East PD no longer shares reads with your agency."],
    [["East PD", "West PD"], "East PD and West PD no longer share reads with your agency."],
    [["A", "B", "C"], "A, B, and C no longer share reads with your agency."],
    [["A", "B", "C", "D"], "A, B, C, and 1 other agency no longer share reads with your agency."],
    [["A", "B", "C", "D", "E"], "A, B, C, and 2 other agencies no longer share reads with your agency."],
  ])("names up to three of %j", (agencies, message) => {
    expect(sharingEnded(agencies)).toBe(message);
  });
});
