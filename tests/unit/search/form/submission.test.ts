import { describe, expect, it } from "vitest";
import { agencyGroups, withAgencies } from "#app/entities/search/agencies.ts";
import { clearForm, onClock, type SearchForm } from "#app/entities/search/form.ts";
import { agencyStrings, fieldOfRefusal, submit } from "#app/entities/search/submission.ts";

const NOW = Date.parse("2026-11-20T19:03:07Z");
const ZONE = "America/New_York";
const searcher = { username: "jo.officer", name: "Jo Officer" };
const groups = agencyGroups({ rekor: [{ id: "key-1", agency: "Hartford" }], axon: [], axis: [] });

const form = (changes: Partial<SearchForm> = {}): SearchForm => ({
  ...onClock(clearForm(), NOW, ZONE),
  justification: "Case 26-1042",
  selected: new Set(["key-1"]),
  ...changes,
});
const send = (changes: Partial<SearchForm>, asked = true) =>
  submit(form(changes), {
    groups,
    now: NOW,
    limitDays: 90,
    caseNumberRequired: false,
    purposeRequired: false,
    searcher: asked ? searcher : undefined,
  });

describe("a submitted form", () => {
  it("becomes a request with every field", () => {
    const { request } = send({
      plate: " AB*1 ",
      lookAlikes: true,
      plateState: "CT",
      color: "Red",
      make: "Honda",
      bodyType: "SUV",
      justification: "  Stolen truck, case 26-1042 ",
      caseNumber: "26-1042",
      purpose: "warrant",
      marks: ["back_rack"],
    });
    expect(request).toEqual({
      plate: "ab*1",
      look_alikes: true,
      plate_state: "CT",
      vehicle_color: "Red",
      vehicle_make: "Honda",
      vehicle_body_type: "SUV",
      justification: "Stolen truck, case 26-1042",
      case_number: "26-1042",
      purpose: "warrant",
      start_time: "2026-11-19T19:03:07.000Z",
      end_time: "2026-11-20T19:03:07.000Z",
      agencies: ["key-1"],
      filters: { top_rack: false, back_rack: true, bumper_stickers: false, window_stickers: false },
    });
  });

  it("leaves out look-alikes, confirmation and supervisor if it does not need them", () => {
    const { request = {} } = send({ confirmation: "I confirm", supervisor: "Lt. Dana Reyes" });
    expect(Object.keys(request)).not.toContain("look_alikes");
    expect(Object.keys(request)).not.toContain("confirmation");
    expect(Object.keys(request)).not.toContain("supervisor");
  });

  it.each(["start", "end"] as const)("with a %s that is not a time is refused", (edge) => {
    const broken = { preset: undefined, [edge]: { text: "", at: Number.NaN } };
    expect(send(broken).problems).toEqual({ start: "Justification and date range are required." });
  });

  it("needs a confirmation and a supervisor if the justification names a prohibited purpose", () => {
    const justification = "Immigration status check";
    const confirmation = "I confirm that this search is lawful";
    const supervisor = "Lt. Dana Reyes";
    expect(send({ justification }).problems).toEqual({
      confirmation: "Type “I confirm that this search is lawful”.",
      supervisor: "Enter the name of the supervisor who approved this search.",
    });
    expect(send({ justification, confirmation, supervisor: "Jo Officer" }).problems).toEqual({
      supervisor: "Name a supervisor, not yourself.",
    });
    expect(send({ justification, confirmation, supervisor }).request).toMatchObject({
      confirmation,
      supervisor,
    });
    // The server's search checks them itself, with the same request.
    expect(send({ justification }, false).request).toMatchObject({ confirmation: "", supervisor: "" });
  });

  it.each<[Partial<SearchForm>, Record<string, string>]>([
    [{ plate: "A/B" }, { plate: "A plate has letters, digits, * and ? only." }],
    [{ plateState: "ZZ" }, { form: "Unknown state." }],
    [{ color: "Teal", make: "Trabant" }, { form: "Unknown color." }],
    [{ purpose: "curiosity" }, { purpose: "Unknown purpose." }],
    [{ justification: "x".repeat(2001) }, { justification: "A justification has at most 2,000 characters." }],
    [{ selected: new Set() }, { agencies: "Select at least one agency." }],
    [
      { justification: "Immigration status check", supervisor: "x".repeat(121), confirmation: "no" },
      {
        confirmation: "Type “I confirm that this search is lawful”.",
        supervisor: "A supervisor's name has at most 120 characters.",
      },
    ],
  ])("with %j is refused with %j", (changes, problems) => {
    expect(send(changes).problems).toEqual(problems);
  });
});

describe("the agencies of a request", () => {
  const axis = (...counts: number[]) =>
    agencyGroups({
      rekor: [{ id: "key-1", agency: "Hartford" }],
      axon: [{ id: "axon-1", agency_name: "Avon", base_url: "https://avon.example" }],
      axis: counts.map((count, agency) => ({
        id: `axis-${agency}`,
        agency_name: `Agency ${agency}`,
        integrations: Array.from({ length: count }, (_, i) => ({ identifier: `${agency}-${i}` })),
      })),
    });
  const allOf = (all: ReturnType<typeof axis>) =>
    withAgencies(
      new Set(),
      all.flatMap(({ options }) => options),
      true,
    );

  it("are the single cameras up to 500 identifiers", () => {
    const many = axis(498);
    const strings = agencyStrings(many, allOf(many));
    expect(strings).toHaveLength(500);
    expect(strings.slice(0, 3)).toEqual(["key-1", "https://avon.example", "0-0"]);
    expect(agencyStrings(many, new Set(["0-7"]))).toEqual(["0-7"]);
  });

  it("are whole agencies above, but the cameras of a partly selected one", () => {
    const many = axis(500, 2);
    expect(agencyStrings(many, new Set([...allOf(many)].filter((one) => one !== "1-1")))).toEqual([
      "key-1",
      "https://avon.example",
      "axis-0",
      "1-0",
    ]);
  });

  it("are listed once if agencies share a camera", () => {
    const shared = agencyGroups({
      rekor: [],
      axon: [],
      axis: ["a", "b"].map((id) => ({ id, agency_name: id, integrations: [{ identifier: "cam-1" }] })),
    });
    expect(agencyStrings(shared, new Set(["cam-1"]))).toEqual(["cam-1"]);
    expect(agencyStrings(shared, new Set())).toEqual([]);
  });
});

describe("a refusal by the server", () => {
  it.each([
    ["Justification and date range are required.", "justification"],
    ["A JUSTIFICATION has at most 2,000 characters.", "justification"],
    ["Confirm this search before it starts.", "confirmation"],
    ["Refused.\nConfirm this search with its purpose.", "confirmation"],
    ["Confirm this searching.", "form"],
    ["Please Confirm this search.", "form"],
    ["Your agency requires a Case Number for every search.", "case_number"],
    ["Case numbering is off.", "form"],
    ["Your agency requires a purpose for every search.", "purpose"],
    ["Repurposed.", "form"],
    ["The end of the range must be after its start.", "start"],
    ["Your agency searches at most 30 days at once.", "start"],
    ["Your agency searches at most 1 day at once.", "start"],
    ["Start and end must be ISO times.", "start"],
    ["Rangers and isotopes.", "form"],
    ["A plate has letters, digits, * and ? only.", "plate"],
    ["A template is missing.", "form"],
    ["Select at least one agency.", "agencies"],
    ["Select at most 500 agencies.", "agencies"],
    ["The agencyless search.", "form"],
    ["Search failed.", "form"],
  ])("%j is about the field %s", (message, field) => {
    expect(fieldOfRefusal(message)).toBe(field);
  });
});
