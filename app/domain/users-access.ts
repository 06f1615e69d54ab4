// Letting users in and keeping them out: temporary passwords, disabling, unlocking, ending sessions, taking a lost second
// factor away. Each of them counts at the user's next request.

import type { AppContext } from "#app/context.ts";
import { type Actor, type SessionSummary, TEMPORARY_PASSWORD_MS } from "#app/entities/account.ts";
import type { TemporaryPassword } from "#app/entities/user.ts";
import { AppError } from "#app/lib/errors.ts";
import { hashRandomPassword, randomPassword } from "#app/lib/passwords.ts";
import { updatePassword } from "#app/store/account.ts";
import { removeAttempts } from "#app/store/account-attempts.ts";
import { removeFactors } from "#app/store/account-factors.ts";
import { insertAudit } from "#app/store/audit.ts";
import { inOneStep } from "#app/store/database.ts";
import { revokeSessions } from "#app/store/sessions.ts";
import { disableUser, enableUser, findManagedUser, revokeIfDisabled, unlockUser } from "#app/store/users.ts";
import { sessionsOf } from "./account-profile.ts";
import { actIf, agencyIn, lastAdmin, type Target, targetOf, userEntry } from "./users-reach.ts";

/** Gives a random password that is shown once and valid for a day; every session of the user is over. */
export async function resetPassword(
  app: AppContext,
  actor: Actor,
  target: Target,
): Promise<TemporaryPassword & { msg: string }> {
  const user = await targetOf(app, actor, { ...target, action: "password.reset" });
  const now = app.clock();
  const password = randomPassword();
  const validUntil = now + TEMPORARY_PASSWORD_MS;
  const { pepper } = app.config;
  await inOneStep(app.db, [
    updatePassword(app.db, {
      userId: user.id,
      passwordHash: await hashRandomPassword(password, pepper),
      at: now,
      temporaryUntil: validUntil,
      listVersion: null,
    }),
    revokeSessions(app.db, { userId: user.id, now }),
    insertAudit(
      app.db,
      userEntry(app, actor, {
        action: "password.reset",
        object: user.id,
        detail: { username: user.username },
      }),
    ),
  ]);
  return {
    msg: "Password reset",
    username: user.username,
    temporary_password: password,
    valid_until: validUntil,
  };
}

/** PUT /admin/disable-user/{id}: disabling ends every session at once, enabling lets the user sign in again. */
export async function setDisabled(app: AppContext, actor: Actor, input: Target & { disabled: boolean }) {
  const { disabled } = input;
  const action = disabled ? "user.disable" : "user.enable";
  const user = await targetOf(app, actor, { ...input, action, mayBeOwner: !disabled });
  const now = app.clock();
  if ((user.disabledAt !== null) === disabled) return { msg: disabled ? "User disabled" : "User enabled" };
  await actIf(app, actor, {
    action,
    user,
    act: disabled ? disableUser(app.db, { id: user.id, now }) : enableUser(app.db, { id: user.id, now }),
    followedBy: [revokeIfDisabled(app.db, { userId: user.id, now })],
    otherwise: lastAdmin(),
  });
  return { msg: disabled ? "User disabled" : "User enabled" };
}

/** POST /admin/unlock-user/{id}: releases an account that failed sign-ins have locked (CJIS AC-7). */
export async function unlock(app: AppContext, actor: Actor, target: Target) {
  const user = await targetOf(app, actor, { ...target, action: "user.unlock", mayBeOwner: true });
  await actIf(app, actor, {
    action: "user.unlock",
    user,
    act: unlockUser(app.db, user.id),
    followedBy: [removeAttempts(app.db, user.id)],
    otherwise: new AppError("conflict", "This account is not locked."),
  });
  return { msg: "Account unlocked" };
}

/** POST /admin/end-sessions/{id}. */
export async function endSessions(app: AppContext, actor: Actor, target: Target) {
  const user = await targetOf(app, actor, { ...target, action: "session.end" });
  const entry = userEntry(app, actor, {
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

/** GET /admin/sessions/{id}. */
export async function userSessions(
  app: AppContext,
  actor: Actor,
  { id, reach }: Target,
): Promise<{ sessions: SessionSummary[] }> {
  const user = await findManagedUser(app.db, { id, agencyId: agencyIn(actor, reach) });
  if (!user) throw new AppError("not_found", "There is no such user.");
  return { sessions: await sessionsOf(app, user.id, actor.sessionId) };
}

/** POST /admin/reset-second-factor/{id}: for a lost telephone; every session of the user is over. */
export async function resetSecondFactor(app: AppContext, actor: Actor, target: Target) {
  const user = await targetOf(app, actor, { ...target, action: "second-factor.remove" });
  const entry = userEntry(app, actor, {
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
