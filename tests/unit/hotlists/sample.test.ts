import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import type { Delimiter } from "#app/entities/hotlists/layout.ts";
import { readFileStart, shownLines, startOfLines } from "#app/entities/hotlists/sample.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
/** Returns lines of 1024 bytes each, including the line end. */
const kilobytes = (count: number) => bytesOf(`${"x".repeat(1023)}\n`.repeat(count));

describe("the start of a hotlist file", () => {
  it.each([
    ["a whole file of 64 KiB, all its lines", 64, true, 64],
    ["a part of 64 KiB, without its last line, which can be cut off", 64, false, 63],
    ["a larger file, as much as its first 64 KiB", 65, true, 63],
    ["a small part, without its last line", 10, false, 9],
  ])("is, of %s", (_, count, whole, lines) => {
    expect(readFileStart(kilobytes(count), whole).sample(null)).toHaveLength(lines);
  });

  it("has at most 300 lines", () => {
    expect(readFileStart(bytesOf("AB1\n".repeat(301)), true).sample(",")).toHaveLength(300);
  });

  it("is split once for each delimiter", () => {
    const { sample } = readFileStart(bytesOf("AB1;x,y\n"), true);
    expect(sample(",")).toEqual([["AB1;x", "y"]]);
    expect(sample(";")).toEqual([["AB1", "x,y"]]);
    expect(sample(null)).toEqual([["AB1;x,y"]]);
    expect(sample(",")).toBe(sample(","));
  });

  it("has the line ends and the encoding of the file", () => {
    expect(readFileStart(bytesOf("AB1\rAB2\r"), true)).toMatchObject({ newline: "\r", encoding: undefined });
    const utf16 = new Uint8Array([0xff, 0xfe, 65, 0, 66, 0, 49, 0, 10, 0]);
    const start = readFileStart(utf16, true);
    expect(start).toMatchObject({ newline: "\n", encoding: "utf-16le" });
    expect(start.sample(",")).toEqual([["AB1"]]);
  });
});

describe("a table that another program wrote", () => {
  const cell = fc.string({
    unit: fc.constantFrom("A", "b", "1", " ", ",", ";", "\t", "|", '"', "'", "\n", "\r", "é", "😀"),
    maxLength: 8,
  });
  const trimmed = (rows: readonly string[][]) => rows.map((row) => row.map((text) => text.trim()));

  it("has the same cells, whatever its separators, line ends, quotes and encoding", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 20 }),
        fc.constantFrom<Delimiter>(",", ";", "\t", "|"),
        fc.constantFrom("\r\n", "\n", "\r"),
        fc.boolean(),
        fc.constantFrom("", "\uFEFF", "utf16le"),
        (rows, delimiter, newline, quotes, encoding) => {
          const table = [["Plate", "State", "Reason"], ...rows];
          const text = Papa.unparse(table, { delimiter, newline, quotes });
          const bytes =
            encoding === "utf16le" ? Buffer.from(`\uFEFF${text}`, encoding) : bytesOf(`${encoding}${text}`);
          const start = readFileStart(new Uint8Array(bytes), true);
          expect(trimmed(start.sample(delimiter))).toEqual(trimmed(table));
        },
      ),
    );
  });
});

describe("the lines that the mapping step shows", () => {
  it("are at most 50, each of at most 2000 characters", () => {
    const long = "y".repeat(2001);
    const shown = shownLines(readFileStart(bytesOf(`${long}\n${"AB1,x\n".repeat(50)}`), true));
    expect(shown).toHaveLength(50);
    expect(shown[0]).toBe("y".repeat(2000));
    expect(shown[1]).toBe("AB1,x");
  });

  it("can be split by another delimiter", () => {
    expect(startOfLines(["AB1;x", "AB2;y"]).sample(";")).toEqual([
      ["AB1", "x"],
      ["AB2", "y"],
    ]);
  });
});
