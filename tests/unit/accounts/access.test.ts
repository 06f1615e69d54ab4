import { describe, expect, it } from "vitest";
import {
  ACCESS_LEVELS,
  type Access,
  isOpen,
  mayUse,
  needsUser,
  type Standing,
} from "#app/entities/accounts/access.ts";
import { missingPermission } from "#app/entities/accounts/missing-permission.ts";

const standing = (over: Partial<Standing> = {}): Standing => ({
  role: "user",
  hotlistAdmin: false,
  hotlistViewer: false,
  isOwner: false,
  investigator: false,
  ...over,
});

/** The permission table of the specification's section 6: the access levels of each user. */
const PERMISSIONS: [string, Standing | null, Access[]][] = [
  ["no one signed in", null, []],
  ["an officer", standing(), ["signed-in"]],
  ["a hotlist viewer", standing({ hotlistViewer: true }), ["signed-in", "hotlist-viewer"]],
  ["a hotlist admin", standing({ hotlistAdmin: true }), ["signed-in", "hotlist-viewer", "hotlist-admin"]],
  ["an investigator", standing({ investigator: true }), ["signed-in", "investigator"]],
  [
    "an administrator",
    standing({ role: "admin" }),
    ["signed-in", "hotlist-viewer", "hotlist-admin", "admin"],
  ],
  [
    "the owner",
    standing({ role: "admin", isOwner: true }),
    ["signed-in", "hotlist-viewer", "hotlist-admin", "admin", "owner"],
  ],
  ["an owner without the role", standing({ isOwner: true }), ["signed-in", "owner"]],
];

describe("access levels", () => {
  it.each(PERMISSIONS)("match the permission table: %s", (_, user, levels) => {
    const open: Access[] = ["public", "local", "webhook"];
    expect(ACCESS_LEVELS.filter((level) => mayUse(level, user))).toEqual([...open, ...levels]);
  });

  it("admit neither users nor visitors to the level of the SCIM token, which is not open either", () => {
    expect(PERMISSIONS.filter(([, user]) => mayUse("scim", user))).toEqual([]);
    expect([isOpen("scim"), needsUser("scim")]).toEqual([false, false]);
  });

  it("deny an unknown level", () => {
    // @ts-expect-error: not an access level
    expect(mayUse("root", standing({ role: "admin", isOwner: true }))).toBe(false);
  });
});

describe("what a user lacks for a level", () => {
  it.each<[Access, string, RegExp]>([
    [
      "hotlist-viewer",
      "Hotlist Viewer",
      /^A hotlist admin or administrator of your agency .* Alerts Permissions\.$/,
    ],
    [
      "hotlist-admin",
      "Hotlist Admin",
      /^A hotlist admin or administrator of your agency .* Alerts Permissions\.$/,
    ],
    ["investigator", "Investigations", /^The owner of this installation .* policy\.$/],
    ["admin", "Administrator", /^An administrator of your agency .* Edit Role\.$/],
    ["owner", "Owner", /no one can grant it\.$/],
  ])("has a name, and says who can grant it: %s", (level, name, grantedBy) => {
    expect(missingPermission(level)).toEqual({
      missing_permission: name,
      granted_by: expect.stringMatching(grantedBy),
    });
  });

  it.each<Access>(["public", "local", "webhook", "scim", "signed-in"])("is nothing for %s", (level) => {
    expect(missingPermission(level)).toBeUndefined();
  });
});
