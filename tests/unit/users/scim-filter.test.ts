import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupConditions, userConditions } from "#app/entities/users/scim/conditions.ts";
import { parseScimFilter, parseScimPath, type ScimTerm } from "#app/entities/users/scim/filter.ts";
import { isAppError } from "#app/lib/errors.ts";

/** Returns what a function returns, or the SCIM error keyword that it throws. */
function outcome<T>(act: () => T): T | { refused: unknown } {
  try {
    return act();
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { refused: error.details?.scimType };
  }
}

describe("the filter of a list of users", () => {
  it.each([
    ['userName eq "bjensen"', [{ field: "userName", value: "bjensen" }]],
    ['USERNAME EQ "BJensen"', [{ field: "userName", value: "BJensen" }]],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"', [{ field: "userName", value: "a" }]],
    ['  externalId  eq  "x\\"y"  ', [{ field: "externalId", value: 'x"y' }]],
    [
      'id eq "1" and active eq true',
      [
        { field: "id", value: "1" },
        { field: "active", value: true },
      ],
    ],
    ['active eq "False"', [{ field: "active", value: false }]],
    ['displayName eq "Ann Bee"', [{ field: "displayName", value: "Ann Bee" }]],
    ['emails eq "a@b.example"', [{ field: "email", value: "a@b.example" }]],
    ['emails.value eq "a@b.example"', [{ field: "email", value: "a@b.example" }]],
    [
      'emails[type eq "work"].value eq "a@b.example"',
      [
        { field: "emailType", value: "work" },
        { field: "email", value: "a@b.example" },
      ],
    ],
    [
      'emails[type eq "work" and value eq "a@b.example"]',
      [
        { field: "emailType", value: "work" },
        { field: "email", value: "a@b.example" },
      ],
    ],
  ])("%s", (filter, expected) => {
    expect(userConditions(filter)).toEqual(expected);
  });

  it.each([
    "",
    "userName",
    'userName co "a"',
    'userName eq "a" or userName eq "b"',
    'not (userName eq "a")',
    '(userName eq "a")',
    'userName eq "a" userName eq "b"',
    "userName eq bjensen",
    "userName eq 'bjensen'",
    "userName eq true",
    'active eq "perhaps"',
    "active eq 1",
    'title eq "Chief"',
    'name.familyName eq "Bee"',
    'userName.value eq "a"',
    'userName[type eq "work"]',
    'emails[display eq "a"]',
    'emails.type eq "work" and',
    'urn:other:User:userName eq "a"',
    'userName eq "unfinished',
    'userName eq "\\u0000"',
    `userName eq "${"x".repeat(3000)}"`,
    Array.from({ length: 12 }, () => 'userName eq "a"').join(" and "),
  ])("is refused with invalidFilter: %s", (filter) => {
    expect(outcome(() => userConditions(filter))).toEqual({ refused: "invalidFilter" });
  });
});

describe("the filter of a list of groups", () => {
  it("supports names, ids and one member", () => {
    expect(groupConditions('id eq "g" and members eq "u"')).toEqual([
      { field: "id", value: "g" },
      { field: "member", value: "u" },
    ]);
    expect(groupConditions('members[value eq "u"]')).toEqual([{ field: "member", value: "u" }]);
    expect(groupConditions('displayName eq "Chiefs"')).toEqual([{ field: "displayName", value: "Chiefs" }]);
    expect(outcome(() => groupConditions('userName eq "a"'))).toEqual({ refused: "invalidFilter" });
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
        const filter = outcome(() => parseScimFilter(sent));
        if (!Array.isArray(filter)) expect(filter).toEqual({ refused: "invalidFilter" });
        const path = outcome(() => parseScimPath(sent));
        if ("refused" in path) expect(path).toEqual({ refused: "invalidPath" });
      }),
    );
  });
});
