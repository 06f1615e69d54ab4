import { describe, expect, it } from "vitest";
import { draftOfGroup, isDirty, NOTHING_ENTERED, plusEntered } from "#app/components/hotlists/edit-form.ts";
import { EMPTY_PLATE } from "#app/components/hotlists/plate-fields.tsx";
import type { GroupDetails } from "#app/entities/alert-group.ts";
import { REASON_NEEDED } from "#app/entities/hotlist.ts";

const group = { name: "Stolen", description: "", member_ids: ["a"] } as unknown as GroupDetails;
const entered = (over: Partial<typeof EMPTY_PLATE>) => ({ draft: { ...EMPTY_PLATE, ...over }, file: null });

describe("the form that edits a group", () => {
  it("would lose a plate that is written but not added, and nothing where only a list was opened", () => {
    const draft = draftOfGroup(group);
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
    expect(plusEntered([], entered({ number: "AB123", reason: " \u200b " })).problem).toBe(REASON_NEEDED);
  });
});
