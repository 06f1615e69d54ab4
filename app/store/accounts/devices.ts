// Devices that users have signed in on. Tokens are stored as hashes.

import { and, desc, eq, gt, lt, notInArray } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { knownDevices } from "#app/store/schema/accounts.ts";

/** Returns the users who have signed in on this device since `after`. */
export async function listDeviceUsers(
  db: ControlDb,
  input: { tokenHash: string; after: number },
): Promise<string[]> {
  const rows = await db
    .select({ userId: knownDevices.userId })
    .from(knownDevices)
    .where(and(eq(knownDevices.tokenHash, input.tokenHash), gt(knownDevices.lastUsedAt, input.after)));
  return rows.map(({ userId }) => userId);
}

/** Adds a device of a user, or updates when it was last used. Only the user's latest `keep` devices are kept. */
export function rememberDevice(
  db: ControlDb,
  device: { userId: string; tokenHash: string; at: number; keep: number },
): [Statement, Statement] {
  const { userId, tokenHash, at, keep } = device;
  const latest = db
    .select({ tokenHash: knownDevices.tokenHash })
    .from(knownDevices)
    .where(eq(knownDevices.userId, userId))
    .orderBy(desc(knownDevices.lastUsedAt))
    .limit(keep);
  return [
    db
      .insert(knownDevices)
      .values({ userId, tokenHash, lastUsedAt: at })
      .onConflictDoUpdate({ target: [knownDevices.userId, knownDevices.tokenHash], set: { lastUsedAt: at } }),
    db
      .delete(knownDevices)
      .where(and(eq(knownDevices.userId, userId), notInArray(knownDevices.tokenHash, latest))),
  ];
}

/** Deletes all devices of a user. */
export function forgetDevices(db: ControlDb, userId: string): Statement {
  return db.delete(knownDevices).where(eq(knownDevices.userId, userId));
}

/** Deletes the devices of all users that were last used before `before` (epoch milliseconds). */
export async function removeOldDevices(db: ControlDb, before: number): Promise<void> {
  await db.delete(knownDevices).where(lt(knownDevices.lastUsedAt, before));
}
