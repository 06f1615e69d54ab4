import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldConfused, lookAlikeMatcher } from "#app/entities/search/look-alikes.ts";
import { parsePlatePattern, plateMatches } from "#app/entities/search/plate.ts";
import { daySteps, type PlatePlan, planFolded, planFormerTags, planPlate } from "#app/store/archive/plan.ts";
import { featuresOf, foldRun, runsOf } from "#app/store/archive/words.ts";

const patternOf = (text: string) => {
  const pattern = parsePlatePattern(text);
  if (!pattern) throw new Error("no pattern");
  return pattern;
};
const plan = (text: string, lookAlikes = false) => planPlate(patternOf(text), lookAlikes);

/** Returns whether a plan finds a plate, with the tags that the plan looks for. */
function finds(planned: PlatePlan, plate: string, isUnfolded = false): boolean {
  const read = runsOf(plate);
  const runs = "tags" in planned && planned.tags === "folded" ? read.map(foldRun) : read;
  const features = featuresOf(isUnfolded ? plate : foldConfused(plate));
  const has = (wanted: number[]) => wanted.every((feature) => features.includes(feature));
  if (planned.kind === "impossible") return false;
  if (planned.kind === "time") return has(planned.features);
  if (planned.kind === "gap") return planned.runs.some((run) => runs.includes(run)) && has(planned.features);
  return planned.ways.some(
    ({ run, others, features: sets }) =>
      runs.includes(run) &&
      (others.length === 0 || others.some((other) => runs.includes(other))) &&
      (sets.length === 0 || sets.some(has)),
  );
}

describe("the search plan for a plate pattern", () => {
  it("begins with the newest days if many reads match, and takes as many more as a page needs", () => {
    for (const text of ["K72", "*K72*"]) expect(daySteps(plan(text))?.first).toBe(2);
    expect(daySteps(plan("B12", true))?.first).toBe(2);
    for (const text of ["AK73947", "K7294", "K72*", "A?B?C"]) expect(daySteps(plan(text))).toBeUndefined();
    expect(daySteps({ kind: "time", features: [] })?.first).toBe(1);
    const next = daySteps(plan("K72"))?.next;
    expect(next?.(2, { found: 100, wanted: 250 })).toBe(6);
    expect(next?.(2, { found: 0, wanted: 250 })).toBe(Number.POSITIVE_INFINITY);
  });

  it("depends on what the pattern contains", () => {
    const byRuns = (...runs: string[]) => {
      const [run, ...others] = runs.flatMap(runsOf);
      return { kind: "runs", tags: "read", ways: [{ run, others, features: [] }] };
    };
    expect(plan("AK73947")).toEqual(byRuns("AK7", "394"));
    expect(plan("K72")).toEqual(byRuns("K72"));
    expect(plan("B12")).toEqual(byRuns("B12"));
    expect(planFolded(patternOf("B12"), false)).toMatchObject({
      tags: "folded",
      ways: [{ run: runsOf("812")[0] }],
    });
    expect(plan("B12", true)).toMatchObject({ kind: "runs", tags: "folded" });
    // Look-alikes of a pattern without three known characters in a row are those with confused characters.
    expect(plan("?B1?", true)).toMatchObject({ kind: "time" });
    expect(plan("?BK?7", true)).toMatchObject({ kind: "gap", tags: "folded" });
    expect(plan("A*2345")).toMatchObject({ kind: "runs" });
    // One run: the pattern's other features narrow the search.
    expect(plan("*H7?214*")).toEqual({
      kind: "runs",
      tags: "read",
      ways: [{ run: runsOf("214")[0], others: [], features: [featuresOf("*H7?2*")] }],
    });
    // Two runs within four characters: features that neither run contains narrow the search.
    expect(plan("*H7?2145*")).toEqual({
      kind: "runs",
      tags: "read",
      ways: [{ run: runsOf("214")[0], others: runsOf("145"), features: [featuresOf("*H7?2*")] }],
    });
    expect(plan("AK?7?34")).toMatchObject({ kind: "gap", features: featuresOf("AK?7?34") });
    expect(plan("*H?7?K9*")).toMatchObject({ kind: "gap" });
    // Too frequent, and too far apart.
    expect(plan("*1?2*")).toEqual({ kind: "time", features: featuresOf("*1?2*") });
    expect(plan("A*K*7")).toEqual({ kind: "time", features: featuresOf("A*K*7") });
    expect(plan("B7")).toEqual({ kind: "time", features: featuresOf("*87*") });
    expect(plan("")).toEqual({ kind: "time", features: [] });
    expect(plan("?".repeat(16))).toEqual({ kind: "impossible" });
  });

  it("uses the rarest characters with a gap, once for each character or each folded one", () => {
    for (const [lookAlikes, count] of [
      [false, 37],
      [true, 28],
    ] as const) {
      const planned = plan("H?7?3", lookAlikes);
      if (planned.kind !== "gap") throw new Error("no plan by gaps");
      expect(planned.runs).toHaveLength(count);
      expect(new Set(planned.runs).size).toBe(count);
      expect(planned.runs).toEqual(expect.arrayContaining(["H07", "HK7", "HÖ7"].flatMap(runsOf)));
    }
  });

  it("uses few runs for look-alikes, whatever the pattern", () => {
    const most = (texts: string[]) =>
      Math.max(
        ...texts.map((text) => plan(text, true)).map((one) => (one.kind === "runs" ? one.ways.length : 0)),
      );
    expect(most(["*", "??", "8B", "*?*?*?*?*?*?*?*?*?*?", "?".repeat(16)])).toBe(0);
    expect(most(["AB12345", "ABC1234", "ABC*DEF", "ABC123", "PATTERN12345678"])).toBeLessThanOrEqual(4);
    expect(most(["8B4", "HKMR", "12345", "*E?XVY*0", "A*12345*?7"])).toBeLessThanOrEqual(10);
  });

  it("finds every matching or look-alike plate, by new tags and by both kinds of former tags", () => {
    const sign = fc.constantFrom("A", "B", "7", "0", "O", "4", "Ö", "京", "𝒜");
    const plate = fc.array(sign, { minLength: 1, maxLength: 8 }).map((signs) => signs.join(""));
    const pattern = fc.array(fc.oneof(sign, fc.constantFrom("*", "?")), { maxLength: 9 });
    fc.assert(
      fc.property(plate, pattern, fc.nat(), fc.nat(), (own, signs, from, length) => {
        const start = from % own.length;
        const cut = [...own].map((one, i) => ((from >> i) % 3 === 0 ? "?" : one)).join("");
        const fragment = own.slice(start, start + 1 + (length % own.length));
        const missing = own.slice(0, start) + own.slice(start + 1);
        const wrong = `${own.slice(0, start)}B${own.slice(start + 1)}`;
        for (const text of [own, fragment, cut, missing, wrong, `${cut.slice(0, 2)}*`, signs.join("")]) {
          const asked = parsePlatePattern(text);
          if (!asked) continue;
          for (const lookAlikes of [false, true]) {
            const matches = lookAlikes ? lookAlikeMatcher(asked)(own) : plateMatches(asked, own);
            if (!matches) continue;
            expect(finds(planPlate(asked, lookAlikes), own)).toBe(true);
            expect(finds(planFolded(asked, lookAlikes), own)).toBe(true);
            expect(finds(planFormerTags(asked, lookAlikes), own, true)).toBe(true);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});
