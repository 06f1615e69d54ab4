// Attempts to prove an identity. One statement counts and inserts a row before a secret is compared. D1 runs one
// statement at a time, so exactly the allowed number of concurrent attempts reach the comparison.

import { and, eq, gte, lt, or, sql } from "drizzle-orm";
import type { LockScope } from "#app/entities/accounts/actor.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { signInAttempts, users } from "#app/store/schema/accounts.ts";

/** The key under which an attempt is counted. */
export type AttemptKey = {
  /** Empty for a name that does not exist. */
  userId: string;
  /** Attempts with the same value are counted together. */
  account: string;
  /** The attempt also counts for its address. */
  unknownDevice: boolean;
};

export type AttemptLimits = {
  perAccount: number;
  address: { attempts: number; repeats: number; repeatsADay: number };
  /** Attempts after `since` count; attempts of an address after `daySince` count toward its daily limit. */
  since: number;
  daySince: number;
};

/**
 * Reserves an attempt. Returns false if a lock of the account covers it, or if the account or the address has no
 * attempt left.
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
      OR (
        SELECT count(*) - count(DISTINCT account)
        FROM ${signInAttempts}
        WHERE ${ofAddress} AND at > ${after}
      ) < ${most}
  )`;
  // Query plan: counts by sign_in_attempts_account and sign_in_attempts_address, both with the time; the user by key.
  const reservation = sql`
    INSERT INTO ${signInAttempts} (id, account, address, at, failed, unknown_device)
    SELECT ${id}, ${account}, ${address}, ${at}, 0, ${unknownDevice ? 1 : 0}
    WHERE (
      SELECT count(*)
      FROM ${signInAttempts}
      WHERE account = ${account} AND at > ${since}
    ) < ${perAccount}
      AND NOT EXISTS (
        SELECT 1
        FROM ${users}
        WHERE id = ${userId}
          AND locked_at IS NOT NULL
          AND (${unknownDevice ? 1 : 0} = 1 OR coalesce(locked_for, 'everyone') = 'everyone')
      )
      AND (
        ${unknownDevice ? 1 : 0} = 0
          OR (
            (
              SELECT count(*)
              FROM ${signInAttempts}
              WHERE ${ofAddress} AND at > ${since}
            ) < ${limits.address.attempts}
              AND ${firstOrFewRepeats(since, limits.address.repeats)}
              AND ${firstOrFewRepeats(daySince, limits.address.repeatsADay)}
          )
      )
  `;
  const taken = await db.run(reservation);
  return taken.meta.changes === 1;
}

export type AddressAttempts = {
  /**
   * Attempts from unknown devices after `since`, those that repeat a name, those for this name, and the time of the
   * first.
   */
  attempts: number;
  repeats: number;
  here: number;
  first: number | null;
};

/** Returns what an address has tried from unknown devices since a time. */
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

/** Records whether a reserved attempt was a wrong guess. */
export function settleAttempt(db: ControlDb, { id, failed }: { id: string; failed: boolean }): Statement {
  return db.update(signInAttempts).set({ failed }).where(eq(signInAttempts.id, id));
}

/**
 * Locks the account if at least `most` of its attempts have failed since `since`, and stores their addresses. Changes a
 * row only if it locks. A lock for everyone replaces one for unknown devices, never the other way around.
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

/** Deletes one attempt after its secret proved correct; other attempts on the account still count. */
export function removeAttempt(db: ControlDb, id: string): Statement {
  return db.delete(signInAttempts).where(eq(signInAttempts.id, id));
}

/** Deletes the attempts that are counted together, after the user has proved their identity. */
export function removeAttemptsOn(db: ControlDb, account: string): Statement {
  return db.delete(signInAttempts).where(eq(signInAttempts.account, account));
}

/** Deletes every attempt on an account, in all groups, after an administrator unlocked it. */
export function removeAllAttempts(db: ControlDb, userId: string): Statement {
  const parts = and(gte(signInAttempts.account, `${userId}:`), lt(signInAttempts.account, `${userId};`));
  return db.delete(signInAttempts).where(or(eq(signInAttempts.account, userId), parts));
}

/** Deletes the attempts of all accounts that were made before `before` (epoch milliseconds). */
export async function removeOldAttempts(db: ControlDb, before: number): Promise<void> {
  await db.delete(signInAttempts).where(lt(signInAttempts.at, before));
}
