import { describe, expect, it } from "vitest";
import {
  type ImportState,
  isImportBusy,
  listedSince,
  outcomeOf,
  presetLabel,
  type RowOutcome,
  renewedExpiry,
} from "#app/entities/hotlists/import.ts";

describe("the label of a layout", () => {
  it("is that of its preset, or the text itself", () => {
    expect(presetLabel("rekor")).toBe("Rekor Scout CSV");
    expect(presetLabel("washington-stolen")).toBe("Washington stolen vehicles");
    expect(presetLabel("mapping:17")).toBe("mapping:17");
    expect(presetLabel("")).toBe("");
  });
});

describe("an import", () => {
  it.each<[ImportState, boolean]>([
    ["reading", true],
    ["mapping", false],
    ["comparing", true],
    ["ready", false],
    ["renewing", true],
    ["applied", false],
    ["cancelling", true],
    ["cancelled", false],
    ["failed", false],
  ])("that is %s advances without the user: %s", (state, expected) => {
    expect(isImportBusy(state)).toBe(expected);
  });
});

describe("an imported row whose plate the list has twice", () => {
  const entry = { ofThisImport: false, expired: false, lapses: false, expiresAt: null, attachmentId: null };
  const entries = [
    { ...entry, id: 1, digest: 5, listedAt: 20 },
    { ...entry, id: 2, digest: 6, listedAt: 10 },
  ];
  const staged = { ...entry, id: 3, digest: 7, ofThisImport: true, listedAt: 30 };

  it.each<[number, "keep" | "replace", RowOutcome]>([
    [5, "keep", "keep"],
    [6, "replace", "keep"],
    [7, "keep", "conflict"],
    [7, "replace", "change"],
  ])("is equal to either of them, or differs from both: %i %s", (digest, onConflict, outcome) => {
    expect(outcomeOf(digest, entries, onConflict)).toBe(outcome);
  });

  it("is compared with the earlier row of the file first", () => {
    expect(outcomeOf(7, [...entries, staged], "replace")).toBe("repeat");
    expect(outcomeOf(5, [...entries, staged], "replace")).toBe("repeat-conflict");
  });

  it("has been listed since the older of those that have not expired", () => {
    const expired = { ...staged, expired: true, lapses: true, listedAt: 5 };
    expect(listedSince([...entries, expired])).toBe(10);
    expect(listedSince([expired])).toBeNull();
  });

  it("expires as late as one that has not expired, or later by the policy, if the file does not say", () => {
    const until = (expiresAt: number | null, expired = false) => ({
      ...staged,
      expiresAt,
      expired,
      lapses: expired,
    });
    expect(renewedExpiry([], 30)).toBe(30);
    expect(renewedExpiry([], null)).toBeNull();
    expect(renewedExpiry([until(20)], 30)).toBe(30);
    expect(renewedExpiry([until(40), until(35)], 30)).toBe(40);
    expect(renewedExpiry([until(20)], null)).toBe(20);
    expect(renewedExpiry([until(20), until(null)], 30)).toBeNull();
    expect(renewedExpiry([until(5, true), until(20)], null)).toBe(20);
    expect(renewedExpiry([until(5, true)], null)).toBeNull();
    expect(renewedExpiry([until(5, true)], 30)).toBe(30);
    const soon = { ...until(20), lapses: true };
    expect(renewedExpiry([soon], null)).toBeNull();
    expect(renewedExpiry([soon], 10)).toBe(20);
  });
});
