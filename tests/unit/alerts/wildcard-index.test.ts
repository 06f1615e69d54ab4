import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addWildcards, findWildcards, indexWildcards } from "#app/entities/alerts/wildcard-index.ts";
import { entryMatches } from "#app/entities/hotlists/entry.ts";
import { at } from "#app/lib/at.ts";

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
        fc.nat(60),
        (patterns, plates, first) => {
          // Also if some are added later.
          const index = indexWildcards(patterns.slice(0, first));
          addWildcards(index, patterns.slice(first));
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

  it.each([
    ["ABC*", [0, 1, 2]],
    ["ABCDE*", [0, 1, 2, 3]],
    ["A?C7", [0, 2, 3]],
    ["*XYZ", [-3, -2, -1]],
    ["*VWXYZ", [-5, -4, -3, -2]],
    ["AB*7", [0, 1, -1]],
    ["A*7", [0, -1]],
    ["AB*XY*", [0, 1]],
    ["ABC*VWXY*", [0, 1, 2]],
  ])("files %s under fixed positions from the start or the end", (pattern, places) => {
    const { shapes, loose } = indexWildcards([pattern]);
    expect(shapes).toMatchObject([{ floating: false, places }]);
    expect(loose).toEqual([]);
  });

  it.each([
    ["*XY*", [0, 1]],
    ["*X?Z*", [0, 2]],
    ["*?XY*", [0, 1]],
    ["*VWXYZ*", [0, 1, 2, 3]],
    ["A*XYZ*", [0, 1, 2]],
    ["AB*XYZ*", [0, 1, 2]],
  ])("files %s under its longest piece, wherever that is", (pattern, places) => {
    const { shapes, loose } = indexWildcards([pattern]);
    expect(shapes).toMatchObject([{ floating: true, places }]);
    expect(loose).toEqual([]);
  });

  it.each(["A*", "*A", "*A*", "*A?*", "*A*C*", "*"])("tries %s with every plate", (pattern) => {
    expect(indexWildcards([pattern])).toMatchObject({ shapes: [], loose: [0] });
  });

  it.each([
    ["A*XYZ*", "ATTXYZ", "ATTXY"],
    ["AT?*XYZ*", "ATAXYZ7", "ATAXY7"],
    ["*?XYZ*", "TXYZ", "XYZ"],
    ["*XYZ", "TXYZ", "XYZT"],
    ["ABC*", "ABC", "AB"],
    ["*XY*", "XY", "X"],
    ["A*7", "A7", "A"],
  ])("finds %s for %s and not for %s", (pattern, plate, other) => {
    const index = indexWildcards([pattern]);
    expect(findWildcards(index, plate)).toEqual([0]);
    expect(findWildcards(index, other)).toEqual([]);
  });

  it("finds all patterns that are filed under the same characters", () => {
    const index = indexWildcards(["ATTX*", "ATTX*7", "ATTXY*"]);
    expect(index.shapes).toHaveLength(1);
    expect(findWildcards(index, "ATTXY7")).toEqual([0, 1, 2]);
    expect(findWildcards(index, "ATTX77")).toEqual([0, 1]);
  });
});
