import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DELIMITERS, type HotlistLayout } from "#app/entities/hotlists/layout.ts";
import { readRow } from "#app/entities/hotlists/layout-read.ts";
import { guessMapping, layoutOfForm, layoutProblem } from "#app/entities/hotlists/mapping.ts";
import { Layout, MapImport } from "#app/entities/hotlists/mapping-calls.ts";
import { recognize } from "#app/entities/hotlists/recognize.ts";
import { readFileStart, shownLines, startOfLines } from "#app/entities/hotlists/sample.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const WHEN = { now: NOW, zone: "America/Chicago" };
const startOf = (text: string) => readFileStart(new TextEncoder().encode(text), true);

describe("the mapping step", () => {
  it("guesses delimiter, header, plate and state", () => {
    const guess = guessMapping(startOf("1;AB1234;CT;x\n2;CD5678;NY;y\n3;EF9012;MA;z\n").sample);
    expect(guess).toMatchObject({ kind: "delimited", delimiter: ";", header: 0 });
    expect(guess.columns).toEqual(["", "plate", "state", ""]);
    const named = guessMapping(startOf("Kennzeichen,St,Why\nAB1234,CT,x\nCD5678,NY,y\n").sample);
    expect(named).toMatchObject({ header: 1, columns: ["plate", "state", ""] });
  });

  it("guesses spans of fixed width between columns of spaces", () => {
    const lines = ["AB1234   CT  STOLEN   1", "CD56     NY  WANTED   2", "EF901234 MA  MISSING  3"];
    const guess = guessMapping(startOf(lines.join("\n")).sample);
    expect(guess.kind).toBe("fixed");
    expect(guess.spans).toEqual([
      { from: 1, to: 8, choice: "plate" },
      { from: 10, to: 11, choice: "state" },
      { from: 14, to: 20, choice: "" },
      { from: 23, to: 23, choice: "" },
    ]);
  });

  it("reads delimited rows as configured in the form", () => {
    const form = Object.entries({
      kind: "delimited",
      delimiter: ";",
      header: "1",
      "column-0": "info",
      "column-1": "plate",
      "column-2": "reason:ncic",
      "column-3": "expiry",
      "column-4": "nonsense",
      state: "CT",
      dates: "dmy",
    });
    const layout = layoutOfForm(form, () => [["Officer", "P", "Code", "Until", "?"]]);
    expect(Layout.safeParse(layout).success).toBe(true);
    expect(readRow(layout, ["Doe", "ab 1234", "V", "31/12/2026"], WHEN)).toMatchObject({
      row: {
        entry: { plate: "AB1234", state: "CT", reason: "Stolen vehicle", notes: "Officer Doe" },
        expires: "2027-01-01T05:59:59.999Z",
      },
    });
    expect(layout.headings).toEqual(["Officer", "P", "Code", "Until", "?"]);
  });

  it("reads fixed-width rows as configured in the form, to the end of the line if no end is set", () => {
    const form = Object.entries({
      kind: "fixed",
      header: "0",
      "from-0": "1",
      "to-0": "8",
      "field-0": "plate",
      "from-3": "11",
      "to-3": "",
      "field-3": "notes",
      "from-4": "0",
      "to-4": "3",
      "field-4": "make",
      reason: "BOLO",
    });
    const layout = layoutOfForm(form, () => []);
    expect(layout.parts).toEqual([
      { field: "plate", from: 0, to: 8 },
      { field: "notes", from: 10 },
    ]);
    expect(readRow(layout, ["AB1234    seen at night"], WHEN).row?.entry).toMatchObject({
      plate: "AB1234",
      reason: "BOLO",
      notes: "seen at night",
    });
  });

  it("labels notes of fixed-width lines by their positions", () => {
    const form = Object.entries({
      kind: "fixed",
      header: "1",
      delimiter: ";",
      "from-0": "5",
      "to-0": "5",
      "field-0": "info",
      "from-1": "7",
      "to-1": "6",
      "field-1": "info",
      "from-12": " 9.7 ",
      "to-12": "",
      "field-12": "info",
      "column-3": "plate",
    });
    expect(layoutOfForm(form, () => [["A", "B"]])).toEqual({
      kind: "fixed",
      delimiter: null,
      header: 1,
      reasonNeeded: true,
      parts: [
        { field: "info", from: 4, to: 5, label: "5-5" },
        { field: "info", from: 6, label: "7-end" },
        { field: "info", from: 8, label: "9-end" },
      ],
    });
  });

  it("labels notes of columns by their headings, if the file has any", () => {
    const form = {
      kind: "delimited",
      delimiter: ",",
      "column-0": "plate",
      "column-1": "info",
      "column-2": "info",
    };
    const long = "x".repeat(61);
    const partsOf = (header: string, headings: string[]) =>
      layoutOfForm(Object.entries({ ...form, header }), () => [headings]).parts;
    expect(partsOf("1", ["P", ` ${long} `])).toEqual([
      { field: "plate", column: 0 },
      { field: "info", column: 1, label: "x".repeat(60) },
      { field: "info", column: 2 },
    ]);
    expect(partsOf("2", ["P", "Why"])[1]).toEqual({ field: "info", column: 1, label: "Why" });
    expect(partsOf("0", ["P", "Why"])[1]).toEqual({ field: "info", column: 1 });
  });

  it("keeps the headings of a file with one header line, to recognize it again", () => {
    const headingsOf = (entries: Record<string, string>, rows: string[][]) =>
      layoutOfForm(Object.entries({ delimiter: ";", ...entries }), () => rows).headings;
    expect(headingsOf({ header: "1" }, [[" Plate ", "y".repeat(101)]])).toEqual(["Plate", "y".repeat(100)]);
    expect(headingsOf({ header: "1" }, [])).toEqual([]);
    expect(headingsOf({ header: "0" }, [["Plate"]])).toBeUndefined();
    expect(headingsOf({ header: "2" }, [["Plate"]])).toBeUndefined();
    expect(headingsOf({ header: "1", kind: "fixed" }, [["Plate"]])).toBeUndefined();
  });

  it("takes only the fields of the form, and texts without spaces around them", () => {
    const form: [string, unknown][] = [
      ["kind", "delimited"],
      ["delimiter", "#"],
      ["header", "0"],
      ["column-0", "plate"],
      ["column-10", "make"],
      ["xcolumn-1", "state"],
      ["column-1x", "state"],
      ["field-1", "state"],
      ["other", "state"],
      ["state", " CT "],
      ["reason", " Stolen vehicle "],
      ["ncic", "on"],
      ["dates", "ymd"],
    ];
    expect(layoutOfForm(form, () => [])).toEqual({
      kind: "delimited",
      delimiter: ",",
      header: 0,
      parts: [
        { field: "plate", column: 0 },
        { field: "make", column: 10 },
      ],
      reasonNeeded: true,
      state: "CT",
      reason: "Stolen vehicle",
      ncic: true,
    });
    expect(layoutOfForm([["reason", new File([], "x.csv")]], () => [])).toEqual({
      kind: "delimited",
      delimiter: ",",
      header: 0,
      parts: [],
      reasonNeeded: true,
    });
  });

  it.each([
    ["-1", 0],
    ["", 0],
    ["two", 0],
    ["1.9", 1],
    [" 20 ", 20],
    ["21", 20],
  ])("reads %j as %i header lines", (header, lines) => {
    expect(layoutOfForm([["header", header]], () => []).header).toBe(lines);
  });

  it("reports missing fields", () => {
    expect(layoutProblem({ parts: [] })).toBe("Choose which column is the plate.");
    expect(layoutProblem({ parts: [{ field: "reason", column: 0 }] })).toBe(
      "Choose which column is the plate.",
    );
    expect(layoutProblem({ parts: [{ field: "plate", column: 0 }] })).toBe(
      "Choose which column is the reason, or enter a reason for all plates.",
    );
    expect(layoutProblem({ parts: [{ field: "plate", column: 0 }], reason: "x" })).toBeUndefined();
  });

  it("reads back rows written with a mapping, with any delimiter and number of header lines", () => {
    const cell = fc.stringMatching(/^[A-Za-z0-9]{1,10}$/);
    const rows = fc.array(
      fc.record({ plate: fc.stringMatching(/^[A-Z]{2}[0-9]{4}$/), reason: cell, notes: cell, other: cell }),
      { minLength: 1, maxLength: 20 },
    );
    const order = fc.shuffledSubarray(["plate", "reason", "notes", "other"] as const, {
      minLength: 4,
      maxLength: 4,
    });
    fc.assert(
      fc.property(
        rows,
        order,
        fc.constantFrom(...DELIMITERS.map(({ value }) => value)),
        fc.integer({ min: 0, max: 3 }),
        (entries, columns, delimiter, header) => {
          const lines = [
            ...Array.from({ length: header }, () => "title"),
            ...entries.map((entry) => columns.map((name) => entry[name]).join(delimiter)),
          ];
          const form: [string, string][] = [
            ["kind", "delimited"],
            ["delimiter", delimiter],
            ["header", String(header)],
            ...columns.map((name, n): [string, string] => [`column-${n}`, name === "other" ? "" : name]),
          ];
          const layout = layoutOfForm(form, () => []);
          const found = startOf(lines.join("\n"))
            .sample(layout.delimiter)
            .slice(layout.header)
            .map((fields) => readRow(layout, fields, WHEN).row?.entry);
          expect(found.map((entry) => [entry?.plate, entry?.reason, entry?.notes])).toEqual(
            entries.map(({ plate, reason, notes }) => [plate, reason, notes]),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  it("previews the same first lines that the server checked", () => {
    const text = 'a,"b ""x""",c\nAB1234,"x, y",z\n';
    const start = startOf(text);
    expect(startOfLines(shownLines(start)).sample(",")).toEqual(start.sample(","));
  });

  it("recognizes a file by the first line saved with a mapping", () => {
    const layout: HotlistLayout = {
      kind: "delimited",
      delimiter: ";",
      header: 1,
      parts: [
        { field: "plate", column: 1 },
        { field: "reason", column: 0 },
      ],
      headings: ["Grund", "Kennung"],
    };
    const saved = [{ id: "1", name: "Ours", layout, created_at: "" }];
    expect(recognize(startOf("Grund;Kennung\nx;AB1234\n").sample, saved)?.label).toBe("Ours");
    expect(recognize(startOf("Kennung;Grund\nAB1234;x\n").sample, saved)).toBeUndefined();
  });

  it("refuses layouts that no form produces", () => {
    const good = {
      kind: "fixed",
      delimiter: null,
      header: 0,
      parts: [{ field: "plate", from: 0, to: 8 }],
      reason: "x",
    };
    expect(MapImport.safeParse({ layout: good, save_as: "A" }).success).toBe(true);
    for (const layout of [
      { ...good, parts: [] },
      { ...good, reason: undefined },
      { ...good, delimiter: "," },
      { ...good, kind: "delimited" },
      { ...good, header: -1 },
      { ...good, header: 1e9 },
      { ...good, state: "Nowhere land" },
      { ...good, parts: [{ field: "plate", from: 0, pattern: "(a+)+$" }] },
      { ...good, parts: Array.from({ length: 201 }, () => ({ field: "plate", from: 0 })) },
      { ...good, parts: [{ field: "plate", codes: "constructor" }] },
    ])
      expect(MapImport.safeParse({ layout }).success, JSON.stringify(layout).slice(0, 80)).toBe(false);
    expect(MapImport.safeParse({ layout: good, save_as: " \u200b " }).success).toBe(false);
  });
});
