// Known devices, following OWASP's "Slow Down Online Guessing Attacks with Device Cookies": a browser on which a user
// has completed a sign-in keeps a random token. The token does not sign anyone in. Attempts with it are counted
// separately, so that strangers cannot use up the attempts of an account's user.

import type { AppContext } from "#app/context.ts";
import { type Caller, KNOWN_DEVICE_MS, MAX_KNOWN_DEVICES } from "#app/entities/accounts/actor.ts";
import { randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { listDeviceUsers, rememberDevice, removeOldDevices } from "#app/store/accounts/devices.ts";
import type { Statement } from "#app/store/database.ts";

/**
 * Returns the hash of the caller's device token if this user has signed in on the device within half a year, otherwise
 * undefined.
 */
export async function knownDevice(
  app: AppContext,
  input: { userId: string; caller: Caller },
): Promise<string | undefined> {
  const { userId, caller } = input;
  if (!caller.device) return undefined;
  const tokenHash = await sha256(caller.device);
  const users = await listDeviceUsers(app.db, { tokenHash, after: app.clock() - KNOWN_DEVICE_MS });
  return users.includes(userId) ? tokenHash : undefined;
}

/**
 * Returns the token that identifies the caller's device for this user, and the statements that store its hash; undefined
 * for a program that does not keep one. A token that is already stored for another user of the device is kept; an
 * unknown token is replaced.
 */
export async function deviceFor(
  app: AppContext,
  input: { userId: string; caller: Caller; kind: "cookie" | "bearer" },
): Promise<{ device: string; statements: Statement[] } | undefined> {
  const { userId, caller, kind } = input;
  if (kind === "bearer" && caller.device === undefined) return undefined;
  const at = app.clock();
  const device = (await storedDevice(app, { caller, after: at - KNOWN_DEVICE_MS })) ?? randomToken();
  const tokenHash = await sha256(device);
  return {
    device,
    statements: rememberDevice(app.db, { userId, tokenHash, at, keep: MAX_KNOWN_DEVICES }),
  };
}

/** Returns the caller's device token if any user has signed in with it since `after`. */
async function storedDevice(
  app: AppContext,
  { caller, after }: { caller: Caller; after: number },
): Promise<string | undefined> {
  if (!caller.device) return undefined;
  const users = await listDeviceUsers(app.db, { tokenHash: await sha256(caller.device), after });
  return users.length > 0 ? caller.device : undefined;
}

/** Deletes devices that were not used for half a year. */
export async function forgetOldDevices(app: AppContext): Promise<void> {
  await removeOldDevices(app.db, app.clock() - KNOWN_DEVICE_MS);
}
