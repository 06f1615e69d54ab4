import { describe, expect, it } from "vitest";
import { ACCESS_LEVELS, type Access, mayUse, type Standing } from "#app/entities/accounts/access.ts";

const standing = (over: Partial<Standing> = {}): Standing => ({
  role: "user",
  hotlistAdmin: false,
  hotlistViewer: false,
  isOwner: false,
  ...over,
});

/** The permission table of the specification's section 6: the levels that each standing reaches. */
const ABLE: [string, Standing | null, Access[]][] = [
  ["nobody", null, []],
  ["an officer", standing(), ["signed-in"]],
  ["a hotlist viewer", standing({ hotlistViewer: true }), ["signed-in", "hotlist-viewer"]],
  ["a hotlist admin", standing({ hotlistAdmin: true }), ["signed-in", "hotlist-viewer", "hotlist-admin"]],
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

describe("who may do what", () => {
  it.each(ABLE)("%s", (_, who, levels) => {
    const open: Access[] = ["public", "local", "webhook"];
    expect(ACCESS_LEVELS.filter((level) => mayUse(level, who))).toEqual([...open, ...levels]);
  });

  it("denies a level that it does not know", () => {
    expect(mayUse("root" as Access, standing({ role: "admin", isOwner: true }))).toBe(false);
  });
});
