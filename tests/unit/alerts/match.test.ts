import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  differencesOf,
  isTimely,
  type LiveRead,
  matchKindOf,
  matchText,
  type WatchingEntry,
} from "#app/entities/alerts/match.ts";
import { findWildcards, indexWildcards } from "#app/entities/alerts/wildcard-index.ts";
import { entryMatches } from "#app/entities/hotlists/entry.ts";
import { at } from "#app/lib/at.ts";
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
    facts,
    rank: 1,
    caveats: [],
    vendorImages: null,
    sentImages: [],
  };
};

describe("the wildcard index", () => {
  const character = fc.constantFrom(..."AB0O1I8Z7");
  const plate = fc.string({ unit: character, minLength: 1, maxLength: 9 });
  const pattern = fc.string({
    unit: fc.oneof({ arbitrary: character, weight: 3 }, fc.constantFrom("*", "?")),
    minLength: 1,
    maxLength: 9,
  });

  it("finds exactly the patterns that match a plate", () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 60 }),
        fc.array(plate, { maxLength: 20 }),
        (patterns, plates) => {
          const index = indexWildcards(patterns);
          for (const one of plates) {
            const matching = patterns.flatMap((text, number) =>
              entryMatches(
                { plate: text, state: "", matchPolicy: "lookalike", stateRequired: false },
                { plate: one, state: "" },
              )
                ? [number]
                : [],
            );
            expect(findWildcards(index, one).sort((a, b) => a - b)).toEqual(matching);
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it("tests few of many patterns, whatever their shape", () => {
    const letters = "ACEFHJKLMNPRTUVWXY";
    const digits = (n: number) => String((n * 7919) % 10_000).padStart(4, "0");
    const patterns = Array.from({ length: 20_000 }, (_, n) => {
      const stem = `${letters[n % 18]}${letters[(n * 7) % 18]}${digits(n)}`;
      const shapes = [
        `${stem.slice(0, 5)}*`,
        `*${stem.slice(1)}`,
        `${stem.slice(0, 3)}?${stem.slice(4)}`,
        `*${stem.slice(1, 5)}*`,
      ];
      return at(shapes, n % 4);
    });
    const index = indexWildcards(patterns);
    expect(index.loose).toEqual([]);
    expect(index.shapes.length).toBeLessThan(12);
    const fullest = Math.max(
      ...index.shapes.flatMap(({ filed }) => [...filed.values()].map((list) => list.length)),
    );
    expect(fullest).toBeLessThan(60);
  });
});

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
});

describe("a timely read", () => {
  it("is from the last day and not from long before the entry was added", () => {
    const listed = { createdAt: NOW - 2 * HOUR };
    const axis = (capturedAt: number) => ({ program: "Axis" as const, capturedAt });
    expect(isTimely(listed, axis(NOW), NOW)).toBe(true);
    expect(isTimely(listed, axis(NOW - 2 * HOUR - 59 * MINUTE), NOW)).toBe(true);
    expect(isTimely(listed, axis(NOW - 2 * HOUR - 61 * MINUTE), NOW)).toBe(false);
    expect(isTimely({ createdAt: 0 }, axis(NOW - DAY - 1), NOW)).toBe(false);
  });

  it("from Axon, whose last minutes are polled repeatedly, is not from before the entry was added", () => {
    const listed = { createdAt: NOW - 2 * MINUTE };
    expect(isTimely(listed, { program: "Axon", capturedAt: NOW - MINUTE }, NOW)).toBe(true);
    expect(isTimely(listed, { program: "Axon", capturedAt: NOW - 4 * MINUTE }, NOW)).toBe(false);
  });
});

describe("how a hit matched", () => {
  const text = (plate: string, state: string, listedPlate = "AB12340", listedState = "CT") =>
    matchText({ plate, state, listedPlate, listedState });

  it.each([
    ["Exact", text("AB12340", "CT")],
    ["Exact", text("AB12340", "US-CT")],
    ["Exact plate, state not read", text("AB12340", "")],
    ["Exact plate, other state", text("AB12340", "NY")],
    ["Exact plate, no state listed", text("AB12340", "CT", "AB12340", "")],
    ["1 character differs", text("AB1234O", "CT")],
    ["2 characters differ, state not read", text("A81234O", "")],
    ["Other plate", text("AB1234", "CT")],
    ["Plate not read, state not read", text("", "")],
    ["Fits AB*0", text("AB12340", "CT", "AB*0")],
    ["Fits AB*0 with look-alike characters, other state", text("A81234O", "NY", "AB*0")],
    ["Other plate", text("XY12340", "CT", "AB*0")],
  ])("is described as %j", (expected, actual) => {
    expect(actual).toBe(expected);
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
