// A user's push devices (phones and browsers) and push settings. A device is identified by its address: registering
// the address again keeps the device, and registering it as another user moves it to that user.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  DEVICES_PER_USER,
  minutesOf,
  type NewDevice,
  type PushChannel,
  type PushDevice,
  type PushPreference,
  type PushSettings,
  timeOf,
} from "#app/entities/alerts/push.ts";
import { type AuditEntry, auditWho } from "#app/entities/oversight/audit.ts";
import { seal, sha256, unseal } from "#app/lib/crypto/primitives.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { areSubscriptionKeys } from "#app/lib/crypto/web-push-encryption.ts";
import { AppError } from "#app/lib/errors.ts";
import { pushEndpointProblem } from "#app/lib/public-address.ts";
import {
  deviceAddressOwner,
  findDevice,
  findPreference,
  forgetDroppedDevices,
  type HeldDevice,
  listDevices,
  listDevicesOfOthers,
  removeDevice,
  removeDeviceOfOthers,
  type StoredDevice,
  saveDevice,
  savePreference,
} from "#app/store/alerts/push-devices.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit, insertAuditIfChanged } from "#app/store/oversight/audit.ts";

/** Returns the actor's devices with their state, and the channels that are set up. Addresses are never returned. */
export async function listOwnDevices(
  app: AppContext,
  actor: Actor,
): Promise<{ devices: PushDevice[]; channels: Record<PushChannel, boolean> }> {
  return {
    devices: (await listDevices(app.db, actor.userId)).map(toDevice),
    channels: { apns: app.push.apns !== null, webpush: app.push.webpush !== null },
  };
}

function toDevice(device: StoredDevice): PushDevice {
  return {
    id: device.id,
    channel: device.channel,
    name: device.name,
    address_hash: device.addressHash,
    created_at: device.createdAt,
    last_used_at: device.lastUsedAt,
    dropped_at: device.droppedAt,
    dropped: device.dropped,
  };
}

/**
 * Registers a phone by its device token or a browser by its subscription. A device that is registered again keeps
 * its id. Throws AppError bad_request for an address that Odin must not or cannot push to, and conflict if the user
 * has too many devices.
 */
export async function registerDevice(app: AppContext, actor: Actor, wanted: NewDevice): Promise<PushDevice> {
  const { channel, name } = wanted;
  const { address, identity } = await readAddress(app, wanted);
  const addressHash = await sha256(identity);
  const id = stableId("push-device", actor.userId, addressHash);
  const devices = await listDevices(app.db, actor.userId);
  const known = devices.find((device) => device.id === id);
  const hasNewAddress = known !== undefined && (await addressOf(app, known)) !== address;
  const at = app.clock();
  const device = {
    id,
    userId: actor.userId,
    channel,
    name,
    addressHash,
    sealedAddress: await seal(app.config.sealingKeys, deviceAddressOwner(id), address),
    createdAt: at,
  };
  const entry = auditOf(actor, { at, action: "push-device.add", id, detail: { channel, name } });
  const lost = await listDevicesOfOthers(app.db, device);
  try {
    await inOneStep(app.db, [
      forgetDroppedDevices(app.db, { userId: actor.userId, at }),
      ...lost.flatMap((one) => [removeDevice(app.db, one), insertAuditIfChanged(app.db, lossOf(one, at))]),
      // Devices that were registered since the list was read.
      removeDeviceOfOthers(app.db, device),
      saveDevice(app.db, device, { hasNewAddress }),
      insertAuditIfChanged(app.db, entry),
    ]);
  } catch (error) {
    if (brokenConstraint(error) !== "push_devices.created_at") throw error;
    const message = `You have ${DEVICES_PER_USER} devices. Remove one first.`;
    throw new AppError("conflict", message, { cause: error });
  }
  const saved = await findDevice(app.db, { id, userId: actor.userId });
  if (!saved) throw new AppError("conflict", "Another user registered this device at the same moment.");
  return toDevice(saved);
}

/** Returns the audit row, in the former user's agency, of a device that another user has registered. */
function lossOf({ id, userId, username, agencyId, channel, name }: HeldDevice, at: number): AuditEntry {
  return {
    ...auditWho(null),
    agencyId,
    userId,
    username,
    at,
    action: "push-device.remove",
    outcome: "ok",
    object: id,
    detail: { channel, name, by: "another user" },
  };
}

/**
 * Returns the address to push to, and the text that identifies the device: for a browser only its endpoint, since
 * its keys may change.
 */
async function readAddress(
  app: AppContext,
  wanted: NewDevice,
): Promise<{ address: string; identity: string }> {
  if (wanted.channel === "apns") {
    const token = wanted.token.toLowerCase();
    return { address: token, identity: token };
  }
  const { endpoint, keys } = wanted.subscription;
  const { allowLoopback, pushHosts: hosts } = app.config;
  if (pushEndpointProblem(endpoint, { allowLoopback, hosts }))
    throw new AppError("bad_request", "This address is not of a push service that Odin uses.");
  if (!(await areSubscriptionKeys(keys)))
    throw new AppError("bad_request", "The subscription's keys are invalid.");
  return { address: JSON.stringify(wanted.subscription), identity: endpoint };
}

/** Returns the stored address of a device; null if it cannot be opened. */
function addressOf(app: AppContext, { id, sealedAddress }: StoredDevice): Promise<string | null> {
  return unseal(app.config.sealingKeys, deviceAddressOwner(id), sealedAddress).catch(() => null);
}

/** Removes a device. Throws AppError not_found for a device of another user. */
export async function forgetDevice(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const device = await findDevice(app.db, { id, userId: actor.userId });
  if (!device) throw new AppError("not_found", "This device is not registered.");
  const { channel, name } = device;
  const entry = auditOf(actor, {
    at: app.clock(),
    action: "push-device.remove",
    id,
    detail: { channel, name },
  });
  await inOneStep(app.db, [
    removeDevice(app.db, { id, userId: actor.userId }),
    insertAuditIfChanged(app.db, entry),
  ]);
  return { msg: "Device removed" };
}

function auditOf(
  actor: Actor,
  act: { at: number; action: AuditEntry["action"]; id?: string; detail: Record<string, unknown> },
): AuditEntry {
  const { at, action, id = "", detail } = act;
  return { ...auditWho(actor), at, action, outcome: "ok", object: id, detail };
}

/** Returns whether pushes are on for the actor, and their quiet hours. */
export async function pushSettingsOf(app: AppContext, actor: Actor): Promise<PushSettings> {
  return toSettings(await findPreference(app.db, actor.userId));
}

function toSettings({ enabled, quietFrom, quietUntil, timeZone }: PushPreference): PushSettings {
  const time = (minutes: number | null) => (minutes === null ? null : timeOf(minutes));
  return { enabled, quiet_from: time(quietFrom), quiet_until: time(quietUntil), time_zone: timeZone };
}

/** Replaces the actor's push settings. Returns the stored settings. */
export async function changePushSettings(
  app: AppContext,
  actor: Actor,
  settings: PushSettings,
): Promise<PushSettings> {
  const before = toSettings(await findPreference(app.db, actor.userId));
  const minutes = (time: string | null) => (time === null ? null : minutesOf(time));
  const at = app.clock();
  await inOneStep(app.db, [
    savePreference(app.db, {
      userId: actor.userId,
      at,
      enabled: settings.enabled,
      quietFrom: minutes(settings.quiet_from),
      quietUntil: minutes(settings.quiet_until),
      timeZone: settings.time_zone,
    }),
    insertAudit(app.db, auditOf(actor, { at, action: "push-alerts", detail: { before, after: settings } })),
  ]);
  return settings;
}

/**
 * Returns the public key with which a browser subscribes. Throws AppError unavailable if Web Push is not
 * configured.
 */
export async function vapidPublicKey(app: AppContext): Promise<{ key: string }> {
  const key = await app.push.vapidPublicKey();
  if (key === null) throw new AppError("unavailable", "Push to browsers is not set up here.");
  return { key };
}
