import { describe, expect, it } from "vitest";
import { agencyGroups } from "#app/entities/search/agencies.ts";
import { agencyFields, partOf, readSearchFields, searchFieldsOf } from "#app/entities/search/fields.ts";
import {
  clearForm,
  fieldsWithProblems,
  inZone,
  momentAt,
  onClock,
  presetRange,
  problemsMessage,
  rangeOf,
  refillForm,
  type SearchForm,
  skippedText,
  withPreset,
} from "#app/entities/search/form.ts";
import { SearchRequest } from "#app/entities/search/request.ts";

const NOW = Date.parse("2026-11-20T19:03:07.250Z");
const ZONE = "America/New_York";
const groups = agencyGroups({
  rekor: [{ id: "key-1", agency: "Hartford" }],
  axon: [],
  axis: [
    { id: "axis-1", agency_name: "Berlin", integrations: [{ identifier: "cam-1" }, { identifier: "cam-2" }] },
  ],
});
const NONE = { text: "", at: undefined };

describe("the empty form", () => {
  it("has the default preset and nothing else", () => {
    expect(clearForm()).toEqual({
      plate: "",
      lookAlikes: false,
      plateState: "",
      color: "",
      make: "",
      bodyType: "",
      justification: "",
      caseNumber: "",
      purpose: "",
      confirmation: "",
      supervisor: "",
      marks: [],
      preset: "24h",
      start: NONE,
      end: NONE,
      selected: new Set(),
    });
  });
});

describe("the moments of a form", () => {
  const start = { text: "", at: Date.parse("2026-11-18T13:00:00Z") };
  const end = { text: "typed", at: undefined };
  const typed: SearchForm = { ...clearForm(), preset: undefined, start, end };

  it("are those of the clock with a preset, in whole seconds", () => {
    expect(presetRange("1h", NOW)).toEqual({
      start: Date.parse("2026-11-20T18:03:07Z"),
      end: Date.parse("2026-11-20T19:03:07Z"),
    });
    expect(withPreset(typed, "7d", NOW, ZONE)).toMatchObject({
      preset: "7d",
      start: { text: "2026-11-13T14:03:07", at: Date.parse("2026-11-13T19:03:07Z") },
      end: { text: "2026-11-20T14:03:07", at: Date.parse("2026-11-20T19:03:07Z") },
    });
  });

  it("without a preset keep what was typed, and show a known time that has no text", () => {
    expect(onClock(typed, NOW, ZONE)).toEqual({
      ...typed,
      start: { text: "2026-11-18T08:00", at: start.at },
    });
    const both = { ...typed, start: { text: "8", at: start.at }, end: NONE };
    expect(onClock(both, NOW, ZONE)).toEqual(both);
  });

  it("are not rendered by the server with a preset", () => {
    const opened = onClock(clearForm(), NOW, ZONE);
    expect(inZone(opened, ZONE)).toEqual(clearForm());
    expect(inZone(typed, ZONE).start.text).toBe("2026-11-18T08:00");
  });

  it("are the range of a search, or the preset at the time of the search", () => {
    expect(rangeOf(typed, NOW)).toEqual({ start: start.at, end: undefined });
    expect(rangeOf({ ...typed, preset: "1h" }, NOW)).toEqual({
      start: Date.parse("2026-11-20T18:03:07Z"),
      end: Date.parse("2026-11-20T19:03:07Z"),
    });
  });

  it.each([
    ["soon", "start", { text: "soon", at: undefined }],
    ["2026-11-18T09:00", "end", { text: "2026-11-18T09:00", at: Date.parse("2026-11-18T14:00:00Z") }],
    [
      "2026-11-01T01:30",
      "start",
      { text: "2026-11-01T01:30", at: Date.parse("2026-11-01T05:30:00Z"), oddity: "twice" },
    ],
    [
      "2026-11-01T01:30",
      "end",
      { text: "2026-11-01T01:30", at: Date.parse("2026-11-01T06:30:00Z"), oddity: "twice" },
    ],
    ["2026-03-08T02:30", "start", { text: "2026-03-08T02:30", at: undefined, oddity: "never" }],
    ["2026-03-08T02:30", "end", { text: "2026-03-08T02:30", at: undefined, oddity: "never" }],
  ] as const)("of %j as the %s are %j", (text, edge, moment) => {
    expect(momentAt(text, edge, ZONE)).toEqual(moment);
  });

  it("that clocks skip are reported with time and day", () => {
    expect(skippedText("2026-03-08T02:30")).toBe(
      "02:30 does not exist on 2026-03-08: clocks skip that hour.",
    );
  });
});

describe("a form filled from an earlier request", () => {
  const request = SearchRequest.parse({
    plate: "ab*1",
    look_alikes: true,
    plate_state: "CT",
    vehicle_color: "Red",
    vehicle_make: "Honda",
    vehicle_body_type: "SUV",
    justification: "Immigration status check",
    case_number: "26-1042",
    purpose: "warrant",
    confirmation: "I confirm that this search is lawful",
    supervisor: "Lt. Dana Reyes",
    start_time: "2026-11-19T19:03:07Z",
    end_time: "2026-11-20T19:03:07Z",
    agencies: ["axis-1"],
    filters: { back_rack: true },
  });

  it("has its values, but must be confirmed again", () => {
    expect(refillForm(request, groups)).toEqual({
      plate: "AB*1",
      lookAlikes: true,
      plateState: "CT",
      color: "Red",
      make: "Honda",
      bodyType: "SUV",
      justification: "Immigration status check",
      caseNumber: "26-1042",
      purpose: "warrant",
      confirmation: "",
      supervisor: "",
      marks: ["back_rack"],
      preset: "24h",
      start: { text: "", at: Date.parse("2026-11-19T19:03:07Z") },
      end: { text: "", at: Date.parse("2026-11-20T19:03:07Z") },
      selected: new Set(["cam-1", "cam-2"]),
    });
  });

  it("keeps the dates of the request if asked to", () => {
    expect(refillForm(request, groups, true).preset).toBeUndefined();
  });

  it("has no purpose and no look-alikes if the stored request has none", () => {
    const { purpose: _purpose, look_alikes: _alike, ...old } = request;
    const stored: SearchRequest = JSON.parse(JSON.stringify(old));
    expect(refillForm(stored, groups)).toMatchObject({ purpose: "", lookAlikes: false });
  });
});

describe("the problems of a form", () => {
  it("are in the order of the screen", () => {
    const all = {
      form: "1",
      agencies: "2",
      end: "3",
      start: "4",
      supervisor: "5",
      confirmation: "6",
      purpose: "7",
      case_number: "8",
      justification: "9",
      plate: "10",
    };
    expect(fieldsWithProblems(all)).toEqual([
      "plate",
      "justification",
      "case_number",
      "purpose",
      "confirmation",
      "supervisor",
      "start",
      "end",
      "agencies",
      "form",
    ]);
    expect(fieldsWithProblems({ end: "x", plate: "" })).toEqual(["end"]);
  });

  it.each([
    [{}, ""],
    [{ justification: "Enter a justification." }, "Justification and date range are required."],
    [{ start: "Enter a start date and time." }, "Justification and date range are required."],
    [{ end: "Enter an end date and time.", form: "x" }, "Justification and date range are required."],
    [{ start: "The range is in the future." }, "The search was not started."],
    [{ justification: "Too long.", form: "Unknown state." }, "Unknown state."],
  ])("of %j are summarized as %j", (problems, message) => {
    expect(problemsMessage(problems)).toBe(message);
  });
});

describe("the posted fields of the form", () => {
  const read = (fields: Record<string, string[]>, written?: { start?: { text: string; at: number } }) =>
    readSearchFields(fields, { groups, zone: ZONE, now: NOW, ...(written && { written }) });

  it("are missing in an empty form", () => {
    expect(read({})).toEqual({ ...clearForm(), preset: undefined });
  });

  it("have their last value, and boxes that are on", () => {
    const form = read({
      plate: ["A", "B1"],
      confirmation: ["yes"],
      supervisor: ["Dana"],
      look_alikes: ["on"],
      marks: ["window_stickers", "back_rack", "wings"],
      range: ["1h", "7d"],
    });
    expect(form).toMatchObject({
      plate: "B1",
      confirmation: "yes",
      supervisor: "Dana",
      lookAlikes: true,
      marks: ["back_rack", "window_stickers"],
      preset: "7d",
    });
    expect(read({ look_alikes: ["off"] }).lookAlikes).toBe(false);
  });

  it("keep the exact time that a script wrote, unless its text was changed", () => {
    const known = { text: "2026-11-18T08:00:00", at: Date.parse("2026-11-18T13:00:00.123Z") };
    expect(read({ start: [known.text] }, { start: known }).start).toEqual(known);
    expect(read({ start: ["2026-11-18T09:00"] }, { start: known }).start.at).toBe(
      Date.parse("2026-11-18T14:00:00Z"),
    );
    // With a script, the preset stays although the pickers have times.
    expect(read({ start: [known.text], range: ["7d"] }, { start: known })).toMatchObject({
      preset: "7d",
      start: known,
      end: NONE,
    });
  });

  it("without a script complete a typed end by the preset", () => {
    expect(read({ range: ["1h"], end: ["2026-11-18T08:00"] })).toMatchObject({
      preset: undefined,
      start: { text: "2026-11-18T07:00", at: Date.parse("2026-11-18T12:00:00Z") },
      end: { text: "2026-11-18T08:00", at: Date.parse("2026-11-18T13:00:00Z") },
    });
    expect(read({ range: ["1h"], start: ["2026-11-18T08:00"] })).toMatchObject({
      preset: undefined,
      start: { text: "2026-11-18T08:00" },
      end: { text: "2026-11-20T14:03:07", at: NOW },
    });
    expect(read({ range: ["1h"], end: ["soon"] }).start).toEqual(NONE);
    // Without a preset nothing is completed.
    expect(read({ end: ["2026-11-18T08:00"] }).start).toEqual(NONE);
  });

  it("name whole agencies by key and partly selected ones by camera", () => {
    const form = { ...clearForm(), lookAlikes: true, selected: new Set(["key-1", "cam-2"]) };
    expect(searchFieldsOf(form, groups)).toMatchObject({
      look_alikes: ["on"],
      range: ["24h"],
      start: [""],
      agencies: ["key-1", "cam-2"],
      programs: [],
    });
    expect(searchFieldsOf({ ...clearForm(), preset: undefined }, groups)).toMatchObject({
      look_alikes: [],
      range: [],
      agencies: [],
    });
    expect(agencyFields(groups, new Set(["cam-1", "cam-2"]))).toEqual(["axis-1"]);
    const [berlin] = groups.find(({ program }) => program === "Axis")?.options ?? [];
    expect(berlin && partOf(berlin, new Set(["cam-1", "cam-2"]))).toEqual([]);
    expect(berlin && partOf(berlin, new Set(["cam-1"]))).toEqual(["cam-1"]);
  });
});
