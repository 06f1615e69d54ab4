// Users for sign-in, and their passwords. A password is stored as its hash. Earlier passwords are stored as digests, of
// which only the latest are kept.

import { and, desc, eq, inArray, isNull, notInArray, type SQL, sql } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies, passkeys, passwordHistory, totpFactors, users } from "#app/store/schema/accounts.ts";
import { signOnProviders } from "#app/store/schema/single-sign-on.ts";

/** A user with the parts of the agency's policy that sign-in uses. */
export type StoredUser = typeof users.$inferSelect & {
  agencyName: string;
  secondFactorRequired: boolean;
  passwordMaxAgeDays: number;
  hasSecondFactor: boolean;
  /** The agency signs in only with its identity provider, and this is not its working break-glass account. */
  passwordsOff: boolean;
};

const HAS_SECOND_FACTOR = sql<number>`(
  EXISTS (
    SELECT 1
    FROM ${totpFactors}
    WHERE ${totpFactors.userId} = ${users.id} AND ${totpFactors.confirmedAt} IS NOT NULL
  )
    OR EXISTS (SELECT 1 FROM ${passkeys} WHERE ${passkeys.userId} = ${users.id})
)`;

/**
 * Without an administrator who can use the password, a failed provider would lock everyone out. Query plan: the agency's
 * provider and its user by primary key.
 */
const PASSWORDS_OFF = sql<number>`EXISTS (
  SELECT 1
  FROM ${signOnProviders}
  JOIN ${users} AS glass ON glass.id = ${signOnProviders.breakGlassUserId}
  WHERE ${signOnProviders.agencyId} = ${users.agencyId}
    AND ${signOnProviders.enabled} = 1
    AND glass.id <> ${users.id}
    AND glass.agency_id = ${signOnProviders.agencyId}
    AND glass.role = 'admin'
    AND glass.disabled_at IS NULL
    AND glass.deleted_at IS NULL
)`;

async function findUser(db: ControlDb, where: SQL | undefined): Promise<StoredUser | undefined> {
  const [row] = await db
    .select({
      user: users,
      agencyName: agencies.name,
      secondFactorRequired: agencies.secondFactorRequired,
      passwordMaxAgeDays: agencies.passwordMaxAgeDays,
      hasSecondFactor: HAS_SECOND_FACTOR,
      passwordsOff: PASSWORDS_OFF,
    })
    .from(users)
    .innerJoin(agencies, eq(agencies.id, users.agencyId))
    .where(and(where, isNull(users.deletedAt)));
  if (!row) return undefined;
  const { user, ...rest } = row;
  return {
    ...rest,
    ...user,
    hasSecondFactor: row.hasSecondFactor === 1,
    passwordsOff: row.passwordsOff === 1,
  };
}

/** Returns a user of any agency by name, ignoring case, including disabled users; undefined for deleted users. */
export async function findUserByName(db: ControlDb, username: string): Promise<StoredUser | undefined> {
  return findUser(db, eq(users.username, username.toLowerCase()));
}

/** Returns a user of any agency, including disabled users; undefined for deleted users. */
export async function findUserById(db: ControlDb, id: string): Promise<StoredUser | undefined> {
  return findUser(db, eq(users.id, id));
}

/** Records the time of a sign-in (epoch milliseconds), from which a user's disuse is counted. */
export function noteSignIn(db: ControlDb, userId: string, now: number): Statement {
  return db.update(users).set({ lastSignInAt: now }).where(eq(users.id, userId));
}

/**
 * Fails a batch, by the constraint on `users.password_hash`, if anything that decides on a user's sign-in has changed
 * since the user was read. Changes nothing.
 */
export function requireUserUnchanged(db: ControlDb, was: StoredUser): Statement {
  // Query plan: user, agency, provider and code generator by primary key, passkeys by passkeys_user.
  const requirement = sql`
    UPDATE ${users}
    SET password_hash = CASE
      WHEN password_hash = ${was.passwordHash}
        AND temporary_until IS ${was.temporaryUntil}
        AND agency_id = ${was.agencyId}
        AND disabled_at IS ${was.disabledAt}
        AND deleted_at IS NULL
        AND locked_at IS ${was.lockedAt}
        AND locked_for IS ${was.lockedFor}
        AND ${HAS_SECOND_FACTOR} = ${was.hasSecondFactor ? 1 : 0}
        AND ${PASSWORDS_OFF} = ${was.passwordsOff ? 1 : 0}
        AND EXISTS (
          SELECT 1
          FROM ${agencies}
          WHERE id = ${was.agencyId} AND second_factor_required = ${was.secondFactorRequired ? 1 : 0}
        )
        THEN password_hash
    END
    WHERE id = ${was.id}
  `;
  return db.run(requirement);
}

/** Stores a hash of the same password at the current cost. */
export function updatePasswordHash(db: ControlDb, userId: string, passwordHash: string): Statement {
  return db.update(users).set({ passwordHash }).where(eq(users.id, userId));
}

/** Records that the password was checked against this version of the banned list and is not on it. */
export function notePasswordList(db: ControlDb, userId: string, version: string): Statement {
  return db.update(users).set({ passwordListVersion: version }).where(eq(users.id, userId));
}

export type NewPassword = {
  userId: string;
  passwordHash: string;
  at: number;
  temporaryUntil: number | null;
  listVersion: string | null;
  /** The hash that is replaced: another one breaks the constraint on `users.password_hash`. */
  was?: string;
};

/**
 * Replaces a user's password. The batch fails on `users.password_hash` if `was` is given and another hash is stored.
 */
export function updatePassword(db: ControlDb, password: NewPassword): Statement {
  const { userId, passwordHash, at, temporaryUntil, listVersion, was } = password;
  const hash =
    was === undefined
      ? passwordHash
      : sql<string>`CASE WHEN ${users.passwordHash} = ${was} THEN ${passwordHash} END`;
  return db
    .update(users)
    .set({ passwordHash: hash, temporaryUntil, passwordChangedAt: at, passwordListVersion: listVersion })
    .where(eq(users.id, userId));
}

/** Returns whether one of these digests is in the user's history, which has only the latest passwords. */
export async function wasUsedBefore(
  db: ControlDb,
  input: { userId: string; digests: string[] },
): Promise<boolean> {
  const row = await db.query.passwordHistory.findFirst({
    where: and(eq(passwordHistory.userId, input.userId), inArray(passwordHistory.digest, input.digests)),
  });
  return row !== undefined;
}

/** Adds a password to the history. Only the latest `keep` are kept. */
export function rememberPassword(
  db: ControlDb,
  input: { userId: string; digest: string; at: number; keep: number },
): [Statement, Statement] {
  const latest = db
    .select({ digest: passwordHistory.digest })
    .from(passwordHistory)
    .where(eq(passwordHistory.userId, input.userId))
    .orderBy(desc(passwordHistory.createdAt))
    .limit(input.keep);
  return [
    db
      .insert(passwordHistory)
      .values({ userId: input.userId, digest: input.digest, createdAt: input.at })
      .onConflictDoUpdate({
        target: [passwordHistory.userId, passwordHistory.digest],
        set: { createdAt: input.at },
      }),
    db
      .delete(passwordHistory)
      .where(and(eq(passwordHistory.userId, input.userId), notInArray(passwordHistory.digest, latest))),
  ];
}
