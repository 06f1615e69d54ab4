// Service accounts of an agency: programs that call Odin with a token of their own. An administrator grants at most the
// permissions that they have themself, and is responsible for the tokens that they create: without an active user who
// could still grant the permissions, a token does not work. A token is shown once and stored as a hash; it is valid for
// at most a year. After a rotation the former one works for a chosen time, so that the program can change over.

import type { AppContext } from "#app/context.ts";
import { secretOnce } from "#app/domain/operations/idempotency.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { grantableScopes, SERVICE_SCOPES, type ServiceScope } from "#app/entities/accounts/service-scopes.ts";
import {
  MAX_SERVICE_ACCOUNTS,
  mayAnswerFor,
  type NewServiceAccount,
  type ServiceAccountFields,
  type ServiceAccountRow,
  type ServiceRotation,
} from "#app/entities/integrations/service-accounts.ts";
import { randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY, HOUR, isoTime } from "#app/lib/time/dates.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import {
  type AnsweredAccount,
  findServiceAccount,
  insertServiceAccount,
  listServiceAccounts,
  removeServiceAccount,
  rotateServiceToken,
  updateServiceAccount,
} from "#app/store/integrations/service-accounts.ts";

/** A token for the only response that contains it. */
export type ShownToken = { id: string; token: string; expires_at: number; msg: string };

/** GET /service-accounts: the agency's accounts by name, without their tokens. */
export async function serviceAccountsOf(app: AppContext, actor: Actor): Promise<ServiceAccountRow[]> {
  return listServiceAccounts(app.db, { agencyId: actor.agencyId, now: app.clock() });
}

/** Returns one account as the screens show it. Throws AppError not_found. */
export async function serviceAccount(app: AppContext, actor: Actor, id: string): Promise<ServiceAccountRow> {
  const [row] = await listServiceAccounts(app.db, { agencyId: actor.agencyId, now: app.clock(), id });
  if (!row) throw notFound();
  return row;
}

const notFound = () => new AppError("not_found", "There is no such service account.");

async function requireAccount(app: AppContext, actor: Actor, id: string): Promise<AnsweredAccount> {
  const account = await findServiceAccount(app.db, { id, agencyId: actor.agencyId });
  if (!account) throw notFound();
  return account;
}

/**
 * POST /service-accounts: adds an account. Its token is in this response and never shown again. Throws AppError
 * forbidden for permissions that the actor does not have, and conflict if the name is taken or the agency has too many
 * accounts.
 */
export async function addServiceAccount(
  app: AppContext,
  actor: Actor,
  { idempotency_key, ...fields }: NewServiceAccount,
): Promise<ShownToken> {
  requireGrantable(actor, fields.scopes);
  return secretOnce(app, {
    actor,
    key: idempotency_key,
    content: { what: "a service account", fields },
    again: `${fields.name} was added already. Its token cannot be shown again. Create a new token on its page.`,
    work: (noted) => insertAccount(app, actor, { fields, noted }),
  });
}

async function insertAccount(
  app: AppContext,
  actor: Actor,
  { fields: { valid_days, ...fields }, noted }: { fields: NewServiceAccount; noted: Statement[] },
): Promise<ShownToken> {
  const now = app.clock();
  const id = randomToken();
  const made = await newToken();
  const expiresAt = now + valid_days * DAY;
  const after = { ...shownFields(columnsOf(fields)), expires: isoTime(expiresAt) };
  const row = {
    id,
    agencyId: actor.agencyId,
    ...columnsOf(fields),
    ...made.columns,
    createdAt: now,
    createdBy: actor.userId,
    tokenBy: actor.userId,
    expiresAt,
  };
  await writeNamed(app, [
    insertServiceAccount(app.db, row, MAX_SERVICE_ACCOUNTS),
    auditIfChanged(app, actor, { action: "service-account.add", object: id, detail: { after } }),
    ...noted,
  ]);
  return {
    id,
    token: made.token,
    expires_at: expiresAt,
    msg: `The service account ${fields.name} was added`,
  };
}

async function newToken() {
  const token = `odin_sa_${randomToken(32)}`;
  return { token, columns: { tokenHash: await sha256(token), tokenLast4: token.slice(-4) } };
}

/** Throws AppError forbidden if the actor does not have all these permissions. */
function requireGrantable(actor: Actor, scopes: readonly ServiceScope[]): void {
  const own = grantableScopes(actor);
  const beyond = SERVICE_SCOPES.filter(({ value }) => scopes.includes(value) && !own.includes(value));
  if (beyond.length === 0) return;
  const names = beyond.map(({ label }) => `“${label}”`).join(", ");
  const message = `You do not have the permission ${names} yourself, so you cannot give it to a service account.`;
  throw new AppError("forbidden", message, { field: "scopes", details: { field: "scopes" } });
}

function columnsOf({ name, scopes, addresses, per_minute }: Required<ServiceAccountFields>) {
  const inOrder = SERVICE_SCOPES.map(({ value }) => value).filter((value) => scopes.includes(value));
  return {
    name: visibleText(name),
    scopes: inOrder,
    addresses: [...new Set(addresses)],
    perMinute: per_minute,
  };
}

function shownFields({ name, scopes, addresses, perMinute }: ReturnType<typeof columnsOf>) {
  return { name, scopes, addresses, per_minute: perMinute };
}

/** Throws AppError conflict if the agency has an account of this name, or too many accounts. */
async function writeNamed(app: AppContext, statements: [Statement, ...Statement[]]): Promise<void> {
  try {
    await inOneStep(app.db, statements);
  } catch (error) {
    const broken = brokenConstraint(error);
    if (broken === "service_accounts.created_at")
      throw new AppError("conflict", `An agency can have at most ${MAX_SERVICE_ACCOUNTS} service accounts.`);
    if (broken !== "service_accounts_name") throw error;
    throw new AppError("conflict", "Your agency has a service account of this name.", { field: "name" });
  }
}

/**
 * PUT /service-accounts/{id}: replaces name and permissions, and addresses and limit if they are given. Throws AppError
 * forbidden for new permissions that the actor does not have, not_found, and conflict if the name is taken.
 */
export async function changeServiceAccount(
  app: AppContext,
  actor: Actor,
  { id, fields }: { id: string; fields: ServiceAccountFields },
): Promise<{ msg: string }> {
  const account = await requireAccount(app, actor, id);
  requireGrantable(
    actor,
    fields.scopes.filter((scope) => !account.scopes.includes(scope)),
  );
  const { addresses = account.addresses, per_minute = account.perMinute } = fields;
  const columns = columnsOf({ ...fields, addresses, per_minute });
  await writeNamed(app, [
    updateServiceAccount(app.db, { id, agencyId: actor.agencyId }, columns),
    auditIfChanged(app, actor, {
      action: "service-account.change",
      object: id,
      detail: { before: shownFields(account), after: shownFields(columns) },
    }),
  ]);
  return { msg: `${columns.name} was saved` };
}

/**
 * POST /service-accounts/{id}/rotate: creates a new token, valid from now. The present token works for `overlap_hours`
 * more, but not beyond its own expiry, and not if its responsible user may no longer answer for it; a token that was
 * replaced earlier stops now. The actor is responsible for the new token, the user who created the present one stays
 * responsible for that one. Throws AppError forbidden for an account with permissions that the actor does not have,
 * not_found, and conflict if someone else rotated at the same time.
 */
export async function rotateServiceAccount(
  app: AppContext,
  actor: Actor,
  { id, rotation }: { id: string; rotation: ServiceRotation },
): Promise<ShownToken> {
  const account = await requireAccount(app, actor, id);
  requireGrantable(actor, account.scopes);
  const now = app.clock();
  const made = await newToken();
  const expiresAt = now + rotation.valid_days * DAY;
  const until = Math.min(now + rotation.overlap_hours * HOUR, account.expiresAt);
  // A token that stopped because its responsible user left must not work again.
  const overlaps = until > now && mayAnswerFor(account.scopes, account.responsible, account.investigators);
  await inOneStep(app.db, [
    rotateServiceToken(
      app.db,
      { id, agencyId: actor.agencyId, tokenHash: account.tokenHash },
      {
        ...made.columns,
        tokenBy: actor.userId,
        formerHash: account.tokenHash,
        formerBy: account.tokenBy,
        formerUntil: overlaps ? until : now,
        rotatedAt: now,
        expiresAt,
      },
    ),
    auditIfChanged(app, actor, {
      action: "service-account.rotate",
      object: id,
      detail: {
        name: account.name,
        expires: isoTime(expiresAt),
        former_until: overlaps ? isoTime(until) : null,
      },
    }),
  ]);
  const after = await findServiceAccount(app.db, { id, agencyId: actor.agencyId });
  if (after?.tokenHash !== made.columns.tokenHash)
    throw new AppError("conflict", "Someone else has just created a new token, or deleted the account.");
  return { id, token: made.token, expires_at: expiresAt, msg: `${account.name} has a new token` };
}

/** POST /service-accounts/{id}/on: enables an account, or disables it at once. Throws AppError not_found. */
export async function switchServiceAccount(
  app: AppContext,
  actor: Actor,
  { id, on }: { id: string; on: boolean },
): Promise<{ msg: string }> {
  const { name } = await requireAccount(app, actor, id);
  await inOneStep(app.db, [
    updateServiceAccount(app.db, { id, agencyId: actor.agencyId }, { disabledAt: on ? null : app.clock() }),
    auditIfChanged(app, actor, {
      action: `service-account.${on ? "on" : "off"}`,
      object: id,
      detail: { name },
    }),
  ]);
  return { msg: `${name} was ${on ? "enabled" : "disabled"}` };
}

/** DELETE /service-accounts/{id}: deletes an account with its tokens. Throws AppError not_found. */
export async function deleteServiceAccount(
  app: AppContext,
  actor: Actor,
  id: string,
): Promise<{ msg: string }> {
  const account = await requireAccount(app, actor, id);
  await inOneStep(app.db, [
    removeServiceAccount(app.db, { id, agencyId: actor.agencyId }),
    auditIfChanged(app, actor, {
      action: "service-account.delete",
      object: id,
      detail: { before: shownFields(account) },
    }),
  ]);
  return { msg: `${account.name} was deleted` };
}
