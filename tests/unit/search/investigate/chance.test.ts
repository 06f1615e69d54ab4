import { describe, expect, it } from "vitest";
import { activityOf, chanceOfPassing, logChanceOfAtLeast } from "#app/entities/search/investigate/chance.ts";

it("the chance of a vehicle of average activity is the share of the others, with one added to them and two to all", () => {
  expect(chanceOfPassing({ others: 2, population: 8, trials: 2, activity: 1 })).toBeCloseTo(0.25, 12);
  // Twice as active: once in two attempts.
  expect(chanceOfPassing({ others: 2, population: 8, trials: 2, activity: 2 })).toBeCloseTo(
    1 - 0.75 ** 2,
    12,
  );
  expect(chanceOfPassing({ others: 0, population: 0, trials: 1, activity: 1 })).toBeCloseTo(0.5, 12);
});

it("activity is compared with the average, with one read added to both", () => {
  expect([activityOf(0, 0), activityOf(3, 1), activityOf(0, 1)]).toEqual([1, 2, 0.5]);
});

describe("the chance of at least a number of events, by a table of the Poisson distribution", () => {
  it.each([
    [1, 1, 0.632121],
    [2, 1, 0.264241],
    [3, 1, 0.080301],
    [1, 0.1, 0.095163],
    [2, 2, 0.593994],
    [5, 2, 0.052653],
    [5, 5, 0.559507],
    [4, 5, 0.734974],
    [10, 5, 0.031828],
  ])("%d or more, if %d are expected: %d", (least, expected, chance) => {
    expect(Math.exp(logChanceOfAtLeast(least, expected))).toBeCloseTo(chance, 6);
  });

  it("is certain for none, impossible if none is expected, and never more than certain", () => {
    expect([logChanceOfAtLeast(0, 3), logChanceOfAtLeast(-1, 0)]).toEqual([0, 0]);
    expect([logChanceOfAtLeast(1, 0), logChanceOfAtLeast(1, -1)]).toEqual([-Infinity, -Infinity]);
    expect(logChanceOfAtLeast(1, 800)).toBe(0);
  });

  it("may be too small for a number", () => {
    // -0.5 + 200 ln 0.5 - ln 200! + ln(1 + 0.5 / 201 + ...)
    expect(logChanceOfAtLeast(200, 0.5)).toBeCloseTo(-0.5 - 138.629436 - 863.231987 + 0.00249, 3);
  });
});
