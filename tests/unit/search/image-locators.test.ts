import { describe, expect, it } from "vitest";
import {
  decodeLocators,
  locatorsFile,
  locatorsText,
  offsetsRange,
  textRange,
} from "#app/entities/search/image-locators.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("the stored text of a row's image locators", () => {
  it.each([
    [{ sourceId: "key-1", vehicle: null, plate: null }, '["key-1",null,null]'],
    [{ sourceId: "key-1", vehicle: "a/b", plate: null }, '["key-1","a/b",null]'],
    [{ sourceId: "key-1", vehicle: null, plate: "a" }, '["key-1",null,"a"]'],
    [{ sourceId: "key-1", vehicle: null, plate: "null/a" }, '["key-1",null,"null/a"]'],
    [{ sourceId: "key-1", vehicle: "a", plate: "b" }, '["key-1","a","b"]'],
    // A plate locator that begins with the vehicle's is stored as what follows.
    [{ sourceId: "key-1", vehicle: "a/b", plate: "a/b?crop=1" }, '["key-1","a/b","?crop=1",1]'],
    [{ sourceId: "key-1", vehicle: "a", plate: "a" }, '["key-1","a","",1]'],
    [{ sourceId: "key-1", vehicle: "b", plate: "ab" }, '["key-1","b","ab"]'],
    [{ sourceId: "key-1", vehicle: "", plate: "é" }, '["key-1","","é",1]'],
  ])("of %j is %s", (locators, text) => {
    expect(locatorsText(locators)).toBe(text);
    expect(decodeLocators(bytes(text))).toEqual(locators);
  });
});

describe("the file of a set's image locators", () => {
  const texts = ["aé", "", "bcd"].map(bytes);
  const fileOf = () => locatorsFile(Uint32Array.from([2, 1, 0]), (row) => texts[row] ?? bytes("?"));

  it("has the number of rows, where each text ends, and the texts in the given order", () => {
    expect([...fileOf()]).toEqual([
      ...[3, 0, 0, 0],
      ...[0, 0, 0, 0],
      ...[3, 0, 0, 0],
      ...[3, 0, 0, 0],
      ...[6, 0, 0, 0],
      ...bytes("bcdaé"),
    ]);
    expect([...locatorsFile(new Uint32Array(), () => bytes("?"))]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it.each([
    [0, { offset: 4, length: 8 }, { offset: 20, length: 3 }],
    [1, { offset: 8, length: 8 }, { offset: 23, length: 0 }],
    [2, { offset: 12, length: 8 }, { offset: 23, length: 3 }],
  ])("is read in two ranges for row %d", (row, offsets, text) => {
    expect(offsetsRange(row)).toEqual(offsets);
    // From the middle of a larger buffer, as a part of a download may be.
    const within = fileOf().subarray(offsets.offset, offsets.offset + offsets.length);
    expect(textRange(within, 3)).toEqual(text);
    expect(textRange(within.slice(), 3)).toEqual(text);
  });
});
