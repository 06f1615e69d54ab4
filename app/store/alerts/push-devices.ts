// Push devices (phones and browsers) and push preferences of users. Device addresses are sealed (encrypted, see
// lib/crypto/primitives.ts): a reader of the database alone cannot push to anyone.

import { and, asc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { DEVICES_PER_USER, type ProviderTokens, type PushPreference } from "#app/entities/alerts/push.ts";
import { type SealedFor, type SealingKeys, seal, unseal } from "#app/lib/crypto/primitives.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { isOneOf } from "#app/store/conditions.ts";
import { unlessFull } from "#app/store/constraints.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { users } from "#app/store/schema/accounts.ts";
import { providerTokens, pushDevices, pushPreferences } from "#app/store/schema/alerts.ts";

export type StoredDevice = typeof pushDevices.$inferSelect;

/** Returns the owner that a device's sealed address is bound to. */
export function deviceAddressOwner(id: string): SealedFor {
  return { table: "push_devices", id, field: "address" };
}

/** Returns a user's devices, oldest first. */
export async function listDevices(db: ControlDb, userId: string): Promise<StoredDevice[]> {
  return db
    .select()
    .from(pushDevices)
    .where(eq(pushDevices.userId, userId))
    .orderBy(asc(pushDevices.createdAt), asc(pushDevices.id));
}

/** Returns a user's device; undefined for a device of another user. */
export async function findDevice(
  db: ControlDb,
  input: { id: string; userId: string },
): Promise<StoredDevice | undefined> {
  return db.query.pushDevices.findFirst({
    where: and(eq(pushDevices.id, input.id), eq(pushDevices.userId, input.userId)),
  });
}

/** Returns the devices of these users that were not dropped, ordered by id. */
export async function listDevicesOf(
  db: ControlDb,
  userIds: readonly string[],
): Promise<Pick<StoredDevice, "id" | "userId" | "channel" | "sealedAddress">[]> {
  const { id, userId, channel, sealedAddress } = pushDevices;
  return db
    .select({ id, userId, channel, sealedAddress })
    .from(pushDevices)
    .where(and(isNull(pushDevices.droppedAt), isOneOf(pushDevices.userId, userIds)))
    .orderBy(asc(pushDevices.id));
}

/** A registration of a device, with its user. */
export type HeldDevice = Pick<StoredDevice, "id" | "userId" | "channel" | "name"> & {
  username: string;
  agencyId: string;
};

/** Returns the registrations of the same phone or browser by other users. */
export async function listDevicesOfOthers(
  db: ControlDb,
  device: { addressHash: string; userId: string },
): Promise<HeldDevice[]> {
  const { id, userId, channel, name } = pushDevices;
  return db
    .select({ id, userId, channel, name, username: users.username, agencyId: users.agencyId })
    .from(pushDevices)
    .innerJoin(users, eq(users.id, userId))
    .where(and(eq(pushDevices.addressHash, device.addressHash), sql`${userId} <> ${device.userId}`));
}

/** Deletes the registrations of the same phone or browser by other users: it notifies its last user only. */
export function removeDeviceOfOthers(
  db: ControlDb,
  device: { addressHash: string; userId: string },
): Statement {
  return db
    .delete(pushDevices)
    .where(
      and(eq(pushDevices.addressHash, device.addressHash), sql`${pushDevices.userId} <> ${device.userId}`),
    );
}

/**
 * Registers a device or reactivates a dropped one. Changes nothing if it is already active under this name, unless its
 * address is new: a browser may renew the keys of its endpoint. The batch fails on `push_devices.created_at` if the user
 * has DEVICES_PER_USER other active devices.
 */
export function saveDevice(
  db: ControlDb,
  device: typeof pushDevices.$inferInsert,
  { hasNewAddress = false }: { hasNewAddress?: boolean } = {},
): Statement {
  const among = sql`user_id = ${device.userId} AND id <> ${device.id} AND dropped_at IS NULL`;
  const createdAt = unlessFull(pushDevices, { among, most: DEVICES_PER_USER, value: device.createdAt });
  return db
    .insert(pushDevices)
    .values({ ...device, createdAt })
    .onConflictDoUpdate({
      target: pushDevices.id,
      set: {
        name: device.name,
        sealedAddress: device.sealedAddress,
        droppedAt: null,
        dropped: null,
      },
      setWhere: sql`${hasNewAddress ? 1 : 0} OR ${pushDevices.name} <> ${device.name} OR ${pushDevices.droppedAt} IS NOT NULL`,
    });
}

/** Deletes a device of this user; changes nothing if it is another user's. */
export function removeDevice(db: ControlDb, device: { id: string; userId: string }): Statement {
  return db
    .delete(pushDevices)
    .where(and(eq(pushDevices.id, device.id), eq(pushDevices.userId, device.userId)));
}

/** Deletes devices that were dropped over 30 days ago. Until then their owner can read why. */
export function forgetDroppedDevices(db: ControlDb, input: { userId: string; at: number }): Statement {
  return db
    .delete(pushDevices)
    .where(and(eq(pushDevices.userId, input.userId), sql`${pushDevices.droppedAt} < ${input.at - 30 * DAY}`));
}

/** Saves the results of pushes: the last use of devices, and devices that the push service no longer knows. */
export function recordPushResults(
  db: ControlDb,
  input: { at: number; used: string[]; dropped: { id: string; reason: string }[] },
): [Statement, Statement] {
  const { at, used, dropped } = input;
  return [
    db.run(sql`
      UPDATE push_devices
      SET last_used_at = ${at}
      WHERE id IN (SELECT value FROM json_each(${JSON.stringify(used)}))`),
    db.run(sql`
      UPDATE push_devices
      SET dropped_at = ${at}, dropped = j.value ->> 'reason'
      FROM json_each(${JSON.stringify(dropped)}) j
      WHERE push_devices.id = j.value ->> 'id' AND dropped_at IS NULL`),
  ];
}

/** Returns a user's push preferences; push alerts are off by default. */
export async function findPreference(db: ControlDb, userId: string): Promise<PushPreference> {
  const row = await db.query.pushPreferences.findFirst({ where: eq(pushPreferences.userId, userId) });
  return row ?? { enabled: false, quietFrom: null, quietUntil: null, timeZone: "" };
}

/** Saves whether a user wants push alerts. Quiet hours that are not given stay. */
export function savePreference(
  db: ControlDb,
  input: Partial<PushPreference> & { userId: string; at: number; enabled: boolean },
): Statement {
  const { userId, at, ...given } = input;
  const set = { ...given, changedAt: at };
  return db
    .insert(pushPreferences)
    .values({ userId, ...set })
    .onConflictDoUpdate({ target: pushPreferences.userId, set });
}

/** A user's choice, or the opposite of the stored one if `wanted` is undefined. */
type PushSwitch = { userId: string; wanted: boolean | undefined };

/** 0 if none is stored. */
const storedSwitch = (userId: string) =>
  sql`coalesce((SELECT enabled FROM ${pushPreferences} WHERE user_id = ${userId}), 0)`;
const nextSwitch = ({ userId, wanted }: PushSwitch) =>
  wanted === undefined ? sql`NOT ${storedSwitch(userId)}` : sql`${Number(wanted)}`;

/**
 * Turns push alerts on or off, or toggles them if `wanted` is undefined, in one statement: each of two toggles at once
 * counts. Quiet hours stay. Returns one row with `enabled`, 0 or 1 (see `rowsOf`).
 */
export function switchPushAlerts(db: ControlDb, to: PushSwitch & { at: number }): Statement {
  return db.all(sql`
    INSERT INTO ${pushPreferences} (user_id, enabled, changed_at)
    VALUES (${to.userId}, ${nextSwitch(to)}, ${to.at})
    ON CONFLICT (user_id) DO UPDATE SET enabled = excluded.enabled, changed_at = excluded.changed_at
    RETURNING enabled`);
}

/** Returns the change that `switchPushAlerts` will make if it follows in the batch: JSON with `before` and `after`. */
export function pushSwitchChange(to: PushSwitch): SQL {
  const flag = (value: SQL) => sql`json(iif(${value}, 'true', 'false'))`;
  return sql`json_object('before', ${flag(storedSwitch(to.userId))}, 'after', ${flag(nextSwitch(to))})`;
}

const tokenOwner = (id: string): SealedFor => ({ table: "provider_tokens", id, field: "token" });

/** Returns the store of Odin's own tokens for push services, sealed and shared by all isolates. */
export function createProviderTokens(db: ControlDb, keys: SealingKeys): ProviderTokens {
  async function find(id: string) {
    const row = await db.query.providerTokens.findFirst({ where: eq(providerTokens.id, id) });
    if (!row) return null;
    // A token sealed with a key that was removed counts as missing.
    const token = await unseal(keys, tokenOwner(id), row.sealedToken).catch(() => null);
    return token === null ? null : { token, issuedAt: row.issuedAt };
  }
  return {
    find,
    async replace(id, { token, issuedAt }, notAfter) {
      const sealedToken = await seal(keys, tokenOwner(id), token);
      await db
        .insert(providerTokens)
        .values({ id, sealedToken, issuedAt })
        .onConflictDoUpdate({
          target: providerTokens.id,
          set: { sealedToken, issuedAt },
          setWhere: sql`${providerTokens.issuedAt} <= ${notAfter}`,
        });
      return (await find(id)) ?? { token, issuedAt };
    },
  };
}
