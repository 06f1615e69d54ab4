// Users as administrators manage them. The tenant is part of every condition. An update whose condition does not hold
// changes nothing, and the conditional audit row in its batch is then not written either.

import { and, asc, count, eq, gt, inArray, isNotNull, isNull, lt, ne, type SQL, sql } from "drizzle-orm";
import type { Role } from "#app/entities/accounts/access.ts";
import type { AuditEntry } from "#app/entities/oversight/audit.ts";
import { UNMATCHABLE_HASH } from "#app/lib/crypto/passwords.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { contains, isOneOf } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { jsonChunks } from "#app/store/json-chunks.ts";
import {
  agencies,
  passkeys,
  reservedUsernames,
  sessions,
  totpFactors,
  users,
} from "#app/store/schema/accounts.ts";
import { auditLog } from "#app/store/schema/audit.ts";
import { signOnDomains, signOnProviders } from "#app/store/schema/single-sign-on.ts";

/** The columns of a user in a list; the password hash is not among them. */
const LISTED = {
  id: users.id,
  agencyId: users.agencyId,
  username: users.username,
  name: users.name,
  email: users.email,
  role: users.role,
  temporaryUntil: users.temporaryUntil,
  lockedAt: users.lockedAt,
  lockedFor: users.lockedFor,
  lockAddresses: users.lockAddresses,
  disabledAt: users.disabledAt,
  disabledBy: users.disabledBy,
  lastSignInAt: users.lastSignInAt,
  createdAt: users.createdAt,
};

export type UserRow = {
  user: Pick<typeof users.$inferSelect, keyof typeof LISTED>;
  agencyName: string;
  secondFactor: number;
  sessions: number;
};

async function selectUsers(
  db: ControlDb,
  input: { where: SQL | undefined; now: number },
): Promise<UserRow[]> {
  const { where, now } = input;
  return db
    .select({
      user: LISTED,
      agencyName: agencies.name,
      secondFactor: sql<number>`(
        EXISTS (
          SELECT 1
          FROM ${totpFactors}
          WHERE ${totpFactors.userId} = ${users.id} AND ${totpFactors.confirmedAt} IS NOT NULL
        )
          OR EXISTS (SELECT 1 FROM ${passkeys} WHERE ${passkeys.userId} = ${users.id})
      )`,
      sessions: count(sessions.id),
    })
    .from(users)
    .innerJoin(agencies, eq(agencies.id, users.agencyId))
    .leftJoin(
      sessions,
      and(
        eq(sessions.userId, users.id),
        isNull(sessions.revokedAt),
        isNull(users.disabledAt),
        gt(sessions.lastSeenAt, sql`${now} - ${agencies.idleMinutes} * ${MINUTE}`),
        gt(sessions.createdAt, sql`${now} - ${agencies.absoluteMinutes} * ${MINUTE}`),
      ),
    )
    .where(and(isNull(users.deletedAt), where))
    .groupBy(users.id)
    .orderBy(asc(sql`lower(${users.name})`), asc(users.username));
}

/** Returns the next `most` users of an agency, or of all agencies (`null`), by name. */
export async function listUsers(
  db: ControlDb,
  input: { agencyId: string | null; after: UserRow | undefined; most: number; now: number },
): Promise<UserRow[]> {
  const { agencyId, after, most, now } = input;
  const next = db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        isNull(users.deletedAt),
        agencyId === null ? undefined : eq(users.agencyId, agencyId),
        after &&
          sql`(lower(${users.name}), ${users.username}) > (lower(${after.user.name}), ${after.user.username})`,
      ),
    )
    .orderBy(asc(sql`lower(${users.name})`), asc(users.username))
    .limit(most);
  return selectUsers(db, { where: inArray(users.id, next), now });
}

/** Users of an agency, or of all agencies (`null`), whose name, username or address contains a text. */
type UserFilter = { agencyId: string | null; find: string };

const isFound = ({ agencyId, find }: UserFilter) =>
  and(
    isNull(users.deletedAt),
    agencyId === null ? undefined : eq(users.agencyId, agencyId),
    contains([users.name, users.username, users.email], find),
  );

/** Returns the first `most` users that a filter finds, by name. */
export async function findUsers(
  db: ControlDb,
  { most, now, ...filter }: UserFilter & { most: number; now: number },
): Promise<UserRow[]> {
  const first = db
    .select({ id: users.id })
    .from(users)
    .where(isFound(filter))
    .orderBy(asc(sql`lower(${users.name})`), asc(users.username))
    .limit(most);
  return selectUsers(db, { where: inArray(users.id, first), now });
}

/** Returns how many users a filter finds. */
export async function countUsers(db: ControlDb, filter: UserFilter): Promise<number> {
  return db.$count(users, isFound(filter));
}

export type ManagedRow = typeof users.$inferSelect;

/** Returns a user of an agency, or of any agency (`null`); undefined for users of other agencies. */
export async function findManagedUser(
  db: ControlDb,
  input: { id: string; agencyId: string | null },
): Promise<ManagedRow | undefined> {
  return db.query.users.findFirst({
    where: and(
      eq(users.id, input.id),
      isNull(users.deletedAt),
      input.agencyId === null ? undefined : eq(users.agencyId, input.agencyId),
    ),
  });
}

/** Returns which of these usernames are in use or reserved. */
export async function listTakenUsernames(
  db: ControlDb,
  input: { usernames: string[]; now: number },
): Promise<Set<string>> {
  const among = sql`(SELECT value FROM json_each(${JSON.stringify(input.usernames)}))`;
  const [taken, reserved] = await db.batch([
    db.select({ username: users.username }).from(users).where(inArray(users.username, among)),
    db
      .select({ username: reservedUsernames.username })
      .from(reservedUsernames)
      .where(and(inArray(reservedUsernames.username, among), gt(reservedUsernames.until, input.now))),
  ]);
  return new Set([...taken, ...reserved].map(({ username }) => username));
}

/** Returns the users of an agency with these names. */
export async function listUsersByName(
  db: ControlDb,
  { agencyId, usernames }: { agencyId: string; usernames: readonly string[] },
): Promise<ManagedRow[]> {
  const among = sql`(SELECT value FROM json_each(${JSON.stringify(usernames)}))`;
  return db
    .select()
    .from(users)
    .where(
      and(inArray(users.username, among), sql`+${users.agencyId} = ${agencyId}`, isNull(users.deletedAt)),
    );
}

/** Returns which of these email domains are approved for agencies other than this one. */
export async function listForeignDomains(
  db: ControlDb,
  { agencyId, domains }: { agencyId: string; domains: readonly string[] },
): Promise<Set<string>> {
  const among = sql`(SELECT value FROM json_each(${JSON.stringify(domains)}))`;
  const rows = await db
    .select({ domain: signOnDomains.domain })
    .from(signOnDomains)
    .where(
      and(
        inArray(signOnDomains.domain, among),
        isNotNull(signOnDomains.approvedAt),
        ne(signOnDomains.agencyId, agencyId),
      ),
    );
  return new Set(rows.map(({ domain }) => domain));
}

export type NewUserRow = {
  id: string;
  agencyId: string;
  username: string;
  name: string;
  email: string;
  role: Role;
  passwordHash: string;
  temporaryUntil: number | null;
  createdAt: number;
};

/** Rows per statement, to keep a bound value below D1's limit of 2 MB. */
const CHUNK = 1000;

/** Inserts users with an audit row each, two statements per CHUNK rows. */
export function insertUsers(db: ControlDb, rows: NewUserRow[], entry: AuditEntry): Statement[] {
  const statements: Statement[] = [];
  for (let at = 0; at < rows.length; at += CHUNK) {
    const chunk = JSON.stringify(rows.slice(at, at + CHUNK));
    const field = (name: keyof NewUserRow) => sql.raw(`value ->> '${name}'`);
    // Query plan: one scan of the JSON rows, no index needed.
    const auditRows = sql`
      INSERT INTO ${auditLog} (
        at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object, detail
      )
      SELECT ${entry.at},
        ${entry.agencyId},
        ${entry.userId},
        ${entry.username},
        ${entry.sessionId},
        ${entry.ip},
        ${entry.userAgent},
        ${entry.action},
        ${entry.outcome},
        ${field("id")},
        json_object(
          'username', ${field("username")}, 'role', ${field("role")}, 'agency', ${field("agencyId")}
        )
      FROM json_each(${chunk})
    `;
    statements.push(
      db.run(sql`
        INSERT INTO ${users} (
          id, agency_id, username, name, email, role, password_hash, temporary_until, password_changed_at,
          created_at
        )
        SELECT ${field("id")}, ${field("agencyId")}, ${field("username")}, ${field("name")},
          ${field("email")}, ${field("role")}, ${field("passwordHash")}, ${field("temporaryUntil")},
          ${field("createdAt")}, ${field("createdAt")}
        FROM json_each(${chunk})
      `),
      db.run(auditRows),
    );
  }
  return statements;
}

/** The condition that the agency has another active administrator. */
const hasOtherAdmin = sql`EXISTS (
  SELECT 1
  FROM ${users} AS other
  WHERE other.agency_id = ${sql.raw(`"users"."agency_id"`)}
    AND other.role = 'admin'
    AND other.disabled_at IS NULL
    AND other.id <> ${sql.raw(`"users"."id"`)}
)`;

/** The condition that the user is not the break-glass account of single sign-on. */
export const isNotBreakGlass = sql`NOT EXISTS (
  SELECT 1
  FROM ${signOnProviders}
  WHERE break_glass_user_id = ${sql.raw(`"users"."id"`)}
)`;

/** The condition for disabling or deleting a user: not the agency's last active administrator or break-glass account. */
export const keepsAnAdmin = sql`(
  (${users.role} <> 'admin' OR ${users.disabledAt} IS NOT NULL OR ${hasOtherAdmin})
  AND ${isNotBreakGlass}
)`;

/**
 * The hotlist rights to set; others stay as they are, since someone else may change them at the same time. `was` are the
 * rights that they replace.
 */
export type HotlistRights = {
  id: string;
  hotlistAdmin?: boolean;
  hotlistViewer?: boolean;
  was?: { hotlistAdmin: boolean; hotlistViewer: boolean };
};

/** Returns which of these users, of one agency or of any, were disabled or deleted, with their hotlist rights. */
export async function listFormerUsers(
  db: ControlDb,
  { agencyId, ids }: { agencyId?: string; ids: readonly string[] },
): Promise<{ id: string; hotlistAdmin: boolean; hotlistViewer: boolean; deletedAt: number | null }[]> {
  if (ids.length === 0) return [];
  const { id, hotlistAdmin, hotlistViewer, deletedAt } = users;
  return db
    .select({ id, hotlistAdmin, hotlistViewer, deletedAt })
    .from(users)
    .where(
      and(
        isOneOf(users.id, ids),
        agencyId === undefined ? undefined : eq(users.agencyId, agencyId),
        isNotNull(users.disabledAt),
      ),
    );
}

/**
 * Sets hotlist rights of users of one agency. Ids of other agencies' users are ignored. The batch fails on
 * `users.hotlist_admin` if the rights of a user are no longer what they were.
 */
export function updateHotlistRights(
  db: ControlDb,
  { agencyId, rights }: { agencyId: string; rights: readonly HotlistRights[] },
): Statement[] {
  const isAsBefore = sql`j.value ->> '$.was' IS NULL
    OR (hotlist_admin = j.value ->> '$.was.hotlistAdmin' AND hotlist_viewer = j.value ->> '$.was.hotlistViewer')`;
  return jsonChunks(rights).map(({ json }) =>
    db.run(sql`
      UPDATE ${users}
      SET hotlist_admin = CASE WHEN ${isAsBefore} THEN coalesce(j.value ->> 'hotlistAdmin', hotlist_admin) END,
        hotlist_viewer = coalesce(j.value ->> 'hotlistViewer', hotlist_viewer)
      FROM json_each(${json}) AS j
      WHERE ${users.id} = j.value ->> 'id' AND ${users.agencyId} = ${agencyId} AND deleted_at IS NULL
    `),
  );
}

/**
 * Deletes a user's data except what records refer to. Changes nothing for the last administrator or the break-glass
 * account.
 */
export function markDeleted(db: ControlDb, input: { id: string; now: number }): Statement {
  return db
    .update(users)
    .set({
      deletedAt: input.now,
      disabledAt: input.now,
      username: `deleted:${input.id}`,
      email: "",
      passwordHash: UNMATCHABLE_HASH,
      hotlistAdmin: false,
      hotlistViewer: false,
    })
    .where(and(eq(users.id, input.id), isNull(users.deletedAt), keepsAnAdmin));
}

/** Reserves the username of a user who has just been deleted. */
export function reserveUsername(
  db: ControlDb,
  input: { userId: string; username: string; until: number },
): Statement {
  const { userId, username, until } = input;
  return db.run(sql`
    INSERT INTO ${reservedUsernames} (username, until)
    SELECT ${username}, ${until}
    FROM ${users}
    WHERE id = ${userId} AND deleted_at IS NOT NULL
    ON CONFLICT (username) DO UPDATE SET until = excluded.until
  `);
}

/** Deletes expired reservations. */
export async function removeOldReservations(db: ControlDb, now: number): Promise<void> {
  await db.delete(reservedUsernames).where(lt(reservedUsernames.until, now));
}
