import { describe, expect, it } from "vitest";
import { matchingPresets } from "#app/entities/hotlists/recognize.ts";
import { readFileStart } from "#app/entities/hotlists/sample.ts";

const presetsOf = (line: string) =>
  matchingPresets(readFileStart(new TextEncoder().encode(line), true).sample);
const pad = (text: string, length: number) => text.padEnd(length);

describe("the checks of presets", () => {
  it.each(["20200131", "2020-01-31", "1/1/20", "01/31/2020", "12/5/2020", "1/31/2020", "20200131 10:30"])(
    "take %s as a day",
    (day) => {
      expect(presetsOf(`Permit;CT;AB1234;${day};2030-05-31;x`)).toEqual(["genetec"]);
    },
  );

  it.each([
    "",
    "soon",
    "x 20200131",
    "2020013",
    "202001311",
    "2020-1-31",
    "1/1/2",
    "x/1/20",
    "1/x/20",
    "1/1/xx",
  ])("do not take %j as a day", (day) => {
    expect(presetsOf(`Permit;CT;AB1234;${day};2030-05-31;x`)).toEqual([]);
  });

  it.each([
    ["01/01/2027", ["ohio"]],
    ["x01/01/2027", []],
    ["01/01/2027x", []],
    ["1/01/2027", []],
    ["01/01/27", []],
  ])("of Ohio take %s as a date: %j", (day, presets) => {
    expect(presetsOf(`1 AB1234 CT ${day} 06/07/2025 HOND CIV 2019 BLK M1 P1`)).toEqual(presets);
  });

  it.each([
    ["2019", ["texas-tcic"]],
    ["1999", ["texas-tcic"]],
    ["19", ["texas-tcic"]],
    ["0000", ["texas-tcic"]],
    ["9999", ["texas-tcic"]],
    ["", ["texas-tcic"]],
    ["1819", []],
    ["12019", []],
    ["20191", []],
    ["2019x", []],
    ["HOND", []],
  ])("take %j as a year or blank: %j", (year, presets) => {
    expect(presetsOf(`TP1,AB1234,CT,${year},HOND,CIV,4D,BLK`)).toEqual(presets);
  });

  it.each([
    ["C123456", ["texas-ncic"]],
    ["c123456789", ["texas-ncic"]],
    ["C12345", []],
    ["C1234567890", []],
    ["XC123456", []],
    ["1123456", []],
  ])("take %s as an NCIC record number: %j", (id, presets) => {
    expect(presetsOf(`${id},TX0001234,20250607,AB1234,CT,2026,2019,HOND,CIV,4D,BLK`)).toEqual(presets);
  });

  it.each([
    ["V", ["topeka"]],
    ["v", ["topeka"]],
    ["1", []],
    ["1V", []],
    ["VV", []],
  ])("take %s as a letter: %j", (letter, presets) => {
    expect(presetsOf(`${letter},NY0303000,20250607,AB1234,NY,2021,MC,2005,YAMA,CYL,MC,BLK`)).toEqual(presets);
  });

  it.each([
    ["CT", ["alabama"]],
    ["ct", ["alabama"]],
    ["Connecticut", []],
    ["", []],
  ])("take %j as a code of two characters: %j", (state, presets) => {
    expect(presetsOf(`AB1234,x,1,HOND,CIV,BLK,2019,Stolen,${state}`)).toEqual(presets);
  });

  it.each([
    [pad("", 17), ["new-jersey"]],
    [pad("------", 17), []],
    [pad("V123456", 17), []],
  ])("of New Jersey take %j as blank: %j", (between, presets) => {
    expect(presetsOf(`${pad("S", 10)}${between}${pad("AB1234", 10)}CT`)).toEqual(presets);
  });

  it.each([
    ["AB12345678", ["simple"]],
    ["AB-123 456", ["simple"]],
    ["AB123456789", []],
    ["AB-123 4567", []],
    ["AB12*", []],
    ["AB12?", []],
  ])("take %s as a plate: %j", (plate, presets) => {
    expect(presetsOf(plate)).toEqual(presets);
  });

  it.each([
    ["CT", ["new-york"]],
    ["MX", ["new-york"]],
    ["QQ", []],
    ["  ", []],
  ])("take %j as a state: %j", (state, presets) => {
    expect(presetsOf(`${pad("AB1234", 10)}${state}PASWHONDBLK`)).toEqual(presets);
  });
});
