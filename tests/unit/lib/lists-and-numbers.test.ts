import { describe, expect, it, test } from "vitest";
import * as z from "zod/mini";
import { at, nonEmpty } from "#app/lib/at.ts";
import { joined, release } from "#app/lib/buffers.ts";
import { gunzip, gzip } from "#app/lib/files/gzip.ts";
import { holdsTestVirus } from "#app/lib/files/test-virus.ts";
import { clientText, flag, optionalFlag } from "#app/lib/json/values.ts";
import { numberFromText, sizeText } from "#app/lib/number-text.ts";
import { numberedPage, pageOf, pageOfRows, rowsWith } from "#app/lib/pages.ts";
import { monthAfter, monthName, monthOf, monthStart, monthsFrom } from "#app/lib/time/months.ts";
import { affordableInTurn, nextInRotation, repeatWhileFull } from "#app/lib/turns.ts";

describe("an element of a list", () => {
  it("exists, or an error is thrown", () => {
    expect([at("abc", 0), at(["x", undefined], 1), at(Uint8Array.of(7), 0)]).toEqual(["a", undefined, 7]);
    for (const index of [-1, 3])
      expect(() => at("abc", index)).toThrow(`There is no element ${index} in a list of 3.`);
  });

  it("is the first of a list that is not empty", () => {
    expect(nonEmpty([0, 1, 2])).toEqual([0, 1, 2]);
    expect(() => nonEmpty([])).toThrow("The list is empty.");
  });
});

describe("values of clients", () => {
  it("are true or false in several forms", () => {
    for (const yes of [true, "true", "on", "1", 1]) expect(flag.parse(yes), String(yes)).toBe(true);
    for (const no of [false, "false", "off", "0", 0]) expect(flag.parse(no), String(no)).toBe(false);
    for (const neither of [undefined, null, "", "yes", 2, {}, []])
      expect(flag.safeParse(neither).success, String(neither)).toBe(false);
    for (const none of [undefined, null, ""]) expect(optionalFlag.parse(none)).toBe(false);
    expect(optionalFlag.parse("true")).toBe(true);
    expect(optionalFlag.safeParse("maybe").success).toBe(false);
  });

  it("are texts if they are numbers or missing", () => {
    const text = clientText(z.string().check(z.maxLength(3)));
    for (const [sent, read] of [
      [undefined, ""],
      [null, ""],
      ["", ""],
      ["abc", "abc"],
      [0, "0"],
      [123, "123"],
    ])
      expect(text.parse(sent)).toBe(read);
    for (const wrong of ["abcd", 1234, {}, [], true]) expect(text.safeParse(wrong).success).toBe(false);
    expect(z.object({ text }).parse({})).toEqual({ text: "" });
  });
});

describe("a rotation", () => {
  const turn = (now: number, count = 2) =>
    nextInRotation([..."abcde"], { now: now * 1000, every: 1000, count }).join("");
  it("shows the next items each time, and each item once per round", () => {
    expect([0, 0.999, 1, 2, 3, 4, 5].map((now) => turn(now))).toEqual([
      "ab",
      "ab",
      "cd",
      "ea",
      "bc",
      "de",
      "ab",
    ]);
  });
  it("shows all items if they are few", () => {
    expect([turn(3, 5), turn(3, 9), turn(3, 4)]).toEqual(["abcde", "abcde", "cdea"]);
  });

  const affordable = (now: number, costs: number[], most = 10) =>
    affordableInTurn([...costs.keys()], { now, every: 1, most, costOf: (i) => costs[i] ?? 0 });
  it("shows what can be afforded each time, and each item once per round", () => {
    const costs = [4, 4, 4, 25, 6, 4, 1, 9];
    const rounds = [0, 1, 2, 3, 4, 5].map((now) => affordable(now, costs));
    expect(rounds).toEqual([[0, 1], [2], [3], [4, 5], [6, 7], [0, 1]]);
    expect([affordable(7, [1, 2, 3]), affordable(7, []), affordable(7, [3], 0)]).toEqual([
      [0, 1, 2],
      [],
      [0],
    ]);
  });
  it("shows every item although costs fall once an item was shown, and others fail and stay expensive", () => {
    for (let count = 1; count <= 60; count++) {
      const costs = Array.from({ length: count }, (_, i): number => (i % 5 === 0 ? 365 : 38));
      const left = new Set(costs.keys());
      let now = count * 7;
      for (; left.size > 0 && now < count * 9; now++)
        for (const i of affordable(now, costs, 365)) {
          left.delete(i);
          if (i % 5 !== 0) costs[i] = 6;
        }
      expect([...left], `${count} items`).toEqual([]);
    }
  });
});

test.each([
  ["12", 12],
  [" -1.50 ", -1.5],
  ["+7", 7],
  ["0.123456789012345", 0.123456789012345],
  ["123456789012345", 123_456_789_012_345],
  ["1234567890123456", "1234567890123456"],
  ["0.1234567890123456", "0.1234567890123456"],
  ["", ""],
  [" ", " "],
  [".5", ".5"],
  ["5.", "5."],
  ["1e3", "1e3"],
  ["0x10", "0x10"],
  ["1,5", "1,5"],
  ["--1", "--1"],
  ["1 2", "1 2"],
  ["x1", "x1"],
  ["1x", "1x"],
  [7, 7],
  [null, null],
  [undefined, undefined],
])("%j sent as a number is %j", (sent, number) => {
  expect(numberFromText(sent)).toBe(number);
});

test("parts of bytes are joined in their order", () => {
  const parts = [Uint8Array.of(1, 2), new Uint8Array(), Uint8Array.of(3), Uint8Array.of(4, 5)];
  expect(joined(parts)).toEqual(Uint8Array.of(1, 2, 3, 4, 5));
  expect(joined([])).toHaveLength(0);
});

test("released bytes are empty, and an engine that cannot release them keeps them", () => {
  const bytes = Uint8Array.of(1, 2);
  release(bytes);
  expect(bytes).toHaveLength(0);
  const old = Uint8Array.of(1, 2);
  Object.defineProperty(old.buffer, "transfer", { value: undefined });
  release(old);
  expect(old).toHaveLength(2);
});

test("a text is gzipped and restored, and a truncated file is refused", async () => {
  const text = "Straße 🚓 ".repeat(1000);
  const packed = await gzip(text);
  expect([...packed.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
  expect(packed.length).toBeLessThan(500);
  expect((await gunzip(packed)) === text).toBe(true);
  await expect(gunzip(packed.slice(0, -9))).rejects.toThrow();
});

describe("the test virus", () => {
  // In two parts, because scanners would block this file.
  const eicar = [String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-`, "ANTIVIRUS-TEST-FILE!$H+H*"].join(
    "",
  );
  const holds = (text: string) => holdsTestVirus(new TextEncoder().encode(text));
  it("is found anywhere in a file, also after another beginning of it", () => {
    expect([eicar, `XX5O!${eicar}`, `a${eicar}b`].map(holds)).toEqual([true, true, true]);
  });
  it("is not found if any of it differs or is missing", () => {
    for (const text of ["", "X", "abc", eicar.slice(0, -1), eicar.slice(1), eicar.replace("EICAR", "eicar")])
      expect(holds(text)).toBe(false);
  });
});

describe("a month", () => {
  it("is the one in UTC", () => {
    expect(monthOf(Date.UTC(2026, 11, 1) - 1)).toBe("2026-11");
    expect(monthOf(Date.UTC(2026, 11, 1))).toBe("2026-12");
    expect(monthStart("2026-11")).toBe(Date.UTC(2026, 10, 1));
    expect([monthStart("2026-11", 2), monthStart("2026-01", -1)]).toEqual([
      Date.UTC(2027, 0, 1),
      Date.UTC(2025, 11, 1),
    ]);
  });
  it("comes after another, and before if negative", () => {
    expect([
      monthAfter("2026-11", 1),
      monthAfter("2026-11", 2),
      monthAfter("2026-01", -1),
      monthAfter("2026-01", 0),
    ]).toEqual(["2026-12", "2027-01", "2025-12", "2026-01"]);
  });
  it("is in a range that includes both ends", () => {
    expect(monthsFrom("2026-11", "2027-02")).toEqual(["2026-11", "2026-12", "2027-01", "2027-02"]);
    expect(monthsFrom("2026-11", "2026-11")).toEqual(["2026-11"]);
    expect(monthsFrom("2026-11", "2026-10")).toEqual([]);
  });
  it("has a name", () => {
    expect([monthName("2026-11"), monthName("2027-01")]).toEqual(["November 2026", "January 2027"]);
  });
});

it.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1000, "1 kB"],
  [1_250_000, "1.3 MB"],
  [64 * 1024 * 1024, "67.1 MB"],
  [9_700_000_000, "9.7 GB"],
  [36e12, "36,000 GB"],
])("%d bytes are written as %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

describe("the page number of a query", () => {
  it.each([
    ["", 1],
    ["page=", 1],
    ["page=0", 1],
    ["page=-2", 1],
    ["page=1.5", 1],
    ["page=x", 1],
    ["page=1234567890", 1],
    ["page=7", 7],
  ])("in %j is %d", (query, page) => {
    expect(pageOf(new URLSearchParams(query))).toBe(page);
  });
});

const rows = Array.from({ length: 25 }, (_, i) => `Row ${i + 1}`);
const ask = (page: number, find = "") =>
  pageOfRows(
    rowsWith(rows, find, (row) => [row, "Always"]),
    { page, size: 10 },
  );

describe("a page of rows", () => {
  it("has the rows of a page and how many there are", () => {
    expect(ask(1)).toEqual({ rows: rows.slice(0, 10), page: 1, pages: 3, found: 25 });
    expect(ask(3)).toEqual({ rows: rows.slice(20), page: 3, pages: 3, found: 25 });
  });

  it("has the nearest page if there is no page of that number", () => {
    expect(ask(9)).toMatchObject({ page: 3, rows: rows.slice(20) });
    expect(ask(-1)).toMatchObject({ page: 1, rows: rows.slice(0, 10) });
  });

  it("finds a text in any word and any case", () => {
    expect(ask(1, "row 2")).toMatchObject({ found: 7, pages: 1 });
    expect(ask(1, "ALWAYS")).toMatchObject({ found: 25 });
    expect(ask(1, "never")).toEqual({ rows: [], page: 1, pages: 1, found: 0 });
  });
});

describe("a page of a list elsewhere", () => {
  it("asks for the part of the list that the page shows", async () => {
    const parts: object[] = [];
    const list = async (part: object) => {
      parts.push(part);
      return [];
    };
    await numberedPage({ page: 4, size: 50, count: async () => 1000, list });
    await numberedPage({ page: 4, size: 50, count: async () => 0, list });
    expect(parts).toEqual([
      { limit: 50, offset: 150 },
      { limit: 50, offset: 0 },
    ]);
  });
});

describe("work in steps", () => {
  const stepsOf = async (done: number[], limits: { limit: number; steps: number }) => {
    const left = [...done];
    await repeatWhileFull(async () => left.shift() ?? 0, limits);
    return done.length - left.length;
  };

  it("is repeated while a step does all that it may, and stops after its last step", async () => {
    expect(await stepsOf([5, 5, 4, 5], { limit: 5, steps: 9 })).toBe(3);
    expect(await stepsOf([5, 5, 5, 5], { limit: 5, steps: 2 })).toBe(2);
    expect(await stepsOf([0, 5], { limit: 5, steps: 9 })).toBe(1);
  });
});
