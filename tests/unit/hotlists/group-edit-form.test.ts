import { describe, expect, it } from "vitest";
import {
  addEntered,
  draftOfForm,
  enteredName,
  isDirty,
  isSamePlate,
  putPlates,
  withoutSent,
} from "#app/components/hotlists/edit-form.ts";
import { EMPTY_PLATE } from "#app/components/hotlists/plates/fields.tsx";
import type { GroupDetails } from "#app/entities/hotlists/group.ts";

const group: GroupDetails = {
  id: "g",
  name: "Stolen",
  description: "",
  created_at: "2026-11-20T12:00:00Z",
  image_url: null,
  last_alert: null,
  member_ids: ["a"],
  plate_count: 0,
  expired_count: 0,
  expiry_days: 0,
  agency: "Hartford Police Department",
  can_edit: true,
  archived_at: null,
  version: 1,
  changed_at: "2026-11-20T12:00:00Z",
  changed_by: "",
};
const entered = (over: Partial<typeof EMPTY_PLATE>) => ({ draft: { ...EMPTY_PLATE, ...over }, file: null });

describe("the group edit form", () => {
  it("has unsaved changes after a plate was typed, but not after only a select was changed", () => {
    const draft = draftOfForm(group, { values: undefined, plates: [], file: null, hasImage: false });
    expect(isDirty(draft, group)).toBe(false);
    expect(isDirty({ ...draft, entered: entered({ number: "AB1" }) }, group)).toBe(true);
    expect(isDirty({ ...draft, entered: { ...entered({}), file: new File(["x"], "x.pdf") } }, group)).toBe(
      true,
    );
    expect(isDirty({ ...draft, entered: entered({ state: "CT" }) }, group)).toBe(false);
  });

  it("adds the typed plate to the unsaved plates once", () => {
    const first = addEntered([], entered({ number: " ab-123 ", state: "CT", reason: "Stolen" }));
    expect(first).toMatchObject({ plates: [{ draft: { number: "AB123", state: "CT", reason: "Stolen" } }] });
    const plates = first.problem === undefined ? first.plates : [];
    expect(addEntered(plates, entered({ number: "AB123", state: "CT", reason: "Stolen" }))).toEqual({
      problem: "AB123 is already in the list of unsaved plates.",
    });
    expect(addEntered(plates, entered({ number: "AB123", state: "NY", reason: "Stolen" }))).toMatchObject({
      plates: [{}, { draft: { state: "NY" } }],
    });
  });

  it("reports an invalid plate instead of dropping it", () => {
    expect(addEntered([], entered({ reason: "no number" })).problem).toMatch(/plate number/i);
    expect(addEntered([], entered({ number: "A".repeat(30) })).problem).toMatch(/at most/);
  });

  it("requires only a plate number", () => {
    expect(addEntered([], entered({ number: "AB123" }))).toMatchObject({
      plates: [{ draft: { reason: "" } }],
    });
  });

  it("reads the fields", () => {
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

  it("replaces the typed plate with the unsaved plates in the form data", () => {
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

  it("keeps what was entered while a save ran", () => {
    const file = new File(["x"], "x.pdf");
    const plate = (number: string, key: number) => ({ key, ...entered({ number }), file: null });
    const typed = { ...entered({ number: "AB3" }), file };
    const sent = [plate("AB1", 1), plate("AB2", 2), { key: 3, ...typed }];
    // The typed plate was added to the list after it had been sent.
    const now = [...sent.slice(0, 2), { key: 4, ...typed }, plate("AB4", 5)];
    expect(withoutSent(now, sent)).toEqual([plate("AB4", 5)]);
    expect(isSamePlate(typed, { ...typed })).toBe(true);
    expect(isSamePlate(typed, { ...typed, file: new File(["x"], "x.pdf") })).toBe(false);
    expect(isSamePlate(typed, { ...typed, draft: { ...typed.draft, reason: "Stolen" } })).toBe(false);
  });
});
