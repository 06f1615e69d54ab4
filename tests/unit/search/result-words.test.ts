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

describe("the words of a column", () => {
  test("are found one by one as they are found all at once", () => {
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

  test("are found one by one in a column too long to be split for the few of a screen", () => {
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

  test("answer nothing for a code that there is not", () => {
    const one = vocabulary(["a", "b"]);
    expect([one.at(-1), one.at(2), one.at(Number.NaN), vocabulary([]).at(0)]).toEqual(["", "", "", ""]);
  });

  test("have a term where a word by itself has it in lower case", () => {
    fc.assert(
      fc.property(words, fc.constantFrom("a", "1", "ab", "unit", "ος", "i", "🚓", "zz"), (list, term) => {
        const expected = list.map((text) => (text.toWellFormed().toLowerCase().includes(term) ? 1 : 0));
        expect([...vocabulary(list).having(term)]).toEqual(expected);
      }),
    );
  });
});
