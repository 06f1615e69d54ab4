import { describe, expect, it } from "vitest";
import { groupConditions, userConditions } from "#app/entities/users/scim/conditions.ts";
import { scimRefusal } from "../../support/users/scim-refusal.ts";

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
    expect(scimRefusal(() => userConditions(filter))).toEqual(["invalidFilter", expect.any(String)]);
  });
});

describe("the filter of a list of users that is missing or compares active", () => {
  it.each([
    [null, []],
    ["active eq false", [{ field: "active", value: false }]],
    ["active eq true", [{ field: "active", value: true }]],
    ['ACTIVE eq "TRUE"', [{ field: "active", value: true }]],
  ])("%s", (filter, expected) => {
    expect(userConditions(filter)).toEqual(expected);
  });
});

describe("the filter of a list of groups", () => {
  it("supports names, ids and one member", () => {
    expect(groupConditions('id eq "g" and members eq "u"')).toEqual([
      { field: "id", value: "g" },
      { field: "member", value: "u" },
    ]);
    expect(groupConditions('members[value eq "u"]')).toEqual([{ field: "member", value: "u" }]);
    expect(groupConditions('externalId eq "g"')).toEqual([{ field: "externalId", value: "g" }]);
    expect(groupConditions('MEMBERS.Value eq "u"')).toEqual([{ field: "member", value: "u" }]);
    expect(groupConditions(null)).toEqual([]);
    expect(groupConditions('displayName eq "Chiefs"')).toEqual([{ field: "displayName", value: "Chiefs" }]);
    expect(scimRefusal(() => groupConditions('userName eq "a"'))).toEqual([
      "invalidFilter",
      expect.any(String),
    ]);
  });
});

describe("a refused filter of a list", () => {
  const long = "x".repeat(70);
  it.each([
    ['nickName eq "a"', "Lists cannot be filtered by nickName."],
    ['name.familyName eq "Bee"', "Lists cannot be filtered by name.familyName."],
    ['emails.type eq "work"', "Lists cannot be filtered by emails.type."],
    ['emails[type.part eq "work"]', "Lists cannot be filtered by emails."],
    ['emails[primary eq true].value eq "a"', "Lists cannot be filtered by emails.value."],
    ['id[type eq "work"] eq "a"', "Lists cannot be filtered by id."],
    ['id.value eq "a"', "Lists cannot be filtered by id.value."],
    [`${long} eq "a"`, `Lists cannot be filtered by ${"x".repeat(60)}.`],
    [`name.${long} eq "a"`, `Lists cannot be filtered by name.${"x".repeat(55)}.`],
    ["userName eq true", "userName is compared with a text in double quotes."],
    ["emails eq 7", "emails is compared with a text in double quotes."],
    ["emails[type eq null]", "type is compared with a text in double quotes."],
    ['Active eq "yes"', "Active is compared with true or false."],
    ["active eq null", "active is compared with true or false."],
  ])("of users says why: %s", (filter, message) => {
    expect(scimRefusal(() => userConditions(filter))).toEqual(["invalidFilter", message]);
  });

  it.each([
    ['userName eq "a"', "Lists cannot be filtered by userName."],
    ['members.display eq "a"', "Lists cannot be filtered by members.display."],
    ['members[display eq "a"]', "Lists cannot be filtered by members."],
    ['displayName.value eq "a"', "Lists cannot be filtered by displayName.value."],
    ['displayName[type eq "work"] eq "a"', "Lists cannot be filtered by displayName."],
    [
      'urn:ietf:params:scim:schemas:core:2.0:User:displayName eq "a"',
      "Lists cannot be filtered by displayName.",
    ],
  ])("of groups says why: %s", (filter, message) => {
    expect(scimRefusal(() => groupConditions(filter))).toEqual(["invalidFilter", message]);
  });
});
