import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseScimFilter, parseScimPath, type ScimTerm } from "#app/entities/users/scim/filter.ts";
import { scimRefusal } from "../../support/users/scim-refusal.ts";

describe("the syntax of a filter", () => {
  const plain = { urn: "", part: "", within: null };
  it.each<[string, ScimTerm]>([
    ["a eq 1.25", { ...plain, name: "a", value: 1.25 }],
    ["a eq -12", { ...plain, name: "a", value: -12 }],
    ["a eq 123456789012345", { ...plain, name: "a", value: 123456789012345 }],
    ["a eq 0.000000000000001", { ...plain, name: "a", value: 1e-15 }],
    ["a eq NULL", { ...plain, name: "a", value: null }],
    ["a eq TRUE", { ...plain, name: "a", value: true }],
    ["a eq False", { ...plain, name: "a", value: false }],
    ['color eq ""', { ...plain, name: "color", value: "" }],
    ['order eq "\\""', { ...plain, name: "order", value: '"' }],
    ['$ref eq "a"', { ...plain, name: "$ref", value: "a" }],
  ])("has constants and names: %s", (filter, term) => {
    expect(parseScimFilter(filter)).toStrictEqual([term]);
  });

  const beginning = "It must begin with an attribute's name.";
  const ending = "Only terms with eq, joined by and, are supported.";
  const noValue = "After eq comes a text in double quotes, true, or false.";
  const noText = "A text must be a JSON string without control characters.";
  const noOperator = "A name is followed by eq and a value.";
  const inBrackets = "Only terms with eq, joined by and, can be in brackets.";
  it.each([
    ["", beginning],
    ["7", beginning],
    ['or eq "a"', beginning],
    ['a eq "b" and', beginning],
    ['a eq "b" or c eq "d"', ending],
    ['a[b eq "c"] eq "d"]', ending],
    ["a", noOperator],
    ["a and b", noOperator],
    ['a[b eq "c"].d', noOperator],
    ['a.b[c eq "d"]', noOperator],
    ['a[b[c eq "d"]]', noOperator],
    ['a sw "b"', "The operator sw is not supported."],
    ["a eq", noValue],
    ["a eq 1234567890123456", noValue],
    ["a eq 1.2.3", noValue],
    ["a eq 0.0000000000000001", noValue],
    ["a eq nullable", noValue],
    ['a eq "\\x"', noText],
    ['a eq "b\\nc"', noText],
    ['a eq "b\\u0000c"', noText],
    ['a[b eq "c" or b eq "d"]', inBrackets],
    ['a[b eq "c"', inBrackets],
  ])("is refused with the reason: %s", (filter, why) => {
    expect(scimRefusal(() => parseScimFilter(filter))).toEqual([
      "invalidFilter",
      `The filter cannot be used. ${why}`,
    ]);
  });

  it("has at most 10 terms", () => {
    const terms = (count: number) => Array.from({ length: count }, () => 'a eq "b"').join(" and ");
    expect(parseScimFilter(terms(10))).toHaveLength(10);
    expect(scimRefusal(() => parseScimFilter(terms(11)))).toEqual([
      "invalidFilter",
      "The filter cannot be used. It can have at most 10 terms.",
    ]);
  });

  it("has at most 2000 characters", () => {
    const filter = (length: number) => `a eq "${"x".repeat(length - 7)}"`;
    expect(parseScimFilter(filter(2000))).toHaveLength(1);
    expect(scimRefusal(() => parseScimFilter(filter(2001)))).toEqual([
      "invalidFilter",
      "The filter cannot be used. It can have at most 2000 characters.",
    ]);
  });
});

describe("the path of a PATCH operation", () => {
  it.each([
    [" name.givenName ", { urn: "", name: "name", part: "givenName", within: null }],
    ["URN:X:userName", { urn: "urn:x", name: "userName", part: "", within: null }],
    [
      'emails[type eq "work"] ',
      {
        urn: "",
        name: "emails",
        part: "",
        within: [{ urn: "", name: "type", part: "", within: null, value: "work" }],
      },
    ],
  ])("names an attribute, some of its values, or a part: %s", (text, path) => {
    expect(parseScimPath(text)).toStrictEqual(path);
  });

  it.each([
    ["", "It must begin with an attribute's name."],
    ["not", "It must begin with an attribute's name."],
    ['emails eq "a"', "It must name one attribute."],
    ["name.givenName.part", "It must name one attribute."],
    ['name.givenName[type eq "a"]', "It must name one attribute."],
    ["x".repeat(2001), "It can have at most 2000 characters."],
  ])("is refused with the reason: %s", (text, why) => {
    expect(scimRefusal(() => parseScimPath(text))).toEqual([
      "invalidPath",
      `The path cannot be used. ${why}`,
    ]);
  });
});

const name = fc
  .stringMatching(/^[a-z][a-zA-Z0-9_-]{0,8}$/)
  .filter((word) => !/^(and|or|not|eq)$/i.test(word));
const constant = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.boolean(),
  fc.constant(null),
  fc.integer({ min: -1000, max: 1000 }),
);
const plain = fc.record({
  urn: fc.constantFrom("", "urn:x:2.0:y"),
  name,
  part: fc.oneof(fc.constant(""), name),
});
const simple: fc.Arbitrary<ScimTerm> = fc
  .tuple(plain, constant)
  .map(([path, value]) => ({ ...path, within: null, value }));
const bracketed: fc.Arbitrary<ScimTerm> = fc
  .tuple(plain, fc.array(simple, { minLength: 1, maxLength: 3 }), fc.option(constant, { nil: undefined }))
  .map(([path, within, value]) => ({ ...path, part: value === undefined ? "" : path.part, within, value }));
const spaces = fc.constantFrom(" ", "  ", "   ");
const and = fc.constantFrom("and", "AND", "And");

function written(term: ScimTerm, space: string, word: string): string {
  const urn = term.urn === "" ? "" : `${term.urn}:`;
  const part = term.part === "" ? "" : `.${term.part}`;
  const within = term.within?.map((one) => written(one, space, word)).join(`${space}${word}${space}`);
  const path = within === undefined ? `${urn}${term.name}${part}` : `${urn}${term.name}[${within}]${part}`;
  return term.value === undefined ? path : `${path}${space}eq${space}${JSON.stringify(term.value)}`;
}

describe("any filter", () => {
  it("that is written from terms is parsed into the same terms", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(simple, bracketed), { minLength: 1, maxLength: 4 }),
        spaces,
        and,
        (terms, space, word) => {
          const text = terms.map((term) => written(term, space, word)).join(`${space}${word}${space}`);
          expect(parseScimFilter(text)).toEqual(terms);
        },
      ),
    );
  });

  it("is parsed or refused with invalidFilter, and a path with invalidPath, for any input", () => {
    const piece = fc.constantFrom(
      "emails",
      "[",
      "]",
      ".",
      " ",
      "eq",
      "and",
      '"a"',
      "not",
      "(",
      ")",
      "urn:",
      ":",
      "true",
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 12 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (sent) => {
        const filter = scimRefusal(() => parseScimFilter(sent));
        if (Array.isArray(filter)) expect(filter[0]).toBe("invalidFilter");
        const path = scimRefusal(() => parseScimPath(sent));
        if (Array.isArray(path)) expect(path[0]).toBe("invalidPath");
      }),
    );
  });
});
