import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AddPlate, entryOf, GroupForm } from "#app/entities/hotlists/calls.ts";
import {
  entryDigest,
  entryMatches,
  expiryOf,
  expiryState,
  foldLookalikes,
  parseEntryPlate,
  vehicleMismatches,
} from "#app/entities/hotlists/entry.ts";
import { outcomeOf } from "#app/entities/hotlists/import.ts";
import { seenPattern, seenWords } from "#app/entities/hotlists/plate-check.ts";
import { dateOf } from "#app/entities/hotlists/words.ts";
import { plateMatches } from "#app/entities/search/plate.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { wallClock } from "#app/lib/time/wall-clock.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const entry = { plate: "AB12345", state: "CT", matchPolicy: "exact", stateRequired: false } as const;

describe("the plate of a hotlist entry", () => {
  it("is normalized, and a plate with wildcards needs enough literal characters", () => {
    expect(parseEntryPlate(" ab-12 345", { wildcards: false })).toEqual({ plate: "AB12345" });
    expect(parseEntryPlate("ab\u2011123–45\u200b", { wildcards: false })).toEqual({ plate: "AB12345" });
    expect(parseEntryPlate("ab1**4?", { wildcards: true })).toEqual({ plate: "AB1*4?" });
    for (const text of ["", "  ", "AB*", "A'B", "<b>", "A".repeat(16), "***"])
      expect(parseEntryPlate(text, { wildcards: true }).problem).toBeTypeOf("string");
    expect(parseEntryPlate("AB1*", { wildcards: false }).problem).toContain("one at a time");
  });

  it("has letters of one alphabet: a camera never reads one that only looks like A-Z", () => {
    // A Cyrillic A and a Greek B.
    for (const text of ["\u0410B12345", "A\u039212345", "\u0430B1*"])
      expect(parseEntryPlate(text, { wildcards: true }).problem).toContain("two alphabets");
    for (const text of ["\u0410\u041212345", "\u039112345", "\u0445*\u0443"])
      expect(parseEntryPlate(text, { wildcards: true }).problem).toContain("look like A to Z");
    for (const text of ["\u0411\u041212345", "\u03A912345", "\u4EACA12345", "\u00C4B12345"])
      expect(parseEntryPlate(text, { wildcards: false })).toEqual({ plate: text });
  });

  it("never throws, and its output parses to itself", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { plate } = parseEntryPlate(text, { wildcards: true });
        if (plate !== undefined) expect(parseEntryPlate(plate, { wildcards: true }).plate).toBe(plate);
      }),
    );
  });
});

describe("matching", () => {
  it("ignores the state unless it is required", () => {
    expect(entryMatches(entry, { plate: "AB12345", state: "NY" })).toBe(true);
    expect(entryMatches({ ...entry, stateRequired: true }, { plate: "AB12345", state: "NY" })).toBe(false);
    expect(entryMatches({ ...entry, stateRequired: true }, { plate: "AB12345", state: "" })).toBe(false);
    expect(entryMatches({ ...entry, stateRequired: true }, { plate: "AB12345", state: "CT" })).toBe(true);
  });

  it("treats 0 O D Q, 1 I, 2 Z, 5 S, 8 B, 6 G as equal only for look-alike entries", () => {
    const alike = { ...entry, matchPolicy: "lookalike" } as const;
    expect(entryMatches(alike, { plate: "A8IZ34S", state: "" })).toBe(true);
    expect(entryMatches(entry, { plate: "A8IZ34S", state: "" })).toBe(false);
    expect(entryMatches(alike, { plate: "AB12346", state: "" })).toBe(false);
    expect(foldLookalikes("0ODQ1I2Z5S8B6G37")).toBe("0000112255886637");
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Z0-9]{1,8}$/),
        (plate) => foldLookalikes(foldLookalikes(plate)) === foldLookalikes(plate),
      ),
    );
  });

  it("matches wildcards against the whole plate", () => {
    expect(entryMatches({ ...entry, plate: "AB*5" }, { plate: "AB12345", state: "" })).toBe(true);
    expect(entryMatches({ ...entry, plate: "AB?2345" }, { plate: "AB12345", state: "" })).toBe(true);
    expect(entryMatches({ ...entry, plate: "AB?345" }, { plate: "AB12345", state: "" })).toBe(false);
  });

  it("names mismatching vehicle attributes", () => {
    const known = { state: "CT", make: "Honda", color: "", bodyType: "SUV" };
    expect(vehicleMismatches(known, { state: "NY", make: "honda", color: "Red", bodyType: "" })).toEqual([
      "state NY, listed CT",
    ]);
  });
});

describe("expiry", () => {
  it("follows the agency's policy and must be in the future, but not too far", () => {
    expect(expiryOf("", { now: NOW, policyDays: 30, zone: "UTC" })).toBe(NOW + 30 * DAY);
    expect(expiryOf("", { now: NOW, policyDays: 0, zone: "UTC" })).toBeNull();
    expect(expiryOf("never", { now: NOW, policyDays: 30, zone: "UTC" })).toBeNull();
    expect(expiryOf("2026-11-20", { now: NOW, policyDays: 30, zone: "UTC" })).toBeGreaterThan(NOW);
    expect(() => expiryOf("2026-11-01", { now: NOW, policyDays: 30, zone: "UTC" })).toThrow(RangeError);
    expect(() => expiryOf("2036-11-01", { now: NOW, policyDays: 30, zone: "UTC" })).toThrow(RangeError);
    expect(() => expiryOf("2026-02-31", { now: NOW, policyDays: 30, zone: "UTC" })).toThrow("not a date");
    expect([NOW + 30 * DAY, NOW + DAY, NOW, null].map((at) => expiryState(at, NOW))).toEqual([
      "later",
      "near",
      "expired",
      "none",
    ]);
  });
});

describe("an expiry without a zone", () => {
  it("is in the agency's zone, and a date lasts until the end of the day, for one plate and in a file", () => {
    for (const zone of ["America/New_York", "Pacific/Honolulu", "America/Puerto_Rico"]) {
      for (const wish of ["2026-12-31", "2026-12-31T18:30"]) {
        const at = expiryOf(wish, { now: NOW, policyDays: 0, zone });
        expect(wallClock(at ?? 0, zone).slice(0, 16)).toBe(wish.length > 10 ? wish : `${wish}T23:59`);
        expect(dateOf(wish, { zone })?.until).toBe(at);
      }
      // In the repeated hour, the second occurrence counts.
      const late = expiryOf("2027-11-07T01:30", { now: NOW, policyDays: 0, zone });
      expect(dateOf("2027-11-07T01:30", { zone })?.until).toBe(late);
    }
    expect(expiryOf("2026-12-31T18:30Z", { now: NOW, policyDays: 0, zone: "Pacific/Honolulu" })).toBe(
      Date.UTC(2026, 11, 31, 18, 30),
    );
  });
});

describe("request bodies", () => {
  it("accept the phone's request", () => {
    const call = AddPlate.parse({
      plate_number: "ab 1",
      reason: " Stolen ",
      state: "ct",
      notes: "",
      group_id: 7,
    });
    expect(call).toMatchObject({
      reason: "Stolen",
      state: "CT",
      group_id: "7",
      match_policy: "exact",
      state_required: false,
    });
    expect(entryOf("ab 1", call).entry).toMatchObject({ plate: "AB1", state: "CT", priority: "normal" });
    expect(
      AddPlate.safeParse({ plate_number: "A", reason: "x", state: "Atlantis", group_id: "g" }).success,
    ).toBe(false);
    expect(GroupForm.parse({ group_name: " A ", group_members: "1, 2,,1" })).toMatchObject({
      group_name: "A",
      group_members: ["1", "2"],
    });
    expect(GroupForm.safeParse({ group_name: "\u200b " }).error?.issues[0]?.message).toBe(
      "Group name is required.",
    );
  });

  it("have a digest that is different if any field is different", () => {
    const base = entryOf(
      "A1",
      AddPlate.parse({ plate_number: "A1", reason: "r", notes: "n", group_id: "g" }),
    ).entry;
    if (!base) throw new Error("no entry");
    const others = [
      { reason: "x" },
      { notes: "x" },
      { reason: "rn", notes: "" },
      { reason: "", notes: "rn" },
      { caseNumber: "n" },
      { matchPolicy: "lookalike" as const },
      { stateRequired: true },
      { make: "n" },
      { color: "n" },
      { bodyType: "n" },
      { priority: "high" as const },
    ];
    const digests = [base, ...others.map((change) => ({ ...base, ...change }))].map(entryDigest);
    expect(new Set(digests).size).toBe(digests.length);
    expect(digests.every(Number.isSafeInteger)).toBe(true);
    // A file's plate and expiry are compared on their own.
    expect(entryDigest({ ...base, plate: "B2", state: "NY" })).toBe(digests[0]);
  });

  it("describe how often a plate was read", () => {
    expect(seenWords({ reads: 4, more: false, days: 21, wildcard: false })).toBe(
      "4 reads in the last 21 days",
    );
    expect(seenWords({ reads: 5000, more: true, days: 21, wildcard: true })).toBe(
      "This pattern would have matched at least 5,000 reads in the last 21 days",
    );
    expect(seenWords({ reads: 1, more: false, days: 21, wildcard: false })).toBe(
      "1 read in the last 21 days",
    );
    expect(seenWords({ reads: 0, more: false, days: 7, wildcard: true })).toBe(
      "This pattern would have matched 0 reads in the last 7 days",
    );
    expect(seenWords({ reads: null, more: false, days: 21, wildcard: false })).toBe(
      "Your agency has no stored reads to check.",
    );
  });
});

describe("the search pattern of an entry", () => {
  const plates = fc.string({ unit: fc.constantFrom(..."0ODQ1I2Z5S8B6GAK37"), minLength: 2, maxLength: 8 });

  it("is the plate itself for exact matching", () => {
    expect(seenPattern({ plate: "B0SS*", matchPolicy: "exact" })).toBe("B0SS*");
    expect(seenPattern({ plate: "AB1*", matchPolicy: "lookalike" })).toBe("A??*");
  });

  it("finds every plate that a look-alike entry would hit", () => {
    const looser = fc
      .tuple(plates, fc.array(fc.nat(3), { minLength: 8, maxLength: 8 }))
      .map(([plate, picks]) => {
        const sets = ["0ODQ", "1I", "2Z", "5S", "8B", "6G"];
        const swapped = Array.from(plate, (character, i) => {
          const set = sets.find((each) => each.includes(character)) ?? character;
          return set[(picks[i] ?? 0) % set.length] ?? character;
        });
        return { plate, read: swapped.join("") };
      });
    fc.assert(
      fc.property(looser, ({ plate, read }) => {
        const watched = { plate, state: "", matchPolicy: "lookalike", stateRequired: false } as const;
        expect(entryMatches(watched, { plate: read, state: "CT" })).toBe(true);
        expect(plateMatches({ kind: "pattern", text: seenPattern(watched) }, read)).toBe(true);
      }),
    );
  });
});

describe("an imported row compared with the list", () => {
  it("has one outcome", () => {
    const found = { id: 1, digest: 5, listedAt: 1, expiresAt: null, attachmentId: null };
    const listed = { ...found, ofThisImport: false, expired: false, lapses: false };
    expect(outcomeOf(5, [], "keep")).toBe("add");
    expect(outcomeOf(5, [listed], "keep")).toBe("keep");
    expect(outcomeOf(6, [listed], "keep")).toBe("conflict");
    expect(outcomeOf(6, [listed], "replace")).toBe("change");
    expect(outcomeOf(6, [{ ...listed, expired: true, lapses: true }], "keep")).toBe("change");
    expect(outcomeOf(5, [{ ...listed, expired: true, lapses: true }], "keep")).toBe("keep");
    expect(outcomeOf(5, [{ ...listed, ofThisImport: true }], "keep")).toBe("repeat");
    expect(outcomeOf(6, [{ ...listed, ofThisImport: true }], "keep")).toBe("repeat-conflict");
  });
});
