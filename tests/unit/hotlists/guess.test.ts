import { describe, expect, it } from "vitest";
import { guessMapping } from "#app/entities/hotlists/mapping.ts";
import { readFileStart } from "#app/entities/hotlists/sample.ts";

const sampleOf = (lines: readonly string[]) =>
  readFileStart(new TextEncoder().encode(lines.join("\n")), true).sample;
const guess = (...lines: string[]) => guessMapping(sampleOf(lines), { delimiter: "," });

describe("the guessed header line", () => {
  it.each([
    ["has two known headings, even with a digit", ["Plate,Reason 2", "ABCDEF,x", "GHIJKL,y"]],
    ["has no digit, unlike the others", ["Kennung,Grund", "AB1234,x"]],
    ["has no digit, unlike 4 of 5 others", ["a,b", "1,x", "2,x", "3,x", "4,x", "y,x"]],
    ["has two known headings and is the only line", ["Plate,Reason"]],
  ])("is a first line that %s", (_, lines) => {
    expect(guess(...lines).header).toBe(1);
  });

  it.each([
    ["has one known heading and a digit", ["AB1234,tag", "CD5678,red", "EF9012,blue"]],
    ["has no digit, unlike 3 of 4 others", ["a,b", "1,x", "2,x", "3,x", "y,x"]],
    ["has no digit, like the others", ["a,b", "c,d"]],
    ["has a digit, like the others", ["A1,b", "C2,d"]],
    ["has no known heading and is the only line", ["foo,bar"]],
    ["does not exist", []],
  ])("is not a first line that %s", (_, lines) => {
    expect(guess(...lines).header).toBe(0);
  });
});

describe("the guessed columns", () => {
  it("are those that the headings name; the second of a name is added to the notes", () => {
    expect(guess("Plate,State,Officer,Make,Vehicle Make", "AB1234,CT,Doe,HOND,TOYT").columns).toEqual([
      "plate",
      "state",
      "",
      "make",
      "info",
    ]);
  });

  it("have the plate where its heading is least general", () => {
    expect(guess("Number,Plate,State,Tag", "1,AB1234,CT,7").columns).toEqual(["", "plate", "state", "info"]);
  });

  it("do not repeat a field that a heading names", () => {
    expect(guess("Tag,Code,Reason", "AB1234,XY9876,a", "AB1234,ZW1111,b").columns).toEqual([
      "plate",
      "",
      "reason",
    ]);
  });

  it("are not named by a first line that is not a header", () => {
    expect(guess("AB1234,tag", "CD5678,red", "EF9012,blue").columns).toEqual(["plate", ""]);
  });

  it("count only cells that are not empty, also in short rows", () => {
    expect(guess("AB1234,CT", "CD5678, ny ", "EF9012", "GH3456, ").columns).toEqual(["plate", "state"]);
  });

  it("do not exist for an empty file, which has no delimiter", () => {
    expect(guessMapping(sampleOf([]))).toEqual({
      kind: "fixed",
      delimiter: ",",
      header: 0,
      columns: [],
      spans: [],
    });
  });
});

describe("the guessed state column", () => {
  const CODES = ["CT", "NY", "MA", "TX", "KS", "WA", "0H", "ME", "VT"];

  it("has a state in nine of ten cells", () => {
    expect(guess(...[...CODES, "??"].map((state, n) => `${n}-1,${state}`)).columns[1]).toBe("state");
    expect(guess(...[...CODES.slice(1), "??"].map((state, n) => `${n}-1,${state}`)).columns[1]).toBe("");
  });

  it.each([
    ["letters that are no state", "ZZ"],
    ["names of states", "Connecticut"],
    ["codes with a country", "us-ct"],
    ["empty cells", ""],
  ])("does not have %s", (_, cell) => {
    expect(guess(`1-1,${cell}`, `2-1,${cell}`).columns).toEqual(["", ""]);
  });

  it("can have codes that only NCIC uses", () => {
    expect(guess("1-1,MX", "2-1,MX").columns).toEqual(["", "state"]);
  });
});

describe("the guessed plate column", () => {
  it.each([
    ["plates with a space or a dash", ["AB 1234", "ab-1234"]],
    ["half plates, half numbers", ["AB1234", "12345"]],
    ["three plates in five cells", ["AB1234", "CD5678", "EF9012", "BLUE", "RED"]],
    ["plates of three characters", ["A12", "B34"]],
    ["plates of ten characters", ["AB12345678", "AB12345679"]],
  ])("is a column of %s", (_, cells) => {
    expect(guess(...cells.map((cell) => `${cell},?`)).columns).toEqual(["plate", ""]);
  });

  it.each([
    ["one plate in two cells", ["AB1234", "BLUE"]],
    ["two plates in five cells, with numbers", ["AB1234", "CD5678", "12345", "67890", "BLUE"]],
    ["numbers", ["12345", "67890"]],
    ["words", ["HONDA", "TOYOTA"]],
    ["texts of two characters", ["A1", "B2"]],
    ["texts of eleven characters", ["AB123456789", "AB123456780"]],
    ["vehicle identification numbers", ["1HGBH41JXMN109186", "2HGBH41JXMN109187"]],
  ])("is not a column of %s", (_, cells) => {
    expect(guess(...cells.map((cell) => `${cell},?`)).columns).toEqual(["", ""]);
  });

  it("is the one with more letters and digits, rather than the one with more different values", () => {
    const columns = guess("12345,AB1", "67890,AB1", "CD1,AB1", "CD2,AB2", "CD2,AB3").columns;
    expect(columns).toEqual(["", "plate"]);
  });

  it("is the one with more different values if both have letters and digits", () => {
    expect(guess("AB1,CD1", "AB1,CD2", "AB1,CD3").columns).toEqual(["", "plate"]);
    expect(guess("AB1,CD1", "AB2,CD1", "AB3,CD1").columns).toEqual(["plate", ""]);
  });
});

describe("the guessed spans", () => {
  it("are at most twelve, and end with the longest line", () => {
    const words = Array.from({ length: 13 }, (_, n) => String.fromCharCode(97 + n));
    const { kind, spans } = guessMapping(sampleOf([words.join(" ")]));
    expect(kind).toBe("fixed");
    expect(spans).toHaveLength(12);
    expect(spans[11]).toEqual({ from: 23, to: 23, choice: "" });
    expect(guessMapping(sampleOf(["AB1234 CT", "CD5678"])).spans).toEqual([
      { from: 1, to: 6, choice: "plate" },
      { from: 8, to: 9, choice: "state" },
    ]);
  });
});
