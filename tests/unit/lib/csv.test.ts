import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { USERS_TEMPLATE, validateRows } from "#app/domain/users/upload.ts";
import { readCsv, safeCell, writeCsv } from "#app/lib/files/csv.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const COLUMNS = { required: ["a", "b"], optional: ["c"], mostRows: 3 } as const;
const read = (text: string) => readCsv<"a" | "b" | "c">(bytes(text), COLUMNS);

describe("reading CSV", () => {
  it("accepts any byte order mark, line end, separator, column order and case", () => {
    const rows = [{ line: 2, values: { a: "1", b: "2", c: "" } }];
    for (const text of ["a,b\n1,2\n", "\uFEFFa,b\r\n1,2", "B;A\r\n2;1\r\n", "a\tb\n 1 \t2", "A,b\r1,2\r"])
      expect(read(text), JSON.stringify(text)).toEqual({ rows, problems: [] });
  });

  it("names the line on which a row starts, even after line breaks in quotes", () => {
    const { rows } = read('a,b\r\n"x\r\ny","say ""hi"""\r\n\r\n3,4');
    expect(rows).toEqual([
      { line: 2, values: { a: "x\r\ny", b: 'say "hi"', c: "" } },
      { line: 5, values: { a: "3", b: "4", c: "" } },
    ]);
  });

  it.each([
    ["", /empty/],
    ["\n\n", /empty/],
    ["a\n1", /no column b/],
    ["a,b,x\n1,2,3", /“x”/],
    ["a,b,b\n1,2,3", /twice/],
    ["a,b", /no rows/],
    ["a,b\n1,2,3", /3 cells/],
    ['a,b\n"1,2\n', /quotation mark/],
    ["a,b\n1,2\n1,2\n1,2\n1,2", /more than 3 rows/],
    ["a,b\n\0,2", /not a text file/],
  ])("says what is wrong with %j", (text, reason) => {
    expect(read(text).problems[0]?.reason).toMatch(reason);
  });

  it("rejects text that is not UTF-8", () => {
    expect(readCsv(new Uint8Array([0xff, 0xfe, 0x61, 0]), COLUMNS).problems[0]?.reason).toMatch(/UTF-8/);
  });

  it("reads what it wrote", () => {
    const cell = fc.string({ unit: "binary", maxLength: 12 }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 3 }), (rows) => {
        const kept = rows.filter((row) => row.some((text) => safeCell(text).trim() !== ""));
        const back = read(writeCsv([["a", "b"], ...rows]));
        expect(back.rows.map(({ values }) => [values.a, values.b])).toEqual(
          kept.map((row) => row.map((text) => safeCell(text).toWellFormed().trim())),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe("writing CSV", () => {
  it("writes no cell that a spreadsheet would run as a formula", () => {
    for (const sign of ["=", "+", "-", "@", "\t", "\r", "\0"])
      expect(safeCell(`${sign}1+1`)).toBe(`'${sign}1+1`);
    expect([safeCell(-5), safeCell("a=b"), safeCell(null)]).toEqual(["-5", "a=b", ""]);
  });
});

describe("a cell that a spreadsheet would run as a formula", () => {
  it.each(["=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠"])(
    "starts with an apostrophe: %j",
    (sign) => {
      expect(safeCell(`${sign}1`)).toBe(`'${sign}1`);
      expect(safeCell(`1${sign}`)).toBe(`1${sign}`);
    },
  );

  it("is never a number, even a negative one", () => {
    expect(safeCell(-1)).toBe("-1");
  });
});

describe("uploaded users", () => {
  it("are checked row by row, with the line of every problem", () => {
    const { users, problems } = validateRows(
      bytes(
        "username,name,email,role\nAda,Ada L,ada@x.example,ADMIN\n,No Name,n,boss\nada,Twice,t@x.example,user",
      ),
    );
    expect(users).toEqual([
      { line: 2, user: { username: "ada", name: "Ada L", email: "ada@x.example", role: "admin" } },
    ]);
    expect(problems.map(({ line }) => line)).toEqual([3, 4]);
    expect(problems[0]?.reason).toMatch(/Username is required.*Email must look.*Role must be/);
    expect(validateRows(bytes(writeCsv(USERS_TEMPLATE))).users).toHaveLength(1);
  });

  it("never throw, for 50,000 random files", () => {
    const junk = fc.constantFrom(
      "username",
      "name",
      "email",
      "role",
      ",",
      ";",
      '"',
      "\r",
      "\n",
      "\uFEFF",
      "=",
      "\0",
      "a@b.cd",
      "user",
    );
    const text = fc.array(fc.oneof(junk, fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 14 });
    const file = fc.oneof(
      text.map((parts) => bytes(parts.join(""))),
      text.map((parts) => bytes(`username,name,email,role\r\n${parts.join("")}`)),
      fc.uint8Array({ maxLength: 40 }),
    );
    fc.assert(
      fc.property(file, (content) => {
        const { users, problems } = validateRows(content);
        return (
          users.length + problems.length > 0 &&
          problems.every(({ line, reason }) => line >= 1 && reason !== "")
        );
      }),
      { numRuns: 50_000 },
    );
  }, 120_000);
});
