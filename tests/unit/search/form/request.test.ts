import { describe, expect, it } from "vitest";
import { PURPOSES, purposeLabel, purposeProblem } from "#app/entities/search/purpose.ts";
import { isSettled, presetOf, rangeProblem, type SourceStatus } from "#app/entities/search/query.ts";
import { PlateOnly, queryOf, SearchFields, SearchRequest } from "#app/entities/search/request.ts";

const NOW = Date.parse("2026-11-20T19:00:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const REQUIRED = "Justification and date range are required.";
const valid = {
  justification: "Case 26-1042",
  start_time: "2026-11-19T19:00:00.000Z",
  end_time: "2026-11-20T19:00:00.000Z",
  agencies: ["key-1"],
};
const parse = (changes: Record<string, unknown>) => SearchRequest.safeParse({ ...valid, ...changes });
const problemsOf = (changes: Record<string, unknown>) =>
  parse(changes).error?.issues.map(({ message }) => message) ?? [];

const NO_FILTERS = { top_rack: false, back_rack: false, bumper_stickers: false, window_stickers: false };

describe("a request of a documented client", () => {
  it.each<[Record<string, unknown>, Record<string, unknown>]>([
    [
      { plate: null, plate_state: null, vehicle_color: null, purpose: null },
      { plate: "", plate_state: "" },
    ],
    [{ plate: 1234567 }, { plate: "1234567" }],
    [{ case_number: null }, { case_number: "" }],
    [{ case_number: 2610 }, { case_number: "2610" }],
    [{ plate_state: "N/A" }, { plate_state: "" }],
    [{ plate_state: "NA" }, { plate_state: "MX-NAY" }],
    [{ vehicle_make: "honda" }, { vehicle_make: "Honda" }],
    [{ vehicle_make: " VW" }, { vehicle_make: "Volkswagen" }],
    [{ vehicle_make: "alfa-romeo" }, { vehicle_make: "Alfa Romeo" }],
    [{ vehicle_make: "ISUZU" }, { vehicle_make: "Isuzu" }],
    [{ vehicle_color: "silver-gray" }, { vehicle_color: "Silver/Gray" }],
    [{ vehicle_color: "BLACK " }, { vehicle_color: "Black" }],
    [{ vehicle_body_type: "suv" }, { vehicle_body_type: "SUV" }],
    [{ filters: null }, { filters: NO_FILTERS }],
    [{ filters: { top_rack: null } }, { filters: NO_FILTERS }],
    [
      { filters: { top_rack: "true", back_rack: 1 } },
      { filters: { ...NO_FILTERS, top_rack: true, back_rack: true } },
    ],
    [{ start_time: " 2026-11-19T20:00:00Z " }, { start_time: "2026-11-19T20:00:00Z" }],
    [{ start_time: "2026-11-19 20:00:00" }, { start_time: "2026-11-19 20:00:00" }],
    [{ start_time: "2026-11-19 20:00:00+00" }, { start_time: "2026-11-19 20:00:00+00" }],
  ])("is accepted with %j", (changes, read) => {
    expect(parse(changes).data).toMatchObject(read);
  });
});

describe("a request is refused", () => {
  it.each<[Record<string, unknown>, string[]]>([
    [{ plate: "A/B" }, ["A plate has letters, digits, * and ? only."]],
    [{ look_alikes: "yes" }, ["look_alikes is true or false."]],
    [{ plate_state: "ZZ" }, ["Unknown state."]],
    [{ vehicle_color: "Teal" }, ["Unknown color."]],
    [{ vehicle_make: "Trabant" }, ["Unknown make."]],
    [{ vehicle_body_type: "boat" }, ["Unknown body type."]],
    [{ purpose: "curiosity" }, ["Unknown purpose."]],
    [{ justification: undefined }, [REQUIRED]],
    [{ justification: " \u200b" }, [REQUIRED]],
    [{ justification: "x".repeat(2001) }, ["A justification has at most 2,000 characters."]],
    [{ supervisor: "x".repeat(121) }, ["A supervisor's name has at most 120 characters."]],
    [{ start_time: undefined }, [REQUIRED]],
    [{ end_time: undefined }, [REQUIRED]],
    [{ start_time: "" }, [REQUIRED]],
    [{ start_time: "2026-11-19" }, ["Start and end must be ISO times."]],
    [{ end_time: "2026-11-19T25:00Z" }, ["Start and end must be ISO times."]],
    [{ start_time: "2026-02-30T10:00" }, ["Start and end must be ISO times."]],
    [{ end_time: "2026-02-29T10:00:00Z" }, ["Start and end must be ISO times."]],
    [{ end_time: "x2026-11-19T20:00Z" }, ["Start and end must be ISO times."]],
    [{ end_time: "+002026-11-19T20:00Z" }, ["Start and end must be ISO times."]],
    [{ agencies: undefined }, ["Select at least one agency."]],
    [{ agencies: [] }, ["Select at least one agency."]],
    [{ agencies: Array.from({ length: 5001 }, (_, i) => `key-${i}`) }, ["Select at most 5,000 agencies."]],
  ])("with %j: %j", (changes, problems) => {
    expect(problemsOf(changes)).toEqual(problems);
  });

  it.each([
    ["case_number", 64],
    ["confirmation", 200],
    ["supervisor", 120],
    ["justification", 2000],
  ] as const)("with a %s of more than %d characters", (field, most) => {
    expect(parse({ [field]: "x".repeat(most) }).success).toBe(true);
    expect(parse({ [field]: "x".repeat(most + 1) }).success).toBe(false);
  });

  it("with an agency that has no characters, or more than 300", () => {
    expect(parse({ agencies: ["x".repeat(300)] }).success).toBe(true);
    expect(parse({ agencies: ["x".repeat(301)] }).success).toBe(false);
    expect(parse({ agencies: [""] }).success).toBe(false);
    expect(parse({ agencies: Array.from({ length: 500 }, (_, i) => `key-${i}`) }).success).toBe(true);
  });
});

describe("a valid request", () => {
  it("has its texts trimmed", () => {
    expect(
      parse({ plate: " ab1 ", case_number: " 26-1 ", confirmation: " yes ", supervisor: " Dana " }).data,
    ).toMatchObject({ plate: "ab1", case_number: "26-1", confirmation: "yes", supervisor: "Dana" });
  });

  it("has no filters by default, and those that are missing are off", () => {
    const off = { top_rack: false, back_rack: false, bumper_stickers: false, window_stickers: false };
    expect(parse({}).data?.filters).toEqual(off);
    expect(parse({ filters: {} }).data?.filters).toEqual(off);
    expect(parse({ filters: { top_rack: true, window_stickers: true } }).data?.filters).toEqual({
      ...off,
      top_rack: true,
      window_stickers: true,
    });
  });

  it("becomes the query of the programs", () => {
    const request = SearchRequest.parse({
      ...valid,
      plate: "ab-1",
      look_alikes: true,
      plate_state: "us-ct",
      vehicle_color: "Silver/Gray",
      vehicle_make: "Honda",
      vehicle_body_type: "SUV",
      filters: { top_rack: true, bumper_stickers: true },
    });
    expect(queryOf(request, NOW + HOUR)).toEqual({
      plate: { kind: "contains", text: "AB1" },
      lookAlikes: true,
      plateState: "CT",
      color: "Silver/Gray",
      make: "Honda",
      bodyType: "SUV",
      marks: ["top_rack", "bumper_stickers"],
      from: NOW - DAY,
      // The end of the range includes its second.
      to: NOW + 999,
    });
    expect(queryOf({ ...request, end_time: new Date(NOW + 250).toISOString() }, NOW + HOUR).to).toBe(
      NOW + 250,
    );
    expect(queryOf(request, NOW - HOUR).to).toBe(NOW - HOUR);
    expect(Object.keys(queryOf(SearchRequest.parse({ ...valid, look_alikes: false }), NOW))).not.toContain(
      "lookAlikes",
    );
  });
});

describe("the posted fields of the form", () => {
  it("are lists of at most 5,000 texts of at most 4,000 characters", () => {
    expect(SearchFields.safeParse({ agencies: Array.from({ length: 5000 }, () => "x") }).success).toBe(true);
    const tooMany = SearchFields.safeParse({ agencies: Array.from({ length: 5001 }, () => "x") });
    expect(tooMany.error?.issues.map(({ message }) => message)).toEqual(["Select at most 5,000 agencies."]);
    expect(SearchFields.safeParse({ plate: ["x".repeat(4000)] }).success).toBe(true);
    expect(SearchFields.safeParse({ plate: ["x".repeat(4001)] }).success).toBe(false);
    expect(SearchFields.safeParse({ ["x".repeat(40)]: [] }).success).toBe(true);
    expect(SearchFields.safeParse({ ["x".repeat(41)]: [] }).success).toBe(false);
  });

  it("may be a plate of at most 200 characters alone", () => {
    expect(PlateOnly.parse({ plate: "x".repeat(200) }).plate).toHaveLength(200);
    expect(PlateOnly.safeParse({ plate: "x".repeat(201) }).success).toBe(false);
    expect(PlateOnly.safeParse({}).success).toBe(false);
  });
});

describe("a purpose", () => {
  it("is required only by the agency's policy", () => {
    expect(purposeProblem("", true)).toBe("Your agency requires a purpose for every search.");
    expect(purposeProblem("", false)).toBeUndefined();
    expect(purposeProblem("warrant", true)).toBeUndefined();
  });

  it("has a label", () => {
    expect(PURPOSES.map(({ code }) => purposeLabel(code))).toEqual([
      "Active criminal investigation",
      "Warrant or court order",
      "Missing or endangered person",
      "Stolen vehicle or plate",
      "Checking a hotlist hit",
      "Crash or hit-and-run",
      "Audit, training or test",
      "Other lawful duty",
    ]);
    expect([purposeLabel(""), purposeLabel("curiosity")]).toEqual(["Not stated", "Not stated"]);
  });
});

describe("a range", () => {
  it.each([
    [Number.NaN, NOW, REQUIRED],
    [NOW, Number.NaN, REQUIRED],
    [NOW, NOW, "The end of the range must be after its start."],
    [NOW, NOW + 1, undefined],
    [NOW + 1, NOW + 2, "The range is in the future."],
    [NOW, NOW + DAY, undefined],
    [NOW - DAY, NOW + DAY + 1, undefined],
    [NOW - 7 * DAY, NOW, undefined],
    // Seven calendar days have an hour more across the end of summer time.
    [NOW - 7 * DAY - HOUR, NOW, undefined],
    [NOW - 7 * DAY - HOUR - 1, NOW, "Your agency searches at most 7 days at once."],
  ])("from %d to %d: %s", (start, end, problem) => {
    expect(rangeProblem({ start, end, now: NOW, limitDays: 7 })).toBe(problem);
  });

  it("is a preset only if it has exactly its span", () => {
    expect(presetOf(NOW - HOUR, NOW)).toBe("1h");
    expect(presetOf(NOW, NOW - HOUR)).toBeUndefined();
  });
});

it.each([
  ["waiting", false],
  ["asking", false],
  ["slow", false],
  ["ok", true],
  ["failed", true],
  ["unsupported", true],
  ["cancelled", true],
] as const)("a source that is %s is settled: %s", (state, settled) => {
  const source: SourceStatus = {
    sourceId: "key-1",
    program: "Rekor",
    agency: "Hartford",
    state,
    reads: 0,
    truncated: false,
    message: "",
    milliseconds: 0,
  };
  expect(isSettled(source)).toBe(settled);
});
