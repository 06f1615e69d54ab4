// Phones and browsers that users want to be told on, and what each user wants of pushes. Addresses are sealed: whoever
// reads the database can push to nobody.

import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { ProviderTokens, PushPreference } from "#app/entities/alerts/push.ts";
import { type SealedFor, type SealingKeys, seal, unseal } from "#app/lib/crypto/primitives.ts";
import { DAY } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { providerTokens, pushDevices, pushPreferences } from "#app/store/schema/push.ts";

export type StoredDevice = typeof pushDevices.$inferSelect;

/** What a device's sealed address belongs to. */
export function deviceAddressOwner(id: string): SealedFor {
  return { table: "push_devices", id, field: "address" };
}

export async function listDevices(db: ControlDb, userId: string): Promise<StoredDevice[]> {
  return db
    .select()
    .from(pushDevices)
    .where(eq(pushDevices.userId, userId))
    .orderBy(asc(pushDevices.createdAt), asc(pushDevices.id));
}

/** A device that belongs to somebody else is as unknown as none. */
export async function findDevice(
  db: ControlDb,
  input: { id: string; userId: string },
): Promise<StoredDevice | undefined> {
  return db.query.pushDevices.findFirst({
    where: and(eq(pushDevices.id, input.id), eq(pushDevices.userId, input.userId)),
  });
}

/** Devices of these users that take something, by channel and user. */
export async function listDevicesOf(
  db: ControlDb,
  userIds: readonly string[],
): Promise<Pick<StoredDevice, "id" | "userId" | "channel" | "sealedAddress">[]> {
  const { id, userId, channel, sealedAddress } = pushDevices;
  return db
    .select({ id, userId, channel, sealedAddress })
    .from(pushDevices)
    .where(
      and(
        isNull(pushDevices.droppedAt),
        sql`${pushDevices.userId} in (select value from json_each(${JSON.stringify(userIds)}))`,
      ),
    )
    .orderBy(asc(pushDevices.id));
}

/** The same phone or browser signed in by somebody else rings for them alone. */
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

/** Registers a device, or takes it up again; changes nothing where it is known under this name and in use. */
export function saveDevice(db: ControlDb, device: typeof pushDevices.$inferInsert): Statement {
  return db
    .insert(pushDevices)
    .values(device)
    .onConflictDoUpdate({
      target: pushDevices.id,
      set: {
        name: device.name,
        sealedAddress: device.sealedAddress,
        droppedAt: null,
        dropped: null,
      },
      setWhere: sql`${pushDevices.name} <> ${device.name} or ${pushDevices.droppedAt} is not null`,
    });
}

export function removeDevice(db: ControlDb, device: { id: string; userId: string }): Statement {
  return db
    .delete(pushDevices)
    .where(and(eq(pushDevices.id, device.id), eq(pushDevices.userId, device.userId)));
}

/** Dropped devices stay for a month, so that their owner can read why. */
export function forgetDroppedDevices(db: ControlDb, input: { userId: string; at: number }): Statement {
  return db
    .delete(pushDevices)
    .where(and(eq(pushDevices.userId, input.userId), sql`${pushDevices.droppedAt} < ${input.at - 30 * DAY}`));
}

/** Notes what the push services said of devices: taken at, or gone and why. */
export function recordPushResults(
  db: ControlDb,
  input: { at: number; used: string[]; dropped: { id: string; reason: string }[] },
): [Statement, Statement] {
  const { at, used, dropped } = input;
  return [
    db.run(sql`update push_devices set last_used_at = ${at}
      where id in (select value from json_each(${JSON.stringify(used)}))`),
    db.run(sql`update push_devices set dropped_at = ${at}, dropped = j.value ->> 'reason'
      from json_each(${JSON.stringify(dropped)}) j
      where push_devices.id = j.value ->> 'id' and dropped_at is null`),
  ];
}

/** What a user wants; push alerts are off until they are turned on. */
export async function findPreference(db: ControlDb, userId: string): Promise<PushPreference> {
  const row = await db.query.pushPreferences.findFirst({ where: eq(pushPreferences.userId, userId) });
  return row ?? { enabled: false, quietFrom: null, quietUntil: null, timeZone: "" };
}

export function savePreference(
  db: ControlDb,
  input: PushPreference & { userId: string; at: number },
): Statement {
  const { userId, at, enabled, quietFrom, quietUntil, timeZone } = input;
  const set = { enabled, quietFrom, quietUntil, timeZone, changedAt: at };
  return db
    .insert(pushPreferences)
    .values({ userId, ...set })
    .onConflictDoUpdate({ target: pushPreferences.userId, set });
}

const tokenOwner = (id: string): SealedFor => ({ table: "provider_tokens", id, field: "token" });

/** Our tokens for push services, sealed at rest and the same in every isolate. */
export function createProviderTokens(db: ControlDb, keys: SealingKeys): ProviderTokens {
  async function find(id: string) {
    const row = await db.query.providerTokens.findFirst({ where: eq(providerTokens.id, id) });
    if (!row) return null;
    // One that was sealed with a key that is gone is as good as none.
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
