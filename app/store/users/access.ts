// Access of users: disabling, enabling, unlocking, and ending sessions. The tenant is checked by the caller; an update
// whose condition does not hold changes nothing.

import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import { revokeSessions } from "#app/store/accounts/sessions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { users } from "#app/store/schema/accounts.ts";
import { isNotBreakGlass, keepsAnAdmin } from "./directory.ts";

/**
 * Disables a user. Changes nothing for the last administrator or the break-glass account. An administrator can also
 * disable a user whom the identity provider has disabled already, so that the provider cannot enable the user again.
 */
export function disableUser(
  db: ControlDb,
  input: { id: string; now: number; by?: "administrator" | "identity provider" },
): Statement {
  const { id, now, by = "administrator" } = input;
  const isEnabled = isNull(users.disabledAt);
  const isChanged =
    by === "administrator" ? or(isEnabled, eq(users.disabledBy, "identity provider")) : isEnabled;
  return db
    .update(users)
    .set({ disabledAt: sql`coalesce(${users.disabledAt}, ${now})`, disabledBy: by })
    .where(and(eq(users.id, id), isChanged, isNull(users.deletedAt), keepsAnAdmin));
}

/**
 * Enables a user. The 90 days of disuse start again now; otherwise the next nightly run would disable the user again.
 */
export function enableUser(db: ControlDb, input: { id: string; now: number }): Statement {
  return db
    .update(users)
    .set({ disabledAt: null, disabledBy: null, enabledAt: input.now })
    .where(and(eq(users.id, input.id), sql`${users.disabledAt} IS NOT NULL`, isNull(users.deletedAt)));
}

/** Unlocks a user. Changes nothing if the user is not locked. The counted attempts stay: see `removeAllAttempts`. */
export function unlockUser(db: ControlDb, id: string): Statement {
  return db
    .update(users)
    .set({ lockedAt: null, lockedFor: null, lockAddresses: null })
    .where(and(eq(users.id, id), sql`${users.lockedAt} IS NOT NULL`));
}

/** When a user was last in use: signed in, was enabled again, or was added. */
const USED_AT = sql`max(coalesce(${users.lastSignInAt}, ${users.createdAt}), coalesce(${users.enabledAt}, 0))`;

/** Ends the sessions of a user if the user is disabled or deleted. */
export function revokeIfDisabled(db: ControlDb, input: { userId: string; now: number }): Statement {
  const onlyIf = sql`EXISTS (SELECT 1 FROM ${users} WHERE id = ${input.userId} AND disabled_at IS NOT NULL)`;
  return revokeSessions(db, { ...input, onlyIf });
}

/**
 * Returns active users who have not signed in, and were not enabled, since `before`, longest ago first. A break-glass
 * account is meant not to be used.
 */
export async function listUnused(
  db: ControlDb,
  { before, limit }: { before: number; limit: number },
): Promise<{ id: string; agencyId: string; username: string }[]> {
  return db
    .select({ id: users.id, agencyId: users.agencyId, username: users.username })
    .from(users)
    .where(and(isNull(users.disabledAt), lt(USED_AT, before), isNotBreakGlass))
    .orderBy(USED_AT)
    .limit(limit);
}

/** Disables a user unless the user has signed in, or was enabled, since `before`. */
export function disableUnused(db: ControlDb, input: { id: string; before: number; now: number }): Statement {
  return db
    .update(users)
    .set({ disabledAt: input.now, disabledBy: "disuse" })
    .where(and(eq(users.id, input.id), isNull(users.disabledAt), lt(USED_AT, input.before), isNotBreakGlass));
}
