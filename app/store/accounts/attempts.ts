// Attempts to prove who one is. A row is taken before a secret is compared, by one statement that counts and inserts:
// D1 runs one at a time, so that of a hundred attempts at once exactly as many as are allowed reach the comparison.

import { and, eq, gte, lt, or, sql } from "drizzle-orm";
import type { LockScope } from "#app/entities/accounts/actor.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { signInAttempts, users } from "#app/store/schema/accounts.ts";

/** What an attempt is counted by. */
export type AttemptKey = {
  /** Empty for a name that no one has. */
  userId: string;
  /** What is counted together. */
  account: string;
  /** Whether it counts for its address too. */
  unknownDevice: boolean;
};

export type AttemptLimits = {
  perAccount: number;
  address: { attempts: number; repeats: number; repeatsADay: number };
  /** From when on attempts count, and from when on those of an address do within its day. */
  since: number;
  daySince: number;
};

/**
 * Takes an attempt. Returns false where the account is locked for it or has no attempt left, or where the address has
 * none: 60 in all, and few that repeat a name.
 */
export async function reserveAttempt(
  db: ControlDb,
  attempt: AttemptKey & { id: string; address: string; at: number; limits: AttemptLimits },
): Promise<boolean> {
  const { id, userId, account, unknownDevice, address, at, limits } = attempt;
  const { perAccount, since, daySince } = limits;
  const ofAddress = sql`address = ${address} AND unknown_device = 1`;
  const firstOrFewRepeats = (after: number, most: number) => sql`(
    NOT EXISTS (SELECT 1 FROM ${signInAttempts} WHERE ${ofAddress} AND account = ${account} AND at > ${after})
    OR (SELECT count(*) - count(DISTINCT account) FROM ${signInAttempts} WHERE ${ofAddress} AND at > ${after}) < ${most})`;
  const taken =
    await db.run(sql`INSERT INTO ${signInAttempts} (id, account, address, at, failed, unknown_device)
    SELECT ${id}, ${account}, ${address}, ${at}, 0, ${unknownDevice ? 1 : 0}
    WHERE (SELECT count(*) FROM ${signInAttempts} WHERE account = ${account} AND at > ${since}) < ${perAccount}
      AND NOT EXISTS (SELECT 1 FROM ${users} WHERE id = ${userId} AND locked_at IS NOT NULL
        AND (${unknownDevice ? 1 : 0} = 1 OR coalesce(locked_for, 'everyone') = 'everyone'))
      AND (${unknownDevice ? 1 : 0} = 0 OR (
        (SELECT count(*) FROM ${signInAttempts} WHERE ${ofAddress} AND at > ${since}) < ${limits.address.attempts}
        AND ${firstOrFewRepeats(since, limits.address.repeats)}
        AND ${firstOrFewRepeats(daySince, limits.address.repeatsADay)}))`);
  return taken.meta.changes === 1;
}

export type AddressAttempts = {
  /** Attempts from unknown devices since `since`, those that repeat a name, those at this name, and the first of them. */
  attempts: number;
  repeats: number;
  here: number;
  first: number | null;
};

/** What an address has tried from unknown devices since then. */
export async function countAddressAttempts(
  db: ControlDb,
  input: { address: string; account: string; since: number },
): Promise<AddressAttempts> {
  const [row] = await db
    .select({
      attempts: sql<number>`count(*)`,
      repeats: sql<number>`count(*) - count(DISTINCT ${signInAttempts.account})`,
      here: sql<number>`coalesce(sum(${signInAttempts.account} = ${input.account}), 0)`,
      first: sql<number | null>`min(${signInAttempts.at})`,
    })
    .from(signInAttempts)
    .where(
      and(
        eq(signInAttempts.address, input.address),
        eq(signInAttempts.unknownDevice, true),
        sql`${signInAttempts.at} > ${input.since}`,
      ),
    );
  return row ?? { attempts: 0, repeats: 0, here: 0, first: null };
}

export function failAttempt(db: ControlDb, id: string): Statement {
  return db.update(signInAttempts).set({ failed: true }).where(eq(signInAttempts.id, id));
}

/**
 * Locks the account if so many of these attempts have failed since, and keeps their addresses; changes a row only when
 * it locks. A lock for everyone replaces one for unknown devices, never the other way round.
 */
export function lockIfTooMany(
  db: ControlDb,
  input: { userId: string; account: string; scope: LockScope; now: number; since: number; most: number },
): Statement {
  const { userId, account, scope, now, since, most } = input;
  const failed = sql`FROM ${signInAttempts} WHERE account = ${account} AND failed = 1 AND at > ${since}`;
  return db
    .update(users)
    .set({
      lockedAt: now,
      lockedFor: scope,
      lockAddresses: sql`(SELECT json_group_array(address) FROM (SELECT DISTINCT address ${failed} ORDER BY address))`,
    })
    .where(
      and(
        eq(users.id, userId),
        scope === "everyone"
          ? sql`(${users.lockedAt} IS NULL OR ${users.lockedFor} = 'unknown devices')`
          : sql`${users.lockedAt} IS NULL`,
        sql`(SELECT count(*) ${failed}) >= ${most}`,
      ),
    );
}

export function removeAttempt(db: ControlDb, id: string): Statement {
  return db.delete(signInAttempts).where(eq(signInAttempts.id, id));
}

/** Forgets the attempts that are counted together: somebody proved to be the account's holder. */
export function removeAttemptsOn(db: ControlDb, account: string): Statement {
  return db.delete(signInAttempts).where(eq(signInAttempts.account, account));
}

/** Forgets every attempt on an account, however it is counted: an administrator released it. */
export function removeAllAttempts(db: ControlDb, userId: string): Statement {
  const parts = and(gte(signInAttempts.account, `${userId}:`), lt(signInAttempts.account, `${userId};`));
  return db.delete(signInAttempts).where(or(eq(signInAttempts.account, userId), parts));
}

export async function removeOldAttempts(db: ControlDb, before: number): Promise<void> {
  await db.delete(signInAttempts).where(lt(signInAttempts.at, before));
}
