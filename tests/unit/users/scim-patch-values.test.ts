import { describe, expect, it } from "vitest";
import { GROUP_TYPE, type ScimDocument, USER_TYPE } from "#app/entities/users/scim/attributes.ts";
import { applyScimPatch, parseScimPatch } from "#app/entities/users/scim/patch.ts";
import { scimRefusal } from "../../support/users/scim-refusal.ts";

const work = { value: "work@pd.example", type: "work", primary: true };
const home = { value: "home@pd.example", type: "home" };
/** Returns the email addresses of a user after operations. */
const emails = (before: object[], ...Operations: unknown[]) => {
  const document: ScimDocument = before.length === 0 ? {} : { emails: before };
  return applyScimPatch(USER_TYPE, document, parseScimPatch({ Operations })).emails;
};
const group = (before: ScimDocument, ...Operations: unknown[]) =>
  applyScimPatch(GROUP_TYPE, before, parseScimPatch({ Operations }));
const members = (count: number, prefix = "u") =>
  Array.from({ length: count }, (_, index) => ({ value: `${prefix}${index}` }));

describe("a PATCH of some email addresses", () => {
  it("changes one part of all of them by a path without a filter", () => {
    const operation = { op: "replace", path: "emails.display", value: "Ann" };
    expect(emails([work, home], operation)).toStrictEqual([
      { ...work, display: "Ann" },
      { ...home, display: "Ann" },
    ]);
    expect(emails([work, home], { op: "remove", path: "emails.type" })).toStrictEqual([
      { value: "work@pd.example", primary: true },
      { value: "home@pd.example" },
    ]);
  });

  it("adds an address if a user without one gets one part of it", () => {
    for (const op of ["add", "replace"])
      expect(emails([], { op, path: "emails.value", value: "a@b.example" })).toStrictEqual([
        { value: "a@b.example" },
      ]);
  });

  it.each([
    ['emails[type eq "home"]', [work]],
    ['emails[TYPE eq "HOME"]', [work]],
    ['emails[value eq "WORK@pd.example"]', [home]],
    ["emails[primary eq true]", [home]],
    ['emails[primary eq "True"]', [home]],
    ['emails[type eq "work" and value eq "home@pd.example"]', [work, home]],
    ['emails[type eq "home" and value eq "home@pd.example"]', [work]],
    ["emails[type eq 7]", [work, home]],
    ['emails[display eq "Ann"]', [work, home]],
    ["emails", undefined],
  ])("removes what the path means: %s", (path, after) => {
    expect(emails([work, home], { op: "remove", path })).toStrictEqual(after);
  });

  it("ignores the value beside a path with a filter when it removes", () => {
    const remove = { op: "remove", path: 'emails[type eq "home"]', value: [work, home] };
    expect(emails([work, home], remove)).toStrictEqual([work]);
    const part = { op: "remove", path: 'emails[type eq "home"].type', value: 7 };
    expect(emails([work, home], part)).toStrictEqual([work, { value: "home@pd.example" }]);
  });

  it("removes an address whose only part is removed", () => {
    const path = "emails.value";
    expect(emails([{ value: "a@b.example" }, home], { op: "remove", path })).toStrictEqual([
      { type: "home" },
    ]);
    expect(emails([{ value: "a@b.example" }], { op: "remove", path })).toBeUndefined();
  });

  it("adds nothing when no address matches what it removes", () => {
    const operation = { op: "remove", path: 'emails[type eq "home"].display' };
    expect(emails([work], operation)).toStrictEqual([work]);
  });

  it("changes the parts that the value names", () => {
    const path = 'emails[type eq "home"]';
    const after = [work, { value: "new@pd.example", type: "home" }];
    for (const value of [{ value: "new@pd.example" }, [{ value: "new@pd.example" }], "new@pd.example"])
      expect(emails([work, home], { op: "replace", path, value })).toStrictEqual(after);
    expect(emails([work, home], { op: "replace", path, value: null })).toStrictEqual([work, home]);
    expect(emails([work], { op: "add", path, value: { value: "new@pd.example" } })).toStrictEqual(after);
  });

  it("changes only one part, and only of the address that matches", () => {
    const operation = { op: "replace", path: 'emails[type eq "home"].value', value: "new@pd.example" };
    expect(emails([work, home], operation)).toStrictEqual([work, { ...home, value: "new@pd.example" }]);
    expect(scimRefusal(() => emails([work], operation))).toEqual([
      "noTarget",
      "No value matches the filter in the path.",
    ]);
  });

  it("has no control characters in what is kept: the value, or the filter of the path", () => {
    const path = 'emails[type eq "home"].value';
    expect(
      scimRefusal(() => emails([work, home], { op: "replace", path, value: "a\u0000b@pd.example" })),
    ).toEqual(["invalidValue", "value contains a control character (U+0000)."]);
    expect(scimRefusal(() => emails([work], { op: "add", value: { "emails.type": "a\nb" } }))).toEqual([
      "invalidValue",
      "type contains a line break.",
    ]);
    for (const filter of ["a\\nb", "a\nb", "\\u0000b", "\\ud800"]) {
      const operation = { op: "add", path: `emails[type eq "${filter}"]`, value: work };
      expect(scimRefusal(() => emails([work], operation))).toEqual(["invalidPath", expect.any(String)]);
    }
  });

  it("takes one value for a path with a filter", () => {
    const operation = { op: "add", path: 'emails[type eq "home"]', value: [work, home] };
    expect(scimRefusal(() => emails([work], operation))).toEqual([
      "invalidValue",
      "A path with a filter takes one value.",
    ]);
  });
});

describe("a PATCH of all values of an attribute", () => {
  it("merges an added address with the same address in any letter case, and with nothing else", () => {
    const added = { value: "HOME@pd.example", display: "Ann" };
    expect(emails([work, home], { op: "add", path: "emails", value: [added] })).toStrictEqual([
      work,
      { value: "HOME@pd.example", type: "home", display: "Ann" },
    ]);
    const nameless = { type: "other" };
    expect(emails([work], { op: "add", path: "emails", value: nameless })).toStrictEqual([work, nameless]);
  });

  it("replaces all addresses, and keeps the last of those with the same address", () => {
    const value = [home, { value: "Home@pd.example" }, { value: "c@pd.example" }];
    expect(emails([work], { op: "replace", path: "emails", value })).toStrictEqual([
      { value: "Home@pd.example" },
      { value: "c@pd.example" },
    ]);
  });

  it("takes primary from the other addresses, and adds no primary to those without one", () => {
    const value = [{ value: "c@pd.example", primary: true }];
    expect(emails([work, home], { op: "add", path: "emails", value })).toStrictEqual([
      { value: "work@pd.example", type: "work", primary: false },
      home,
      { value: "c@pd.example", primary: true },
    ]);
    const path = 'emails[type eq "home"].primary';
    expect(emails([work, home], { op: "add", path, value: true })).toStrictEqual([
      { value: "work@pd.example", type: "work", primary: false },
      { ...home, primary: true },
    ]);
  });

  it("distinguishes the ids of members by letter case", () => {
    const before = { displayName: "Chiefs", members: [{ value: "a" }] };
    expect(group(before, { op: "add", path: "members", value: [{ value: "A" }] })).toStrictEqual({
      displayName: "Chiefs",
      members: [{ value: "a" }, { value: "A" }],
    });
    expect(group(before, { op: "remove", path: "members", value: [{ value: "A" }] })).toStrictEqual(before);
  });

  it("removes all members if no value is beside the path", () => {
    const before = { displayName: "Chiefs", members: [{ value: "a" }, { value: "b" }] };
    for (const operation of [
      { op: "remove", path: "members" },
      { op: "remove", path: "members", value: null },
      { op: "replace", path: "members", value: [] },
    ])
      expect(group(before, operation)).toStrictEqual({ displayName: "Chiefs" });
    expect(group(before, { op: "remove", path: "members", value: [] })).toStrictEqual(before);
  });

  it("leaves at most 10,000 members", () => {
    const before = { displayName: "Everyone", members: members(9999) };
    const one = { op: "add", path: "members", value: [{ value: "last" }] };
    expect(group(before, one).members).toHaveLength(10_000);
    const two = { op: "add", path: "members", value: members(2, "more") };
    expect(scimRefusal(() => group(before, two))).toEqual(["tooMany", "At most 10000 values of members."]);
  });
});
