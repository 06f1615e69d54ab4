import { describe, expect, it } from "vitest";
import {
  decodeStart,
  newlineOf,
  notTextReason,
  RECORD_MAX_BYTES,
  type RecordFormat,
  readRecords,
  readStart,
  utf16Of,
} from "#app/lib/files/records.ts";

const START = { offset: 0, line: 1, skipping: false };
const CSV: RecordFormat = { delimiter: ",", newline: "\n" };
const FIXED: RecordFormat = { delimiter: null, newline: "\n" };
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16le = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"));
const utf16be = (text: string) => new Uint8Array(Buffer.from(text, "utf16le").swap16());

const read = (bytes: Uint8Array, format = CSV, more: Partial<Parameters<typeof readRecords>[0]> = {}) =>
  readRecords({ bytes, cursor: START, format, final: true, ...more });
const fieldsOf = (text: string, format = CSV) => read(utf8(text), format).records.map(({ fields }) => fields);

describe("the records of a text file", () => {
  it.each<[string, string[][]]>([
    ["", []],
    ["a", [["a"]]],
    [
      "a,b\nc,d\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a,b\r\nc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["a\n\nb\r\n\r\nc", [["a"], ["b"], ["c"]]],
    [",\n", [["", ""]]],
    [
      "a,\n,b",
      [
        ["a", ""],
        ["", "b"],
      ],
    ],
    ['"a,b",c', [["a,b", "c"]]],
    ['"say ""hi""",""', [['say "hi"', ""]]],
    ['"a\nb",c\nd', [["a\nb", "c"], ["d"]]],
    ['a"b,"c"d', [['a"b', "cd"]]],
    ['"a"\r\nb', [["a"], ["b"]]],
    ["é,ü", [["é", "ü"]]],
  ])("of %j are %j", (text, expected) => {
    expect(fieldsOf(text)).toEqual(expected);
  });

  it("have the separators of their format", () => {
    expect(fieldsOf("a;b\rc,d\r", { delimiter: ";", newline: "\r" })).toEqual([["a", "b"], ["c,d"]]);
    expect(fieldsOf("a\r\n", { delimiter: ",", newline: "\r" })).toEqual([["a"], ["\n"]]);
    expect(fieldsOf('a,"b\nc\r\n\n', FIXED)).toEqual([['a,"b'], ["c"]]);
    // Without a delimiter, nothing separates fields and a quotation mark is a character.
    expect(fieldsOf('"a\nb"\na null b\n', FIXED)).toEqual([['"a'], ['b"'], ["a null b"]]);
  });

  it("of one field each, or none, are read in a time that does not grow with the square of the file", () => {
    for (const line of ["\n", "ABC123\n"]) {
      const bytes = utf8(line.repeat(Math.floor(2_000_000 / line.length)));
      const began = performance.now();
      expect(read(bytes).cursor.offset).toBe(bytes.length);
      expect(performance.now() - began).toBeLessThan(20_000);
    }
  });

  it("have the number of their first line", () => {
    const { records, cursor } = read(utf8('a\n"b\nb\nb",c\n\nd\n'));
    expect(records.map(({ line }) => line)).toEqual([1, 2, 6]);
    expect(cursor).toEqual({ offset: 15, line: 7, skipping: false });
    expect(read(utf8('"a\nb","c\nd"\ne')).records.map(({ line }) => line)).toEqual([1, 4]);
  });

  it("have no byte order mark, except within the file", () => {
    expect(read(utf8("\uFEFFa\n")).records[0]?.fields).toEqual(["a"]);
    expect(read(utf16le("\uFEFFa\n"), { ...CSV, encoding: "utf-16le" }).records[0]?.fields).toEqual(["a"]);
    const cursor = { offset: 9, line: 3, skipping: false };
    expect(read(utf8("\uFEFFa\n"), CSV, { cursor }).records).toEqual([
      { fields: ["\uFEFFa"], line: 3, tooLong: false },
    ]);
  });

  it.each(["sep=;", "SEP=\t", '"sep=,"'])("do not include a first line %j, which is for Excel", (hint) => {
    for (const newline of ["\r\n", "\n", "\r"] as const) {
      const { records, cursor } = read(utf8(`\uFEFF${hint}${newline}a${newline}`), {
        ...CSV,
        newline: newline === "\r" ? "\r" : "\n",
      });
      expect(records).toEqual([{ fields: ["a"], line: 2, tooLong: false }]);
      expect(cursor.line).toBe(3);
    }
    const utf16: RecordFormat = { ...CSV, encoding: "utf-16le" };
    expect(read(utf16le(`\uFEFF${hint}\na\n`), utf16).records).toMatchObject([{ fields: ["a"], line: 2 }]);
    expect(fieldsOf(`a\n${hint}\n`)).toHaveLength(2);
  });

  it("that are not UTF-8 are read as Windows-1252, each on its own", () => {
    const bytes = new Uint8Array([...utf8("é,1\n"), ...latin1("é,2\n"), 0x80]);
    expect(read(bytes).records.map(({ fields }) => fields)).toEqual([["é", "1"], ["é", "2"], ["€"]]);
  });

  it("of UTF-16 have characters of two bytes, and half a character at the end is skipped", () => {
    const text = 'é,"€\n"\nb';
    for (const [bytes, encoding] of [
      [utf16le(text), "utf-16le"],
      [utf16be(text), "utf-16be"],
    ] as const) {
      const { records, cursor } = read(new Uint8Array([...bytes, 0x41]), { ...CSV, encoding });
      expect(records.map(({ fields }) => fields)).toEqual([["é", "€\n"], ["b"]]);
      expect(cursor).toEqual({ offset: 17, line: 4, skipping: false });
    }
  });
});

describe("a block of a file", () => {
  const next = (text: string, cursor = START) =>
    readRecords({ bytes: utf8(text), cursor, format: CSV, final: false });

  it("ends after its last complete record", () => {
    expect(next("a\nb\nc")).toEqual({
      records: [
        { fields: ["a"], line: 1, tooLong: false },
        { fields: ["b"], line: 2, tooLong: false },
      ],
      cursor: { offset: 4, line: 3, skipping: false },
    });
    expect(next("a\nb\n", { offset: 100, line: 7, skipping: false }).cursor).toEqual({
      offset: 104,
      line: 9,
      skipping: false,
    });
    expect(next('a\n"b\nc').cursor).toEqual({ offset: 2, line: 2, skipping: false });
  });

  it("of UTF-16 ends before half a character, whose rest is in the next block", () => {
    const bytes = new Uint8Array([...utf16le("a\nb\n"), 0x41]);
    const format: RecordFormat = { ...CSV, encoding: "utf-16le" };
    const { records, cursor } = readRecords({ bytes, cursor: START, format, final: false });
    expect(records.map(({ fields }) => fields)).toEqual([["a"], ["b"]]);
    expect(cursor).toEqual({ offset: 8, line: 3, skipping: false });
  });

  it("continues after a record that was too long", () => {
    const cursor = { offset: 100, line: 7, skipping: true };
    expect(next("rest\nb\n", cursor)).toEqual({
      records: [{ fields: ["b"], line: 8, tooLong: false }],
      cursor: { offset: 107, line: 9, skipping: false },
    });
    expect(next("rest", cursor)).toEqual({ records: [], cursor: { offset: 104, line: 7, skipping: true } });
  });
});

describe("a record that is too long", () => {
  const long = (length: number) => "x".repeat(length);
  const lengths = (text: string, format = CSV, final = true) =>
    read(format.encoding ? utf16le(text) : utf8(text), format, { final }).records.map(
      ({ fields, tooLong, line }) => [fields[0]?.length ?? 0, tooLong, line],
    );

  it("is skipped: more than 64 KiB with its line end", () => {
    expect(RECORD_MAX_BYTES).toBe(65_536);
    expect(lengths(`${long(65_535)}\nb`)).toEqual([
      [65_535, false, 1],
      [1, false, 2],
    ]);
    expect(lengths(`${long(65_536)}\nb`)).toEqual([
      [0, true, 1],
      [1, false, 2],
    ]);
    expect(lengths(`${long(65_536)}\nb`, CSV, false)).toEqual([[0, true, 1]]);
    const utf16: RecordFormat = { ...CSV, encoding: "utf-16le" };
    expect(lengths(`${long(32_767)}\nb`, utf16)).toEqual([
      [32_767, false, 1],
      [1, false, 2],
    ]);
    expect(lengths(`${long(32_768)}\nb`, utf16)).toEqual([
      [0, true, 1],
      [1, false, 2],
    ]);
  });

  it("is one with a quote that is not closed, up to the end of its line", () => {
    expect(lengths('a\n"b\nc')).toEqual([
      [1, false, 1],
      [0, true, 2],
      [1, false, 3],
    ]);
    expect(lengths(`"${long(70_000)}\nb\n"`)).toEqual([
      [0, true, 1],
      [1, false, 2],
      [0, true, 3],
    ]);
    expect(lengths(`a,"${long(65_600)}"\nb`)).toEqual([
      [0, true, 1],
      [1, false, 2],
    ]);
  });
});

describe("the start of a file", () => {
  it("is decoded, even if its last character is cut off", () => {
    expect(decodeStart(utf8("aé€").slice(0, -1), undefined)).toBe("aé\uFFFD");
    expect(decodeStart(latin1("é a"), undefined)).toBe("é a");
    expect(decodeStart(latin1("a é b"), undefined)).toBe("a é b");
    expect(decodeStart(utf16le("\uFEFFa\uFEFF"), "utf-16le")).toBe("a\uFEFF");
    expect(decodeStart(utf16le("a\uFEFF"), "utf-16le")).toBe("a\uFEFF");
    expect(decodeStart(utf16le("\uFEFFaé"), "utf-16le")).toBe("aé");
    expect(decodeStart(utf16be("aé"), "utf-16be")).toBe("aé");
  });

  it.each<[string, Uint8Array, string | undefined]>([
    ["a mark of UTF-16 LE", Uint8Array.of(0xff, 0xfe), "utf-16le"],
    ["a mark of UTF-16 BE", Uint8Array.of(0xfe, 0xff), "utf-16be"],
    ["half a mark", Uint8Array.of(0xff, 0xff), undefined],
    ["the second half of a mark of LE", Uint8Array.of(0x41, 0xfe), undefined],
    ["the first half of a mark of BE", Uint8Array.of(0xfe, 0x41), undefined],
    ["the second half of a mark of BE", Uint8Array.of(0x41, 0xff), undefined],
    ["three characters, BE", utf16be("abc"), undefined],
    ["Western text in UTF-16 LE", utf16le("abcd"), "utf-16le"],
    ["Western text in UTF-16 BE", utf16be("abcd"), "utf-16be"],
    ["three characters", utf16le("abc"), undefined],
    ["half of the characters Western", utf16le("ab€€"), undefined],
    ["more than half of them", utf16le("abc€"), "utf-16le"],
    ["half of the characters Western, BE", utf16be("ab€€"), undefined],
    ["more than half of them, BE", utf16be("abc€"), "utf-16be"],
    ["zeros at both places", new Uint8Array(8), undefined],
    ["a text of bytes", utf8("abcdefgh"), undefined],
    ["nothing", new Uint8Array(), undefined],
  ])("with %s", (_, bytes, expected) => {
    expect(utf16Of(bytes)).toBe(expected);
  });

  it("has a limited number of records; the last one counts only if it is complete or the only one", () => {
    const starts = (text: string, whole: boolean, most = 9) =>
      readStart(utf8(text), CSV, { whole, most }).map(({ fields }) => fields[0]);
    expect(starts("a\nb\nc", true)).toEqual(["a", "b", "c"]);
    expect(starts("a\nb\nc", false)).toEqual(["a", "b"]);
    expect(starts("a\nb\n", false)).toEqual(["a"]);
    expect(starts("a", false)).toEqual(["a"]);
    expect(starts('a\n"b\nc\nd', false)).toEqual(["a"]);
    expect(starts("a\nb\nc", true, 2)).toEqual(["a", "b"]);
    expect(starts(`${"x".repeat(70_000)}\nb`, true)).toEqual(["b"]);
  });

  it("has line ends", () => {
    expect(["a\r\nb", "a\nb\r", "a\rb", "a", ""].map(newlineOf)).toEqual(["\n", "\n", "\r", "\n", "\n"]);
  });

  it("has line ends of its own within quoted fields, as spreadsheets write cells of several lines", () => {
    for (const text of ['a,b\rc,"two\nlines"\rd,e\r', 'a\r"x ""y""\nz"\r', 'a\r"cut\noff', '"a\nb"\rc'])
      expect(newlineOf(text), text).toBe("\r");
    for (const text of ['a,b\nc,"two\rlines"\nd,e\n', 'a\n5" pipe\rb', '"a\nb"', 'a\nb,"c\r'])
      expect(newlineOf(text), text).toBe("\n");
  });

  it.each([
    ["", "The file is empty."],
    ["PK\x03\x04", "This is a ZIP archive or an Excel workbook. Save the table as CSV (UTF-8)."],
    ["\x1f\x8b\x08", "This is a compressed file. Unpack it first."],
    ["%PDF-1.7", "This is a PDF. Save the table as CSV (UTF-8)."],
    ["\xd0\xcf\x11\xe0", "This is an Excel workbook. Save the table as CSV (UTF-8)."],
    ["a\0b", "This is not a text file."],
    ["P,K", undefined],
    ["\x1f", undefined],
    ["%PDX", undefined],
    ["\xd0\xcf\x11", undefined],
    ["a\0b\0c\0d\0", undefined],
  ])("%j cannot be a table because: %j", (text, reason) => {
    expect(notTextReason(latin1(text))).toBe(reason);
  });
});
