// Changes of a user's own password: the requirements, and the sessions that a change ends. The server decides; the
// screens show the same requirements in advance.

import type { AppContext } from "#app/context.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import type { OwnPasswordChange, PasswordReset } from "#app/entities/accounts/calls.ts";
import { PASSWORD_HISTORY, type PasswordNames, shapeProblem } from "#app/entities/accounts/password-rules.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { type AuditEntry, auditWho } from "#app/entities/oversight/audit.ts";
import {
  hashPassword,
  passwordDigests,
  UNMATCHABLE_HASH,
  verifyPassword,
} from "#app/lib/crypto/passwords.ts";
import { AppError, audited } from "#app/lib/errors.ts";
import { removeAttempt } from "#app/store/accounts/attempts.ts";
import { requireSessionLive, revokeSessions } from "#app/store/accounts/sessions.ts";
import {
  findUserById,
  rememberPassword,
  type StoredUser,
  updatePassword,
  wasUsedBefore,
} from "#app/store/accounts/sign-in.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { beginAttempt, failedAttempt, proofAttempt } from "./attempts.ts";
import { BANNED_LIST_VERSION, banReason } from "./banned-passwords.ts";
import { inLiveSession } from "./live-session.ts";
import { needsSignOn } from "./sign-in.ts";
import { requireRecentProof } from "./step-up.ts";

/**
 * Returns the problem with a new password as a sentence, or undefined. The rules are the same for users and
 * administrators.
 */
export function passwordProblem(password: string, names: PasswordNames): string | undefined {
  return shapeProblem(password) ?? banReason(password, names);
}

function passwordEntry(app: AppContext, actor: SessionActor): AuditEntry {
  return {
    ...auditWho(actor),
    at: app.clock(),
    action: "password.change",
    outcome: "refused",
    object: actor.userId,
  };
}

/**
 * POST /reset-password. A session that was opened only for the change needs nothing more; a full session needs the
 * current password, or a recent sign-in or step-up, as for POST /user/reset-password. With a second factor it needs
 * the latter in any case. Ends every session of the user. Throws AppError bad_request, forbidden, step_up_required or
 * too_many.
 */
export async function replacePassword(
  app: AppContext,
  actor: SessionActor,
  input: PasswordReset,
): Promise<{ msg: string }> {
  const entry = passwordEntry(app, actor);
  if (input.username && input.username.toLowerCase() !== actor.username) {
    const detail = { reason: "another user's password" };
    await inOneStep(app.db, [insertAudit(app.db, { ...entry, detail })]);
    throw audited(new AppError("forbidden", "You can only change your own password."));
  }
  if (actor.sessionState === "full") {
    const hasSecondFactor = (await findUserById(app.db, actor.userId))?.hasSecondFactor;
    if (!input.current_password || hasSecondFactor) requireRecentProof(app, actor);
    if (input.current_password) await checkPassword(app, actor, input.current_password);
  }
  await changePassword(app, actor, { password: input.new_password, keepSession: false });
  return { msg: MESSAGES.passwordUpdatedLogIn };
}

/** POST /user/reset-password, after re-authentication. Ends the user's other sessions. Throws AppError bad_request. */
export async function changeOwnPassword(
  app: AppContext,
  actor: SessionActor,
  input: OwnPasswordChange,
): Promise<{ msg: string }> {
  await changePassword(app, actor, { password: input.new_password, keepSession: true });
  return { msg: MESSAGES.passwordUpdated };
}

/**
 * Compares the actor's password as a counted attempt. Throws AppError bad_request if it is wrong, and too_many if no
 * attempt is left.
 */
export async function checkPassword(app: AppContext, actor: SessionActor, password: string): Promise<void> {
  const user = await findUserById(app.db, actor.userId);
  const entry: AuditEntry = { ...auditWho(actor), at: app.clock(), action: "step-up", outcome: "refused" };
  if (user && needsSignOn(app, user)) {
    const detail = { reason: "the agency signs in with single sign-on only" };
    await inOneStep(app.db, [insertAudit(app.db, { ...entry, detail })]);
    throw audited(new AppError("forbidden", "Your agency has turned passwords off. Use single sign-on."));
  }
  const key = await proofAttempt(app, actor);
  const attempt = await beginAttempt(app, { key, address: actor.ip, entry });
  if (!user || !attempt) {
    await inOneStep(app.db, [insertAudit(app.db, { ...entry, detail: { reason: "no attempt left" } })]);
    throw audited(
      new AppError("too_many", "Too many failed attempts. An administrator can unlock your account."),
    );
  }
  if (await verifyPassword(password, app.config.pepper, user.passwordHash)) {
    await inOneStep(app.db, [removeAttempt(app.db, attempt)]);
    return;
  }
  const detail = { reason: "wrong password" };
  await failedAttempt(app, { id: attempt, key, entry: { ...entry, detail } });
  throw audited(new AppError("bad_request", "This is not your current password."));
}

/**
 * Changes the password that the actor had when the change began. A change that has begun must not undo an
 * administrator's reset. Throws AppError bad_request, forbidden, conflict, or unauthenticated if the session has ended.
 */
async function changePassword(
  app: AppContext,
  actor: SessionActor,
  input: { password: string; keepSession: boolean },
): Promise<void> {
  const { password, keepSession } = input;
  const user = await findUserById(app.db, actor.userId);
  if (!user) throw new AppError("unauthenticated", "Please sign in.");
  const entry = passwordEntry(app, actor);
  // With a password of their own, people could still sign in after the agency's provider has locked them out.
  if (user.passwordHash === UNMATCHABLE_HASH || needsSignOn(app, user)) {
    const reason = "the user signs in with single sign-on";
    await inOneStep(app.db, [insertAudit(app.db, { ...entry, detail: { reason } })]);
    throw audited(new AppError("forbidden", "You sign in with single sign-on and have no password here."));
  }
  const digests = await passwordDigests(password, app.config.pepper, user.id);
  const problem = await newPasswordProblem(app, { user, password, digests });
  if (problem) {
    await inOneStep(app.db, [insertAudit(app.db, { ...entry, detail: { reason: problem } })]);
    throw audited(new AppError("bad_request", problem));
  }
  const now = app.clock();
  try {
    await inLiveSession(app, [
      updatePassword(app.db, {
        userId: user.id,
        passwordHash: await hashPassword(password, app.config.pepper),
        at: now,
        temporaryUntil: null,
        listVersion: BANNED_LIST_VERSION,
        was: user.passwordHash,
      }),
      requireSessionLive(app.db, actor.sessionId),
      ...rememberPassword(app.db, { userId: user.id, digest: digests[0], at: now, keep: PASSWORD_HISTORY }),
      revokeSessions(app.db, {
        userId: user.id,
        now,
        ...(keepSession && { except: actor.sessionId }),
      }),
      insertAudit(app.db, { ...entry, at: now, outcome: "ok" }),
    ]);
  } catch (error) {
    if (brokenConstraint(error) !== "users.password_hash") throw error;
    throw new AppError("conflict", "Your password was changed in the meantime. Sign in again.");
  }
}

async function newPasswordProblem(
  app: AppContext,
  input: { user: StoredUser; password: string; digests: string[] },
): Promise<string | undefined> {
  const { user, password, digests } = input;
  const problem = passwordProblem(password, { ...user, agency: user.agencyName });
  if (problem) return problem;
  const isCurrent = await verifyPassword(password, app.config.pepper, user.passwordHash);
  if (isCurrent || (await wasUsedBefore(app.db, { userId: user.id, digests })))
    return `You cannot reuse any of your last ${PASSWORD_HISTORY} passwords.`;
  return undefined;
}
