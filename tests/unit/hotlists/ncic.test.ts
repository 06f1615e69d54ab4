import { describe, expect, it } from "vitest";
import {
  type CodeTable,
  isUrgentCode,
  ncicColor,
  ncicMake,
  ncicStyle,
  reasonOfCode,
} from "#app/entities/hotlists/ncic.ts";

describe("the reason of a code", () => {
  it.each<[CodeTable, string, string]>([
    ["ncic", "V", "Stolen vehicle"],
    ["ncic", " v ", "Stolen vehicle"],
    ["ncic", "X", "Sex offender"],
    // States use the same letters for other things.
    ["ohio", "X", "Suspended registration"],
    ["texas", "T", "Threat against peace officer"],
    ["newYork", "T", "Possible terrorist"],
    ["newJersey", "S", "Suspended owner"],
    ["iowa", "SFV", "Stolen or forfeited vehicle"],
    // NCIC writes zero for the letter O.
    ["iowa", "P0", "Protection order or violent person"],
    ["iowa", "s0r", "Sex offender"],
    ["texas", "0", "Protection order"],
  ])("%s %j is %s", (table, code, reason) => {
    expect(reasonOfCode(table, code)).toBe(reason);
  });

  it("is the code itself, with its kind, if the table does not have it", () => {
    expect(reasonOfCode("ncic", "q")).toBe("NCIC file Q");
    expect(reasonOfCode("ohio", "Q")).toBe("LEADS code Q");
    expect(reasonOfCode("texas", " Q0 ")).toBe("TCIC file Q0");
    expect(reasonOfCode("newYork", "A")).toBe("Code A");
    expect(reasonOfCode("ncic", "constructor")).toBe("NCIC file CONSTRUCTOR");
  });

  it("is empty without a code", () => {
    expect(reasonOfCode("ncic", "")).toBe("");
    expect(reasonOfCode("ncic", "  ")).toBe("");
  });
});

describe("an urgent code", () => {
  it.each<[CodeTable, string, boolean]>([
    ["ncic", "A", true],
    ["ncic", " f ", true],
    ["ncic", "V", false],
    ["ohio", "L", true],
    ["texas", "E", true],
    ["texas", "A", false],
    ["newYork", "T", false],
    ["ncic", "", false],
    ["ncic", " ", false],
    // A text that contains only urgent letters is not a code.
    ["ncic", "AF", false],
    ["ncic", "AFLK", false],
  ])("%s %j: %s", (table, code, expected) => {
    expect(isUrgentCode(table, code)).toBe(expected);
  });
});

describe("NCIC's codes of vehicles", () => {
  it.each([
    ["HOND", "Honda"],
    [" hond ", "Honda"],
    ["F0RD", "Ford"],
    ["PONT", "Pontiac"],
    ["ZZZZ", ""],
    ["", ""],
  ])("make %j is %j", (code, make) => {
    expect(ncicMake(code)).toBe(make);
  });

  it.each([
    ["BLK", "Black"],
    [" br0 ", "Brown"],
    ["YEL/BLK", ""],
    ["", ""],
  ])("color %j is %j", (code, color) => {
    expect(ncicColor(code)).toBe(color);
  });

  it.each([
    ["SW", "PC", "sedan-wagon"],
    [" cv ", "", "sedan-convertible"],
    ["4D", "PC", ""],
    ["", "", ""],
    ["MC", "PC", "Motorcycle"],
    // The plate type of a motorcycle counts more than the style.
    ["CY", " mc ", "Motorcycle"],
    ["SW", "MC", "Motorcycle"],
  ])("style %j with plate type %j is %j", (style, plateType, body) => {
    expect(ncicStyle(style, plateType)).toBe(body);
  });
});
