// Roles of users of an agency. The number of statements does not depend on the number of users.

import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Role } from "#app/entities/accounts/access.ts";
import { revokeSessionsWhere } from "#app/store/accounts/sessions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { sessions, users } from "#app/store/schema/accounts.ts";
import { isNotBreakGlass } from "./directory.ts";

type RoleChange = { agencyId: string; ids: readonly string[]; role: Role };

/**
 * Returns the query for the ids of the users whose role a change would change. The agency keeps its break-glass account
 * and an administrator: the last user of the list if no one else is an administrator.
 */
export function changingRole({ agencyId, ids, role }: RoleChange): SQL {
  const list = JSON.stringify(ids);
  const isAdmin = sql`agency_id = ${agencyId} AND role = 'admin' AND disabled_at IS NULL`;
  // Query plan: the users of the list by primary key, and each subquery once.
  const keeps = sql`(
    disabled_at IS NOT NULL
    OR EXISTS (
      SELECT 1
      FROM ${users}
      WHERE ${isAdmin} AND (id NOT IN (SELECT value FROM json_each(${list})) OR NOT ${isNotBreakGlass})
    )
    OR id <> (
      SELECT listed.id
      FROM json_each(${list}) AS j
      CROSS JOIN ${users} AS listed ON listed.id = j.value
      WHERE listed.agency_id = ${agencyId} AND listed.role = 'admin' AND listed.disabled_at IS NULL
      ORDER BY j.key DESC
      LIMIT 1
    )
  )
  AND ${isNotBreakGlass}`;
  return sql`
    SELECT id
    FROM ${users}
    WHERE id IN (SELECT value FROM json_each(${list}))
      AND agency_id = ${agencyId}
      AND role <> ${role}
      AND deleted_at IS NULL
      AND ${role === "admin" ? sql`TRUE` : keeps}`;
}

/** Changes these roles, except that of the last administrator and of the break-glass account. */
export function updateRoles(db: ControlDb, change: RoleChange): Statement {
  return db
    .update(users)
    .set({ role: change.role })
    .where(sql`${users.id} IN (${changingRole(change)})`);
}

/** Ends the sessions of the users in the list who have this role. */
export function revokeIfRoles(
  db: ControlDb,
  { ids, role, now }: { ids: readonly string[]; role: Role; now: number },
): Statement {
  const having = and(
    inArray(users.id, sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`),
    eq(users.role, role),
  );
  return revokeSessionsWhere(
    db,
    now,
    sql`${sessions.userId} IN (SELECT ${users.id} FROM ${users} WHERE ${having})`,
  );
}
