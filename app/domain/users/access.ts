// Access of users: temporary passwords, disabling, unlocking, ending sessions, removing a lost second factor. Each
// change takes effect at the user's next request.

import type { AppContext } from "#app/context.ts";
import { passwordProblem } from "#app/domain/accounts/passwords.ts";
import { sessionsOf } from "#app/domain/accounts/profile.ts";
import { auditAct, auditRow, refuse } from "#app/domain/oversight/audit-act.ts";
import { type Actor, TEMPORARY_PASSWORD_MS } from "#app/entities/accounts/actor.ts";
import { PASSWORD_HISTORY } from "#app/entities/accounts/password-rules.ts";
import type { TemporaryPassword, UserSessions } from "#app/entities/users/directory.ts";
import {
  hashPassword,
  hashRandomPassword,
  passwordDigests,
  randomPassword,
} from "#app/lib/crypto/passwords.ts";
import { AppError } from "#app/lib/errors.ts";
import { removeAllAttempts } from "#app/store/accounts/attempts.ts";
import { forgetDevices } from "#app/store/accounts/devices.ts";
import { removeFactors } from "#app/store/accounts/second-factor.ts";
import { countSessions, revokeSessions } from "#app/store/accounts/sessions.ts";
import { rememberPassword, updatePassword } from "#app/store/accounts/sign-in.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { disableUser, enableUser, revokeIfDisabled, unlockUser } from "#app/store/users/access.ts";
import { findAgency } from "#app/store/users/agencies.ts";
import { findManagedUser, type ManagedRow } from "#app/store/users/directory.ts";
import { actIf, agencyIn, keptAdminError, type Target, targetOf } from "./reach.ts";
import { scimTokenNotice } from "./scim/token.ts";

/**
 * Sets a temporary password, valid for a day: the caller's choice if given, otherwise random. Ends every session of the
 * user and forgets all known devices. Throws AppError bad_request, audited, if the chosen password does not meet the
 * rules; it is never replaced by another.
 */
export async function resetPassword(
  app: AppContext,
  actor: Actor,
  input: Target & { password?: string | null },
): Promise<TemporaryPassword & { msg: string }> {
  const user = await targetOf(app, actor, { ...input, action: "password.reset" });
  const now = app.clock();
  const validUntil = now + TEMPORARY_PASSWORD_MS;
  const { password, passwordHash, remember } = await temporaryPassword(app, actor, {
    user,
    chosen: input.password || undefined,
  });
  await inOneStep(app.db, [
    updatePassword(app.db, {
      userId: user.id,
      passwordHash,
      at: now,
      temporaryUntil: validUntil,
      listVersion: null,
    }),
    ...remember,
    revokeSessions(app.db, { userId: user.id, now }),
    forgetDevices(app.db, user.id),
    auditAct(app, actor, {
      action: "password.reset",
      object: user.id,
      detail: { username: user.username },
    }),
  ]);
  return {
    msg: "Password reset",
    username: user.username,
    temporary_password: password,
    valid_until: validUntil,
  };
}

/**
 * Returns the temporary password and its hash. A chosen one is added to the history, so that the user cannot keep it as
 * their own.
 */
async function temporaryPassword(
  app: AppContext,
  actor: Actor,
  input: { user: ManagedRow; chosen: string | undefined },
) {
  const { user, chosen } = input;
  const { pepper } = app.config;
  if (chosen === undefined) {
    const password = randomPassword();
    return { password, passwordHash: await hashRandomPassword(password, pepper), remember: [] };
  }
  const agency = (await findAgency(app.db, user.agencyId))?.name ?? "";
  const problem = passwordProblem(chosen, { ...user, agency });
  if (problem) {
    const error = new AppError("bad_request", problem);
    throw await refuse(app, actor, { action: "password.reset", object: user.id, error });
  }
  const [digest] = await passwordDigests(chosen, pepper, user.id);
  const kept = { userId: user.id, digest, at: app.clock(), keep: PASSWORD_HISTORY };
  return {
    password: chosen,
    passwordHash: await hashPassword(chosen, pepper),
    remember: rememberPassword(app.db, kept),
  };
}

/** PUT /admin/disable-user/{id}. Disabling ends every session at once; enabling lets the user sign in again. */
export async function setDisabled(app: AppContext, actor: Actor, input: Target & { disabled: boolean }) {
  const { disabled } = input;
  const action = disabled ? "user.disable" : "user.enable";
  const user = await targetOf(app, actor, { ...input, action, mayBeOwner: !disabled });
  const now = app.clock();
  // The provider could enable the user again until an administrator disables the user as well.
  const isByProvider = disabled && user.disabledBy === "identity provider";
  if ((user.disabledAt !== null) === disabled && !isByProvider)
    return { msg: disabled ? "User disabled" : "User enabled" };
  await actIf(app, actor, {
    action,
    user,
    act: disabled ? disableUser(app.db, { id: user.id, now }) : enableUser(app.db, { id: user.id, now }),
    followedBy: [revokeIfDisabled(app.db, { userId: user.id, now })],
    otherwise: await keptAdminError(app, user.id),
  });
  return disabled ? { msg: "User disabled", ...(await scimTokenNotice(app, user)) } : { msg: "User enabled" };
}

/**
 * POST /admin/unlock-user/{id}: unlocks an account that failed sign-ins have locked (CJIS AC-7). The owner can also
 * unlock their own account: they are signed in on a known device with a step-up, while strangers locked the account for
 * unknown devices.
 */
export async function unlock(app: AppContext, actor: Actor, target: Target) {
  const user = await targetOf(app, actor, {
    ...target,
    action: "user.unlock",
    mayBeOwner: true,
    mayBeSelf: actor.isOwner,
  });
  await actIf(app, actor, {
    action: "user.unlock",
    user,
    act: unlockUser(app.db, user.id),
    followedBy: [removeAllAttempts(app.db, user.id)],
    otherwise: new AppError("conflict", "This account is not locked."),
  });
  return { msg: "Account unlocked" };
}

/** POST /admin/end-sessions/{id}. */
export async function endSessions(app: AppContext, actor: Actor, target: Target) {
  const user = await targetOf(app, actor, { ...target, action: "session.end" });
  const entry = auditRow(app, actor, {
    action: "session.end",
    object: user.id,
    detail: { username: user.username, sessions: "all" },
  });
  await inOneStep(app.db, [
    revokeSessions(app.db, { userId: user.id, now: app.clock() }),
    insertAudit(app.db, entry),
  ]);
  return { msg: "Sessions ended" };
}

/** GET /admin/sessions/{id}: all sessions, or the first ones that were used last, and how many there are. */
export async function userSessions(
  app: AppContext,
  actor: Actor,
  { id, reach, limit }: Target & { limit: number | undefined },
): Promise<UserSessions> {
  const user = await findManagedUser(app.db, { id, agencyId: agencyIn(actor, reach) });
  if (!user) throw new AppError("not_found", "This user does not exist.");
  const [sessions, total] = await Promise.all([
    sessionsOf(app, { userId: user.id, currentId: actor.sessionId, limit }),
    countSessions(app.db, { userId: user.id, now: app.clock() }),
  ]);
  return { sessions, total };
}

/** POST /admin/reset-second-factor/{id}: for a lost phone. Ends every session of the user. */
export async function resetSecondFactor(app: AppContext, actor: Actor, target: Target) {
  const user = await targetOf(app, actor, { ...target, action: "second-factor.remove" });
  const entry = auditRow(app, actor, {
    action: "second-factor.remove",
    object: user.id,
    detail: { username: user.username, kind: "all" },
  });
  await inOneStep(app.db, [
    ...removeFactors(app.db, user.id),
    revokeSessions(app.db, { userId: user.id, now: app.clock() }),
    insertAudit(app.db, entry),
  ]);
  return { msg: "Second factor removed" };
}
