// Attempts to prove who one is. A row is taken before a secret is compared, by one statement that counts and inserts:
// D1 runs one at a time, so that of a hundred attempts at once exactly as many as are allowed reach the comparison.

import { and, eq, lt, sql } from "drizzle-orm";
import type { ControlDb, Statement } from "./database.ts";
import { signInAttempts, users } from "./schema-accounts.ts";

export type AttemptLimits = { since: number; perAccount: number; perAddress: number };

/** Takes an attempt; false where the account is locked or has no attempt left, or the address has none. */
export async function reserveAttempt(
  db: ControlDb,
  attempt: { id: string; account: string; address: string; at: number; limits: AttemptLimits },
): Promise<boolean> {
  const { id, account, address, at, limits } = attempt;
  const taken = await db.run(sql`insert into ${signInAttempts} (id, account, address, at, failed)
    select ${id}, ${account}, ${address}, ${at}, 0
    where (select count(*) from ${signInAttempts} where account = ${account} and at > ${limits.since}) < ${limits.perAccount}
      and (select count(*) from ${signInAttempts} where address = ${address} and at > ${limits.since}) < ${limits.perAddress}
      and not exists (select 1 from ${users} where id = ${account} and locked_at is not null)`);
  return taken.meta.changes === 1;
}

export async function countAddressAttempts(
  db: ControlDb,
  input: { address: string; since: number },
): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)` })
    .from(signInAttempts)
    .where(and(eq(signInAttempts.address, input.address), sql`${signInAttempts.at} > ${input.since}`));
  return row?.count ?? 0;
}

export function failAttempt(db: ControlDb, id: string): Statement {
  return db.update(signInAttempts).set({ failed: true }).where(eq(signInAttempts.id, id));
}

/** Locks the account if so many attempts have failed since; changes a row only when it locks. */
export function lockIfTooMany(
  db: ControlDb,
  input: { userId: string; now: number; since: number; most: number },
): Statement {
  const { userId, now, since, most } = input;
  return db
    .update(users)
    .set({ lockedAt: now })
    .where(
      and(
        eq(users.id, userId),
        sql`${users.lockedAt} is null`,
        sql`(select count(*) from ${signInAttempts} where account = ${userId} and failed = 1 and at > ${since}) >= ${most}`,
      ),
    );
}

export function removeAttempt(db: ControlDb, id: string): Statement {
  return db.delete(signInAttempts).where(eq(signInAttempts.id, id));
}

/** Forgets every attempt on an account: somebody proved to be its holder, or an administrator released it. */
export function removeAttempts(db: ControlDb, account: string): Statement {
  return db.delete(signInAttempts).where(eq(signInAttempts.account, account));
}

export async function removeOldAttempts(db: ControlDb, before: number): Promise<void> {
  await db.delete(signInAttempts).where(lt(signInAttempts.at, before));
}
