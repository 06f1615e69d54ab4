import { describe, expect, it } from "vitest";
import { documentOf, GROUP_TYPE, scimProblem, USER_TYPE } from "#app/entities/users/scim/attributes.ts";
import { scimRefusal } from "../../support/users/scim-refusal.ts";

const userOf = (body: unknown) => documentOf(USER_TYPE, body);
const members = (count: number) => Array.from({ length: count }, (_, index) => ({ value: `u${index}` }));

describe("a SCIM error", () => {
  it.each([
    ["uniqueness", "conflict"],
    ["invalidValue", "bad_request"],
    ["tooMany", "bad_request"],
    ["mutability", "bad_request"],
  ] as const)("with %s has the code %s", (keyword, code) => {
    expect(scimProblem(keyword, "Why.")).toMatchObject({
      code,
      message: "Why.",
      details: { scimType: keyword },
    });
  });
});

describe("the attributes of a whole resource", () => {
  it("have the names of the standard, whatever their letter case was", () => {
    const body = {
      USERNAME: "ann",
      Name: { GIVENNAME: "Ann" },
      Emails: [{ Value: "ann@pd.example", PRIMARY: true }],
    };
    expect(userOf(body)).toStrictEqual({
      userName: "ann",
      name: { givenName: "Ann" },
      emails: [{ value: "ann@pd.example", primary: true }],
    });
  });

  it("leave out what only Odin sets, what it does not keep, and what it does not know", () => {
    const body = {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      id: "u1",
      meta: { version: "1" },
      groups: [{ value: "g1" }],
      title: "Chief",
      password: "secret",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Patrol" },
      unknown: "x",
      userName: "ann",
      name: { middleName: "M", familyName: "Bee", unknown: "x" },
    };
    expect(userOf(body)).toStrictEqual({ userName: "ann", name: { familyName: "Bee" } });
  });

  it("leave out what has no value: null, blank text, and empty lists and objects", () => {
    const empty = { externalId: null, userName: " ", displayName: "", name: {}, emails: [], active: null };
    expect(userOf(empty)).toStrictEqual({});
    expect(userOf({ emails: null, name: null })).toStrictEqual({});
    expect(userOf({ emails: [null, {}, { unknown: "x" }, { value: " " }] })).toStrictEqual({});
    expect(userOf({ name: { givenName: null, familyName: " ", formatted: "Ann" } })).toStrictEqual({
      name: { formatted: "Ann" },
    });
  });

  it("are trimmed", () => {
    expect(userOf({ userName: " ann ", active: " True " })).toStrictEqual({ userName: "ann", active: true });
  });

  it.each([
    [true, true],
    ["true", true],
    ["TRUE", true],
    [false, false],
    ["False", false],
  ])("are booleans, also as text: %j", (active, expected) => {
    expect(userOf({ active })).toStrictEqual({ active: expected });
  });

  it("can have one value or its text alone where a list is expected", () => {
    const expected = { emails: [{ value: "ann@pd.example" }] };
    expect(userOf({ emails: { value: "ann@pd.example" } })).toStrictEqual(expected);
    expect(userOf({ emails: "ann@pd.example" })).toStrictEqual(expected);
    expect(userOf({ emails: ["ann@pd.example"] })).toStrictEqual(expected);
  });

  it.each([
    ["invalidSyntax", "The body is not a JSON object.", null],
    ["invalidSyntax", "The body is not a JSON object.", []],
    ["invalidSyntax", "The body is not a JSON object.", "ann"],
    ["invalidValue", "userName must be text.", { username: 7 }],
    ["invalidValue", "givenName must be text.", { name: { givenName: ["Ann"] } }],
    ["invalidValue", "active must be true or false.", { active: "yes" }],
    ["invalidValue", "active must be true or false.", { active: 1 }],
    ["invalidValue", "primary must be true or false.", { emails: [{ primary: "first" }] }],
    ["invalidValue", "name must be an object.", { name: "Ann" }],
    ["invalidValue", "name must be an object.", { name: ["Ann"] }],
    ["invalidValue", "emails must be an object.", { emails: [7] }],
    ["invalidValue", "emails must be an object.", { emails: [[{ value: "ann@pd.example" }]] }],
  ])("are refused with %s: %s %j", (keyword, message, body) => {
    expect(scimRefusal(() => userOf(body))).toEqual([keyword, message]);
  });

  it("have texts of at most 1000 characters", () => {
    const text = "x".repeat(1000);
    expect(userOf({ externalId: text })).toStrictEqual({ externalId: text });
    expect(scimRefusal(() => userOf({ externalId: `${text}x` }))).toEqual([
      "invalidValue",
      "externalId can have at most 1000 characters.",
    ]);
  });

  it.each([
    ["externalId contains a line break.", { externalId: "a\nb" }],
    ["userName contains a control character (U+0000).", { userName: "a\u0000b" }],
    ["givenName contains a control character (U+0007).", { name: { givenName: "A\u0007" } }],
    ["value contains a line break.", { emails: [{ value: "a\r\n@pd.example" }] }],
    ["value contains a line break.", { emails: "a\r\n@pd.example" }],
    ["displayName contains half of a surrogate pair, which is not a character.", { displayName: "\ud800" }],
  ])("are refused with control characters: %s", (message, body) => {
    expect(scimRefusal(() => userOf(body))).toEqual(["invalidValue", message]);
  });

  it("may have line breaks at their ends, which are trimmed, and any character in what is ignored", () => {
    const addresses = [
      { formatted: "100 Universal City Plaza\nHollywood, CA", streetAddress: "1\r\n2\u0000" },
    ];
    const body = {
      userName: "ann\r\n",
      addresses,
      "un\u0000known": "\u0000",
      name: { middleName: "\u0000" },
    };
    expect(userOf(body)).toStrictEqual({ userName: "ann" });
  });

  it("have at most 10,000 values each", () => {
    const groupOf = (count: number) => documentOf(GROUP_TYPE, { members: members(count) });
    expect(groupOf(10_000).members).toHaveLength(10_000);
    expect(scimRefusal(() => groupOf(10_001))).toEqual([
      "tooMany",
      "At most 10000 values of members in one request.",
    ]);
  });
});
