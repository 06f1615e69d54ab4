import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forgetLeftForm, keepLeftForms } from "#app/components/search/form/forget-left-form.ts";
import { keepForm, prefilled, remember } from "#app/components/search/form/prefill.ts";
import { agencyGroups } from "#app/entities/search/agencies.ts";
import { searchFieldsOf } from "#app/entities/search/fields.ts";
import { clearForm, type SearchForm } from "#app/entities/search/form.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const groups = agencyGroups({
  rekor: [{ id: "rekor-1", agency: "Manchester" }],
  axon: [],
  axis: [{ id: "axis-1", agency_name: "Hartford", integrations: [{ identifier: "camera-1" }] }],
});

let storage: Map<string, string>;
beforeEach(() => {
  storage = new Map();
  const stub = {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
    removeItem: (key: string) => storage.delete(key),
  };
  vi.stubGlobal("localStorage", stub);
  vi.stubGlobal("sessionStorage", stub);
});
afterEach(() => vi.unstubAllGlobals());

type Input = {
  userId?: string;
  handed?: string;
  limitDays?: number;
  form?: Partial<SearchForm>;
  left?: { place: { userId: string; entry: string }; initial: SearchForm };
};
const fill = (input: Input) =>
  prefilled(
    { ...clearForm(), ...input.form },
    {
      userId: input.userId,
      handed: input.handed ?? null,
      left: input.left,
      groups,
      now: NOW,
      limitDays: input.limitDays ?? 365,
    },
  );

describe("a plate passed to the search form", () => {
  it("searches the Axis cameras over 30 days", () => {
    const form = fill({ handed: "A?1*" });
    expect(form).toMatchObject({ plate: "A?1*", preset: "30d", justification: "" });
    expect([...form.selected]).toEqual(["camera-1"]);
  });

  it("searches no longer than the agency's policy allows", () => {
    expect(fill({ handed: "AB1", limitDays: 10 }).preset).toBe("7d");
    expect(fill({ handed: "AB1", limitDays: 30 }).preset).toBe("30d");
  });

  it("also searches the remembered agencies", () => {
    remember("amy", { ...clearForm(), selected: new Set(["rekor-1"]) }, groups);
    expect([...fill({ userId: "amy", handed: "AB1" }).selected]).toEqual(["rekor-1", "camera-1"]);
  });
});

describe("the last search", () => {
  const last = { ...clearForm(), preset: "7d" as const, selected: new Set(["rekor-1", "camera-1"]) };

  it("fills the agencies and the range of the same user only", () => {
    remember("amy", last, groups);
    expect(fill({ userId: "amy" })).toMatchObject({ preset: "7d", selected: last.selected });
    expect(fill({ userId: "bob" })).toMatchObject({ preset: "24h", selected: new Set() });
    expect([...storage.values()].join()).not.toContain("plate");
  });

  it("does not change what the user has already selected", () => {
    remember("amy", last, groups);
    const form = { preset: "1h" as const, selected: new Set(["camera-1"]) };
    expect(fill({ userId: "amy", form })).toMatchObject(form);
  });

  it("is limited to what the user may search now", () => {
    remember("amy", { ...last, preset: "90d", selected: new Set(["camera-1"]) }, groups);
    storage.set("odin.search.amy", (storage.get("odin.search.amy") ?? "").replace("axis-1", "axis-9"));
    expect(fill({ userId: "amy", limitDays: 30 })).toMatchObject({ preset: "24h", selected: new Set() });
  });

  it("keeps the last quick range after a search with typed times", () => {
    remember("amy", last, groups);
    remember("amy", { ...last, preset: undefined }, groups);
    expect(fill({ userId: "amy" }).preset).toBe("7d");
  });

  it.each(["", "null", "[]", '{"agencies":{"a":1},"range":7}', '{"agencies":[1,null]}', "{"])(
    "stored as %j leaves the defaults",
    (text) => {
      storage.set("odin.search.amy", text);
      expect(fill({ userId: "amy" })).toEqual(clearForm());
    },
  );

  it("is not stored in a browser without storage", () => {
    vi.stubGlobal("localStorage", undefined);
    remember("amy", last, groups);
    expect(fill({ userId: "amy" })).toEqual(clearForm());
  });
});

describe("a form that was left", () => {
  const place = { userId: "amy", entry: "e1" };
  const typed: SearchForm = {
    ...clearForm(),
    plate: "AB1",
    justification: "Missing person",
    confirmation: "yes",
    supervisor: "Ann",
    preset: "7d",
    selected: new Set(["camera-1"]),
  };
  const leave = () => keepForm(place, searchFieldsOf(typed, groups));
  const open = (at = place, over: Input = {}) => fill({ left: { place: at, initial: clearForm() }, ...over });
  afterEach(keepLeftForms);

  it("is filled again, once, without the confirmation of a prohibited purpose", () => {
    leave();
    const form = open();
    expect(form).toMatchObject({ plate: "AB1", justification: "Missing person", preset: "7d" });
    expect(form).toMatchObject({ confirmation: "", supervisor: "", end: { at: NOW } });
    expect([...form.selected]).toEqual(["camera-1"]);
    expect([...storage.keys()]).toEqual([]);
    expect(open().plate).toBe("");
  });

  it.each([
    ["another user", { userId: "ben", entry: "e1" }],
    ["another entry of the history", { userId: "amy", entry: "e2" }],
  ])("is deleted for %s", (_, other) => {
    leave();
    expect(open(other).plate).toBe("");
    expect([...storage.keys()]).toEqual([]);
    expect(open().plate).toBe("");
  });

  it("is deleted when the session ends, and nothing is kept until the user is back", () => {
    leave();
    forgetLeftForm();
    expect([...storage.keys()]).toEqual([]);
    leave();
    expect(open().plate).toBe("");
    keepLeftForms();
    leave();
    expect(open().plate).toBe("AB1");
  });

  it("gives way to a plate from another screen, and to what was typed before the scripts arrived", () => {
    leave();
    expect(open(place, { handed: "ZZ9" }).plate).toBe("ZZ9");
    leave();
    expect(open(place, { form: { plate: "FAST1" } }).plate).toBe("FAST1");
  });
});
