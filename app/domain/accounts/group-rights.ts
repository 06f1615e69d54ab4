// Grants and revokes rights by the groups of an agency's identity provider: at a sign-in, and whenever the provider
// changes its groups by SCIM.

import type { AppContext } from "#app/context.ts";
import type { Role } from "#app/entities/accounts/access.ts";
import type { GroupRights } from "#app/entities/accounts/group-rights.ts";
import type { AuditEntry } from "#app/entities/oversight/audit.ts";
import type { StoredUser } from "#app/store/accounts/sign-in.ts";
import type { Statement } from "#app/store/database.ts";
import { insertAudits } from "#app/store/oversight/audit.ts";
import { updateHotlistRights } from "#app/store/users/directory.ts";
import { changingRole, revokeIfRoles, updateRoles } from "#app/store/users/roles.ts";

/** New administrators come first, so that the last former one can lose the role in the same batch. */
const ROLES = ["admin", "user"] as const satisfies Role[];

/** A user with the current rights, and the rights that the groups decide. */
export type Regrouped = {
  user: Pick<StoredUser, "id" | "username" | "role" | "hotlistAdmin" | "hotlistViewer">;
  rights: GroupRights;
};

/**
 * Returns the statements that grant and revoke rights, each with its audit row; a changed role ends the user's
 * sessions. `by` records in the audit rows where the groups come from.
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
    ...ROLES.flatMap((role) => roleStatements(app, { entry, people, role, by })),
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

/**
 * Returns the statements that give a role to the users whose groups grant it. The number of statements does not depend
 * on the number of users.
 */
function roleStatements(
  app: AppContext,
  input: { entry: AuditEntry; people: readonly Regrouped[]; role: Role; by: string },
): Statement[] {
  const { entry, people, role, by } = input;
  const changed = people.filter(({ user, rights }) => rights.role === role && user.role !== role);
  if (changed.length === 0) return [];
  const { agencyId } = entry;
  const ids = changed.map(({ user }) => user.id);
  const rows = changed.map(({ user: { id, username, role: from } }) => ({
    ...entry,
    action: "user.role" as const,
    object: id,
    detail: { username, from, to: role, by },
  }));
  return [
    // Before the update, because both select the same users by their former role.
    ...insertAudits(app.db, rows, changingRole({ agencyId, ids, role })),
    updateRoles(app.db, { agencyId, ids, role }),
    // Sessions end only where the role did change: the last administrator of an agency keeps it.
    revokeIfRoles(app.db, { ids, role, now: entry.at }),
  ];
}
