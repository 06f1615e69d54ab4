import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  differencesOf,
  foldedPlates,
  isTimely,
  type LiveRead,
  matchKindOf,
  matchText,
  type WatchingEntry,
} from "#app/entities/alerts/match.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";

const NOW = Date.UTC(2026, 5, 20, 12);

const entry = (over: Partial<WatchingEntry> = {}): WatchingEntry => ({
  id: 1,
  groupId: "g",
  agencyId: "a",
  plate: "AB12340",
  state: "",
  reason: "",
  notes: "",
  caseNumber: "",
  matchPolicy: "lookalike",
  stateRequired: false,
  make: "",
  color: "",
  bodyType: "",
  priority: "normal",
  createdAt: NOW,
  addedByName: "",
  addedByAgency: "",
  ...over,
});

const read = (over: Partial<LiveRead["facts"]> = {}): LiveRead => {
  const facts = {
    plate: "AB12340",
    plateState: "CT",
    make: "",
    color: "",
    bodyType: "",
    confidence: 90,
    capturedAt: NOW,
    cameraId: "",
    cameraName: "",
    latitude: null,
    longitude: null,
    vehicleImageKey: null,
    plateImageKey: null,
    ...over,
  };
  const { plate, plateState } = facts;
  const origin = { program: "Axis" as const, agencyId: "a", integrationId: "" };
  return {
    origin,
    passKey: "p",
    plate,
    plateState,
    seenAt: facts.capturedAt,
    facts,
    rank: 1,
    caveats: [],
    vendorImages: null,
    sentImages: [],
  };
};

describe("differences between read and entry", () => {
  it("are listed with the most serious first, and empty if everything matches", () => {
    expect(differencesOf(entry({ state: "CT" }), read(), NOW)).toEqual([]);
    const odd = entry({
      state: "CT",
      make: "Ford",
      color: "Red",
      bodyType: "SUV",
      createdAt: NOW - 27 * DAY,
    });
    const seen = read({
      plate: "A8I234O",
      plateState: "MA",
      make: "Honda",
      color: "Blue",
      capturedAt: NOW - 3 * HOUR,
    });
    expect(differencesOf(odd, { ...seen, caveats: ["A caveat"] }, NOW)).toEqual([
      "Plate differs in 3 look-alikes: A8I234O, listed AB12340",
      "State differs: MA, listed CT",
      "Make differs: Honda, listed Ford",
      "Color differs: Blue, listed Red",
      "A caveat",
      "Read arrived 3 hours late",
      "Entry is 27 days old",
    ]);
  });

  it("recognize every stored form of a jurisdiction", () => {
    const canadian = read({ plateState: "CA-ON" });
    for (const state of ["CA-ON", "ON"]) {
      expect(differencesOf(entry({ state }), canadian, NOW)).toEqual([]);
      expect(matchKindOf(entry({ state, stateRequired: true }), canadian)).toBe("exact");
    }
    expect(matchKindOf(entry({ state: "CA", stateRequired: true }), canadian)).toBeNull();
    expect(differencesOf(entry({ state: "CA" }), canadian, NOW)).toEqual(["State differs: CA-ON, listed CA"]);
  });

  it("distinguish an unread state from a different one, and a pattern from a plate", () => {
    expect(differencesOf(entry({ state: "CT" }), read({ plateState: "" }), NOW)).toEqual([
      "State was not read, listed CT",
    ]);
    expect(differencesOf(entry({ plate: "AB*" }), read(), NOW)).toEqual(["Plate fits the pattern AB*"]);
    expect(differencesOf(entry(), read({ plate: "ZZ1" }), NOW)).toEqual([
      "Plate was last read as ZZ1, listed AB12340",
    ]);
    expect(differencesOf(entry({ plate: "AB*" }), read({ plate: "ZZ1" }), NOW)).toEqual([
      "Plate was last read as ZZ1, listed AB*",
    ]);
  });

  it("judge a pattern by the plate alone, also if the entry requires a state", () => {
    const listed = entry({ plate: "AB*", state: "CT", stateRequired: true });
    expect(differencesOf(listed, read(), NOW)).toEqual(["Plate fits the pattern AB*"]);
  });

  it("do not mention an unread state if none is listed", () => {
    expect(differencesOf(entry({ state: "" }), read({ plateState: "" }), NOW)).toEqual([]);
  });

  it("count a single look-alike in words", () => {
    expect(differencesOf(entry(), read({ plate: "AB1234O" }), NOW)).toEqual([
      "Plate differs in one look-alike: AB1234O, listed AB12340",
    ]);
  });

  it.each([
    [10 * MINUTE - 1, []],
    [10 * MINUTE, ["Read arrived 10 minutes late"]],
    [90 * MINUTE, ["Read arrived 90 minutes late"]],
    [2 * HOUR - MINUTE, ["Read arrived 119 minutes late"]],
    [2 * HOUR, ["Read arrived 2 hours late"]],
  ])("include an arrival %d ms after the capture, from ten minutes on", (delay, expected) => {
    expect(differencesOf(entry(), read({ capturedAt: NOW - delay }), NOW)).toEqual(expected);
  });

  it.each([
    [DAY - 1, []],
    [DAY, ["Entry is one day old"]],
    [2 * DAY - 1, ["Entry is one day old"]],
    [2 * DAY, ["Entry is 2 days old"]],
  ])("include an entry that is %d ms old, from one day on", (age, expected) => {
    expect(differencesOf(entry({ createdAt: NOW - age }), read(), NOW)).toEqual(expected);
  });
});

describe("how an entry matches", () => {
  it("is the best match of the event and of what is known about its pass", () => {
    const known = read();
    expect(matchKindOf(entry(), known)).toBe("exact");
    expect(matchKindOf(entry(), { ...known, plate: "AB1234O" })).toBe("exact");
    expect(matchKindOf(entry(), { ...read({ plate: "AB1234O" }), plate: "AB12340" })).toBe("exact");
    expect(matchKindOf(entry(), read({ plate: "AB1234O" }))).toBe("lookalike");
    expect(matchKindOf(entry({ plate: "AB*40" }), known)).toBe("wildcard");
    expect(matchKindOf(entry({ matchPolicy: "exact" }), read({ plate: "AB1234O" }))).toBeNull();
    expect(matchKindOf(entry({ state: "MA", stateRequired: true }), known)).toBeNull();
  });

  it("uses the state of the event, or that of the pass if the event has none", () => {
    const listed = entry({ state: "CT", stateRequired: true });
    const pass = read({ plate: "ZZ1" });
    expect(matchKindOf(listed, { ...pass, plate: "AB12340", plateState: "" })).toBe("exact");
    expect(matchKindOf(listed, { ...pass, plate: "AB12340", plateState: "NY" })).toBeNull();
  });

  it("is no match for an unread plate, whatever the pattern", () => {
    expect(matchKindOf(entry({ plate: "*" }), read({ plate: "" }))).toBeNull();
  });
});

describe("the plates by which entries are found", () => {
  it("are those of the event and of its pass with look-alikes folded, each once and none empty", () => {
    const plates = (event: string, pass: string) => foldedPlates({ ...read({ plate: pass }), plate: event });
    expect(plates("XY777", "XY777")).toEqual(["XY777"]);
    expect(plates("XY777", "XY999")).toEqual(["XY777", "XY999"]);
    // B folds to 8, I to 1 and O to 0.
    expect(plates("A81234O", "ABI2340")).toEqual(["A812340"]);
    expect(plates("", "XY777")).toEqual(["XY777"]);
    expect(plates("XY777", "")).toEqual(["XY777"]);
    expect(plates("", "")).toEqual([]);
  });
});

describe("a timely read", () => {
  it("is from the last day and not from long before the entry was added", () => {
    const listed = { createdAt: NOW - 2 * HOUR };
    const axis = (seenAt: number) => ({ program: "Axis" as const, seenAt });
    expect(isTimely(listed, axis(NOW), NOW)).toBe(true);
    expect(isTimely(listed, axis(NOW - 2 * HOUR - 59 * MINUTE), NOW)).toBe(true);
    expect(isTimely(listed, axis(NOW - 2 * HOUR - 61 * MINUTE), NOW)).toBe(false);
    expect(isTimely(listed, axis(NOW - 3 * HOUR), NOW)).toBe(true);
    expect(isTimely(listed, axis(NOW - 3 * HOUR - 1), NOW)).toBe(false);
    expect(isTimely({ createdAt: 0 }, axis(NOW - DAY), NOW)).toBe(true);
    expect(isTimely({ createdAt: 0 }, axis(NOW - DAY - 1), NOW)).toBe(false);
  });

  it("from Axon, whose last minutes are polled repeatedly, is not from before the entry was added", () => {
    const listed = { createdAt: NOW - 2 * MINUTE };
    expect(isTimely(listed, { program: "Axon", seenAt: NOW - MINUTE }, NOW)).toBe(true);
    expect(isTimely(listed, { program: "Axon", seenAt: NOW - 4 * MINUTE }, NOW)).toBe(false);
  });
});

describe("how a hit matched", () => {
  it.each([
    ["Exact", "AB12340", "CT", "AB12340", "CT"],
    ["Exact", "AB12340", "US-CT", "AB12340", "CT"],
    ["Exact plate, state not read", "AB12340", "", "AB12340", "CT"],
    ["Exact plate, other state", "AB12340", "NY", "AB12340", "CT"],
    ["Exact plate, no state listed", "AB12340", "CT", "AB12340", ""],
    ["1 character differs", "AB1234O", "CT", "AB12340", "CT"],
    ["2 characters differ, state not read", "A81234O", "", "AB12340", "CT"],
    ["Other plate", "AB1234", "CT", "AB12340", "CT"],
    ["Plate not read, state not read", "", "", "AB12340", "CT"],
    ["Matches AB*0", "AB12340", "CT", "AB*0", "CT"],
    ["Matches AB*0 with look-alike characters, other state", "A81234O", "NY", "AB*0", "CT"],
    ["Other plate", "XY12340", "CT", "AB*0", "CT"],
  ])("is described as %j: %s %s, listed %s %s", (expected, plate, state, listedPlate, listedState) => {
    expect(matchText({ plate, state, listedPlate, listedState })).toBe(expected);
  });

  it("is exact only if plate and state were read and are those of the entry", () => {
    const plate = fc.constantFrom("", "AB1", "A81", "AB?", "A*", "AB12");
    const state = fc.constantFrom("", "CT", "NY", "CA-ON");
    fc.assert(
      fc.property(plate, state, plate, state, (plate, state, listedPlate, listedState) => {
        const isSame = plate !== "" && state !== "" && plate === listedPlate && state === listedState;
        expect(matchText({ plate, state, listedPlate, listedState }) === "Exact").toBe(isSame);
      }),
    );
  });
});
