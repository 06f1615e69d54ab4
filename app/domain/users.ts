// Administration of users. The tenant comes from the session alone: a user of another agency does not exist. Nobody
// acts on themselves, nobody but the owner on the owner, and an agency keeps its last administrator.

import type { AppContext } from "#app/context.ts";
import type { Role } from "#app/entities/access.ts";
import { type Actor, type SessionSummary, TEMPORARY_PASSWORD_MS } from "#app/entities/account.ts";
import { type AuditAction, type AuditEntry, auditWho } from "#app/entities/audit.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ManagedUser, NewUser, TemporaryPassword } from "#app/entities/user.ts";
import { randomToken } from "#app/lib/crypto.ts";
import { DAY } from "#app/lib/dates.ts";
import { AppError } from "#app/lib/errors.ts";
import { hashPassword, hashRandomPassword, passwordDigest, randomPassword } from "#app/lib/passwords.ts";
import { rememberPassword, revokeSessions, updatePassword } from "#app/store/account.ts";
import { removeAttempts } from "#app/store/account-attempts.ts";
import { removeFactors } from "#app/store/account-factors.ts";
import { findAgency } from "#app/store/agencies.ts";
import { insertAudit, insertAuditIfChanged } from "#app/store/audit.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import {
  disableUser,
  enableUser,
  findManagedUser,
  insertUsers,
  listTakenUsernames,
  listUsers,
  markDeleted,
  reserveUsername,
  revokeIfDisabled,
  revokeIfRole,
  type UserRow,
  unlockUser,
  updateRole,
} from "#app/store/users.ts";
import { passwordProblem } from "./account-passwords.ts";
import { sessionsOf } from "./account-profile.ts";

/** How far an administrator's or the owner's hand reaches: their own agency, or all. */
export type Reach = "agency" | "all";

const RESERVED_MS = 365 * DAY;

const agencyIn = (actor: Actor, reach: Reach) => (reach === "all" && actor.isOwner ? null : actor.agencyId);

export function userEntry(
  app: AppContext,
  actor: Actor,
  act: { action: AuditAction; object: string; detail?: Record<string, unknown> },
): AuditEntry {
  return { ...auditWho(actor), at: app.clock(), outcome: "ok", ...act };
}

/** The users within reach, by name. */
export async function managedUsers(app: AppContext, actor: Actor, reach: Reach): Promise<ManagedUser[]> {
  const rows = await listUsers(app.db, { agencyId: agencyIn(actor, reach), now: app.clock() });
  return rows.map((row) => toManaged(app, actor, row));
}

function toManaged(app: AppContext, actor: Actor, row: UserRow): ManagedUser {
  const { user, agencyName } = row;
  return {
    id: user.id,
    username: user.username,
    name: user.name,
    email: user.email,
    role: user.role,
    department: agencyName,
    agency_id: user.agencyId,
    created_at: user.createdAt,
    last_sign_in_at: user.lastSignInAt,
    locked: user.lockedAt !== null,
    disabled: user.disabledAt === null ? null : (user.disabledBy ?? "administrator"),
    temporary_password: user.temporaryUntil !== null,
    second_factor: row.secondFactor === 1,
    sessions: row.sessions,
    is_self: user.id === actor.userId,
    is_owner: user.username === app.config.ownerUsername,
  };
}

/**
 * POST /admin/add-user and POST /owner/add-user. The password is temporary whoever chose it, and valid for a day.
 * Throws AppError bad_request, conflict or not_found; refusals are audited.
 */
export async function addUser(
  app: AppContext,
  actor: Actor,
  input: { user: NewUser; reach: Reach },
): Promise<{ msg: string; id: string }> {
  const { user, reach } = input;
  const agencyId = user.agency_id || actor.agencyId;
  const agency =
    agencyId === actor.agencyId || reach === "all" ? await findAgency(app.db, agencyId) : undefined;
  const refused = (error: AppError) =>
    refuse(app, actor, { action: "user.add", object: user.username, error });
  if (!agency) throw await refused(new AppError("not_found", "There is no such agency."));
  if (user.username === app.config.ownerUsername)
    throw await refused(new AppError("conflict", "This username is taken."));
  const problem = passwordProblem(user.password, { ...user, agency: agency.name });
  if (problem) throw await refused(new AppError("bad_request", problem));
  const now = app.clock();
  const taken = await listTakenUsernames(app.db, { usernames: [user.username], now });
  if (taken.size > 0)
    throw await refused(new AppError("conflict", "This username is taken, or was until not long ago."));
  const id = randomToken();
  const { username, name, email, role, password } = user;
  const { pepper } = app.config;
  const row = { id, agencyId, username, name, email, role, createdAt: now };
  const digest = await passwordDigest(password, pepper, id);
  await addInOneStep(app, [
    ...insertUsers(
      app.db,
      [
        {
          ...row,
          passwordHash: await hashPassword(password, pepper),
          temporaryUntil: now + TEMPORARY_PASSWORD_MS,
        },
      ],
      userEntry(app, actor, { action: "user.add", object: "" }),
    ),
    ...rememberPassword(app.db, { userId: id, digest, at: now, keep: 1 }),
  ]);
  return { msg: MESSAGES.userAdded, id };
}

/** Runs inserts of users; a name that somebody took in between is a conflict, and nothing is written. */
export async function addInOneStep(app: AppContext, statements: Statement[]): Promise<void> {
  try {
    await inOneStep(app.db, statements as [Statement, ...Statement[]]);
  } catch (error) {
    const text = `${(error as Error).message} ${((error as Error).cause as Error | undefined)?.message ?? ""}`;
    if (!/UNIQUE constraint failed: users\.username/.test(text)) throw error;
    throw new AppError("conflict", "A username was taken meanwhile. Nothing was written.");
  }
}

/** Writes a refusal down and gives the error back, to be thrown. */
export async function refuse(
  app: AppContext,
  actor: Actor,
  input: { action: AuditAction; object: string; error: AppError },
): Promise<AppError> {
  const { action, object, error } = input;
  const entry = userEntry(app, actor, { action, object, detail: { reason: error.message } });
  await inOneStep(app.db, [insertAudit(app.db, { ...entry, outcome: "refused" })]);
  return error;
}

type Target = { id: string; reach: Reach };

/** The user that an act is about. Throws AppError not_found or forbidden; a refusal is audited. */
async function targetOf(
  app: AppContext,
  actor: Actor,
  input: Target & { action: AuditAction; mayBeOwner?: boolean },
) {
  const { id, reach, action } = input;
  const refused = (error: AppError) => refuse(app, actor, { action, object: id.slice(0, 100), error });
  const user = await findManagedUser(app.db, { id, agencyId: agencyIn(actor, reach) });
  if (!user) throw await refused(new AppError("not_found", "There is no such user."));
  if (user.id === actor.userId)
    throw await refused(new AppError("forbidden", "You cannot do this to yourself."));
  if (user.username === app.config.ownerUsername && !input.mayBeOwner)
    throw await refused(new AppError("forbidden", "Only the owner manages the owner's account."));
  return user;
}

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

const lastAdmin = () => new AppError("conflict", "An agency keeps at least one administrator.");

/** Runs an act whose first statement has a condition. Throws the error where the condition did not hold, audited. */
async function actIf(
  app: AppContext,
  actor: Actor,
  input: {
    action: AuditAction;
    user: { id: string; username: string };
    detail?: Record<string, unknown>;
    act: Statement;
    followedBy: Statement[];
    otherwise: AppError;
  },
): Promise<void> {
  const { action, user, act, followedBy, otherwise } = input;
  const detail = { username: user.username, ...input.detail };
  const entry = userEntry(app, actor, { action, object: user.id, detail });
  const [done] = (await inOneStep(app.db, [act, insertAuditIfChanged(app.db, entry), ...followedBy])) as [
    D1Result,
  ];
  if (done.meta.changes === 0) throw await refuse(app, actor, { action, object: user.id, error: otherwise });
}

/** PUT /admin/toggle-role/{id}. The user signs in anew, so that no session keeps the old rights. */
export async function changeRole(app: AppContext, actor: Actor, input: Target & { role: Role }) {
  const user = await targetOf(app, actor, { ...input, action: "user.role" });
  const { role } = input;
  if (user.role === role) return { msg: "Role updated", role };
  await actIf(app, actor, {
    action: "user.role",
    user,
    detail: { from: user.role, to: role },
    act: updateRole(app.db, { id: user.id, role }),
    followedBy: [revokeIfRole(app.db, { userId: user.id, role, now: app.clock() })],
    otherwise: lastAdmin(),
  });
  return { msg: "Role updated", role };
}

/** DELETE /admin/delete-user/{id}: over at once; the name is not given out again for a year (CJIS IA-4 d). */
export async function deleteUser(app: AppContext, actor: Actor, target: Target) {
  const user = await targetOf(app, actor, { ...target, action: "user.delete" });
  const now = app.clock();
  await actIf(app, actor, {
    action: "user.delete",
    user,
    act: markDeleted(app.db, { id: user.id, now }),
    followedBy: [
      reserveUsername(app.db, { userId: user.id, username: user.username, until: now + RESERVED_MS }),
      revokeIfDisabled(app.db, { userId: user.id, now }),
    ],
    otherwise: lastAdmin(),
  });
  return { msg: "User deleted" };
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
