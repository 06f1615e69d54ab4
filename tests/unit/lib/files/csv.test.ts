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

  it("takes other names of columns, and leaves out those that are ignored", () => {
    const columns = { ...COLUMNS, aliases: new Map([["alpha", "a"]] as const), ignored: ["d"] };
    const rows = [{ line: 2, values: { a: "1", b: "2", c: "" } }];
    expect(readCsv<"a" | "b" | "c">(bytes("D,Alpha,b\nx,1,2"), columns)).toEqual({ rows, problems: [] });
    const twice = readCsv<"a" | "b" | "c">(bytes("alpha,a,b\n1,1,2"), columns);
    expect(twice.problems[0]?.reason).toBe("The column a appears twice.");
  });

  it.each(["API Key,Base URL", "api-key,base-url", "Api_Key,BaseURL", " API  KEY ,base url"])(
    "knows a column however its name is spelled: %s",
    (head) => {
      const columns = { required: ["api_key", "base_url"] as const, mostRows: 1 };
      const values = { api_key: "1", base_url: "2" };
      expect(readCsv(bytes(`${head}\n1,2`), columns)).toEqual({ rows: [{ line: 2, values }], problems: [] });
    },
  );

  it("names the line on which a row starts, even after line breaks in quotes", () => {
    const { rows } = read('a,b\r\n"x\r\ny","say ""hi"""\r\n\r\n3,4');
    expect(rows).toEqual([
      { line: 2, values: { a: "x\r\ny", b: 'say "hi"', c: "" } },
      { line: 5, values: { a: "3", b: "4", c: "" } },
    ]);
  });

  it.each([
    ["", 1, "The file is empty."],
    ["\n\n", 1, "The file is empty."],
    [" , \n", 1, "The file is empty."],
    ["a\n1", 1, "The header has no column b."],
    ["\n\nx\n1", 3, "The header has no column a, b."],
    ["a,b,x\n1,2,3", 1, "The column “x” is not one of a, b, c."],
    [`a,b,${"x".repeat(61)}\n1,2,3`, 1, `The column “${"x".repeat(60)}” is not one of a, b, c.`],
    ["a,b,x\u202ey\n1,2,3", 1, "The column “xy” is not one of a, b, c."],
    ["a,b,c,b\n1,2,3,4", 1, "The column b appears twice."],
    ["a,b", 1, "The file has a header and no rows."],
    ["a,b\n\n,\n", 1, "The file has a header and no rows."],
    ["a,b\n\n1,2,3", 3, "The row has 3 cells, the header 2."],
    ['a,b\n"1,2\n', 2, "A quotation mark is not closed or is misplaced."],
    // Also if it is in the header and hides all rows.
    ['"a,b\n1,2\n', 1, "A quotation mark is not closed or is misplaced."],
    ['"a"x,b\n1,2\n', 1, "A quotation mark is not closed or is misplaced."],
    ['"a"x,b"\na,b\n1,2\n', 1, "A quotation mark is not closed or is misplaced."],
    ["a,b\n\0,2", 1, "The file is not a text file."],
  ])("says what is wrong with %j", (text, line, reason) => {
    expect(read(text)).toEqual({ rows: [], problems: [{ line, reason }] });
  });

  it("stops at the most rows", () => {
    const rows = (count: number) => `a,b\n${"1,2\n".repeat(count)}`;
    expect(read(rows(3))).toMatchObject({ rows: [{ line: 2 }, { line: 3 }, { line: 4 }], problems: [] });
    const { rows: kept, problems } = read(rows(9));
    expect(kept).toHaveLength(3);
    expect(problems).toEqual([{ line: 5, reason: "The file has more than 3 rows." }]);
    const many = readCsv(bytes(rows(1001)), { required: ["a", "b"], mostRows: 1000 });
    expect(many.problems).toEqual([{ line: 1002, reason: "The file has more than 1,000 rows." }]);
  });

  it("keeps the other rows if one has a problem", () => {
    expect(read("a,b\n1,2,3\n4,5\n")).toEqual({
      rows: [{ line: 3, values: { a: "4", b: "5", c: "" } }],
      problems: [{ line: 2, reason: "The row has 3 cells, the header 2." }],
    });
  });

  it.each([
    ["a,b\r\r1,2\r", 3],
    [" a ,\tB \n1,2", 2],
    ["a,b\n\r\n1,2", 3],
    ["\n , \na,b\n1,2", 4],
    // Empty cells and columns without a name.
    ["a,b\n1,2, ,\n", 2],
    ["a,b,,\n1,2,x,y\n", 2],
    ["a;b;;\n1;2;,,,,,;", 2],
    // A line for Excel, and the end of a file of MS-DOS.
    ["sep=;\r\na;b\r\n1;2\r\n", 3],
    ["a,b\r\n1,2\r\n\x1a", 2],
  ])("has one row in %j", (text, line) => {
    expect(read(text)).toEqual({ rows: [{ line, values: { a: "1", b: "2", c: "" } }], problems: [] });
  });

  it("has line ends of several kinds, as in a file that was continued in another program", () => {
    expect(read('a,b\r\n1,2\n"x\r\ny","z\rz"\r3,4\r\n').rows).toEqual([
      { line: 2, values: { a: "1", b: "2", c: "" } },
      { line: 3, values: { a: "x\r\ny", b: "z\rz", c: "" } },
      { line: 6, values: { a: "3", b: "4", c: "" } },
    ]);
  });

  it("takes the most frequent separator of the first line, in doubt the comma", () => {
    expect(read("a\tb\t,\t\n1\t2").problems[0]?.reason).toBe("The column “,” is not one of a, b, c.");
    expect(read("a,;b\n1,2").problems[0]?.reason).toBe("The header has no column b.");
    expect(read("b,a\n2,1;;;\t\t").rows[0]?.values).toEqual({ a: "1;;;", b: "2", c: "" });
  });

  it("reads a missing cell as empty, and only the named columns", () => {
    expect(readCsv(bytes("b,a\n1"), { required: ["a", "b"], mostRows: 1 }).rows).toEqual([
      { line: 2, values: { a: "", b: "1" } },
    ]);
    expect(readCsv(bytes("a\n1"), { required: ["a"], mostRows: 1 })).toEqual({
      rows: [{ line: 2, values: { a: "1" } }],
      problems: [],
    });
  });

  it.each([
    [
      "Windows-1252, in which Excel saves CSV by default",
      [0x61, 0x2c, 0x62, 0x0d, 0x0a, 0x4a, 0x6f, 0x73, 0xe9, 0x2c, 0x80],
    ],
    [
      "UTF-16 with a byte order mark",
      [
        0xff,
        0xfe,
        ...[..."a,b\nJosé,€"].flatMap((sign) => [sign.charCodeAt(0) & 255, sign.charCodeAt(0) >> 8]),
      ],
    ],
    ["UTF-8 with a byte order mark", [0xef, 0xbb, 0xbf, ...bytes("a,b\nJosé,€")]],
  ])("reads %s", (_, file) => {
    const { rows, problems } = readCsv(new Uint8Array(file), COLUMNS);
    expect([rows, problems]).toEqual([[{ line: 2, values: { a: "José", b: "€", c: "" } }], []]);
  });

  it("rejects bytes that are not text", () => {
    const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52];
    expect(readCsv(new Uint8Array(png), COLUMNS).problems).toEqual([
      { line: 1, reason: "The file is not a text file." },
    ]);
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
  it("has a byte order mark, CRLF, and quotes only where they are needed", () => {
    const rows = [
      ["a", "b"],
      [1, null],
      [true, undefined],
      ['say "x"', "1,2"],
      ["=1", "x\ny"],
    ];
    expect(writeCsv(rows)).toBe('\uFEFFa,b\r\n1,\r\ntrue,\r\n"say ""x""","1,2"\r\n\'=1,"x\ny"\r\n');
  });

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
  });
});
