import { describe, expect, it } from "vitest";
import {
  groupResource,
  leavesOut,
  listResponse,
  pagingOf,
  type ScimResource,
  selected,
  userResource,
} from "#app/entities/users/scim/resources.ts";
import { scimRefusal } from "../../support/users/scim-refusal.ts";

const BASE = "https://odin.example/scim/v2";
const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const times = { createdAt: Date.UTC(2026, 0, 2, 3, 4, 5), changedAt: Date.UTC(2026, 1, 3, 4, 5, 6, 7) };
const person = {
  userName: "ann@pd.example",
  externalId: "00u1",
  email: "ann@pd.example",
  active: true,
  profile: { formatted: "", familyName: "Bee", givenName: "Ann", displayName: "Ann Bee", emailType: "work" },
};

describe("a user as a resource (RFC 7643 sections 3.1 and 4.1)", () => {
  it("has its schema, id, attributes, groups and metadata", () => {
    const groups = [
      { id: "g1", displayName: "Chiefs" },
      { id: "g/2", displayName: "Patrol" },
    ];
    expect(userResource(BASE, { id: "u 1", ...times, person, groups })).toStrictEqual({
      schemas: [USER],
      id: "u 1",
      externalId: "00u1",
      userName: "ann@pd.example",
      name: { familyName: "Bee", givenName: "Ann" },
      displayName: "Ann Bee",
      active: true,
      emails: [{ value: "ann@pd.example", type: "work", primary: true }],
      groups: [
        { value: "g1", $ref: `${BASE}/Groups/g1`, display: "Chiefs", type: "direct" },
        { value: "g/2", $ref: `${BASE}/Groups/g%2F2`, display: "Patrol", type: "direct" },
      ],
      meta: {
        resourceType: "User",
        created: "2026-01-02T03:04:05.000Z",
        lastModified: "2026-02-03T04:05:06.007Z",
        location: `${BASE}/Users/u%201`,
      },
    });
  });

  it("has no groups attribute without groups", () => {
    expect(userResource(BASE, { id: "u1", ...times, person, groups: [] })).not.toHaveProperty("groups");
  });
});

describe("a group as a resource (RFC 7643 sections 3.1 and 4.2)", () => {
  const group = { displayName: "Chiefs", externalId: null };

  it("has its schema, id, attributes, members and metadata", () => {
    const members = [{ id: "u 1", name: "Ann Bee" }];
    expect(groupResource(BASE, { id: "g1", ...times, group, members })).toStrictEqual({
      schemas: [GROUP],
      id: "g1",
      displayName: "Chiefs",
      members: [{ value: "u 1", $ref: `${BASE}/Users/u%201`, display: "Ann Bee", type: "User" }],
      meta: {
        resourceType: "Group",
        created: "2026-01-02T03:04:05.000Z",
        lastModified: "2026-02-03T04:05:06.007Z",
        location: `${BASE}/Groups/g1`,
      },
    });
  });

  it("has no members attribute without members", () => {
    const input = { id: "g1", ...times, group: { ...group, externalId: "e1" }, members: [] };
    const resource = groupResource(BASE, input);
    expect(resource).not.toHaveProperty("members");
    expect(resource.externalId).toBe("e1");
  });
});

describe("the page of a list (RFC 7644 section 3.4.2.4)", () => {
  it.each([
    ["", 1, 100],
    ["startIndex=&count=", 1, 100],
    ["startIndex=2&count=50", 2, 50],
    ["startIndex=%2012%20&count=%20%20", 12, 100],
    ["startIndex=1", 1, 100],
    ["startIndex=0", 1, 100],
    ["startIndex=-999999999", 1, 100],
    ["startIndex=999999999", 999_999_999, 100],
    ["count=1", 1, 1],
    ["count=0", 1, 0],
    ["count=-1", 1, 0],
    ["count=199", 1, 199],
    ["count=200", 1, 200],
    ["count=201", 1, 200],
    ["count=999999999", 1, 200],
    ["startIndex=1&count=2147483647", 1, 200],
    ["startIndex=2147483648", 2_147_483_648, 100],
    ["count=999999999999999", 1, 200],
  ])("%s", (query, startIndex, count) => {
    expect(pagingOf(new URLSearchParams(query))).toEqual({ startIndex, count });
  });

  it.each([
    ["startIndex", "x"],
    ["startIndex", "x1"],
    ["startIndex", "1x"],
    ["startIndex", "1.5"],
    ["startIndex", "--1"],
    ["startIndex", "1000000000000000"],
    ["count", "all"],
    ["count", "1e2"],
    ["count", "-"],
  ])("is refused if %s is %s", (name, value) => {
    expect(scimRefusal(() => pagingOf(new URLSearchParams({ [name]: value })))).toEqual([
      "invalidValue",
      `${name} must be a whole number.`,
    ]);
  });

  it("says how many resources there are, where the page starts, and how many it has", () => {
    expect(listResponse(7, 3, [{ id: "a" }, { id: "b" }])).toStrictEqual({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
      totalResults: 7,
      startIndex: 3,
      itemsPerPage: 2,
      Resources: [{ id: "a" }, { id: "b" }],
    });
  });
});

describe("whether a query leaves out the groups of a user", () => {
  it.each([
    ["", false],
    ["attributes=", false],
    ["attributes=groups", false],
    ["attributes=GROUPS", false],
    ["attributes=userName,groups.display", false],
    ["attributes=userName", true],
    ["attributes=groupsOfOthers", true],
    ["attributes=user.groups", true],
    ["attributes=groups&excludedAttributes=groups", false],
    ["excludedAttributes=groups", true],
    ["excludedAttributes=userName,Groups", true],
    ["excludedAttributes=groups.display", false],
    ["excludedAttributes=userName", false],
  ])("%s: %s", (query, expected) => {
    expect(leavesOut(new URLSearchParams(query), "groups")).toBe(expected);
  });
});

describe("the attributes that a query asks for (RFC 7644 section 3.9)", () => {
  const meta = {
    resourceType: "User",
    created: "2026-01-02T03:04:05.000Z",
    lastModified: "2026-01-02T03:04:05.000Z",
    location: `${BASE}/Users/u1`,
  };
  const always = { schemas: [USER], id: "u1" };
  const emails = [
    { value: "ann@pd.example", type: "work", primary: true },
    { value: "ann@home.example", display: "Ann" },
  ];
  const groups = [{ value: "g1", $ref: `${BASE}/Groups/g1`, display: "Chiefs", type: "direct" }];
  const name = { givenName: "Ann", familyName: "Bee" };
  const rest = { userName: "ann", active: true };
  const resource: ScimResource = { ...always, ...rest, name, emails, groups, meta };
  const answer = (query: string) => selected(resource, new URLSearchParams(query));

  it.each(["", "attributes=", "attributes=%20,%20", "excludedAttributes=,"])("are all for %j", (query) => {
    expect(answer(query)).toStrictEqual(resource);
  });

  it.each<[string, object]>([
    ["userName", { userName: "ann" }],
    ["USERNAME", { userName: "ann" }],
    ["userName, active", rest],
    ["id,schemas", {}],
    ["unknown", {}],
    ["userName.part", {}],
    ["meta", { meta }],
    ["meta.location", { meta: { location: `${BASE}/Users/u1` } }],
    ["name.givenName", { name: { givenName: "Ann" } }],
    ["NAME.FAMILYNAME,active", { name: { familyName: "Bee" }, active: true }],
    ["name,name.givenName", { name }],
    ["name.middleName", {}],
    ["emails.value", { emails: [{ value: "ann@pd.example" }, { value: "ann@home.example" }] }],
    ["emails.display", { emails: [{ display: "Ann" }] }],
    ["emails.unknown", {}],
    ["user.emails", {}],
    [`${USER}:userName`, { userName: "ann" }],
    [`${USER.toUpperCase()}:name.givenName`, { name: { givenName: "Ann" } }],
    ["active,userurn:x:Name", { active: true }],
  ])("are only these and the ones that are always returned: attributes=%s", (attributes, expected) => {
    expect(selected(resource, new URLSearchParams({ attributes }))).toStrictEqual({ ...always, ...expected });
  });

  it.each<[string, object]>([
    ["name,emails,groups,meta", rest],
    ["id,schemas,Name,EMAILS,groups,meta", rest],
    [`${USER}:name,emails,groups,meta`, rest],
    ["emails,groups,meta,name.givenName", { ...rest, name: { familyName: "Bee" } }],
    ["emails,groups,meta,name,name.givenName", rest],
    ["emails,groups,meta,name.givenName,name.familyName", rest],
    ["emails,groups,meta,name.unknown", { ...rest, name }],
    ["name,emails,groups,meta,userName.part,active.part", rest],
    ["name,groups,meta,emails.value,emails.type,emails.primary", { ...rest, emails: [{ display: "Ann" }] }],
  ])("are all but these: excludedAttributes=%s", (excludedAttributes, expected) => {
    expect(selected(resource, new URLSearchParams({ excludedAttributes }))).toStrictEqual({
      ...always,
      ...expected,
    });
  });

  it("are those of attributes if a query also excludes some", () => {
    expect(answer("attributes=userName&excludedAttributes=userName,id")).toStrictEqual({
      ...always,
      userName: "ann",
    });
    expect(answer("attributes=name.givenName&excludedAttributes=name,name.givenName")).toStrictEqual({
      ...always,
      name: { givenName: "Ann" },
    });
  });

  it("are read from the first 2000 characters of the list", () => {
    const commas = ",".repeat(1991);
    expect(answer(`attributes=x${commas}userName`)).toStrictEqual({ ...always, userName: "ann" });
    expect(answer(`attributes=x${commas},userName`)).toStrictEqual(always);
  });
});
