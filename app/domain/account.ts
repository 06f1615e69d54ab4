// Signing in and out, and what a session is worth. One failure message for everything that can be wrong,
// and the same work for a name that does not exist, so that nobody learns which names do.

import type { AppContext } from "#app/context.ts";
import {
  type Actor,
  type Caller,
  type Credentials,
  SESSION_ABSOLUTE_MS,
  SESSION_IDLE_MS,
  USE_NOTIFICATION,
} from "#app/entities/account.ts";
import { auditWho } from "#app/entities/audit.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { randomToken, sha256 } from "#app/lib/crypto.ts";
import { DAY, MINUTE } from "#app/lib/dates.ts";
import { AppError } from "#app/lib/errors.ts";
import { hashPassword, needsRehash, verifyPassword } from "#app/lib/passwords.ts";
import {
  findSession,
  findUserByName,
  insertSession,
  noteSignIn,
  removeOldSessions,
  revokeSession,
  touchSession,
  updatePasswordHash,
} from "#app/store/account.ts";
import { insertAudit } from "#app/store/audit.ts";
import { inOneStep } from "#app/store/database.ts";

/** A hash that no password fits; checking against it costs what checking a real one costs. */
const NOBODY = `scrypt$14,8,5$${"A".repeat(22)}$${"A".repeat(43)}`;

export type SignedIn = { token: string; userId: string };

/**
 * Checks a name and a password and opens a session, which with its audit row is one step.
 * Gives the token, which is kept nowhere. Throws AppError unauthenticated; the refusal is audited.
 */
export async function signIn(
  app: AppContext,
  input: { credentials: Credentials; caller: Caller; kind: "cookie" | "bearer" },
): Promise<SignedIn> {
  const { credentials, caller, kind } = input;
  const now = app.clock();
  const user = await findUserByName(app.db, credentials.username);
  const fits = await verifyPassword(credentials.password, app.config.pepper, user?.passwordHash ?? NOBODY);
  const entry = {
    ...auditWho(null, caller),
    at: now,
    agencyId: user?.agencyId ?? "",
    userId: user?.id ?? "",
    username: credentials.username.slice(0, 200),
    action: "sign-in",
  } as const;
  if (!user || !fits || user.disabledAt !== null) {
    const reason = !user ? "unknown user" : fits ? "disabled" : "wrong password";
    await inOneStep(app.db, [insertAudit(app.db, { ...entry, outcome: "refused", detail: { reason } })]);
    throw new AppError("unauthenticated", MESSAGES.loginFailed);
  }
  const token = randomToken();
  const sessionId = randomToken();
  const session = {
    id: sessionId,
    tokenHash: await sha256(token),
    userId: user.id,
    kind,
    at: now,
    caller,
    noticeVersion: USE_NOTIFICATION.version,
  };
  const detail = { kind, notice: USE_NOTIFICATION.version };
  await inOneStep(app.db, [
    insertSession(app.db, session),
    noteSignIn(app.db, user.id, now),
    insertAudit(app.db, { ...entry, sessionId, outcome: "ok", detail }),
  ]);
  if (needsRehash(user.passwordHash)) {
    const hash = await hashPassword(credentials.password, app.config.pepper);
    await inOneStep(app.db, [updatePasswordHash(app.db, user.id, hash)]);
  }
  return { token, userId: user.id };
}

/** The actor of a live session, or null. `keepAlive` counts the request as use, at a minute's precision. */
export async function resumeSession(
  app: AppContext,
  input: { token: string; kind: "cookie" | "bearer"; caller: Caller; keepAlive: boolean },
): Promise<Actor | null> {
  const now = app.clock();
  const session = await findSession(app.db, {
    tokenHash: await sha256(input.token),
    now,
    idleMs: SESSION_IDLE_MS,
    absoluteMs: SESSION_ABSOLUTE_MS,
  });
  if (!session || session.kind !== input.kind) return null;
  if (input.keepAlive && session.lastSeenAt < now - MINUTE) {
    await touchSession(app.db, { id: session.sessionId, now, everyMs: MINUTE });
  }
  const { kind: _, lastSeenAt: __, ...actor } = session;
  return { ...actor, ...input.caller, isOwner: session.username === app.config.ownerUsername };
}

/** Ends the actor's session at once. */
export async function signOut(app: AppContext, actor: Actor): Promise<void> {
  const now = app.clock();
  await inOneStep(app.db, [
    revokeSession(app.db, actor.sessionId, now),
    insertAudit(app.db, { ...auditWho(actor), at: now, action: "sign-out", outcome: "ok" }),
  ]);
}

/** Writes down that somebody signed in asked for what they may not use (CJIS AU-2). */
export async function noteRefusal(
  app: AppContext,
  input: { actor: Actor; caller: Caller; object: string },
): Promise<void> {
  const entry = {
    ...auditWho(input.actor, input.caller),
    at: app.clock(),
    object: input.object.slice(0, 300),
  };
  await inOneStep(app.db, [insertAudit(app.db, { ...entry, action: "access", outcome: "refused" })]);
}

/** Forgets sessions that ended a month ago. */
export async function forgetOldSessions(app: AppContext): Promise<void> {
  await removeOldSessions(app.db, app.clock() - 30 * DAY);
}
