import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  agencyGroups,
  chosenOptions,
  selectionOf,
  stateOf,
  withAgencies,
} from "#app/entities/search/agencies.ts";
import {
  clearForm,
  fieldsWithProblems,
  onClock,
  problemsMessage,
  refillForm,
  type SearchForm,
  withPreset,
} from "#app/entities/search/form.ts";
import { US_STATES } from "#app/entities/search/jurisdiction-names.ts";
import { PURPOSES } from "#app/entities/search/purpose.ts";
import { LISTED_AGENCIES, RANGE_PRESETS, VEHICLE_MARKS } from "#app/entities/search/query.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import { agencyStrings, fieldOfRefusal, plateProblem, submit } from "#app/entities/search/submission.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";
import { DAY, HOUR, SECOND } from "#app/lib/time/dates.ts";
import { withTyped } from "./form/typed.ts";

const NOW = Date.parse("2026-11-20T19:03:07.250Z");
const ZONE = "America/New_York";

const groups = agencyGroups({
  rekor: [
    { id: "key-1", agency: "Hartford Police Department" },
    { id: "key-2", agency: "Bristol Police Department" },
  ],
  axon: [
    { id: "axon-1", agency_name: "Avon Police Department", base_url: "https://avon.example" },
    { id: "axon-2", agency_name: "Canton Police Department", base_url: "https://shared.example" },
    { id: "axon-3", agency_name: "New Haven Police Department", base_url: "https://shared.example" },
  ],
  axis: [
    {
      id: "axis-1",
      agency_name: "Berlin Police Department",
      integrations: [{ identifier: "cam-1" }, { identifier: "cam-2" }],
    },
    { id: "axis-2", agency_name: "New Haven Police Department", integrations: [{ identifier: "cam-3" }] },
  ],
});
const options = groups.flatMap((group) => group.options);
const axis = groups.find((group) => group.program === "Axis")?.options ?? [];
const everything = withAgencies(new Set(), options, true);

function form(changes: Partial<SearchForm> = {}): SearchForm {
  return {
    ...onClock(clearForm(), NOW, ZONE),
    justification: "Case 26-1042",
    selected: everything,
    ...changes,
  };
}

const send = (it: SearchForm, now = NOW, caseNumberRequired = false, purposeRequired = false) =>
  submit(it, { groups, now, limitDays: 90, caseNumberRequired, purposeRequired });

function requestOf(it: SearchForm): SearchRequest {
  const { request } = send(it);
  if (!request) throw new Error("The form was refused.");
  return request;
}

describe("range", () => {
  test("defaults to 24 Hours, ending now", () => {
    const opened = onClock(clearForm(), NOW, ZONE);
    expect(opened.preset).toBe("24h");
    expect(opened.start.text).toBe("2026-11-19T14:03:07");
    expect(opened.end.text).toBe("2026-11-20T14:03:07");
    expect(opened).toMatchObject({ plate: "", justification: "", marks: [], selected: new Set() });
  });

  test.each(RANGE_PRESETS)("the button $label sets its span and becomes active", ({ key, span }) => {
    const pressed = withPreset(form(), key, NOW, ZONE);
    expect(pressed.preset).toBe(key);
    expect((pressed.end.at ?? 0) - (pressed.start.at ?? 0)).toBe(span);
    expect(pressed.end.at).toBe(Math.floor(NOW / SECOND) * SECOND);
  });

  test("an active preset is updated at the time of the search, a typed range is not", () => {
    const later = NOW + 3 * HOUR;
    const preset = send(form(), later).request;
    expect(preset?.end_time).toBe("2026-11-20T22:03:07.000Z");
    expect(preset?.start_time).toBe("2026-11-19T22:03:07.000Z");
    const typed = withTyped(form(), "start", "2026-11-18T08:00", ZONE);
    expect(send(typed, later).request).toMatchObject({
      start_time: "2026-11-18T13:00:00.000Z",
      end_time: "2026-11-20T19:03:07.000Z",
    });
  });

  test("a refilled range is a preset only if its span matches exactly", () => {
    fc.assert(
      fc.property(fc.constantFrom(...RANGE_PRESETS), fc.constantFrom(-1, 0, 1), ({ key, span }, off) => {
        const request = requestWith({ start: NOW - span + off, end: NOW });
        expect(refillForm(request, groups).preset).toBe(off === 0 ? key : undefined);
      }),
    );
  });

  test("a refilled range that is not a preset keeps its milliseconds", () => {
    const request = requestWith({ start: NOW - 5 * HOUR + 123, end: NOW });
    const refilled = onClock(refillForm(request, groups), NOW + HOUR, ZONE);
    expect(refilled.end.text).toBe("2026-11-20T14:03:07");
    expect(send(refilled, NOW + HOUR).request).toEqual(request);
  });

  test("a range in the repeated hour includes both occurrences and reports it", () => {
    const typed = withTyped(
      withTyped(form(), "start", "2026-11-01T01:30", ZONE),
      "end",
      "2026-11-01T01:30",
      ZONE,
    );
    expect(typed.start).toMatchObject({ at: Date.parse("2026-11-01T05:30:00Z"), oddity: "twice" });
    expect(typed.end).toMatchObject({ at: Date.parse("2026-11-01T06:30:00Z"), oddity: "twice" });
  });

  test("requires a case number before sending if the agency requires one", () => {
    const named = { ...form(), caseNumber: "26-1042" };
    const blank = { ...form(), caseNumber: " \u200b" };
    expect(send(blank, NOW, true)).toEqual({
      problems: { case_number: "Your agency requires a case number for every search." },
    });
    expect(send(named, NOW, true).request?.case_number).toBe("26-1042");
    expect(send(form(), NOW, false).request).toBeDefined();
  });

  test("refuses a time in the skipped hour with a message", () => {
    const typed = withTyped(form(), "start", "2026-03-08T02:30", ZONE);
    expect(typed.start).toMatchObject({ at: undefined, oddity: "never" });
    expect(send(typed).problems?.start).toMatch(/02:30 does not exist on 2026-03-08/);
  });
});

describe("submission", () => {
  test.each(["", "   ", "\u200b\u2060", "\n\t"])("a justification of %j sends nothing", (justification) => {
    expect(send(form({ justification })).problems).toEqual({ justification: "Enter a justification." });
  });

  test.each(["start", "end"] as const)("a missing %s sends nothing", (edge) => {
    expect(send(withTyped(form(), edge, "", ZONE)).problems).toEqual({
      [edge]: `Enter ${edge === "start" ? "a start" : "an end"} date and time.`,
    });
  });

  test("names every missing field, in the order of the screen, under the specification's message", () => {
    const untimed = withTyped(form({ justification: " ", selected: new Set() }), "start", "", ZONE);
    const { problems = {} } = send(withTyped(untimed, "end", "", ZONE));
    expect(fieldsWithProblems(problems)).toEqual(["justification", "start", "end", "agencies"]);
    expect(problemsMessage(problems)).toBe("Justification and date range are required.");
    expect(problemsMessage({ agencies: "Select at least one agency." })).toBe("The search was not started.");
    expect(problemsMessage({ form: "Search failed." })).toBe("Search failed.");
    expect(problemsMessage({})).toBe("");
  });

  test("refuses ranges that are reversed, too long or in the future, together with other problems", () => {
    const reversed = withTyped(form({ plate: "A/B" }), "start", "2026-11-20T15:00", ZONE);
    expect(send(reversed).problems).toEqual({
      start: "The end of the range must be after its start.",
      plate: "A plate has letters, digits, * and ? only.",
    });
    const long = withTyped(form(), "start", "2026-01-01T00:00", ZONE);
    expect(send(long).problems?.start).toBe("Your agency searches at most 90 days at once.");
    const future = withTyped(
      withTyped(form(), "start", "2027-01-01T00:00", ZONE),
      "end",
      "2027-01-02T00:00",
      ZONE,
    );
    expect(send(future).problems?.start).toBe("The range is in the future.");
  });

  test("requires a selected agency", () => {
    expect(send(form({ selected: new Set() })).problems).toEqual({ agencies: "Select at least one agency." });
  });

  test("sends the plate trimmed and in lower case, and refills it in upper case", () => {
    const request = requestOf(form({ plate: "  ab*12? " }));
    expect(request.plate).toBe("ab*12?");
    expect(refillForm(request, groups).plate).toBe("AB*12?");
  });

  test("any valid form passes the server's schema and refills to the same form", () => {
    const filled = fc.record({
      plate: fc.stringMatching(/^[A-Z0-9*?]{0,10}$/),
      plateState: fc.constantFrom("", ...US_STATES.map(({ code }) => code)),
      color: fc.constantFrom("", ...VEHICLE_COLORS.map(({ name }) => name)),
      make: fc.constantFrom("", ...VEHICLE_MAKES),
      bodyType: fc.constantFrom("", ...VEHICLE_BODY_TYPES),
      justification: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 ]{0,30}[A-Za-z0-9]$/),
      caseNumber: fc.stringMatching(/^[A-Z0-9-]{0,12}$/),
      purpose: fc.constantFrom("", ...PURPOSES.map(({ code }) => code)),
      marks: fc.subarray(VEHICLE_MARKS.map(({ key }) => key)),
      preset: fc.constantFrom(...RANGE_PRESETS.map(({ key }) => key)),
      selected: fc.subarray(options, { minLength: 1 }).map((some) => withAgencies(new Set(), some, true)),
    });
    fc.assert(
      fc.property(filled, (fields) => {
        const before = withPreset(form(fields), fields.preset, NOW, ZONE);
        const request = requestOf(before);
        expect(SearchRequest.parse(request)).toEqual(request);
        expect(onClock(refillForm(request, groups), NOW, ZONE)).toEqual(before);
      }),
    );
  });
});

describe("agencies", () => {
  test("select all selects or clears exactly the identifiers of a program", () => {
    const some = withAgencies(new Set(["key-1"]), axis, true);
    expect([...some].sort()).toEqual(["cam-1", "cam-2", "cam-3", "key-1"]);
    expect([...withAgencies(some, axis, false)]).toEqual(["key-1"]);
  });

  test("an Axis agency is checked when all its identifiers are selected", () => {
    const [berlin] = axis;
    if (!berlin) throw new Error("no agency");
    expect(stateOf([berlin], new Set())).toBe(false);
    expect(stateOf([berlin], new Set(["cam-1"]))).toBe("mixed");
    expect(stateOf([berlin], new Set(["cam-1", "cam-2"]))).toBe(true);
    expect(stateOf(axis, new Set(["cam-1", "cam-2"]))).toBe("mixed");
    expect(stateOf([], new Set(["cam-1"]))).toBe(false);
  });

  test("distinguishes Axon agencies that share a base URL or a name with another program", () => {
    expect(agencyStrings(groups, everything)).toEqual([
      "key-1",
      "key-2",
      "https://avon.example",
      "axon-2",
      "axon-3",
      "cam-1",
      "cam-2",
      "cam-3",
    ]);
  });

  test("refill drops agencies no longer offered, expands whole agencies and keeps partial selections", () => {
    expect(selectionOf(groups, { agencies: ["gone", "axis-2", "cam-1"] })).toEqual(
      new Set(["cam-1", "cam-3"]),
    );
  });

  test("sends agencies instead of cameras if a request would have too many identifiers", () => {
    const many = agencyGroups({
      rekor: [],
      axon: [],
      axis: [0, 1].map((agency) => ({
        id: `axis-${agency}`,
        agency_name: `Agency ${agency}`,
        integrations: Array.from({ length: LISTED_AGENCIES }, (_, i) => ({ identifier: `${agency}-${i}` })),
      })),
    });
    const all = withAgencies(
      new Set(),
      many.flatMap((group) => group.options),
      true,
    );
    const strings = agencyStrings(many, all);
    expect(strings).toEqual(["axis-0", "axis-1"]);
    expect(selectionOf(many, { agencies: strings })).toEqual(all);
  });

  test("an Axis agency without cameras can still be selected", () => {
    const bare = agencyGroups({
      rekor: [],
      axon: [],
      axis: [{ id: "axis-9", agency_name: "Bare", integrations: [] }],
    });
    const options = bare.flatMap((group) => group.options);
    const selected = withAgencies(new Set(), options, true);
    expect(chosenOptions(bare, selected)).toHaveLength(1);
    expect(stateOf(options, selected)).toBe(true);
  });
});

test("assigns a refusal to its field", () => {
  expect(fieldOfRefusal("Justification and date range are required.")).toBe("justification");
  expect(fieldOfRefusal("A plate has letters, digits, * and ? only.")).toBe("plate");
  expect(fieldOfRefusal("Your agency searches at most 30 days at once.")).toBe("start");
  expect(fieldOfRefusal("The range is in the future.")).toBe("start");
  expect(fieldOfRefusal("You cannot search one of the selected agencies.")).toBe("agencies");
  expect(fieldOfRefusal("Your agency requires a case number for every search.")).toBe("case_number");
  expect(fieldOfRefusal("Your agency requires a purpose for every search.")).toBe("purpose");
  expect(fieldOfRefusal("This request came from another site and was refused.")).toBe("form");
});

test("requires a purpose only if the agency requires one", () => {
  expect(send(form()).problems).toBeUndefined();
  expect(send(form(), NOW, false, true).problems).toEqual({
    purpose: "Your agency requires a purpose for every search.",
  });
  expect(send(form({ purpose: "warrant" }), NOW, false, true).request?.purpose).toBe("warrant");
});

test("checks a plate as typed", () => {
  expect(plateProblem(" ab-12 ")).toBeUndefined();
  expect(plateProblem("ab;12")).toBe("A plate has letters, digits, * and ? only.");
});

function requestWith({ start, end }: { start: number; end: number }): SearchRequest {
  return SearchRequest.parse({
    justification: "Case 26-1042",
    start_time: new Date(start).toISOString(),
    end_time: new Date(end).toISOString(),
    agencies: ["key-1"],
  });
}

test("presets have the spans of the specification", () => {
  expect(RANGE_PRESETS.map(({ span }) => span / DAY)).toEqual([1 / 24, 1, 7, 30, 90]);
});
