import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DELIMITERS, type HotlistLayout } from "#app/entities/hotlists/layout.ts";
import { readRow } from "#app/entities/hotlists/layout-read.ts";
import { guessMapping, layoutOfForm, layoutProblem } from "#app/entities/hotlists/mapping.ts";
import { Layout, MapImport } from "#app/entities/hotlists/mapping-calls.ts";
import { recognize } from "#app/entities/hotlists/recognize.ts";
import { lookAtStart, shownLines, startOfLines } from "#app/entities/hotlists/sample.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const WHEN = { now: NOW, zone: "America/Chicago" };
const startOf = (text: string) => lookAtStart(new TextEncoder().encode(text), true);

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

  it("reports missing fields", () => {
    expect(layoutProblem({ parts: [] })).toContain("plate");
    expect(layoutProblem({ parts: [{ field: "plate", column: 0 }] })).toContain("reason");
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
