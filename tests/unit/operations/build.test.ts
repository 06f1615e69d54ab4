import { describe, expect, it } from "vitest";
import { compareMigrations } from "#app/entities/operations/build.ts";

const KNOWN = [
  { name: "0000_first", when: 1000 },
  { name: "0001_second", when: 2000 },
  { name: "0002_third", when: 3000 },
];

describe("the migrations of a database", () => {
  it.each([
    [[], { applied: 0, pending: ["0000_first", "0001_second", "0002_third"], newer: [] }],
    [["0000_first.sql", "0001_second.sql"], { applied: 2, pending: ["0002_third"], newer: [] }],
    [["0000_first", "0001_second", "0002_third.sql"], { applied: 3, pending: [], newer: [] }],
    [["0000_first", "0000_first.sql"], { applied: 1, pending: ["0001_second", "0002_third"], newer: [] }],
    [
      ["0000_first.sql", "0001_second.sql", "0002_third.sql", "0003_fourth.sql"],
      { applied: 4, pending: [], newer: ["0003_fourth"] },
    ],
    [
      ["0001_second.sql", "0000_other.sql"],
      { applied: 2, pending: ["0000_first", "0002_third"], newer: ["0000_other"] },
    ],
    [
      ["0000_first.sql.old"],
      { applied: 1, pending: ["0000_first", "0001_second", "0002_third"], newer: ["0000_first.sql.old"] },
    ],
  ])("are compared by name: %j", (names, state) => {
    expect(compareMigrations(KNOWN, { names })).toEqual(state);
  });

  it.each([
    [0, 0, ["0000_first", "0001_second", "0002_third"]],
    [999, 0, ["0000_first", "0001_second", "0002_third"]],
    [1000, 1, ["0001_second", "0002_third"]],
    [2999, 2, ["0002_third"]],
    [3000, 3, []],
    [4000, 3, []],
  ])("are compared by the time of the newest, %i: %i are applied", (upTo, applied, pending) => {
    expect(compareMigrations(KNOWN, { upTo })).toEqual({ applied, pending, newer: [] });
  });
});
