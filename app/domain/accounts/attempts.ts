// Limits attempts to guess a secret. An attempt is reserved in the database before the comparison, so that five
// failures in 15 minutes lock the account exactly, even with concurrent attempts (CJIS AC-7).
//
// Attempts are counted in four groups, so that one cannot use up another's limit: sign-ins from devices that the user
// has not signed in on, sign-ins from each known device, second factors after single sign-on, and step-ups within a
// session. Failures of the first group lock the account for unknown devices; those of the others lock it for everyone.
// Only the first group is also limited by address.

import type { AppContext } from "#app/context.ts";
import {
  ADDRESS_LIMITS,
  ADDRESS_MUST_WAIT,
  ADDRESS_REPEATS_MS,
  type Caller,
  FAILED_SIGN_INS_MS,
  MAX_FAILED_SIGN_INS,
  type SessionActor,
} from "#app/entities/accounts/actor.ts";
import type { AuditEntry } from "#app/entities/oversight/audit.ts";
import { addressBlock } from "#app/lib/address-range.ts";
import { randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError, audited } from "#app/lib/errors.ts";
import { isDue, paced } from "#app/lib/rate-limit.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { sleep } from "#app/lib/waiting.ts";
import {
  type AttemptKey,
  type AttemptLimits,
  countAddressAttempts,
  lockIfTooMany,
  removeOldAttempts,
  reserveAttempt,
  settleAttempt,
} from "#app/store/accounts/attempts.ts";
import { removeUsedSignOns } from "#app/store/accounts/single-sign-on.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit, insertAuditIfChanged } from "#app/store/oversight/audit.ts";
import { forgetOldDevices, knownDevice } from "./devices.ts";

/**
 * Returns the key that a sign-in is counted by: the user on this device, the user on unknown devices, or a name that
 * does not exist.
 */
export async function signInAttempt(
  app: AppContext,
  input: { user: { id: string } | undefined; username: string; caller: Caller },
): Promise<AttemptKey> {
  const { user, username, caller } = input;
  // The device is looked up for unknown names too: otherwise the response time would reveal which names exist.
  const device = await knownDevice(app, { userId: user?.id ?? "", caller });
  if (!user) {
    const account = `name:${await sha256(username.toLowerCase())}`;
    return { userId: "", account, unknownDevice: true };
  }
  const account = device ? `${user.id}:device:${device}` : user.id;
  return { userId: user.id, account, unknownDevice: device === undefined };
}

/**
 * Returns the key that a proof of identity within a session is counted by. In a full session it is separate from
 * sign-ins, so that no one without a session can block its user's step-up. The second factor of a sign-in counts as the
 * sign-in does; after single sign-on it is separate, because anyone can use up the attempts of the password.
 */
export async function proofAttempt(app: AppContext, actor: SessionActor): Promise<AttemptKey> {
  const { userId, username } = actor;
  const isSigningIn = actor.sessionState === "awaiting-second-factor";
  if (isSigningIn && actor.signedOnBy) return { userId, account: `${userId}:sign-on`, unknownDevice: false };
  if (isSigningIn) return signInAttempt(app, { user: { id: userId }, username, caller: actor });
  return { userId, account: `${userId}:step-up`, unknownDevice: false };
}

/**
 * Reserves an attempt and returns its id; undefined if the account is locked or has no attempts left. Throws AppError
 * too_many, audited, with the seconds to wait, if the address has tried too often.
 */
export async function beginAttempt(
  app: AppContext,
  input: { key: AttemptKey; address: string; entry: AuditEntry },
): Promise<string | undefined> {
  const { key, entry } = input;
  const at = app.clock();
  const address = addressBlock(input.address);
  const id = randomToken();
  const limits: AttemptLimits = {
    perAccount: MAX_FAILED_SIGN_INS,
    address: ADDRESS_LIMITS,
    since: at - FAILED_SIGN_INS_MS,
    daySince: at - ADDRESS_REPEATS_MS,
  };
  if (await reserveAttempt(app.db, { ...key, id, address, at, limits })) return id;
  const wait = key.unknownDevice
    ? await addressWait(app, { account: key.account, address, at, limits })
    : undefined;
  if (wait === undefined) return undefined;
  await noteUncompared(app, { address, entry, reason: "too many failures from this address" });
  throw audited(new AppError("too_many", ADDRESS_MUST_WAIT, { retryAfter: wait / SECOND }));
}

/**
 * Comparing a password blocks the isolate for about 0.12 s, and anyone can request comparisons from an unknown device.
 * These take turns, with pauses in which other requests are answered. Users of known devices do not wait for them.
 */
const comparisonWait = paced({ burst: 3, everyMs: 300 });

/** Pause before each comparison, in which the isolate answers other requests. */
const PAUSE_MS = 30;

/** A pause that ends this much too late was used by another comparison: on a slow computer, one takes over 300 ms. */
const LATE_MS = 150;

/** Maximum number of turns given up, so that a computer that is slow for other reasons still compares passwords. */
const MAX_TURNS = 20;

/**
 * Waits until the password of an attempt may be compared. A turn whose pause was used by another comparison is given up
 * for a new one.
 */
export async function comparisonTurn({ unknownDevice }: AttemptKey): Promise<void> {
  if (!unknownDevice) return;
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    await sleep(comparisonWait(performance.now()));
    const began = performance.now();
    await sleep(PAUSE_MS);
    if (performance.now() < began + PAUSE_MS + LATE_MS) return;
  }
}

/**
 * Anyone can send attempts that are refused without a comparison, so an address gets at most one audit row in this
 * time.
 */
const UNCOMPARED_EVERY_MS = 10 * SECOND;

/** Writes the audit row of an attempt whose secret was not compared, at most one per address in UNCOMPARED_EVERY_MS. */
export async function noteUncompared(
  app: AppContext,
  { address, entry, reason }: { address: string; entry: Omit<AuditEntry, "outcome">; reason: string },
): Promise<void> {
  const what = `unread sign-in ${addressBlock(address)}`;
  if (!isDue({ what, pauseMs: UNCOMPARED_EVERY_MS, now: app.clock() })) return;
  await inOneStep(app.db, [insertAudit(app.db, { ...entry, outcome: "refused", detail: { reason } })]);
}

/**
 * Reserves an attempt to prove a second factor. Throws AppError too_many, audited, if the account is locked or no attempt
 * is left.
 */
export async function beginProof(app: AppContext, actor: SessionActor, entry: AuditEntry) {
  const key = await proofAttempt(app, actor);
  const attempt = await beginAttempt(app, { key, address: actor.ip, entry });
  if (attempt) return { key, attempt };
  const detail = { reason: "no attempt left" };
  await inOneStep(app.db, [insertAudit(app.db, { ...entry, outcome: "refused", detail })]);
  throw audited(
    new AppError("too_many", "Too many failed attempts. An administrator can unlock your account."),
  );
}

/** Returns the milliseconds until the address may try again; undefined if it may try now. */
async function addressWait(
  app: AppContext,
  input: { account: string; address: string; at: number; limits: AttemptLimits },
): Promise<number | undefined> {
  const { account, address, at, limits } = input;
  const most = limits.address;
  const day = await countAddressAttempts(app.db, { account, address, since: limits.daySince });
  if (day.here > 0 && day.repeats >= most.repeatsADay) return (day.first ?? at) - limits.daySince;
  const recent = await countAddressAttempts(app.db, { account, address, since: limits.since });
  const isOver = recent.attempts >= most.attempts || (recent.here > 0 && recent.repeats >= most.repeats);
  return isOver ? (recent.first ?? at) - limits.since : undefined;
}

/**
 * Counts an attempt as failed, with its audit row, and locks the account if the limit is reached. A correct secret that
 * is refused for another reason does not count toward a lock. Its attempt stays reserved and runs the same statements,
 * so timing and queries do not reveal that the secret was correct.
 */
export async function failedAttempt(
  app: AppContext,
  input: { id: string; key: AttemptKey; entry: AuditEntry; isRight?: boolean },
): Promise<void> {
  const { id, key, entry, isRight = false } = input;
  const { userId, account } = key;
  const now = app.clock();
  const scope = key.unknownDevice ? "unknown devices" : "everyone";
  await inOneStep(app.db, [
    settleAttempt(app.db, { id, failed: !isRight }),
    insertAudit(app.db, { ...entry, outcome: "refused" }),
    lockIfTooMany(app.db, {
      userId,
      account,
      scope,
      now,
      since: now - FAILED_SIGN_INS_MS,
      most: MAX_FAILED_SIGN_INS,
    }),
    insertAuditIfChanged(app.db, {
      ...entry,
      action: "user.lock",
      outcome: "ok",
      object: userId,
      detail: { reason: `${MAX_FAILED_SIGN_INS} failed attempts`, applies_to: scope },
    }),
  ]);
}

/**
 * Deletes attempts that no longer count, devices that were not used for half a year, and used messages of identity
 * providers that would no longer be accepted anyway.
 */
export async function forgetOldAttempts(app: AppContext): Promise<void> {
  await removeOldAttempts(app.db, app.clock() - ADDRESS_REPEATS_MS);
  await forgetOldDevices(app);
  await removeUsedSignOns(app.db, app.clock());
}
