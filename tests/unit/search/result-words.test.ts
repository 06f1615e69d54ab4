import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { vocabularyOf } from "#app/entities/search/result-words.ts";

const word = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom("", "AB12345", "\uFEFFX", "שלום", "🚓 unit 7", "İZMİR", "ΟΔΟΣ"),
);
const words = fc.uniqueArray(
  word.map((text) => text.replace(/[\r\n]/g, " ")),
  { maxLength: 60 },
);
const vocabulary = (list: readonly string[]) =>
  vocabularyOf(new TextEncoder().encode(list.join("\n")), list.length);

describe("the vocabulary of a column", () => {
  test("returns the same words one by one and all at once", () => {
    fc.assert(
      fc.property(words, (list) => {
        const known = list.map((text) => text.toWellFormed());
        const one = vocabulary(list);
        expect(known.map((_, code) => one.at(code))).toEqual(known);
        expect(one.all()).toEqual(known);
        expect(known.map((_, code) => one.at(code))).toEqual(known);
      }),
    );
  });

  test("returns single words of a column too long to split", () => {
    const fillers = Array.from({ length: 5001 }, (_, number) => `filler ${number}`);
    fc.assert(
      fc.property(words, (list) => {
        const known = [...list.map((text) => text.toWellFormed()), ...fillers, "last"];
        const one = vocabulary(known);
        const looked = [...list.keys(), list.length, known.length - 1];
        expect(looked.map((code) => one.at(code))).toEqual(looked.map((code) => known[code]));
        expect([one.at(-1), one.at(known.length), one.at(Number.NaN)]).toEqual(["", "", ""]);
        expect(one.all()).toEqual(known);
      }),
      { numRuns: 25 },
    );
  });

  test("returns an empty word for an unknown code", () => {
    const one = vocabulary(["a", "b"]);
    expect([one.at(-1), one.at(2), one.at(Number.NaN), vocabulary([]).at(0)]).toEqual(["", "", "", ""]);
  });

  test("finds a term in the lower-case form of each word", () => {
    fc.assert(
      fc.property(words, fc.constantFrom("a", "1", "ab", "unit", "ος", "i", "🚓", "zz"), (list, term) => {
        const expected = list.map((text) => (text.toWellFormed().toLowerCase().includes(term) ? 1 : 0));
        expect([...vocabulary(list).having(term)]).toEqual(expected);
      }),
    );
  });

  test("finds a term anywhere in a word, but not across two words", () => {
    const one = vocabulary(["ABC", "", "xabY", "b", "Za"]);
    expect([...one.having("ab")]).toEqual([1, 0, 1, 0, 0]);
    expect([...one.having("b")]).toEqual([1, 0, 1, 1, 0]);
    expect([...one.having("a")]).toEqual([1, 0, 1, 0, 1]);
    expect([...one.having("za")]).toEqual([0, 0, 0, 0, 1]);
    expect([...one.having("yb")]).toEqual([0, 0, 0, 0, 0]);
    expect([...vocabulary([]).having("a")]).toEqual([]);
    expect([...vocabulary([""]).having("a")]).toEqual([0]);
  });

  test("returns an empty word for every code after the last of a long column", () => {
    const words = Array.from({ length: 5001 }, (_, code) => `w${code}`);
    const one = vocabulary(words);
    expect([one.at(0), one.at(4999), one.at(5000)]).toEqual(["w0", "w4999", "w5000"]);
    expect([one.at(5001), one.at(5002), one.at(9999)]).toEqual(["", "", ""]);
    expect(one.size).toBe(5001);
  });

  test("of a damaged column, with too few or too many lines, has the words that it has", () => {
    const bytes = (words: string[]) => new TextEncoder().encode(words.join("\n"));
    expect([...vocabularyOf(bytes(["abc", "xyz"]), 4).having("x")]).toEqual([0, 1, 0, 0]);
    expect([...vocabularyOf(bytes(["abc", "xyz", "abx"]), 2).having("x")]).toEqual([0, 1]);
    expect([...vocabularyOf(bytes(["abc", "xyz", "abx"]), 2).having("bx")]).toEqual([0, 0]);
    const long = Array.from({ length: 5001 }, (_, code) => `w${code}`);
    const few = vocabularyOf(bytes(["a", "b"]), 5001);
    expect([few.at(0), few.at(1), few.at(2)]).toEqual(["a", "b", ""]);
    expect(vocabularyOf(bytes([...long, "more"]), 5001).at(5000)).toBe("w5000");
  });
});
