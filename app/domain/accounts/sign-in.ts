// Signing in and out, and session states. Every failure has the same message, and a name that does not exist costs the
// same work, so that no one learns which names exist. A correct password may open a restricted session that reaches one
// screen only: the second factor, its enrollment, or a required password change.

import type { AppContext } from "#app/context.ts";
import { auditAct, auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import type { SessionState } from "#app/entities/accounts/access.ts";
import {
  type Actor,
  type Caller,
  type Credentials,
  type SessionActor,
  USE_NOTIFICATION,
} from "#app/entities/accounts/actor.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { type AuditEntry, auditWho } from "#app/entities/oversight/audit.ts";
import { isInvestigator } from "#app/entities/users/policy.ts";
import { hashPassword, needsRehash, UNMATCHABLE_HASH, verifyPassword } from "#app/lib/crypto/passwords.ts";
import { randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import { sleep } from "#app/lib/waiting.ts";
import { removeAttempt, removeAttemptsOn } from "#app/store/accounts/attempts.ts";
import {
  acknowledgeNotice,
  findSession,
  hasSession,
  insertSession,
  type LiveSession,
  removeOldSessions,
  revokeSession,
  touchSession,
} from "#app/store/accounts/sessions.ts";
import {
  findUserByName,
  notePasswordList,
  noteSignIn,
  requireUserUnchanged,
  type StoredUser,
  updatePasswordHash,
} from "#app/store/accounts/sign-in.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { insertAudit, insertServiceRefusal } from "#app/store/oversight/audit.ts";
import { beginAttempt, comparisonTurn, failedAttempt, noteUncompared, signInAttempt } from "./attempts.ts";
import { BANNED_LIST_VERSION, banReason } from "./banned-passwords.ts";
import { deviceFor } from "./devices.ts";

/** Delay before a refusal without a password comparison, to take about as long as one. */
const HOLD_MS = 150;

/** Maximum attempts at a sign-in while the user or the rules change. */
const MAX_TRIES = 5;

/** A session's new token, of which only the hash is stored, and the token of a known device. */
export type NewSession = { token: string; device?: string };
export type SignedIn = NewSession & { userId: string; state: SessionState };

/**
 * Verifies a name and a password and opens a session, with its audit row, in one batch. `notice` is the version of the
 * use notification that the client showed (CJIS AC-8); unless it is the current one, the notification is the session's
 * first screen. Throws AppError unauthenticated, or too_many for an address that failed too often; refusals are
 * audited.
 */
export async function signIn(
  app: AppContext,
  input: {
    credentials: Credentials;
    notice: string | undefined;
    caller: Caller;
    kind: "cookie" | "bearer";
  },
): Promise<SignedIn> {
  const { credentials, notice, caller, kind } = input;
  const now = app.clock();
  const user = await findUserByName(app.db, credentials.username);
  const entry: AuditEntry = {
    ...signInEntry({ user, username: credentials.username, caller, now }),
    outcome: "refused",
  };
  const key = await signInAttempt(app, { user, username: credentials.username, caller });
  const attempt = await beginAttempt(app, { key, address: caller.ip, entry });
  if (!attempt) {
    const reason = user?.lockedAt ? "locked" : "too many attempts";
    await noteUncompared(app, { address: caller.ip, entry, reason });
    await sleep(HOLD_MS);
    throw new AppError("unauthenticated", MESSAGES.loginFailed);
  }
  const { password } = credentials;
  await comparisonTurn(key);
  let known = user;
  for (let tries = 1; ; tries++) {
    // The same time is spent on names that do not exist.
    const hash = known?.passwordHash ?? UNMATCHABLE_HASH;
    const matches = await verifyPassword(password, app.config.pepper, hash);
    const reason = refusal(app, { user: known, matches, isUnknownDevice: key.unknownDevice, now });
    if (reason || !known) {
      const refused = { ...entry, detail: { reason } };
      await failedAttempt(app, { id: attempt, key, entry: refused, isRight: matches && known !== undefined });
      throw new AppError("unauthenticated", MESSAGES.loginFailed);
    }
    try {
      const counted = { id: attempt, account: key.account };
      return await openSession(app, { user: known, attempt: counted, password, caller, kind, notice });
    } catch (error) {
      // The user or a rule changed since they were read, so the password is compared and the rules applied again.
      if (brokenConstraint(error) !== "users.password_hash" || tries >= MAX_TRIES) throw error;
      known = await findUserByName(app.db, credentials.username);
    }
  }
}

function signInEntry(input: {
  user: StoredUser | undefined;
  username: string;
  caller: Caller;
  now: number;
}): Omit<AuditEntry, "outcome"> {
  const { user, username, caller, now } = input;
  return {
    ...auditWho(null, caller),
    at: now,
    agencyId: user?.agencyId ?? "",
    userId: user?.id ?? "",
    // In lower case, as the log's filter compares it.
    username: username.toLowerCase().slice(0, 200),
    action: "sign-in",
  };
}

function refusal(
  app: AppContext,
  input: { user: StoredUser | undefined; matches: boolean; isUnknownDevice: boolean; now: number },
): string | undefined {
  const { user, matches, isUnknownDevice, now } = input;
  if (!user) return "unknown user";
  if (!matches) return "wrong password";
  // It was locked while the password was compared.
  if (user.lockedAt !== null && (isUnknownDevice || user.lockedFor !== "unknown devices")) return "locked";
  if (user.disabledAt !== null) return "disabled";
  if (needsSignOn(app, user)) return "the agency signs in with single sign-on only";
  if (user.temporaryUntil !== null && user.temporaryUntil <= now) return "temporary password expired";
  return undefined;
}

/** Returns whether the agency lets this user sign in with its provider only. The owner always has a password. */
export function needsSignOn(app: AppContext, user: Pick<StoredUser, "passwordsOff" | "username">): boolean {
  return user.passwordsOff && user.username !== app.config.ownerUsername;
}

/** Returns why a correct password must be changed, or undefined (CJIS IA-5). */
function passwordDue(user: StoredUser, password: string, now: number): string | undefined {
  if (user.temporaryUntil !== null) return "temporary";
  const age = now - (user.passwordChangedAt ?? user.createdAt);
  if (user.passwordMaxAgeDays > 0 && age >= user.passwordMaxAgeDays * DAY) return "expired";
  const isCompared = user.passwordListVersion === BANNED_LIST_VERSION;
  const names = { ...user, agency: user.agencyName };
  return !isCompared && banReason(password, names) ? "banned" : undefined;
}

/**
 * Opens the session of a user whose password was verified, with its audit row, in one batch. `attempt` is the reserved
 * attempt and the account that it counts against. Violates the constraint on `users.password_hash` if the password, the
 * user or a sign-in rule changed since `user` was read: a reset ends all sessions, so the former password must not open
 * another.
 */
export async function openSession(
  app: AppContext,
  input: {
    user: StoredUser;
    attempt: { id: string; account: string };
    password: string;
    caller: Caller;
    kind: "cookie" | "bearer";
    notice: string | undefined;
  },
): Promise<SignedIn> {
  const { user, attempt, password, caller, kind, notice } = input;
  const now = app.clock();
  const due = passwordDue(user, password, now);
  const state = user.hasSecondFactor
    ? "awaiting-second-factor"
    : stateAfterFactors({ due: due !== undefined, enroll: user.secondFactorRequired });
  const [token, sessionId] = [randomToken(), randomToken()];
  // The device becomes known only after a complete sign-in.
  const isComplete = state !== "awaiting-second-factor";
  const known = isComplete ? await deviceFor(app, { userId: user.id, caller, kind }) : undefined;
  const more: Statement[] = known?.statements ?? [];
  if (!due && user.passwordListVersion !== BANNED_LIST_VERSION)
    more.push(notePasswordList(app.db, user.id, BANNED_LIST_VERSION));
  if (!due && needsRehash(user.passwordHash, app.config.pepper))
    more.push(updatePasswordHash(app.db, user.id, await hashPassword(password, app.config.pepper)));
  await inOneStep(app.db, [
    requireUserUnchanged(app.db, user),
    insertSession(app.db, {
      id: sessionId,
      tokenHash: await sha256(token),
      userId: user.id,
      kind,
      state,
      passwordDue: due !== undefined,
      at: now,
      caller,
      noticeVersion: notice === USE_NOTIFICATION.version ? notice : "",
    }),
    noteSignIn(app.db, user.id, now),
    // An incomplete sign-in clears only its own attempt. Otherwise anyone who knows the password could guess the second
    // factor without limit.
    state === "awaiting-second-factor"
      ? removeAttempt(app.db, attempt.id)
      : removeAttemptsOn(app.db, attempt.account),
    insertAudit(app.db, {
      ...signInEntry({ user, username: user.username, caller, now }),
      sessionId,
      outcome: "ok",
      detail: { kind, notice: noticeDetail(notice), state, ...(due && { password: due }) },
    }),
    ...more,
  ]);
  return { token, userId: user.id, state, ...(known && { device: known.device }) };
}

/** Returns the audit detail about the use notification: the current version if the client showed it. */
function noticeDetail(notice: string | undefined): string {
  if (notice === undefined) return "not shown by this client";
  return notice === USE_NOTIFICATION.version ? notice : `showed version ${notice}`;
}

/** Returns the state of a session after the password, and any second factor, have been verified. */
export function stateAfterFactors(input: { due: boolean; enroll: boolean }): SessionState {
  if (input.due) return "must-change-password";
  return input.enroll ? "must-enrol-second-factor" : "full";
}

/**
 * Returns the actor of an active session, or null. `keepAlive` counts the request as use, recorded at most once a
 * minute.
 */
export async function resumeSession(
  app: AppContext,
  input: { token: string; kind: "cookie" | "bearer"; caller: Caller; keepAlive: boolean },
): Promise<SessionActor | null> {
  const now = app.clock();
  const session = await findSession(app.db, { tokenHash: await sha256(input.token), now });
  if (!session || session.kind !== input.kind) return null;
  const counts = input.keepAlive && session.lastSeenAt < now - MINUTE;
  if (counts) {
    await touchSession(app.db, { id: session.sessionId, now, everyMs: MINUTE });
  }
  return actorOf(app, { session, caller: input.caller, usedAt: counts ? now : session.lastSeenAt });
}

/** Returns whether a token belongs to a session of any kind, including one that has ended. */
export async function isSessionToken(app: AppContext, token: string): Promise<boolean> {
  return hasSession(app.db, await sha256(token));
}

/** Returns the actor of an active session by its id, for a return from the identity provider; or null. */
export async function actorOfSession(
  app: AppContext,
  input: { sessionId: string; caller: Caller },
): Promise<SessionActor | null> {
  const session = await findSession(app.db, { id: input.sessionId, now: app.clock() });
  return session ? actorOf(app, { session, caller: input.caller, usedAt: session.lastSeenAt }) : null;
}

function actorOf(
  app: AppContext,
  { session, caller, usedAt }: { session: LiveSession; caller: Caller; usedAt: number },
): SessionActor {
  const {
    lastSeenAt: _seen,
    sessionCreatedAt,
    noticeVersion,
    idleMinutes,
    absoluteMinutes,
    investigators,
    signOnIssuer,
    ...actor
  } = session;
  return {
    ...actor,
    ...caller,
    signedOnBy: signOnIssuer,
    noticeDue: noticeVersion !== USE_NOTIFICATION.version,
    isOwner: session.username === app.config.ownerUsername,
    investigator: isInvestigator(investigators, session.role),
    unusedUntil: usedAt + idleMinutes * MINUTE,
    endsAt: sessionCreatedAt + absoluteMinutes * MINUTE,
  };
}

/** Ends the actor's session at once. The details say why, unless the user asked for it. */
export async function signOut(app: AppContext, actor: Actor, detail = {}): Promise<void> {
  const now = app.clock();
  await inOneStep(app.db, [
    revokeSession(app.db, actor.sessionId, now),
    auditAct(app, actor, { at: now, action: "sign-out", detail }),
  ]);
}

/**
 * Records that a user acknowledged the use notification (CJIS AC-8) in a session whose client did not show it before the
 * sign-in. Idempotent: a repeat writes no second audit row.
 */
export async function acknowledgeUseNotice(app: AppContext, actor: SessionActor): Promise<void> {
  const { version } = USE_NOTIFICATION;
  await inOneStep(app.db, [
    acknowledgeNotice(app.db, { id: actor.sessionId, version }),
    auditIfChanged(app, actor, { action: "sign-in.notice", detail: { notice: version } }),
  ]);
}

/**
 * Writes the audit row of a signed-in user's request for something that user may not use (CJIS AU-2). A service account's
 * repeated refusals are left out for ten minutes.
 */
export async function noteRefusal(
  app: AppContext,
  input: { actor: Actor; caller: Caller; object: string; reason?: string },
): Promise<void> {
  const entry: AuditEntry = {
    ...auditWho(input.actor, input.caller),
    at: app.clock(),
    action: "access",
    outcome: "refused",
    object: input.object.slice(0, 300),
    detail: input.reason === undefined ? {} : { reason: input.reason },
  };
  const { service } = entry;
  await inOneStep(app.db, [
    service ? insertServiceRefusal(app.db, { ...entry, service }) : insertAudit(app.db, entry),
  ]);
}

/** Deletes sessions that ended a month ago. */
export async function forgetOldSessions(app: AppContext): Promise<void> {
  await removeOldSessions(app.db, app.clock() - 30 * DAY);
}
