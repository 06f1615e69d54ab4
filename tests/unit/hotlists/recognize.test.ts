import { describe, expect, it } from "vitest";
import type { ImportPreset } from "#app/entities/hotlists/import.ts";
import type { HotlistLayout } from "#app/entities/hotlists/layout.ts";
import {
  layoutOfPreset,
  likelyDelimiters,
  matchingPresets,
  recognize,
} from "#app/entities/hotlists/recognize.ts";
import { readFileStart } from "#app/entities/hotlists/sample.ts";

const sampleOf = (...lines: string[]) =>
  readFileStart(new TextEncoder().encode(lines.join("\n")), true).sample;
const presetsOf = (...lines: string[]) => matchingPresets(sampleOf(...lines));
const layoutOf = (preset: ImportPreset, ...lines: string[]) =>
  layoutOfPreset(preset, sampleOf(...lines)).layout;
const pad = (text: string, length: number) => text.padEnd(length);

describe("saved mappings", () => {
  const layout: HotlistLayout = {
    kind: "delimited",
    delimiter: ";",
    header: 1,
    parts: [{ field: "plate", column: 1 }],
    headings: ["Grund", "Kennung"],
  };
  const { headings: _, ...withoutHeadings } = layout;
  const saved = [
    { id: "1", name: "No headings", layout: withoutHeadings, created_at: "" },
    { id: "2", name: "Ours", layout, created_at: "" },
  ];

  it("are recognized by all headings of their first line", () => {
    expect(recognize(sampleOf("Grund;Kennung", "x;AB1234"), saved)).toEqual({ layout, label: "Ours" });
    expect(recognize(sampleOf(" Grund ; Kennung", "x;AB1234"), saved)?.label).toBe("Ours");
  });

  it.each([
    ["one heading is missing", ["Grund", "x"]],
    ["one heading more", ["Grund;Kennung;Amt", "x;AB1234;y"]],
    ["another heading", ["Grund;Amt", "x;AB1234"]],
    ["an empty file", []],
  ])("are not recognized by a first line with a difference: %s", (_, lines) => {
    expect(recognize(sampleOf(...lines), saved)).toBeUndefined();
  });
});

describe("heading lines", () => {
  it("are split by the delimiter that gives the most known headings, a comma at first", () => {
    expect(layoutOf("odin", "plate;reason;x", "AB1234;a;b")?.delimiter).toBe(";");
    expect(layoutOf("odin", "plate,notes;reason", "AB1234,a;b")?.delimiter).toBe(",");
    expect(layoutOf("odin", "plate", "AB1234")?.delimiter).toBe(",");
  });

  it("of Odin's own template may lack a reason: then every row is rejected", () => {
    expect(layoutOfPreset("odin", sampleOf("plate,state", "AB1234,CT"))).toMatchObject({
      layout: { header: 1, reasonNeeded: true },
    });
    expect(layoutOfPreset("flock", sampleOf("plate,state", "AB1234,CT"))).toEqual({ needsColumns: true });
  });

  it("that name no plate column match no preset", () => {
    const problem = "The first line does not name a plate column. Detect the layout automatically instead.";
    expect(layoutOfPreset("odin", sampleOf("Officer", "Doe"))).toEqual({ problem });
    expect(layoutOfPreset("odin", sampleOf())).toEqual({ problem });
    for (const preset of ["auto", "columns"] as const)
      expect(layoutOfPreset(preset, sampleOf("plate,reason"))).toEqual({
        problem: "This is not a known layout.",
      });
  });
});

describe("files without a heading line", () => {
  it("match no preset if they are empty", () => {
    expect(presetsOf()).toEqual([]);
    expect(recognize(sampleOf())).toBeUndefined();
  });

  it("match a preset by nine of ten lines", () => {
    const good = Array.from({ length: 9 }, (_, n) => `AB123${n}`);
    expect(presetsOf(...good, "???")).toEqual(["simple"]);
    expect(presetsOf(...good.slice(1), "???")).toEqual([]);
  });

  it("that match two presets are not recognized", () => {
    const lines = ["AB1234  CT#3STOLEN red", "CD5678  NY#3STOLEN blue"];
    expect(presetsOf(...lines)).toEqual(["illinois-leads", "kansas"]);
    expect(recognize(sampleOf(...lines))).toBeUndefined();
  });

  it.each([";", ",", ":", "\t"])("of Genetec can have the delimiter %j", (delimiter) => {
    const lines = ["AB1234", "CD5678"].map((plate) =>
      ["Permit", "CT", plate, "2020-01-31", "2030-05-31", "Lot 7"].join(delimiter),
    );
    expect(recognize(sampleOf(...lines))).toMatchObject({
      label: "Genetec",
      layout: { delimiter, header: 0 },
    });
    expect(layoutOf("genetec", ...lines)?.delimiter).toBe(delimiter);
  });

  it("without a known delimiter are read with the preset's delimiter", () => {
    expect(layoutOf("genetec", "foo", "bar")).toMatchObject({ delimiter: ";", header: 0 });
  });
});

describe("header lines", () => {
  const colorado = (plate: string, state: string, reason = "FELONY WARRANT") =>
    pad(plate, 10) + state + pad(reason, 22);
  const GOOD = colorado("AB1234", "CT");

  it("are at most five", () => {
    const title = "HOTLIST";
    expect(layoutOf("colorado", ...Array(5).fill(title), GOOD)?.header).toBe(5);
    expect(layoutOf("colorado", ...Array(6).fill(title), GOOD)?.header).toBe(0);
  });

  it.each([
    ["its reason is unknown", colorado("CD5678", "NY", "PARKING")],
    ["its state is one of NCIC's own", colorado("CD5678", "MX", "PARKING")],
    ["its plate has no digit but everything else is right", colorado("LOVEME", "NY")],
  ])("end before an entry, even if %s", (_, line) => {
    expect(layoutOf("colorado", line, GOOD)?.header).toBe(0);
  });

  it.each([
    ["a plate without a digit", colorado("VEHICLES", "NY", "PARKING")],
    ["a plate with other characters", colorado("11/20/26", "NY", "PARKING")],
    ["an unknown state", colorado("CD5678", "QQ", "PARKING")],
    ["no state", colorado("CD5678", "  ", "PARKING")],
    ["no entry at all", ""],
  ])("include a damaged line with %s", (_, line) => {
    expect(layoutOf("colorado", " ", line || "TITLE", GOOD)?.header).toBe(2);
  });

  it("end before a damaged line of a file that has one state for all", () => {
    const collect = (plate: string, year: string) => `${pad(plate, 158)}${year}${pad("", 30)}20270630EX`;
    expect(layoutOf("collect", collect("AB1234", "20??"), collect("CD5678", "2019"))?.header).toBe(0);
    expect(layoutOf("collect", collect("TITLE", "20??"), collect("CD5678", "2019"))?.header).toBe(1);
  });

  it("include lines that are skipped by their first word", () => {
    expect(layoutOf("kansas", "TEMP12 KS#3 STOLEN PLATE! PC", "AB1234 KS#3 STOLEN PLATE! PC")?.header).toBe(
      1,
    );
  });
});

describe("likely delimiters", () => {
  it("split into the most columns first", () => {
    expect(likelyDelimiters(sampleOf("a;b;c,d", "e;f;g,h"))).toEqual([";", ","]);
    expect(likelyDelimiters(sampleOf("a,b,c;d", "e,f,g;h"))).toEqual([",", ";"]);
  });

  it("split four of five lines into the same number of columns", () => {
    expect(likelyDelimiters(sampleOf("title", "a,b", "c,d", "e,f", "g,h"))).toEqual([","]);
    expect(likelyDelimiters(sampleOf("title", "a,b", "c,d", "e,f"))).toEqual([]);
    expect(likelyDelimiters(sampleOf("a,b,c", "d,e", "f,g", "h,i,j", "k,l,m", "n,o,p"))).toEqual([]);
  });

  it("do not exist for lines of one column, for spaces, and for an empty file", () => {
    expect(likelyDelimiters(sampleOf("AB1234", "CD5678"))).toEqual([]);
    expect(likelyDelimiters(sampleOf("AB1234 CT", "CD5678 NY"))).toEqual([]);
    expect(likelyDelimiters(sampleOf())).toEqual([]);
  });
});
