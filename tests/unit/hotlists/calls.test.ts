import { describe, expect, it } from "vitest";
import { AddPlate, EntryDetails, entryOf, GroupForm, ImportOptions } from "#app/entities/hotlists/calls.ts";
import { groupUploadOf, readSwitch } from "#app/http/forms.ts";
import { RecordId, WholeNumber } from "#app/lib/json/values.ts";

type Checked = { success: boolean; error?: { issues: { message: string }[] } | undefined };

/** The message about a value that is refused; undefined if it is accepted. */
const problem = ({ success, error }: Checked) => (success ? undefined : (error?.issues[0]?.message ?? "?"));

describe("the fields of an entry in a request", () => {
  const refusal = (fields: object) => problem(EntryDetails.safeParse(fields));

  it("are empty if they are absent, null or empty", () => {
    const empty = {
      state: "",
      reason: "",
      notes: "",
      case_number: "",
      match_policy: "exact",
      state_required: false,
      make: "",
      color: "",
      body_type: "",
      priority: "normal",
      expires: "",
    };
    expect(EntryDetails.parse({})).toEqual(empty);
    for (const nothing of [null, ""]) {
      const fields = Object.fromEntries(Object.keys(empty).map((field) => [field, nothing]));
      expect(EntryDetails.parse(fields)).toEqual(empty);
    }
    const added = { plate_number: "AB1", group_id: "g", idempotency_key: null };
    expect(AddPlate.parse(added).idempotency_key).toBeUndefined();
  });

  it.each([
    ["true", true],
    ["on", true],
    ["1", true],
    [true, true],
    ["false", false],
    ["0", false],
    ["", false],
    [false, false],
  ])("have the switch %j as %s", (state_required, expected) => {
    expect(EntryDetails.parse({ state_required }).state_required).toBe(expected);
  });

  it.each(["yes", "TRUE", "11", "on "])("refuse the switch %j", (state_required) => {
    expect(refusal({ state_required })).toBeDefined();
  });

  it("have a make, color and body type of the lists", () => {
    const vehicle = { make: "Honda", color: "Black", body_type: "Motorcycle" };
    expect(EntryDetails.parse(vehicle)).toMatchObject(vehicle);
    expect(refusal({ make: "Yugo" })).toBe("This is not a known make.");
    expect(refusal({ make: "honda" })).toBe("This is not a known make.");
    expect(refusal({ color: "Teal" })).toBe("This is not a known color.");
    expect(refusal({ body_type: "Hearse" })).toBe("This is not a known body type.");
  });

  it.each([
    ["", undefined],
    ["never", undefined],
    ["2027-01-31", undefined],
    ["2027-01-31T10:00:00Z", undefined],
    ["2027-02-40", "The expiry is not a date."],
    ["Never", "The expiry is not a date."],
    ["soon", "The expiry is not a date."],
  ])("have the expiry %j: %s", (expires, message) => {
    expect(refusal({ expires })).toBe(message);
  });

  it.each([
    ["reason", 1000, "A reason has at most 1,000 characters."],
    ["notes", 2000, "A note has at most 2,000 characters."],
    ["case_number", 64, "A case number has at most 64 characters."],
    ["state", 80, "This is not a known state."],
  ])("have a %s of at most %i characters", (field, most, message) => {
    // A state may have spaces around it.
    const text = field === "state" ? "CT".padEnd(most) : "x".repeat(most);
    expect(refusal({ [field]: text })).toBeUndefined();
    expect(refusal({ [field]: `${text} ` })).toBe(message);
  });

  it("keep line breaks only in notes", () => {
    expect(EntryDetails.parse({ reason: "a\nb", notes: "a\n\n\n\nb" })).toMatchObject({
      reason: "a b",
      notes: "a\n\nb",
    });
  });
});

describe("the entry of a request", () => {
  const details = (fields: object = {}) => EntryDetails.parse(fields);

  it("may have wildcards, and is refused with the problem of its plate", () => {
    expect(entryOf("ab1*", details()).entry?.plate).toBe("AB1*");
    const refused = (number: string, problem: string) =>
      expect(entryOf(number, details())).toEqual({ problem, field: "number" });
    refused("", "A plate number is required.");
    refused("A!", "A plate can contain only letters and digits.");
  });

  it("has every field of the request under its own name, and no expiry", () => {
    const fields = {
      state: "ct",
      reason: "Stolen",
      notes: "Blue",
      case_number: "26-1",
      match_policy: "lookalike",
      state_required: "on",
      make: "Honda",
      color: "Black",
      body_type: "Motorcycle",
      priority: "high",
      expires: "2027-01-31",
    };
    expect(entryOf("ab-12", details(fields))).toEqual({
      entry: {
        plate: "AB12",
        state: "CT",
        reason: "Stolen",
        notes: "Blue",
        caseNumber: "26-1",
        matchPolicy: "lookalike",
        stateRequired: true,
        make: "Honda",
        color: "Black",
        bodyType: "Motorcycle",
        priority: "high",
      },
    });
  });

  it("moves the text of a long reason to the notes, if both fit there", () => {
    const [kept, rest] = ["x".repeat(300), "y".repeat(700)];
    expect(entryOf("AB12", details({ reason: kept + rest })).entry).toMatchObject({
      reason: kept,
      notes: rest,
    });
    const withNotes = (notes: string) => entryOf("AB12", details({ reason: kept + rest, notes }));
    expect(withNotes("z".repeat(1299)).entry?.notes).toBe(`${rest} ${"z".repeat(1299)}`);
    expect(withNotes("z".repeat(1300)).problem).toBe(
      "A note has at most 2,000 characters, with the part of the reason after its first 300.",
    );
  });

  it.each([
    [true, "CT", true],
    [true, "", false],
    [false, "CT", false],
    [false, "", false],
  ])("requires the state only if it has one: %s %j", (state_required, state, expected) => {
    expect(entryOf("AB12", details({ state_required, state })).entry?.stateRequired).toBe(expected);
  });
});

describe("a request to add a plate", () => {
  it("has a plate number, and may lack the group that the form asks for", () => {
    expect(AddPlate.parse({ plate_number: "AB12" }).group_id).toBe("");
    expect(AddPlate.parse({ plate_number: "AB12", group_id: null }).group_id).toBe("");
    expect(AddPlate.parse({ plate_number: "AB12", group_id: 0 }).group_id).toBe("0");
    expect(problem(AddPlate.safeParse({}))).toBe("A plate number is required.");
    expect(problem(AddPlate.safeParse({ plate_number: "A".repeat(60) }))).toBeUndefined();
    expect(problem(AddPlate.safeParse({ plate_number: "A".repeat(61) }))).toBe(
      "A plate number has at most 60 characters.",
    );
  });
});

describe("the options of an import", () => {
  it("have defaults", () => {
    expect(ImportOptions.parse({})).toEqual({
      preset: "odin",
      mode: "add",
      on_conflict: "keep",
      name: "plates.csv",
    });
  });

  it.each([
    ["odin", undefined],
    ["washington-stolen", undefined],
    ["mapping:17", undefined],
    ["17mapping:", "This is not a known layout."],
    ["Odin", "This is not a known layout."],
    ["", "This is not a known layout."],
  ])("have the layout %j: %s", (preset, message) => {
    expect(problem(ImportOptions.safeParse({ preset }))).toBe(message);
  });

  it("refuse another mode", () => {
    expect(problem(ImportOptions.safeParse({ mode: "merge" }))).toBe("The mode must be add or replace.");
  });
});

describe("ids and numbers in requests", () => {
  it("are text or whole numbers", () => {
    expect(RecordId.parse(17)).toBe("17");
    expect(RecordId.parse("g-1")).toBe("g-1");
    expect(problem(RecordId.safeParse(1.5))).toBe("An id is missing.");
    expect(problem(RecordId.safeParse(undefined))).toBe("An id is missing.");
    expect(WholeNumber.parse("-17")).toBe(-17);
    expect(WholeNumber.parse(17)).toBe(17);
    for (const text of ["", "1.5", "1e3", " 1", "1".repeat(16)])
      expect(WholeNumber.safeParse(text).success, text).toBe(false);
  });
});

describe("the form of a group", () => {
  it("has a name and a description with limits", () => {
    expect(GroupForm.parse({ group_name: " A\tB ", group_description: "a\r\nb " })).toMatchObject({
      group_name: "A B",
      group_description: "a\nb",
    });
    // What a client does not send stays as it is.
    expect(GroupForm.parse({ group_name: "A" })).toEqual({ group_name: "A" });
    expect(GroupForm.parse({ group_name: "A", group_members: "", group_description: "" })).toMatchObject({
      group_members: [],
      group_description: "",
    });
    expect(problem(GroupForm.safeParse({}))).toBe("Group name is required.");
    expect(problem(GroupForm.safeParse({ group_name: "A".repeat(120) }))).toBeUndefined();
    expect(problem(GroupForm.safeParse({ group_name: "A".repeat(121) }))).toBe(
      "A group's name has at most 120 characters.",
    );
    expect(problem(GroupForm.safeParse({ group_name: "A", group_description: "d".repeat(2001) }))).toBe(
      "A description has at most 2000 characters.",
    );
  });

  it("has at most 10,000 members", () => {
    const ids = Array.from({ length: 10_001 }, (_, n) => `${n}`.padStart(22, "m"));
    const form = (count: number) => ({ group_name: "A", group_members: ids.slice(0, count).join(", ") });
    expect(GroupForm.parse(form(10_000)).group_members).toHaveLength(10_000);
    expect(problem(GroupForm.safeParse(form(10_001)))).toBe("A group has at most 10,000 members.");
  });
});

it("a row of the edit form without a plate is left out, but not one with another field", () => {
  const fields = {
    group_name: "A",
    "plates[0][number]": " ",
    "plates[0][reason]": "",
    "plates[0][notes]": "",
    "plates[0][state]": "CT",
    "plates[1][number]": "ABC123",
  };
  const upload = groupUploadOf({ fields, lists: {}, files: {} });
  expect(upload.plates.map(({ plate }) => plate.number)).toEqual(["ABC123"]);
  const halfFilled = { fields: { ...fields, "plates[0][reason]": "Stolen" }, lists: {}, files: {} };
  expect(groupUploadOf(halfFilled).plates).toHaveLength(2);
});

it.each([
  ["", undefined],
  ["{}", undefined],
  ['{"push_alerts":null}', undefined],
  ['{"push_alerts":true}', true],
  ['{"push_alerts":"false"}', false],
  ['{"push_alerts":1}', true],
  ["push_alerts=true", true],
  ["push_alerts=0", false],
])("the switch of push alerts is read from %s", async (body, wanted) => {
  expect(await readSwitch(new Request("http://odin.local", { method: "POST", body }))).toBe(wanted);
});

it("the switch of push alerts is not toggled by a value that cannot be read", async () => {
  for (const body of ['{"push_alerts":"yes"}', "push_alerts="]) {
    const request = new Request("http://odin.local", { method: "POST", body });
    await expect(readSwitch(request)).rejects.toThrow('The field "push_alerts" is missing or invalid.');
  }
});
