// Service accounts of agencies, and the person whom one acts for. The tenant is part of every condition except the
// search by a token, which determines the tenant.

import { and, asc, eq, inArray, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Role } from "#app/entities/accounts/access.ts";
import {
  mayAnswerFor,
  type ResponsibleUser,
  type ServiceAccountRow,
} from "#app/entities/integrations/service-accounts.ts";
import type { Investigators } from "#app/entities/users/policy.ts";
import { compareNames } from "#app/lib/text.ts";
import { ACTOR_COLUMNS } from "#app/store/accounts/sessions.ts";
import { unlessFull } from "#app/store/constraints.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies, users } from "#app/store/schema/accounts.ts";
import { serviceAccounts } from "#app/store/schema/integrations.ts";

type ServiceAccount = typeof serviceAccounts.$inferSelect;

/** An account with the user who is responsible for a token of it, and the policy that decides on one of their rights. */
export type AnsweredAccount = ServiceAccount & {
  agencyName: string;
  investigators: Investigators;
  responsible: ResponsibleUser | null;
};

type Key = { id: string; agencyId: string };

const isOne = ({ id, agencyId }: Key) =>
  and(eq(serviceAccounts.id, id), eq(serviceAccounts.agencyId, agencyId));

/**
 * Returns accounts with the users who are responsible for them, who are of the same agency: by default those who created
 * the present tokens.
 */
async function listAnswered(
  db: ControlDb,
  which: SQL | undefined,
  responsibleId: unknown = serviceAccounts.tokenBy,
): Promise<AnsweredAccount[]> {
  const rows = await db
    .select({
      account: serviceAccounts,
      agencyName: agencies.name,
      investigators: agencies.investigators,
      responsible: {
        name: users.name,
        role: users.role,
        hotlistAdmin: users.hotlistAdmin,
        hotlistViewer: users.hotlistViewer,
        disabledAt: users.disabledAt,
        deletedAt: users.deletedAt,
      },
    })
    .from(serviceAccounts)
    .innerJoin(agencies, eq(agencies.id, serviceAccounts.agencyId))
    .leftJoin(users, and(sql`${users.id} = ${responsibleId}`, eq(users.agencyId, serviceAccounts.agencyId)))
    .where(which)
    .orderBy(asc(serviceAccounts.id));
  rows.sort((a, b) => compareNames(a.account.name, b.account.name));
  return rows.map(({ account, ...rest }) => ({ ...account, ...rest }));
}

/** The user who created the former token. */
const FORMER_BY = sql`coalesce(${serviceAccounts.formerBy}, ${serviceAccounts.tokenBy})`;

/**
 * Returns the account whose present or former token has this hash, whether or not it still works, its agency, and the user
 * who created that token.
 */
export async function findServiceAccountByToken(
  db: ControlDb,
  hash: string,
): Promise<AnsweredAccount | undefined> {
  const { tokenHash, tokenBy, formerHash } = serviceAccounts;
  const isToken = or(eq(tokenHash, hash), eq(formerHash, hash));
  const creator = sql`CASE WHEN ${tokenHash} = ${hash} THEN ${tokenBy} ELSE ${FORMER_BY} END`;
  const [row] = await listAnswered(db, isToken, creator);
  return row;
}

/** Returns an account, even if it is disabled or has expired; undefined if it belongs to another agency. */
export async function findServiceAccount(db: ControlDb, key: Key): Promise<AnsweredAccount | undefined> {
  const [row] = await listAnswered(db, isOne(key));
  return row;
}

/** Returns an agency's accounts by name, or one of them, without their tokens. */
export async function listServiceAccounts(
  db: ControlDb,
  input: { agencyId: string; now: number; id?: string },
): Promise<ServiceAccountRow[]> {
  const which = and(
    eq(serviceAccounts.agencyId, input.agencyId),
    input.id === undefined ? undefined : eq(serviceAccounts.id, input.id),
  );
  const accounts = await listAnswered(db, which);
  const withFormer = (await listAnswered(db, which, FORMER_BY)).filter(isAnsweredFor);
  const hasFormer = new Set(withFormer.map(({ id }) => id));
  const creators = db
    .select({ id: serviceAccounts.createdBy })
    .from(serviceAccounts)
    .where(eq(serviceAccounts.agencyId, input.agencyId));
  const named = await db
    .select({ id: users.id, name: users.name })
    .from(users)
    .where(inArray(users.id, creators));
  const names = new Map(named.map(({ id, name }) => [id, name]));
  return accounts.map((account) =>
    toRow(account, {
      createdBy: names.get(account.createdBy) ?? "",
      hasFormer: hasFormer.has(account.id),
      now: input.now,
    }),
  );
}

function toRow(
  account: AnsweredAccount,
  { createdBy, hasFormer, now }: { createdBy: string; hasFormer: boolean; now: number },
): ServiceAccountRow {
  const isExpired = account.expiresAt <= now;
  const isFormerLive = hasFormer && !isExpired && (account.formerUntil ?? 0) > now;
  return {
    id: account.id,
    name: account.name,
    scopes: account.scopes,
    addresses: account.addresses,
    per_minute: account.perMinute,
    token_last_four: account.tokenLast4,
    state: stateOf(account, isExpired),
    responsible: account.responsible?.name ?? "",
    created_at: account.createdAt,
    created_by: createdBy,
    rotated_at: account.rotatedAt,
    expires_at: account.expiresAt,
    former_until: isFormerLive ? account.formerUntil : null,
    last_used_at: account.lastUsedAt,
    last_used_ip: account.lastUsedIp,
    last_refused_at: account.lastRefusedAt,
    last_refused_ip: account.lastRefusedIp,
    last_refusal: account.lastRefusal,
  };
}

function stateOf(account: AnsweredAccount, isExpired: boolean): ServiceAccountRow["state"] {
  if (account.disabledAt !== null) return "disabled";
  if (isExpired) return "expired";
  return isAnsweredFor(account) ? "on" : "suspended";
}

function isAnsweredFor({ scopes, responsible, investigators }: AnsweredAccount): boolean {
  return mayAnswerFor(scopes, responsible, investigators);
}

/**
 * The batch fails on `service_accounts_name` if the agency has an account of this name, and on
 * `service_accounts.created_at` if it already has `most` accounts.
 */
export function insertServiceAccount(
  db: ControlDb,
  row: typeof serviceAccounts.$inferInsert,
  most: number,
): Statement {
  const { agencyId, createdAt } = row;
  const among = sql`agency_id = ${agencyId}`;
  return db
    .insert(serviceAccounts)
    .values({ ...row, createdAt: unlessFull(serviceAccounts, { among, most, value: createdAt }) });
}

/** Changes an account of an agency: one row, or none if it was deleted. */
export function updateServiceAccount(
  db: ControlDb,
  key: Key,
  set: Partial<typeof serviceAccounts.$inferInsert>,
): Statement {
  return db.update(serviceAccounts).set(set).where(isOne(key));
}

/** Replaces the token unless someone else has replaced it since it had `tokenHash`. */
export function rotateServiceToken(
  db: ControlDb,
  key: Key & { tokenHash: string },
  set: Partial<typeof serviceAccounts.$inferInsert>,
): Statement {
  return db
    .update(serviceAccounts)
    .set(set)
    .where(and(isOne(key), eq(serviceAccounts.tokenHash, key.tokenHash)));
}

/** Deletes an account of this agency with its tokens; changes nothing if it is another agency's. */
export function removeServiceAccount(db: ControlDb, key: Key): Statement {
  return db.delete(serviceAccounts).where(isOne(key));
}

/** Records the last use of an account, at most once in `everyMs`. */
export async function touchServiceAccount(
  db: ControlDb,
  { id, agencyId, now, ip, everyMs }: Key & { now: number; ip: string; everyMs: number },
): Promise<void> {
  const isDue = or(isNull(serviceAccounts.lastUsedAt), lte(serviceAccounts.lastUsedAt, now - everyMs));
  await db
    .update(serviceAccounts)
    .set({ lastUsedAt: now, lastUsedIp: ip })
    .where(and(isOne({ id, agencyId }), isDue));
}

/** Records that a known token was refused: one row at most once in `everyMs`. */
export function noteServiceRefusal(
  db: ControlDb,
  input: Key & { now: number; ip: string; reason: string; everyMs: number },
): Statement {
  const isDue = or(
    isNull(serviceAccounts.lastRefusedAt),
    lte(serviceAccounts.lastRefusedAt, input.now - input.everyMs),
  );
  return db
    .update(serviceAccounts)
    .set({ lastRefusedAt: input.now, lastRefusedIp: input.ip, lastRefusal: input.reason })
    .where(and(isOne(input), isDue));
}

/** A person whom a service account may act for, with the policy that decides on one of their rights. */
export type ServedPerson = {
  userId: string;
  username: string;
  name: string;
  email: string;
  role: Role;
  hotlistAdmin: boolean;
  hotlistViewer: boolean;
  agencyId: string;
  agencyName: string;
  investigators: Investigators;
};

/**
 * Returns the active user of an agency with this username. Without a user of this username, returns the active ones
 * with this work email, at most two: more than one is ambiguous. A disabled user's username is never read as an email.
 */
export async function listPeopleNamed(
  db: ControlDb,
  { agencyId, name }: { agencyId: string; name: string },
): Promise<ServedPerson[]> {
  const isNamed = sql`${users.username} = lower(${name})`;
  const isActive = and(isNull(users.disabledAt), isNull(users.deletedAt));
  const holders = await db.$count(users, and(eq(users.agencyId, agencyId), isNamed));
  const isMeant = holders > 0 ? isNamed : sql`lower(${users.email}) = lower(${name})`;
  return db
    .select(ACTOR_COLUMNS)
    .from(users)
    .innerJoin(agencies, eq(agencies.id, users.agencyId))
    .where(and(eq(users.agencyId, agencyId), isActive, isMeant))
    .limit(2);
}
