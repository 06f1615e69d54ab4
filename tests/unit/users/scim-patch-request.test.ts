import { describe, expect, it } from "vitest";
import { type ScimDocument, USER_TYPE } from "#app/entities/users/scim/attributes.ts";
import { applyScimPatch, parseScimPatch } from "#app/entities/users/scim/patch.ts";
import { scimRefusal } from "../../support/users/scim-refusal.ts";

const URN = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const ann: ScimDocument = { userName: "ann@pd.example", name: { givenName: "Ann", familyName: "Bee" } };
const user = (...Operations: unknown[]) => applyScimPatch(USER_TYPE, ann, parseScimPatch({ Operations }));
const removals = (count: number) => Array.from({ length: count }, () => ({ op: "remove", path: "title" }));
/** Returns an operation without a path that sets so many attributes. */
const setting = (count: number) => ({
  op: "add",
  value: Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown${index}`, "x"])),
});

describe("the body of a PATCH", () => {
  it("contains operations, whose fields have any letter case and whose path may be missing, null or empty", () => {
    const Operations = [
      { op: "ADD", path: "displayName", value: "Ann" },
      { Op: "Replace", Value: { active: true } },
      { op: "remove", path: null },
      { op: "remove", path: "" },
    ];
    expect(parseScimPatch({ Schemas: ["urn:other", URN], OPERATIONS: Operations })).toStrictEqual([
      { op: "add", path: "displayName", value: "Ann" },
      { op: "replace", path: undefined, value: { active: true } },
      { op: "remove", path: undefined, value: undefined },
      { op: "remove", path: undefined, value: undefined },
    ]);
  });

  it.each([
    ["The body is not a JSON object.", "remove"],
    ["The body is not a JSON object.", [{ op: "remove", path: "title" }]],
    [`schemas must contain ${URN}.`, { schemas: [], Operations: removals(1) }],
    [`schemas must contain ${URN}.`, { schemas: URN, Operations: removals(1) }],
    ["Operations must be a list.", { Operations: { op: "remove", path: "title" } }],
    ["Operations must be a list.", { schemas: [URN] }],
    ["Operations must be a list.", { Operations: [] }],
    ["An operation must be an object.", { Operations: [null] }],
    ["An operation must be an object.", { Operations: ["remove"] }],
    ["op must be add, replace or remove.", { Operations: [{ op: 7, path: "title" }] }],
    ["op must be add, replace or remove.", { Operations: [{ path: "title" }] }],
    ["op must be add, replace or remove.", { Operations: [{ op: "adds", path: "title" }] }],
  ])("is refused with invalidSyntax: %s %j", (message, body) => {
    expect(scimRefusal(() => parseScimPatch(body))).toEqual(["invalidSyntax", message]);
  });

  it("is refused with invalidPath if a path is not text", () => {
    const refused = ["invalidPath", "path must be text."];
    expect(scimRefusal(() => user({ op: "remove", path: 7 }))).toEqual(refused);
    expect(scimRefusal(() => user({ op: "remove", path: ["title"] }))).toEqual(refused);
  });

  it("has at most 200 operations", () => {
    expect(user(...removals(200))).toEqual(ann);
    expect(scimRefusal(() => user(...removals(201)))).toEqual([
      "tooMany",
      "At most 200 operations in one request.",
    ]);
  });

  it("has at most 200 attributes in its operations, and a path counts as one attribute", () => {
    const refused = ["tooMany", "At most 200 attributes in the operations of one request."];
    expect(user(setting(200))).toEqual(ann);
    expect(scimRefusal(() => user(setting(201)))).toEqual(refused);
    expect(user(setting(150), setting(49), ...removals(1))).toEqual(ann);
    expect(scimRefusal(() => user(setting(150), setting(49), ...removals(2)))).toEqual(refused);
    expect(user({ ...setting(201), path: "title" })).toEqual(ann);
  });
});

describe("an operation of a PATCH", () => {
  const long = "x".repeat(150);
  it.each([
    ["noTarget", "To remove something, name its path.", { op: "remove", value: { active: true } }],
    ["invalidValue", "Without a path, the value must be an object.", { op: "add", value: ["active"] }],
    ["mutability", "meta.created cannot be changed.", { op: "remove", path: "meta.created" }],
    ["mutability", "SCHEMAS cannot be changed.", { op: "replace", path: "SCHEMAS", value: [] }],
    ["mutability", "Groups cannot be changed.", { op: "add", path: "Groups", value: [{ value: "g" }] }],
    [
      "mutability",
      `id.${"x".repeat(97)} cannot be changed.`,
      { op: "replace", path: `id.${long}`, value: "x" },
    ],
    ["invalidPath", "There is no attribute nothing.", { op: "remove", path: "nothing" }],
    ["invalidPath", "There is no attribute nothing.part.", { op: "remove", path: "nothing.part" }],
    ["invalidPath", "There is no attribute userName.part.", { op: "remove", path: "userName.part" }],
    ["invalidPath", "There is no attribute name.nickName.", { op: "remove", path: "name.nickName" }],
    [
      "invalidPath",
      'There is no attribute name[formatted eq "x"].',
      { op: "remove", path: 'name[formatted eq "x"]' },
    ],
    ["invalidPath", `There is no attribute ${"x".repeat(100)}.`, { op: "remove", path: long }],
    ["invalidPath", "emails has no color.", { op: "remove", path: 'emails[color eq "red"]' }],
    ["invalidPath", "emails has no type.", { op: "remove", path: 'emails[type.part eq "work"]' }],
    [
      "invalidPath",
      `emails has no ${"x".repeat(60)}.`,
      { op: "remove", path: `emails[${"x".repeat(61)} eq "a"]` },
    ],
    ["invalidValue", "name must be an object.", { op: "replace", path: "name", value: "Ann Bee" }],
    ["invalidPath", "There is no attribute name.nothing.", { op: "add", value: { "name.nothing": "x" } }],
  ])("is refused with %s: %s", (keyword, message, operation) => {
    expect(scimRefusal(() => user(operation))).toEqual([keyword, message]);
  });

  it("has a path with the schema of users, in any letter case, or of an extension, which is ignored", () => {
    const urn = "URN:ietf:params:scim:schemas:core:2.0:User:displayName";
    expect(user({ op: "add", path: urn, value: "Ann" })).toStrictEqual({ ...ann, displayName: "Ann" });
    expect(user({ op: "add", value: { [urn]: "Ann" } })).toStrictEqual({ ...ann, displayName: "Ann" });
    const other = "urn:ietf:params:scim:schemas:core:2.0:Group:displayName";
    expect(user({ op: "add", path: other, value: "Ann" })).toStrictEqual(ann);
    expect(user({ op: "add", value: { [other]: "Ann" } })).toStrictEqual(ann);
  });

  it("that removes ignores a value beside the path", () => {
    const { name: _name, ...rest } = ann;
    expect(user({ op: "remove", path: "name", value: { givenName: "Zoe" } })).toStrictEqual(rest);
    expect(user({ op: "remove", path: "name.givenName", value: "Zoe" })).toStrictEqual({
      ...rest,
      name: { familyName: "Bee" },
    });
  });

  it("keeps the parts of a name that it does not mention", () => {
    const after = { ...ann, name: { givenName: "Zoe", familyName: "Bee" } };
    expect(user({ op: "replace", path: "name", value: { givenName: "Zoe" } })).toStrictEqual(after);
    expect(user({ op: "add", value: { name: { givenName: "Zoe" } } })).toStrictEqual(after);
  });

  it("leaves out an attribute without a value, and a name without parts", () => {
    const { name: _name, ...rest } = ann;
    expect(user({ op: "replace", path: "name", value: null })).toStrictEqual(rest);
    expect(user({ op: "replace", path: "name" })).toStrictEqual(rest);
    expect(user({ op: "replace", path: "userName", value: " " })).toStrictEqual({ name: ann.name });
    expect(
      user({ op: "remove", path: "name.givenName" }, { op: "remove", path: "name.familyName" }),
    ).toStrictEqual(rest);
  });

  it("adds a part to a name that does not exist", () => {
    expect(
      user({ op: "remove", path: "name" }, { op: "add", path: "name.formatted", value: "Ann B." }),
    ).toStrictEqual({ userName: "ann@pd.example", name: { formatted: "Ann B." } });
  });
});
