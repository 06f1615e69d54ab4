import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldLookalikes } from "#app/entities/hotlists/entry.ts";
import { leewayOf, lookAlikeMatcher, plateComparer } from "#app/entities/search/look-alikes.ts";
import { type PlatePattern, parsePlatePattern, plateMatches } from "#app/entities/search/plate.ts";
import { queryMatcher, vendorAsked, vendorPlate } from "#app/providers/paging.ts";

const parsed = (text: string): PlatePattern => {
  const pattern = parsePlatePattern(text);
  if (!pattern) throw new Error(`${text} is no pattern`);
  return pattern;
};
const NO_FILTERS = { plateState: "", color: "", make: "", bodyType: "", from: 0, to: 1 } as const;
const match = (pattern: string, plate: string) => lookAlikeMatcher(parsed(pattern))(plate);

/** The sets and pairs of the specification, defined independently of the code under test. */
const SETS = ["0ODQ", "1IL", "2Z", "5S", "8B", "6G"];
const PAIRS = [
  "08",
  "27",
  "35",
  "38",
  "39",
  "3B",
  "49",
  "4A",
  "58",
  "68",
  "BP",
  "CG",
  "EF",
  "EP",
  "FP",
].concat(["HK", "HM", "HR", "KM", "KR", "KX", "MR", "PR", "TV", "TY", "UV", "VW", "VY", "XY"]);
const isSame = (a: string, b: string) => a === b || SETS.some((set) => set.includes(a) && set.includes(b));
const isPair = (a: string, b: string) => PAIRS.includes(a + b) || PAIRS.includes(b + a);

/** The edit distance of a pattern and a plate, by recursion over all alignments; characters of a set are equal. */
function distance(
  glob: string,
  plate: string,
  isEdit: (a: string, b: string) => boolean,
  gap: number,
): number {
  const [a, b] = [glob[0], plate[0]];
  if (a === undefined) return plate.length * gap;
  const [rest, shorter] = [glob.slice(1), plate.slice(1)];
  if (a === "*") {
    const skipped = distance(rest, plate, isEdit, gap);
    return b === undefined ? skipped : Math.min(skipped, distance(glob, shorter, isEdit, gap));
  }
  const missing = gap > 1 ? gap : gap + distance(rest, plate, isEdit, gap);
  if (b === undefined) return missing;
  const cost = a === "?" || isSame(a, b) ? 0 : isEdit(a, b) ? 1 : 9;
  const paired = cost > 1 ? cost : cost + distance(rest, shorter, isEdit, gap);
  return Math.min(paired, missing, gap > 1 ? gap : gap + distance(glob, shorter, isEdit, gap));
}

function resembles(text: string, plate: string): boolean {
  const pattern = parsed(text);
  if (pattern.kind === "any") return true;
  const glob = pattern.kind === "contains" ? `*${pattern.text}*` : pattern.text;
  const anyEdit = /[^*?]{3}.*[^*?]{3}/.test(pattern.text);
  const edits = anyEdit
    ? distance(glob, plate, () => true, 1)
    : distance(glob, plate, (a, b) => /[^*?]{3}/.test(pattern.text) && isPair(a, b), 9);
  return edits <= 1;
}

const characters = fc.constantFrom(..."0OD1IL8B3E47");
const plates = fc.string({ unit: characters, minLength: 2, maxLength: 7 });
const patterns = fc
  .array(fc.oneof({ weight: 8, arbitrary: characters }, fc.constantFrom("?", "*")), {
    minLength: 1,
    maxLength: 8,
  })
  .map((signs) => signs.join(""));
/** A plate and a pattern derived from it, so that most pairs are close. */
const close = fc
  .tuple(
    plates,
    fc.array(fc.tuple(fc.nat(7), fc.nat(3), fc.oneof(characters, fc.constant("?"))), { maxLength: 3 }),
  )
  .map(([plate, changes]) => {
    const signs = [...plate];
    for (const [place, kind, sign] of changes) {
      if (kind === 0) signs.splice(place, 1);
      else if (kind === 1) signs.splice(place, 0, sign);
      else signs.splice(place, 1, sign);
    }
    return { plate, pattern: signs.join("") };
  });

describe("look-alikes", () => {
  test("are the plates within the edit distance that a pattern allows", () => {
    const pairs = fc.oneof(close, fc.record({ plate: plates, pattern: patterns }));
    fc.assert(
      fc.property(pairs, ({ plate, pattern }) => {
        const found = match(pattern, plate);
        expect(found !== undefined).toBe(resembles(pattern, plate));
        const exact = plateMatches(parsed(pattern), plate);
        expect(found?.score === 1).toBe(exact);
        expect(found?.reason === "").toBe(exact);
        if (found) expect(found.score).toBeGreaterThan(0);
      }),
      { numRuns: 1500 },
    );
  });

  test.each([
    ["AB1234", "A81234", 0.9, "B read as 8"],
    ["8B4", "B84", 0.81, "8 read as B, B read as 8"],
    ["8B4", "X3B4Z", 0.7, "8 read as 3"],
    ["ABC1234", "ABC124", 0.4, "1 character missing"],
    ["ABC1234", "ABC12X34", 0.4, "1 extra character"],
    ["ABC1234", "AKC1234", 0.5, "1 wrong character: B read as K"],
    ["A*CDF123", "AXXCOF13", 0.36, "D read as O, 1 character missing"],
    ["ABC1238", "ABXC123B", 0.36, "1 extra character, 8 read as B"],
    ["ABXC1238", "ABC123B", 0.36, "1 character missing, 8 read as B"],
    // The one edit is used up by the X, so the four 0 are those that need no second one.
    [
      "ABC*0000*",
      "ABXOOOOZ0080",
      0.33,
      "1 wrong character: C read as X, 0 read as O, 0 read as O, 0 read as O, 0 read as O",
    ],
    // The longest plate that is compared.
    ["ABC*DEF", `ABC${"9".repeat(34)}DEG`, 0.5, "1 wrong character: F read as G"],
  ])("%s resembles %s", (pattern, plate, score, reason) => {
    expect(match(pattern, plate)).toEqual({ score, reason });
  });

  test.each([
    ["8B", "88", true],
    ["8B", "38", false],
    ["8B4", "8X4", false],
    ["ABCD", "ABXD", false],
    ["ABCDE", "ABXDE", false],
    ["ABCDEF", "ABXDEF", true],
    ["ABC*DE", "AXCXXDE", false],
    ["ABC*DEF", "ABC1DKF", true],
    ["ABC1234", "ABC2", false],
  ])("%s and %s: %s", (pattern, plate, alike) => {
    expect(match(pattern, plate) !== undefined).toBe(alike);
  });

  test("patterns that match everything, and long plates, need no alignment", () => {
    expect(match("*", "ABC")).toEqual({ score: 1, reason: "" });
    expect(match("??", "A1")).toEqual({ score: 1, reason: "" });
    expect(match("??", "ABC")).toBeUndefined();
    expect(match("ABCDEF", "A".repeat(200))).toBeUndefined();
    expect(match("ABC*DEF", `ABC${"9".repeat(35)}DEG`)).toBeUndefined();
    expect(leewayOf(parsed("*?*?*?*?*?*?*?*?*?*?"))).toBe("none");
    expect(match("*A*A*A*A*A*A*A*A*A*B", "A".repeat(40))).toBeUndefined();
    expect(parsePlatePattern("A".repeat(200))).toBeUndefined();
  });

  test.each([
    ["AB12345", "*A???34?*", "Not asked for missing, extra or wrong characters."],
    ["8B4", "*8B4*", "Asked for the plate as entered. Not asked for other confused characters, or missing"],
    ["80B56KX", "*????", "Asked for *????"],
    ["A?B*", "A?B*", "Asked for the plate as entered."],
  ])("one vendor query is sent for %s", (text, start, status) => {
    const query = { ...NO_FILTERS, marks: [], plate: parsed(text), lookAlikes: true };
    expect(vendorPlate(query)?.startsWith(start)).toBe(true);
    expect(vendorAsked(query)).toContain(status);
    expect(vendorPlate({ ...query, lookAlikes: false })).toContain(text);
    expect(vendorAsked({ ...query, lookAlikes: false })).toBeUndefined();
  });

  test("the vendor query matches the exact plate and keeps at least three known characters", () => {
    fc.assert(
      fc.property(plates, (plate) => {
        const glob = vendorPlate({ plate: { kind: "contains", text: plate }, lookAlikes: true }) ?? "";
        expect(plateMatches({ kind: "pattern", text: glob }, plate)).toBe(true);
        expect(glob.replace(/[*?]/g, "").length).toBeGreaterThanOrEqual(Math.min(3, plate.length));
      }),
    );
  });

  test("rows of a vendor that ignores wildcards are filtered after the query", () => {
    const matches = queryMatcher({ ...NO_FILTERS, marks: [], plate: parsed("AB12345"), lookAlikes: true });
    const row = (plate: string) => ({
      plate,
      capturedAt: null,
      plateState: "",
      color: "",
      make: "",
      bodyType: "",
    });
    expect(["AB12345", "A8I2345", "XYZ999", ""].map((plate) => matches(row(plate)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test("hotlist entries treat the same sets as equal, except L", () => {
    for (const set of SETS) expect(new Set(Array.from(set.replace("L", ""), foldLookalikes)).size).toBe(1);
    expect(foldLookalikes("L")).toBe("L");
  });
});

describe("two whole plates", () => {
  test("resemble each other as in a search, by confused characters, weaker pairs and one edit", () => {
    const resemble = plateComparer();
    const others = ["A8C1234", "ABC1284", "AC1234", "ABC91234", "ABC1239", "XBC1239", "ABC12345Q"];
    expect(others.filter((other) => resemble("ABC1234", other))).toEqual(others.slice(0, 5));
    expect(resemble("AB12", "AB13")).toBe(false);
    expect(resemble("ABC1234", "A8C1234")).toBe(true);
  });
});
