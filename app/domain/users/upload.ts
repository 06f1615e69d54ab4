// The bulk upload of users. Every row is validated before anything is written; then all rows are written or none. Each
// user gets a temporary password, which is not stored. It is derived from the uploader and the user's random id, so that
// the same file, sent again after a lost answer, gets the same passwords.

import type { AppContext } from "#app/context.ts";
import { auditAct, auditNow, auditRow, refuse } from "#app/domain/oversight/audit-act.ts";
import { type Actor, TEMPORARY_PASSWORD_MS } from "#app/entities/accounts/actor.ts";
import {
  MAX_UPLOADED_USERS,
  UPLOAD_ALIASES,
  UPLOAD_COLUMNS,
  UPLOAD_IGNORED,
  UploadedUser,
} from "#app/entities/users/calls.ts";
import type { RowProblem, TemporaryPassword } from "#app/entities/users/directory.ts";
import { derivedPassword, hashRandomPassword, isRandomPassword } from "#app/lib/crypto/passwords.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { readCsv } from "#app/lib/files/csv.ts";
import {
  insertUsers,
  listUsersByName,
  type ManagedRow,
  type NewUserRow,
} from "#app/store/users/directory.ts";
import { addInOneStep, takenUsernames } from "./directory.ts";

/** The template of GET /download-template: the header and an example row. */
export const USERS_TEMPLATE = [
  UPLOAD_COLUMNS,
  ["jdoe", "Jane Doe", "jane.doe@agency.example", "user"],
] as const;

export type Uploaded =
  | { problems: RowProblem[] }
  | { problems: []; users: TemporaryPassword[]; valid_until: number };

/**
 * Returns the valid rows of a file, and the problems of the other rows by line. Pure: reads neither the store nor the
 * clock.
 */
export function validateRows(bytes: Uint8Array): {
  users: { line: number; user: UploadedUser }[];
  problems: RowProblem[];
} {
  const { rows, problems } = readCsv(bytes, {
    required: UPLOAD_COLUMNS,
    aliases: UPLOAD_ALIASES,
    ignored: UPLOAD_IGNORED,
    mostRows: MAX_UPLOADED_USERS,
  });
  const users: { line: number; user: UploadedUser }[] = [];
  const all = [...problems];
  const first = new Map<string, number>();
  for (const { line, values } of rows) {
    const parsed = UploadedUser.safeParse(values);
    if (!parsed.success) {
      all.push({ line, reason: parsed.error.issues.map(({ message }) => message).join(" ") });
      continue;
    }
    const earlier = first.get(parsed.data.username);
    if (earlier !== undefined) {
      all.push({ line, reason: `Username ${parsed.data.username} is already in line ${earlier}.` });
      continue;
    }
    first.set(parsed.data.username, line);
    users.push({ line, user: parsed.data });
  }
  return { users, problems: all.sort((a, b) => a.line - b.line) };
}

/**
 * POST /bulk-upload-users. If the actor has added all of these users by a file, and none of their passwords was changed
 * since, returns them again. Refusals are audited. Throws AppError conflict if a username was taken in the meantime.
 */
export async function uploadUsers(
  app: AppContext,
  actor: Actor,
  input: { bytes: Uint8Array },
): Promise<Uploaded> {
  const { users, problems } = validateRows(input.bytes);
  const now = app.clock();
  const usernames = users.map(({ user }) => user.username);
  const taken = await takenUsernames(app, { usernames, agencyId: actor.agencyId });
  taken.add(app.config.ownerUsername);
  const clashes = users.flatMap(({ line, user }) =>
    taken.has(user.username)
      ? [{ line, reason: `Username ${user.username} is taken or was recently in use.` }]
      : [],
  );
  const wrong = [...problems, ...clashes].sort((a, b) => a.line - b.line);
  if (wrong.length > 0) {
    const before = problems.length === 0 ? await uploadedBefore(app, actor, users) : undefined;
    if (before) return before;
    const error = new AppError(
      "bad_request",
      wrong.length === 1 ? "1 row is wrong" : `${wrong.length} rows are wrong`,
    );
    await refuse(app, actor, { action: "user.upload", object: "", error });
    return { problems: wrong };
  }
  const validUntil = now + TEMPORARY_PASSWORD_MS;
  const made = await Promise.all(
    users.map(async ({ user }) => {
      const id = randomToken();
      const password = await initialPassword(app, actor, id);
      const row: NewUserRow = {
        ...user,
        id,
        agencyId: actor.agencyId,
        passwordHash: await hashRandomPassword(password, app.config.pepper),
        temporaryUntil: validUntil,
        createdAt: now,
      };
      return { row, password };
    }),
  );
  await addInOneStep(app, [
    ...insertUsers(
      app.db,
      made.map(({ row }) => row),
      auditRow(app, actor, { action: "user.add", object: "" }),
    ),
    auditAct(app, actor, { action: "user.upload", object: "", detail: { users: made.length } }),
  ]);
  return {
    problems: [],
    valid_until: validUntil,
    users: made.map(({ row, password }) => ({
      username: row.username,
      temporary_password: password,
      valid_until: validUntil,
    })),
  };
}

function initialPassword(app: AppContext, actor: Actor, id: string): Promise<string> {
  return derivedPassword(app.config.pepper, `${actor.userId}:${id}`);
}

/** Returns the answer of an earlier upload of the same file, or undefined if there was none or it is no longer true. */
async function uploadedBefore(
  app: AppContext,
  actor: Actor,
  rows: readonly { user: UploadedUser }[],
): Promise<Uploaded | undefined> {
  const { agencyId } = actor;
  const usernames = rows.map(({ user }) => user.username);
  const found = await listUsersByName(app.db, { agencyId, usernames });
  const byName = new Map(found.map((row) => [row.username, row]));
  const users: TemporaryPassword[] = [];
  for (const { user } of rows) {
    const row = byName.get(user.username);
    const known = row && isSame(row, user) ? await unchanged(app, actor, row) : undefined;
    if (!known) return undefined;
    users.push(known);
  }
  await auditNow(app, actor, {
    action: "user.upload",
    object: "",
    detail: { users: users.length, again: true },
  });
  return { problems: [], valid_until: Math.min(...users.map(({ valid_until }) => valid_until)), users };
}

function isSame(row: ManagedRow, { name, email, role }: UploadedUser): boolean {
  return row.name === name && row.email === email && row.role === role;
}

async function unchanged(
  app: AppContext,
  actor: Actor,
  { id, username, temporaryUntil, passwordHash }: ManagedRow,
): Promise<TemporaryPassword | undefined> {
  if (temporaryUntil === null || temporaryUntil <= app.clock()) return undefined;
  const password = await initialPassword(app, actor, id);
  if (!(await isRandomPassword(password, app.config.pepper, passwordHash))) return undefined;
  return { username, temporary_password: password, valid_until: temporaryUntil };
}
