/** Rights that the groups of an agency's identity provider grant and revoke. Pure. */
import type { Role } from "./access.ts";

/** Rights that the agency's groups decide. An undefined right is left to administrators. */
export type GroupRights = {
  role?: Role;
  hotlistAdmin?: boolean;
  hotlistViewer?: boolean;
};

type GroupRules = {
  adminGroups: readonly string[];
  hotlistAdminGroups: readonly string[];
  hotlistViewerGroups: readonly string[];
};

/** Returns whether any group is named, so that Odin needs a person's groups. */
export function namesGroups(rules: GroupRules & { memberGroups: readonly string[] }): boolean {
  const { memberGroups, adminGroups, hotlistAdminGroups, hotlistViewerGroups } = rules;
  return [memberGroups, adminGroups, hotlistAdminGroups, hotlistViewerGroups].some(
    ({ length }) => length > 0,
  );
}

/** Returns the rights that a person's groups grant and revoke. */
export function rightsOfGroups(rules: GroupRules, groups: readonly string[]): GroupRights {
  const isIn = (list: readonly string[]) => list.some((name) => groups.includes(name));
  return {
    ...(rules.adminGroups.length > 0 && { role: isIn(rules.adminGroups) ? "admin" : "user" }),
    ...(rules.hotlistAdminGroups.length > 0 && { hotlistAdmin: isIn(rules.hotlistAdminGroups) }),
    ...(rules.hotlistViewerGroups.length > 0 && { hotlistViewer: isIn(rules.hotlistViewerGroups) }),
  };
}

/** A group as the provider manages it by SCIM. The settings refer to it by its name or by the provider's id. */
type ManagedGroup = { displayName: string; externalId: string | null };

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * Returns a function that returns the names by which the settings can refer to a group. Many people may be able to
 * choose a group's displayName, so one that looks like an object ID, or is the id of a known group, does not count as a
 * name.
 */
function namesAmong(known: readonly ManagedGroup[]) {
  const ids = new Set(known.map(({ externalId }) => externalId));
  return ({ displayName, externalId }: ManagedGroup): string[] => [
    ...(UUID.test(displayName) || ids.has(displayName) ? [] : [displayName]),
    ...(externalId === null ? [] : [externalId]),
  ];
}

/**
 * Returns the groups of a person who signs in: those that the provider names, except that SCIM decides the members of
 * the groups that it manages.
 */
export function groupsAtSignIn(
  claimed: readonly string[],
  managed: readonly (ManagedGroup & { isMember: boolean })[],
): string[] {
  const namesOf = namesAmong(managed);
  const known = new Set(managed.flatMap(namesOf));
  const member = managed.filter(({ isMember }) => isMember).flatMap(namesOf);
  return [...new Set([...claimed.filter((name) => !known.has(name)), ...member])];
}

/**
 * Returns the rights that groups managed by SCIM grant and revoke. A right for which the settings name no managed group
 * stays as it is, because SCIM does not report the members of other groups.
 */
export function rightsOfManagedGroups(
  rules: GroupRules,
  known: readonly ManagedGroup[],
  groups: readonly ManagedGroup[],
): GroupRights {
  const namesOf = namesAmong(known);
  const names = new Set(known.flatMap(namesOf));
  const managed = (list: readonly string[]) => list.filter((name) => names.has(name));
  return rightsOfGroups(
    {
      adminGroups: managed(rules.adminGroups),
      hotlistAdminGroups: managed(rules.hotlistAdminGroups),
      hotlistViewerGroups: managed(rules.hotlistViewerGroups),
    },
    groups.flatMap(namesOf),
  );
}

/** Returns whether a change of managed groups removes the last group that lets a person sign in. */
export function losesSignIn(
  memberGroups: readonly string[],
  groups: { known: readonly ManagedGroup[]; before: readonly ManagedGroup[]; after: readonly ManagedGroup[] },
): boolean {
  const namesOf = namesAmong(groups.known);
  const isIn = (list: readonly ManagedGroup[]) =>
    list.flatMap(namesOf).some((name) => memberGroups.includes(name));
  return isIn(groups.known) && isIn(groups.before) && !isIn(groups.after);
}
