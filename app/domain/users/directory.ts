// The users of an agency: listing, adding, changing roles, deleting. Access (disabling, unlocking, passwords) is in
// access.ts. A deleted user's name is reserved for a year.

import type { AppContext } from "#app/context.ts";
import { passwordProblem } from "#app/domain/accounts/passwords.ts";
import { auditRow, refuse } from "#app/domain/oversight/audit-act.ts";
import type { Role } from "#app/entities/accounts/access.ts";
import { type Actor, TEMPORARY_PASSWORD_MS } from "#app/entities/accounts/actor.ts";
import { domainOfEmail } from "#app/entities/accounts/single-sign-on.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ManagedUser, NewUser } from "#app/entities/users/directory.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { hashPassword, passwordDigests } from "#app/lib/crypto/passwords.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { removeSecretsIfDeleted } from "#app/store/accounts/second-factor.ts";
import { rememberPassword } from "#app/store/accounts/sign-in.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { revokeIfDisabled } from "#app/store/users/access.ts";
import { findAgency } from "#app/store/users/agencies.ts";
import {
  countUsers,
  findUsers,
  insertUsers,
  listForeignDomains,
  listTakenUsernames,
  listUsers,
  markDeleted,
  reserveUsername,
  type UserRow,
} from "#app/store/users/directory.ts";
import { revokeIfRoles, updateRoles } from "#app/store/users/roles.ts";
import { actIf, agencyIn, keptAdminError, type Reach, type Target, targetOf } from "./reach.ts";
import { scimTokenNotice } from "./scim/token.ts";

const RESERVED_MS = 365 * DAY;

/** Users read at once: a state may have 60,000, and the rows of all of them do not fit in the 128 MB of a Worker. */
const READ_AT_ONCE = 5_000;

/** Returns the users within reach, by name. */
export async function managedUsers(app: AppContext, actor: Actor, reach: Reach): Promise<ManagedUser[]> {
  const wanted = { agencyId: agencyIn(actor, reach), most: READ_AT_ONCE, now: app.clock() };
  const managed: ManagedUser[] = [];
  for (let after: UserRow | undefined; ; ) {
    const rows = await listUsers(app.db, { ...wanted, after });
    for (const row of rows) managed.push(toManaged(app, actor, row));
    if (rows.length < READ_AT_ONCE) return managed;
    after = rows.at(-1);
  }
}

/** Maximum number of users on one page. */
const MAX_SHOWN = 500;

/** Returns the first users within reach, by name, who match a text, and the number of all matches. */
export async function shownUsers(
  app: AppContext,
  actor: Actor,
  { reach, find }: { reach: Reach; find: string },
): Promise<{ users: ManagedUser[]; found: number; total: number }> {
  const agencyId = agencyIn(actor, reach);
  const rows = await findUsers(app.db, { agencyId, find, most: MAX_SHOWN, now: app.clock() });
  const found = rows.length < MAX_SHOWN ? rows.length : await countUsers(app.db, { agencyId, find });
  const total = find === "" ? found : await countUsers(app.db, { agencyId, find: "" });
  return { users: rows.map((row) => toManaged(app, actor, row)), found, total };
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
    lock: user.lockedAt === null ? null : lockOf({ ...user, lockedAt: user.lockedAt }),
    disabled: user.disabledAt === null ? null : (user.disabledBy ?? "administrator"),
    temporary_password: user.temporaryUntil !== null,
    second_factor: row.secondFactor === 1,
    sessions: row.sessions,
    is_self: user.id === actor.userId,
    is_owner: user.username === app.config.ownerUsername,
  };
}

function lockOf(user: { lockedAt: number } & Pick<UserRow["user"], "lockedFor" | "lockAddresses">) {
  return {
    at: user.lockedAt,
    applies_to: user.lockedFor ?? "everyone",
    addresses: user.lockAddresses ?? [],
  };
}

/**
 * POST /admin/add-user and POST /owner/add-user. The password is temporary and valid for a day. The agency defaults to
 * the administrator's own; the owner must name one. Throws AppError bad_request, conflict or not_found; refusals are
 * audited.
 */
export async function addUser(
  app: AppContext,
  actor: Actor,
  input: { user: NewUser; reach: Reach },
): Promise<{ msg: string; id: string; valid_until: number }> {
  const { user, reach } = input;
  const refused = (error: AppError) =>
    refuse(app, actor, { action: "user.add", object: user.username, error });
  const agencyId = user.agency_id || (reach === "agency" ? actor.agencyId : "");
  if (!agencyId) throw await refused(new AppError("bad_request", "Choose the agency."));
  const agency =
    agencyId === actor.agencyId || reach === "all" ? await findAgency(app.db, agencyId) : undefined;
  if (!agency) throw await refused(new AppError("not_found", "This agency does not exist."));
  if (user.username === app.config.ownerUsername)
    throw await refused(new AppError("conflict", "This username is taken.", { field: "username" }));
  const problem = passwordProblem(user.password, { ...user, agency: agency.name });
  if (problem) throw await refused(new AppError("bad_request", problem, { field: "password" }));
  const now = app.clock();
  const taken = await takenUsernames(app, {
    usernames: [user.username],
    agencyId: reach === "agency" ? agencyId : null,
  });
  if (taken.size > 0)
    throw await refused(
      new AppError("conflict", "This username is taken or was recently in use.", { field: "username" }),
    );
  const id = randomToken();
  const validUntil = now + TEMPORARY_PASSWORD_MS;
  const { username, name, email, role, password } = user;
  const { pepper } = app.config;
  const row = { id, agencyId, username, name, email, role, createdAt: now };
  const [digest] = await passwordDigests(password, pepper, id);
  await addInOneStep(app, [
    ...insertUsers(
      app.db,
      [
        {
          ...row,
          passwordHash: await hashPassword(password, pepper),
          temporaryUntil: validUntil,
        },
      ],
      auditRow(app, actor, { action: "user.add", object: "" }),
    ),
    ...rememberPassword(app.db, { userId: id, digest, at: now, keep: 1 }),
  ]);
  return { msg: MESSAGES.userAdded, id, valid_until: validUntil };
}

/**
 * Returns which of these usernames cannot be given to a new user: those in use or reserved. For an agency (`null` for
 * the owner), also addresses in another agency's email domain, which belong to that agency's people.
 */
export async function takenUsernames(
  app: AppContext,
  { usernames, agencyId }: { usernames: string[]; agencyId: string | null },
): Promise<Set<string>> {
  const taken = await listTakenUsernames(app.db, { usernames, now: app.clock() });
  if (agencyId === null) return taken;
  const domains = usernames.map(domainOfEmail).filter(Boolean);
  const foreign = await listForeignDomains(app.db, { agencyId, domains });
  return new Set([...taken, ...usernames.filter((name) => foreign.has(domainOfEmail(name)))]);
}

/**
 * Inserts users in one batch. Throws AppError conflict, with nothing written, if a username was taken in the meantime.
 */
export async function addInOneStep(app: AppContext, statements: Statement[]): Promise<void> {
  try {
    await inOneStep(app.db, nonEmpty(statements));
  } catch (error) {
    if (brokenConstraint(error) !== "users.username") throw error;
    throw new AppError("conflict", "A username was taken in the meantime. Nothing was saved.");
  }
}

/** PUT /admin/toggle-role/{id}. The user must sign in again, so that no session keeps the old rights. */
export async function changeRole(app: AppContext, actor: Actor, input: Target & { role: Role }) {
  const user = await targetOf(app, actor, { ...input, action: "user.role" });
  const { role } = input;
  if (user.role === role) return { msg: "Role updated", role };
  await actIf(app, actor, {
    action: "user.role",
    user,
    detail: { from: user.role, to: role },
    act: updateRoles(app.db, { agencyId: user.agencyId, ids: [user.id], role }),
    followedBy: [revokeIfRoles(app.db, { ids: [user.id], role, now: app.clock() })],
    otherwise: await keptAdminError(app, user.id),
  });
  return { msg: "Role updated", role, ...(role === "user" && (await scimTokenNotice(app, user))) };
}

/** DELETE /admin/delete-user/{id}. Takes effect at once; the username is reserved for a year (CJIS IA-4 d). */
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
      ...removeSecretsIfDeleted(app.db, user.id),
    ],
    otherwise: await keptAdminError(app, user.id),
  });
  return { msg: "User deleted", ...(await scimTokenNotice(app, user)) };
}
