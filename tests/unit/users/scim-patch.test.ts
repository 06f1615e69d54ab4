import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  documentOf,
  GROUP_TYPE,
  type ScimDocument,
  type ScimType,
  USER_TYPE,
} from "#app/entities/users/scim/attributes.ts";
import { applyScimPatch, parseScimPatch } from "#app/entities/users/scim/patch.ts";
import { personDocument, scimGroupOf, scimPersonOf } from "#app/entities/users/scim/person.ts";
import { isAppError } from "#app/lib/errors.ts";

const URN = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

const patched = (type: ScimType, before: ScimDocument, ...Operations: unknown[]) =>
  applyScimPatch(type, before, parseScimPatch({ schemas: [URN], Operations }));
const user = (before: ScimDocument, ...operations: unknown[]) => patched(USER_TYPE, before, ...operations);
const group = (before: ScimDocument, ...operations: unknown[]) => patched(GROUP_TYPE, before, ...operations);

function refusal(act: () => unknown): unknown {
  try {
    return { accepted: act() };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.details?.scimType;
  }
}

const ann: ScimDocument = {
  userName: "ann@pd.example",
  name: { givenName: "Ann", familyName: "Bee" },
  active: true,
  emails: [{ value: "ann@pd.example", type: "work", primary: true }],
};

describe("PATCH of a user", () => {
  it("deactivates the user in both published forms, and in the form of Microsoft Entra ID", () => {
    const off = { ...ann, active: false };
    expect(user(ann, { op: "replace", path: "active", value: false })).toEqual(off);
    expect(user(ann, { op: "replace", value: { active: false } })).toEqual(off);
    expect(user(ann, { op: "Replace", path: "active", value: "False" })).toEqual(off);
    expect(user(ann, { OP: "Add", PATH: "ACTIVE", VALUE: "false" })).toEqual(off);
  });

  it("changes parts of the name and of an address by its type", () => {
    expect(user(ann, { op: "Replace", path: "name.familyName", value: "Cee" }).name).toEqual({
      givenName: "Ann",
      familyName: "Cee",
    });
    const path = 'emails[type eq "work"].value';
    expect(user(ann, { op: "Replace", path, value: "new@pd.example" }).emails).toEqual([
      { value: "new@pd.example", type: "work", primary: true },
    ]);
    expect(
      refusal(() => user(ann, { op: "replace", path: 'emails[type eq "home"].value', value: "x" })),
    ).toBe("noTarget");
    expect(
      user(ann, { op: "add", path: 'emails[type eq "home"].value', value: "h@x.example" }).emails,
    ).toEqual([
      { value: "ann@pd.example", type: "work", primary: true },
      { type: "home", value: "h@x.example" },
    ]);
  });

  it("accepts keys that are paths, and ignores extensions and attributes that Odin does not store", () => {
    const value = {
      "name.givenName": "Anna",
      'emails[type eq "work"].value': "anna@pd.example",
      "urn:ietf:params:scim:schemas:core:2.0:User:displayName": "Anna Bee",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department": "Patrol",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Patrol" },
      title: "Chief",
      id: "another",
      anything: { else: 1 },
    };
    expect(user(ann, { op: "replace", value })).toEqual({
      ...ann,
      name: { givenName: "Anna", familyName: "Bee" },
      emails: [{ value: "anna@pd.example", type: "work", primary: true }],
      displayName: "Anna Bee",
    });
    for (const path of ["title", 'phoneNumbers[type eq "work"].value', "name.middleName"])
      expect(user(ann, { op: "add", path, value: "x" })).toEqual(ann);
    const path = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager";
    expect(user(ann, { op: "add", path, value: "x" })).toEqual(ann);
  });

  it("has one primary address", () => {
    const value = [{ value: "two@pd.example", primary: "True" }];
    expect(user(ann, { op: "add", path: "emails", value }).emails).toEqual([
      { value: "ann@pd.example", type: "work", primary: false },
      { value: "two@pd.example", primary: true },
    ]);
  });

  it.each([
    ["invalidSyntax", { op: "move", path: "active" }],
    ["invalidSyntax", "remove"],
    ["noTarget", { op: "remove" }],
    ["invalidValue", { op: "replace", value: "x" }],
    ["invalidValue", { op: "replace", path: "active", value: "perhaps" }],
    ["invalidValue", { op: "replace", path: "userName", value: 7 }],
    ["invalidValue", { op: "replace", path: "userName", value: "x".repeat(2000) }],
    ["invalidPath", { op: "replace", path: "nothing", value: 1 }],
    ["invalidPath", { op: "replace", path: "name.nothing", value: "x" }],
    ["invalidPath", { op: "replace", path: "userName[type eq", value: "x" }],
    ["invalidPath", { op: "replace", path: 'name[type eq "x"].givenName', value: "x" }],
    ["invalidPath", { op: "remove", path: 'emails[nothing eq "x"]' }],
    ["mutability", { op: "replace", path: "id", value: "x" }],
    ["mutability", { op: "remove", path: "groups" }],
  ])("is refused with %s: %j", (keyword, operation) => {
    expect(refusal(() => user(ann, operation))).toBe(keyword);
  });

  it("is refused without its schema or with too many operations", () => {
    expect(
      refusal(() => parseScimPatch({ schemas: ["urn:x"], Operations: [{ op: "remove", path: "x" }] })),
    ).toBe("invalidSyntax");
    expect(refusal(() => parseScimPatch({ Operations: [] }))).toBe("invalidSyntax");
    expect(refusal(() => parseScimPatch(null))).toBe("invalidSyntax");
    const Operations = Array.from({ length: 201 }, () => ({ op: "remove", path: "displayName" }));
    expect(refusal(() => parseScimPatch({ Operations }))).toBe("tooMany");
  });

  it("that removes a required attribute is refused by the check of the whole user", () => {
    expect(refusal(() => scimPersonOf(user(ann, { op: "remove", path: "userName" })))).toBe("invalidValue");
  });
});

describe("PATCH of a group", () => {
  const chiefs = { displayName: "Chiefs", members: [{ value: "a" }, { value: "b" }] };
  const members = (document: ScimDocument) => scimGroupOf(document).members;

  it("adds and removes members in every published form", () => {
    expect(
      members(group(chiefs, { op: "Add", path: "members", value: [{ value: "c" }, { value: "a" }] })),
    ).toEqual(["a", "b", "c"]);
    expect(members(group(chiefs, { op: "add", value: { members: [{ value: "c" }] } }))).toEqual([
      "a",
      "b",
      "c",
    ]);
    expect(members(group(chiefs, { op: "Remove", path: 'members[value eq "a"]' }))).toEqual(["b"]);
    expect(members(group(chiefs, { op: "Remove", path: "members", value: [{ value: "b" }] }))).toEqual(["a"]);
    expect(members(group(chiefs, { op: "remove", path: 'members[value eq "z"]' }))).toEqual(["a", "b"]);
    expect(members(group(chiefs, { op: "remove", path: "members" }))).toEqual([]);
    expect(members(group(chiefs, { op: "replace", path: "members", value: [{ value: "c" }] }))).toEqual([
      "c",
    ]);
    expect(members(group(chiefs, { op: "replace", value: { displayName: "New", members: [] } }))).toEqual([]);
  });

  it("compares ids by case, and accepts only users as members", () => {
    expect(members(group(chiefs, { op: "remove", path: 'members[value eq "A"]' }))).toEqual(["a", "b"]);
    const nested = group(chiefs, { op: "add", path: "members", value: [{ value: "g", type: "Group" }] });
    expect(refusal(() => members(nested))).toBe("invalidValue");
  });
});

const word = fc.stringMatching(/^[A-Za-z][A-Za-z .-]{0,10}[A-Za-z]$/);
const address = fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.example$/);
const values = fc.record(
  {
    userName: address,
    externalId: word,
    displayName: word,
    active: fc.boolean(),
    name: fc.record({ givenName: word, familyName: word }, { requiredKeys: [] }),
    emails: fc.uniqueArray(fc.record({ value: address, type: fc.constantFrom("work", "home") }), {
      selector: ({ value }) => value,
      maxLength: 3,
    }),
  },
  { requiredKeys: [] },
);
const op = fc.constantFrom("add", "Replace", "REPLACE");
/** Returns the same text in a different letter case. */
const cased = (text: string, upper: boolean) => (upper ? text.toUpperCase() : text);

describe("any PATCH", () => {
  it("has the same effect in both forms and any letter case", () => {
    fc.assert(
      fc.property(values, values, op, fc.boolean(), (first, value, op, upper) => {
        const before = documentOf(USER_TYPE, { ...ann, ...first });
        const whole = user(before, {
          op,
          value: Object.fromEntries(Object.entries(value).map(([key, one]) => [cased(key, upper), one])),
        });
        const pairs = Object.entries(value);
        const paths = pairs.map(([path, one]) => ({ op, path: cased(path, upper), value: one }));
        expect(pairs.length === 0 ? before : user(before, ...paths)).toEqual(whole);
      }),
    );
  });

  it("is idempotent: repeating a replacement or removal changes nothing", () => {
    const path = fc.constantFrom(
      "active",
      "displayName",
      "name",
      "name.givenName",
      "emails",
      'emails[type eq "work"]',
    );
    fc.assert(
      fc.property(values, values, path, (first, value, path) => {
        const before = documentOf(USER_TYPE, { ...ann, ...first });
        const replaced = user(before, { op: "replace", value });
        expect(user(replaced, { op: "replace", value })).toEqual(replaced);
        const removed = user(before, { op: "remove", path });
        expect(user(removed, { op: "remove", path })).toEqual(removed);
      }),
    );
  });

  it("adds and removes members like a set", () => {
    const id = fc.constantFrom("a", "b", "c", "d", "e");
    const step = fc.record({
      op: fc.constantFrom("add", "remove"),
      ids: fc.array(id, { maxLength: 4 }),
      isPath: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
        const expected = new Set<string>();
        const operations = steps.flatMap<object>(({ op, ids, isPath }) => {
          for (const one of ids) {
            if (op === "add") expected.add(one);
            else expected.delete(one);
          }
          if (op === "remove" && isPath)
            return ids.map((one) => ({ op, path: `members[value eq "${one}"]` }));
          return [{ op, path: "members", value: ids.map((value) => ({ value })) }];
        });
        const after = operations.length === 0 ? {} : group({ displayName: "G" }, ...operations);
        expect(scimGroupOf({ displayName: "G", ...after }).members.sort()).toEqual([...expected].sort());
      }),
    );
  });

  it("returns a resource with known attributes only, or is refused", () => {
    const path = fc.constantFrom(
      "active",
      "emails",
      "emails.value",
      'emails[type eq "work"].primary',
      "name",
      "__proto__",
      "",
    );
    const anything = fc.record({
      op: fc.constantFrom("add", "replace", "remove"),
      path,
      value: fc.jsonValue(),
    });
    const known = USER_TYPE.attributes.map(({ name }) => name);
    fc.assert(
      fc.property(fc.array(anything, { minLength: 1, maxLength: 4 }), (operations) => {
        const result = refusal(() => user(ann, ...operations));
        if (typeof result === "string") return;
        const { accepted } = result as { accepted: ScimDocument };
        expect(Object.keys(accepted).filter((key) => !known.includes(key))).toEqual([]);
        expect(documentOf(USER_TYPE, accepted)).toEqual(accepted);
      }),
    );
  });
});

describe("a SCIM user", () => {
  it("is the same after it is written and read", () => {
    fc.assert(
      fc.property(values, (value) => {
        const person = scimPersonOf(documentOf(USER_TYPE, { ...ann, ...value }));
        expect(scimPersonOf(personDocument(person))).toEqual(person);
      }),
    );
  });

  it("keeps one address: the primary, else the one of type work, else the first, else the userName", () => {
    const of = (emails: unknown) => scimPersonOf({ userName: "Me@pd.example", emails }).email;
    const [home, work] = [
      { value: "home@pd.example", type: "home" },
      { value: "WORK@pd.example", type: "Work" },
    ];
    expect(of([home, work])).toBe("work@pd.example");
    expect(of([{ ...home, primary: true }, work])).toBe("home@pd.example");
    expect(of([home])).toBe("home@pd.example");
    expect(of(undefined)).toBe("me@pd.example");
    expect(refusal(() => of([{ value: "nowhere" }]))).toBe("invalidValue");
    expect(refusal(() => scimPersonOf({ userName: "me" }))).toBe("invalidValue");
  });

  it("is named by the display name, the full name, its parts, or the userName, without invisible characters", () => {
    const of = (more: object) => scimPersonOf({ userName: "me@pd.example", ...more }).name;
    expect(of({ displayName: "A\u200b B", name: { formatted: "C" } })).toBe("A B");
    expect(of({ name: { formatted: "C D", givenName: "E" } })).toBe("C D");
    expect(of({ name: { givenName: "E", familyName: "F" } })).toBe("E F");
    expect(of({ displayName: "\u200b" })).toBe("me@pd.example");
  });
});
