// Second factors: the sealed (encrypted) secret of an authenticator app, passkeys, and hashes of recovery codes.

import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, lte, sql } from "drizzle-orm";
import type { SecondFactorStatus } from "#app/entities/accounts/second-factor.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import {
  agencies,
  knownDevices,
  passkeys,
  passwordHistory,
  recoveryCodes,
  sessions,
  totpFactors,
  users,
} from "#app/store/schema/accounts.ts";
import { pushDevices } from "#app/store/schema/alerts.ts";

export type StoredPasskey = typeof passkeys.$inferSelect;

/** Returns a user's second factors, and whether the agency's policy requires one. */
export async function findFactorStatus(db: ControlDb, userId: string): Promise<SecondFactorStatus> {
  const [policies, totp, keys, codes] = await db.batch([
    db
      .select({ required: agencies.secondFactorRequired })
      .from(users)
      .innerJoin(agencies, eq(agencies.id, users.agencyId))
      .where(eq(users.id, userId)),
    db
      .select({ userId: totpFactors.userId })
      .from(totpFactors)
      .where(and(eq(totpFactors.userId, userId), isNotNull(totpFactors.confirmedAt))),
    db
      .select({
        id: passkeys.id,
        name: passkeys.name,
        created_at: passkeys.createdAt,
        last_used_at: passkeys.lastUsedAt,
      })
      .from(passkeys)
      .where(eq(passkeys.userId, userId))
      .orderBy(asc(passkeys.createdAt)),
    db.select({ count: sql<number>`count(*)` }).from(recoveryCodes).where(eq(recoveryCodes.userId, userId)),
  ]);
  return {
    required: policies[0]?.required ?? true,
    totp: totp.length > 0,
    passkeys: keys,
    recovery_codes_left: codes[0]?.count ?? 0,
  };
}

/**
 * Fails a batch, by the constraint on `users.created_at`, if a user's factors or the policy about them have changed since
 * they were read. Changes nothing.
 */
export function requireFactorsUnchanged(
  db: ControlDb,
  { userId, was }: { userId: string; was: SecondFactorStatus },
): Statement {
  const ids = JSON.stringify(was.passkeys.map(({ id }) => id));
  // Query plan: user, agency and code generator by primary key, passkeys by passkeys_user.
  const requirement = sql`
    UPDATE ${users}
    SET created_at = CASE
      WHEN ${was.required ? 1 : 0} = (SELECT second_factor_required FROM ${agencies} WHERE id = ${users.agencyId})
        AND ${was.totp ? 1 : 0} = EXISTS (
          SELECT 1
          FROM ${totpFactors}
          WHERE user_id = ${userId} AND confirmed_at IS NOT NULL
        )
        AND ${was.passkeys.length} = (SELECT count(*) FROM ${passkeys} WHERE user_id = ${userId})
        AND NOT EXISTS (
          SELECT 1
          FROM ${passkeys}
          WHERE user_id = ${userId} AND id NOT IN (SELECT value FROM json_each(${ids}))
        )
        THEN created_at
    END
    WHERE id = ${userId}
  `;
  return db.run(requirement);
}

/** Returns a user's authenticator app with its sealed secret, confirmed or not; undefined if there is none. */
export async function findTotp(db: ControlDb, userId: string) {
  return db.query.totpFactors.findFirst({ where: eq(totpFactors.userId, userId) });
}

/** Stores a secret that awaits its first code. Replaces one that is not confirmed. Returns false if one is in use. */
export async function insertPendingTotp(
  db: ControlDb,
  factor: { userId: string; sealedSecret: string; at: number },
): Promise<boolean> {
  const { userId, sealedSecret, at } = factor;
  const written = await db
    .insert(totpFactors)
    .values({ userId, sealedSecret, createdAt: at })
    .onConflictDoUpdate({
      target: totpFactors.userId,
      set: { sealedSecret, createdAt: at, lastStep: 0 },
      setWhere: sql`${totpFactors.confirmedAt} IS NULL`,
    })
    .returning({ userId: totpFactors.userId });
  return written.length === 1;
}

/**
 * Puts the secret whose first code was verified into use. Breaks the constraint on `totp_factors.sealed_secret` if that
 * secret no longer awaits its code.
 */
export function confirmTotp(
  db: ControlDb,
  factor: { userId: string; sealedSecret: string; at: number },
): Statement {
  const { userId, sealedSecret, at } = factor;
  const pending = sql<string>`(
    SELECT sealed_secret
    FROM ${totpFactors}
    WHERE user_id = ${userId} AND sealed_secret = ${sealedSecret} AND confirmed_at IS NULL
  )`;
  return db
    .insert(totpFactors)
    .values({ userId, sealedSecret: pending, createdAt: at })
    .onConflictDoUpdate({ target: totpFactors.userId, set: { confirmedAt: at } });
}

/** Marks the time step of a code as used. Returns false if that step or a later one was already used. */
export async function takeTotpStep(db: ControlDb, userId: string, step: number): Promise<boolean> {
  const taken = await db
    .update(totpFactors)
    .set({ lastStep: step })
    .where(and(eq(totpFactors.userId, userId), lt(totpFactors.lastStep, step)))
    .returning({ userId: totpFactors.userId });
  return taken.length === 1;
}

/** Deletes a user's authenticator app, confirmed or not. Recovery codes stay. */
export function removeTotp(db: ControlDb, userId: string): Statement {
  return db.delete(totpFactors).where(eq(totpFactors.userId, userId));
}

/** Returns a user's passkeys with their public keys, in no particular order. */
export async function listPasskeys(db: ControlDb, userId: string): Promise<StoredPasskey[]> {
  return db.query.passkeys.findMany({ where: eq(passkeys.userId, userId) });
}

/** Returns whether any user has this passkey. */
export async function isPasskeyKnown(db: ControlDb, id: string): Promise<boolean> {
  const found = await db.query.passkeys.findFirst({ where: eq(passkeys.id, id), columns: { id: true } });
  return found !== undefined;
}

/** Inserts a passkey. The batch fails on `passkeys.id` if any user already has it. */
export function insertPasskey(db: ControlDb, passkey: typeof passkeys.$inferInsert): Statement {
  return db.insert(passkeys).values(passkey);
}

/** Stores the signature counter of a verified passkey and when it was used (epoch milliseconds). */
export function notePasskeyUse(
  db: ControlDb,
  input: { id: string; counter: number; now: number },
): Statement {
  return db
    .update(passkeys)
    .set({ counter: input.counter, lastUsedAt: input.now })
    .where(eq(passkeys.id, input.id));
}

/** Deletes a passkey of this user; changes nothing if it is another user's. Recovery codes stay. */
export function removePasskey(db: ControlDb, input: { id: string; userId: string }): Statement {
  return db.delete(passkeys).where(and(eq(passkeys.id, input.id), eq(passkeys.userId, input.userId)));
}

/** Replaces the recovery codes of a user. */
export function replaceRecoveryCodes(
  db: ControlDb,
  input: { userId: string; hashes: string[] },
): [Statement, Statement] {
  return [
    db.delete(recoveryCodes).where(eq(recoveryCodes.userId, input.userId)),
    db.insert(recoveryCodes).values(input.hashes.map((codeHash) => ({ userId: input.userId, codeHash }))),
  ];
}

/** Uses up a recovery code. Returns false if it does not exist or was already used. */
export async function takeRecoveryCode(
  db: ControlDb,
  input: { userId: string; codeHashes: string[] },
): Promise<boolean> {
  const taken = await db
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, input.userId), inArray(recoveryCodes.codeHash, input.codeHashes)))
    .returning({ codeHash: recoveryCodes.codeHash });
  return taken.length === 1;
}

/** Removes all second factors of a user, for example after a lost phone. */
export function removeFactors(db: ControlDb, userId: string): [Statement, Statement, Statement] {
  return [
    db.delete(totpFactors).where(eq(totpFactors.userId, userId)),
    db.delete(passkeys).where(eq(passkeys.userId, userId)),
    db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)),
  ];
}

/** Removes the second factors, former passwords, known devices and push devices of a user who was deleted. */
export function removeSecretsIfDeleted(db: ControlDb, userId: string): Statement[] {
  const isDeleted = sql`EXISTS (SELECT 1 FROM ${users} WHERE id = ${userId} AND deleted_at IS NOT NULL)`;
  return [totpFactors, passkeys, recoveryCodes, passwordHistory, knownDevices, pushDevices].map((table) =>
    db.delete(table).where(and(eq(table.userId, userId), isDeleted)),
  );
}

/**
 * Sends an agency's signed-in users without a second factor to enrollment at their next request if they proved who they
 * are after `provedAfter`, and ends their other sessions, in which someone else could enroll a factor.
 */
export function requireEnrollment(
  db: ControlDb,
  { agencyId, provedAfter, now }: { agencyId: string; provedAfter: number; now: number },
): [Statement, Statement] {
  // Query plan: users_agency; of each user, passkeys by passkeys_user and the code generator by primary key. The sessions
  // come from sessions_user.
  const isWithoutFactor = sql`${sessions.userId} IN (
    SELECT id
    FROM ${users}
    WHERE agency_id = ${agencyId}
      AND NOT EXISTS (SELECT 1 FROM ${passkeys} WHERE user_id = ${users.id})
      AND NOT EXISTS (
        SELECT 1
        FROM ${totpFactors}
        WHERE user_id = ${users.id} AND confirmed_at IS NOT NULL
      )
  )`;
  const isConcerned = and(eq(sessions.state, "full"), isNull(sessions.revokedAt), isWithoutFactor);
  return [
    db
      .update(sessions)
      .set({ revokedAt: now })
      .where(and(isConcerned, lte(sessions.provedAt, provedAfter))),
    db
      .update(sessions)
      .set({ state: "must-enrol-second-factor" })
      .where(and(isConcerned, gt(sessions.provedAt, provedAfter))),
  ];
}
