// Users as an agency's identity provider sees them by SCIM: those of the agency whose email address is in one of its
// approved domains, unless the provider deleted them. The tenant is part of every condition.

import { and, asc, count, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { UserCondition } from "#app/entities/users/scim/conditions.ts";
import type { ScimPerson } from "#app/entities/users/scim/person.ts";
import { isOneOf } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { passkeys, users } from "#app/store/schema/accounts.ts";
import { scimGroups, scimMembers, scimUsers } from "#app/store/schema/scim.ts";
import { signOnDomains } from "#app/store/schema/single-sign-on.ts";

/** A user, and how the provider describes the user; null if it has never changed the user. */
export type ScimUserRow = { user: typeof users.$inferSelect; link: typeof scimUsers.$inferSelect | null };

const ofAgency = (agencyId: string) => and(eq(users.agencyId, agencyId), isNull(users.deletedAt));

/**
 * The condition that the provider may see a user of the agency. `isFound` says that another condition finds the users by an
 * index: the plus sign keeps SQLite from reading all users of the agency instead, of whom there may be ten thousand.
 */
export function isSeen(agencyId: string, { isFound }: { isFound: boolean }): SQL | undefined {
  return and(
    isFound ? sql`+${users.agencyId} = ${agencyId}` : eq(users.agencyId, agencyId),
    isNull(users.deletedAt),
    sql`substr(lower(${users.email}), instr(${users.email}, '@') + 1) IN (
      SELECT ${signOnDomains.domain}
      FROM ${signOnDomains}
      WHERE ${signOnDomains.agencyId} = ${agencyId} AND ${signOnDomains.approvedAt} IS NOT NULL
    )`,
    sql`NOT EXISTS (
      SELECT 1
      FROM ${scimUsers} AS removed
      WHERE removed.user_id = ${users.id} AND removed.removed_at IS NOT NULL
    )`,
  );
}

const userName = sql`lower(coalesce(${scimUsers.userName}, ${users.username}))`;

/** The fields whose conditions find users by an index. */
const FINDING: readonly UserCondition["field"][] = ["id", "userName", "externalId"];

function meets({ field, value }: UserCondition, agencyId: string): SQL {
  if (field === "id") return eq(users.id, value);
  if (field === "userName")
    return sql`(
      ${userName} = lower(${value})
        AND ${users.id} IN (
          SELECT user_id FROM scim_users WHERE agency_id = ${agencyId} AND lower(user_name) = lower(${value})
          UNION ALL
          SELECT id FROM users WHERE username = lower(${value})
        )
    )`;
  if (field === "externalId")
    return sql`${users.id} IN (SELECT user_id FROM scim_users WHERE agency_id = ${agencyId} AND external_id = ${value})`;
  if (field === "email") return sql`lower(${users.email}) = lower(${value})`;
  if (field === "active") return value ? isNull(users.disabledAt) : isNotNull(users.disabledAt);
  const [path, usual] =
    field === "emailType"
      ? (["$.emailType", sql`'work'`] as const)
      : (["$.displayName", users.name] as const);
  return sql`lower(CASE WHEN ${scimUsers.userId} IS NULL THEN ${usual} ELSE ${scimUsers.profile} ->> ${path} END)
    = lower(${value})`;
}

function select(db: ControlDb) {
  return db
    .select({ user: users, link: scimUsers })
    .from(users)
    .leftJoin(scimUsers, eq(scimUsers.userId, users.id));
}

/** Returns a page of the users that meet all conditions, oldest first, and how many do. */
export async function listScimUsers(
  db: ControlDb,
  input: { agencyId: string; conditions: readonly UserCondition[]; offset: number; limit: number },
): Promise<{ rows: ScimUserRow[]; total: number }> {
  const { agencyId, conditions } = input;
  const isFound = conditions.some(({ field }) => FINDING.includes(field));
  const where = and(
    isSeen(agencyId, { isFound }),
    ...conditions.map((condition) => meets(condition, agencyId)),
  );
  // Not one batch: it returns rows by their columns' names, which both tables share.
  const [[counted], rows] = await Promise.all([
    db
      .select({ total: count() })
      .from(users)
      .leftJoin(scimUsers, eq(scimUsers.userId, users.id))
      .where(where),
    select(db)
      .where(where)
      .orderBy(asc(users.createdAt), asc(users.id))
      .limit(input.limit)
      .offset(input.offset),
  ]);
  return { rows, total: counted?.total ?? 0 };
}

/** Returns a user whom the agency's provider sees; undefined for all others, including others of the agency. */
export async function findScimUser(
  db: ControlDb,
  input: { agencyId: string; id: string },
): Promise<ScimUserRow | undefined> {
  const [row] = await select(db).where(
    and(isSeen(input.agencyId, { isFound: true }), eq(users.id, input.id)),
  );
  return row;
}

/**
 * Returns the users of the agency with this name at the provider or this address, at most three, including those that
 * the provider does not see.
 */
export async function listClaims(
  db: ControlDb,
  input: { agencyId: string; userName: string; email: string },
): Promise<ScimUserRow[]> {
  return select(db)
    .where(
      and(
        ofAgency(input.agencyId),
        or(sql`${userName} = lower(${input.userName})`, sql`lower(${users.email}) = ${input.email}`),
      ),
    )
    .limit(3);
}

/** Returns whether a user can sign in with a passkey. */
export async function hasPasskey(db: ControlDb, userId: string): Promise<boolean> {
  const [row] = await db
    .select({ id: passkeys.id })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .limit(1);
  return row !== undefined;
}

/** Returns those of these users whom the provider sees. */
export async function listSeenUsers(
  db: ControlDb,
  input: { agencyId: string; ids: readonly string[] },
): Promise<ScimUserRow["user"][]> {
  return db
    .select()
    .from(users)
    .where(and(isSeen(input.agencyId, { isFound: true }), isOneOf(users.id, input.ids)));
}

/** Returns the groups of these users, by name. */
export async function listGroupsOf(
  db: ControlDb,
  input: { agencyId: string; userIds: readonly string[] },
): Promise<{ userId: string; id: string; displayName: string }[]> {
  return db
    .select({ userId: scimMembers.userId, id: scimGroups.id, displayName: scimGroups.displayName })
    .from(scimMembers)
    .innerJoin(scimGroups, eq(scimGroups.id, scimMembers.groupId))
    .where(and(eq(scimGroups.agencyId, input.agencyId), isOneOf(scimMembers.userId, input.userIds)))
    .orderBy(asc(sql`lower(${scimGroups.displayName})`));
}

/** Stores how the provider describes a user. Frees the name if a deleted user has it. */
export function saveScimUser(
  db: ControlDb,
  row: { userId: string; agencyId: string; now: number; removedAt: number | null } & Pick<
    ScimPerson,
    "userName" | "externalId" | "profile"
  >,
): Statement[] {
  const { now, ...values } = row;
  const { userId: _user, agencyId: _agency, ...described } = values;
  return [
    db.run(sql`
      DELETE FROM ${scimUsers}
      WHERE agency_id = ${row.agencyId}
        AND lower(user_name) = lower(${row.userName})
        AND user_id IN (SELECT id FROM ${users} WHERE agency_id = ${row.agencyId} AND deleted_at IS NOT NULL)
    `),
    db
      .insert(scimUsers)
      .values({ ...values, changedAt: now })
      .onConflictDoUpdate({ target: scimUsers.userId, set: { ...described, changedAt: now } }),
  ];
}

/** Changes the name and address of a user of the agency. */
export function updateIdentity(
  db: ControlDb,
  input: { agencyId: string; id: string; name: string; email: string },
): Statement {
  const { agencyId, id, ...identity } = input;
  return db
    .update(users)
    .set(identity)
    .where(and(ofAgency(agencyId), eq(users.id, id)));
}

/** Enables a user whom the provider disabled. The 90 days of disuse start again now. */
export function enableProvisioned(
  db: ControlDb,
  input: { agencyId: string; id: string; now: number },
): Statement {
  return db
    .update(users)
    .set({ disabledAt: null, disabledBy: null, enabledAt: input.now })
    .where(and(ofAgency(input.agencyId), eq(users.id, input.id), eq(users.disabledBy, "identity provider")));
}

/** Fails a batch, by the constraint on `scim_users.user_name`, unless a user is disabled or enabled by now. */
export function requireDisabled(db: ControlDb, input: { userId: string; isDisabled: boolean }): Statement {
  const { userId, isDisabled } = input;
  return db.run(sql`
    UPDATE ${scimUsers}
    SET user_name = CASE
      WHEN EXISTS (SELECT 1 FROM ${users} WHERE id = ${userId} AND (disabled_at IS NOT NULL) = ${isDisabled ? 1 : 0})
        THEN user_name
    END
    WHERE user_id = ${userId}
  `);
}
