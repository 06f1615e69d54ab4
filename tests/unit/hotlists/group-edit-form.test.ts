import { describe, expect, it } from "vitest";
import {
  draftOfForm,
  enteredName,
  isDirty,
  NOTHING_ENTERED,
  plusEntered,
  putPlates,
} from "#app/components/hotlists/edit-form.ts";
import { EMPTY_PLATE } from "#app/components/hotlists/plates/fields.tsx";
import type { GroupDetails } from "#app/entities/hotlists/group.ts";

const group = { name: "Stolen", description: "", member_ids: ["a"] } as unknown as GroupDetails;
const entered = (over: Partial<typeof EMPTY_PLATE>) => ({ draft: { ...EMPTY_PLATE, ...over }, file: null });

describe("the form that edits a group", () => {
  it("would lose a plate that is written but not added, and nothing where only a list was opened", () => {
    const draft = draftOfForm(group, { values: undefined, plates: [], file: null, hasImage: false });
    expect(isDirty(draft, group)).toBe(false);
    expect(isDirty({ ...draft, entered: entered({ number: "AB1" }) }, group)).toBe(true);
    expect(
      isDirty({ ...draft, entered: { ...NOTHING_ENTERED, file: new File(["x"], "x.pdf") } }, group),
    ).toBe(true);
    expect(isDirty({ ...draft, entered: entered({ state: "CT" }) }, group)).toBe(false);
  });

  it("adds what was written to the plates that wait, once", () => {
    const first = plusEntered([], entered({ number: " ab-123 ", state: "CT", reason: "Stolen" }));
    expect(first).toMatchObject({ plates: [{ draft: { number: "AB123", state: "CT", reason: "Stolen" } }] });
    const plates = first.problem === undefined ? first.plates : [];
    expect(plusEntered(plates, entered({ number: "AB123", state: "CT", reason: "Stolen" }))).toEqual({
      problem: "AB123 waits to be saved already.",
    });
    expect(plusEntered(plates, entered({ number: "AB123", state: "NY", reason: "Stolen" }))).toMatchObject({
      plates: [{}, { draft: { state: "NY" } }],
    });
  });

  it("says what is wrong with what was written rather than leaving it out", () => {
    expect(plusEntered([], entered({ reason: "no number" })).problem).toMatch(/plate number/i);
    expect(plusEntered([], entered({ number: "A".repeat(30) })).problem).toMatch(/at most/);
  });

  it("asks for nothing but a plate number", () => {
    expect(plusEntered([], entered({ number: "AB123" }))).toMatchObject({
      plates: [{ draft: { reason: "" } }],
    });
  });

  it("reads what the fields hold", () => {
    const values = {
      group_name: ["Stolen"],
      group_description: [""],
      member: ["a"],
      [enteredName("number")]: ["AB1"],
      [enteredName("state_required")]: ["true"],
    };
    const draft = draftOfForm(group, { values, plates: [], file: null, hasImage: false });
    expect(draft.entered.draft).toEqual({ ...EMPTY_PLATE, number: "AB1", state_required: true });
    expect(isDirty(draft, group)).toBe(true);
    const members = { ...values, [enteredName("number")]: [""], member: ["a", "b"] };
    expect(
      isDirty(draftOfForm(group, { values: members, plates: [], file: null, hasImage: false }), group),
    ).toBe(true);
    const none = { ...values, [enteredName("number")]: [""], member: ["a"] };
    expect(
      isDirty(draftOfForm(group, { values: none, plates: [], file: null, hasImage: false }), group),
    ).toBe(false);
  });

  it("sends the plates that wait in the place of the one that was entered", () => {
    const data = new FormData();
    data.set("group_name", "Stolen");
    data.set("plates[0][number]", "typed");
    const plates = ["AB1", "AB2"].map((number, key) => ({
      key,
      draft: { ...EMPTY_PLATE, number },
      file: null,
    }));
    putPlates(data, plates);
    expect(data.get("group_name")).toBe("Stolen");
    expect(data.get("plates[0][number]")).toBe("AB1");
    expect(data.get("plates[1][number]")).toBe("AB2");
  });
});
