// Rights that the groups of an agency's identity provider give and take: at a sign-in, and whenever the provider changes
// its groups by SCIM.

import type { AppContext } from "#app/context.ts";
import type { GroupRights } from "#app/entities/accounts/group-rights.ts";
import type { AuditEntry } from "#app/entities/oversight/audit.ts";
import type { StoredUser } from "#app/store/accounts/sign-in.ts";
import type { Statement } from "#app/store/database.ts";
import { insertAuditIfChanged, insertAudits } from "#app/store/oversight/audit.ts";
import { revokeIfRole } from "#app/store/users/access.ts";
import { updateHotlistRights, updateRole } from "#app/store/users/directory.ts";

/** A user with the rights so far, and those that the groups decide. */
export type Regrouped = {
  user: Pick<StoredUser, "id" | "username" | "role" | "hotlistAdmin" | "hotlistViewer">;
  rights: GroupRights;
};

/**
 * Returns the statements that give and take rights, each with its audit row; a changed role ends the user's sessions.
 * `by` says in the rows whose groups they are.
 */
export function rightStatements(
  app: AppContext,
  input: { entry: AuditEntry; people: readonly Regrouped[]; by: string },
): Statement[] {
  const { entry, people, by } = input;
  const hotlist = people.flatMap(({ user, rights }) => {
    const before = { hotlistAdmin: user.hotlistAdmin, hotlistViewer: user.hotlistViewer };
    const after = {
      hotlistAdmin: rights.hotlistAdmin ?? before.hotlistAdmin,
      hotlistViewer: rights.hotlistViewer ?? before.hotlistViewer,
    };
    const isSame = after.hotlistAdmin === before.hotlistAdmin && after.hotlistViewer === before.hotlistViewer;
    return isSame ? [] : [{ user, rights, before, after }];
  });
  const rows = hotlist.map(({ user, before, after }) => ({
    ...entry,
    action: "user.rights" as const,
    object: user.id,
    detail: { username: user.username, before: shown(before), after: shown(after), by },
  }));
  return [
    ...people.flatMap(({ user, rights }) => roleStatements(app, { entry, user, role: rights.role, by })),
    ...updateHotlistRights(app.db, {
      agencyId: entry.agencyId,
      rights: hotlist.map(({ user, rights: { hotlistAdmin, hotlistViewer } }) => ({
        id: user.id,
        ...(hotlistAdmin !== undefined && { hotlistAdmin }),
        ...(hotlistViewer !== undefined && { hotlistViewer }),
      })),
    }),
    ...insertAudits(app.db, rows),
  ];
}

const shown = ({ hotlistAdmin, hotlistViewer }: { hotlistAdmin: boolean; hotlistViewer: boolean }) => ({
  hotlist_admin: hotlistAdmin,
  hotlist_viewer: hotlistViewer,
});

function roleStatements(
  app: AppContext,
  input: { entry: AuditEntry; user: Regrouped["user"]; role: GroupRights["role"]; by: string },
): Statement[] {
  const { entry, user, role, by } = input;
  const { id, username } = user;
  if (role === undefined || role === user.role) return [];
  return [
    updateRole(app.db, { id, role }),
    insertAuditIfChanged(app.db, {
      ...entry,
      action: "user.role",
      object: id,
      detail: { username, from: user.role, to: role, by },
    }),
    // The last administrator of an agency stays one.
    revokeIfRole(app.db, { userId: id, role, now: entry.at }),
  ];
}
