// Groups of an agency's identity provider and their members. The tenant is part of every condition.

import { and, asc, count, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { GroupCondition } from "#app/entities/users/scim/conditions.ts";
import { isOneOf } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { users } from "#app/store/schema/accounts.ts";
import { scimGroups, scimMembers, scimTokens, scimUsers } from "#app/store/schema/scim.ts";
import { isSeen } from "./people.ts";

export type ScimGroupRow = typeof scimGroups.$inferSelect;

function meets({ field, value }: GroupCondition): SQL {
  if (field === "id") return eq(scimGroups.id, value);
  if (field === "externalId") return eq(scimGroups.externalId, value);
  if (field === "displayName") return sql`lower(${scimGroups.displayName}) = lower(${value})`;
  return sql`EXISTS (
    SELECT 1
    FROM ${scimMembers}
    WHERE ${scimMembers.groupId} = ${scimGroups.id} AND ${scimMembers.userId} = ${value}
  )`;
}

/** Returns a page of the groups that meet all conditions, oldest first, and the number of all matches. */
export async function listScimGroups(
  db: ControlDb,
  input: { agencyId: string; conditions: readonly GroupCondition[]; offset: number; limit: number },
): Promise<{ rows: ScimGroupRow[]; total: number }> {
  const where = and(eq(scimGroups.agencyId, input.agencyId), ...input.conditions.map(meets));
  const [[counted], rows] = await db.batch([
    db.select({ total: count() }).from(scimGroups).where(where),
    db
      .select()
      .from(scimGroups)
      .where(where)
      .orderBy(asc(scimGroups.createdAt), asc(scimGroups.id))
      .limit(input.limit)
      .offset(input.offset),
  ]);
  return { rows, total: counted?.total ?? 0 };
}

/** Returns all groups of an agency. Their number is limited. */
export async function listAllScimGroups(db: ControlDb, agencyId: string): Promise<ScimGroupRow[]> {
  return db.select().from(scimGroups).where(eq(scimGroups.agencyId, agencyId));
}

export type ScimMemberRow = { groupId: string; id: string; name: string; username: string };

/** Returns the members of these groups whom the provider sees, by name, at most `limit` if given. */
export async function listMembers(
  db: ControlDb,
  input: { agencyId: string; groupIds: readonly string[]; limit?: number },
): Promise<ScimMemberRow[]> {
  return db
    .select({ groupId: scimMembers.groupId, id: users.id, name: users.name, username: users.username })
    .from(scimMembers)
    .innerJoin(users, eq(users.id, scimMembers.userId))
    .where(and(isSeen(input.agencyId, { isFound: true }), isOneOf(scimMembers.groupId, input.groupIds)))
    .orderBy(asc(sql`lower(${users.name})`), asc(users.id))
    .limit(input.limit ?? -1);
}

/** Returns all members of a group of the agency, including those whom the provider no longer sees. */
export async function listAllMembers(
  db: ControlDb,
  input: { agencyId: string; groupId: string },
): Promise<{ id: string; username: string }[]> {
  return db
    .select({ id: users.id, username: users.username })
    .from(scimMembers)
    .innerJoin(users, eq(users.id, scimMembers.userId))
    .where(and(sql`+${users.agencyId} = ${input.agencyId}`, eq(scimMembers.groupId, input.groupId)))
    .orderBy(asc(users.id));
}

/** Returns the groups of each of these users. */
export async function listMemberships(
  db: ControlDb,
  input: { agencyId: string; userIds: readonly string[] },
): Promise<{ userId: string; groupId: string }[]> {
  return db
    .select({ userId: scimMembers.userId, groupId: scimMembers.groupId })
    .from(scimMembers)
    .innerJoin(scimGroups, eq(scimGroups.id, scimMembers.groupId))
    .where(and(eq(scimGroups.agencyId, input.agencyId), isOneOf(scimMembers.userId, input.userIds)));
}

/** Stores a group, or its new names. */
export function saveScimGroup(db: ControlDb, row: ScimGroupRow): Statement {
  const { displayName, externalId, changedAt } = row;
  return db
    .insert(scimGroups)
    .values(row)
    .onConflictDoUpdate({ target: scimGroups.id, set: { displayName, externalId, changedAt } });
}

/** Deletes a group of this agency and its memberships, not its members. */
export function removeScimGroup(db: ControlDb, input: { agencyId: string; id: string }): Statement {
  return db
    .delete(scimGroups)
    .where(and(eq(scimGroups.agencyId, input.agencyId), eq(scimGroups.id, input.id)));
}

type Members = { agencyId: string; groupId: string; userIds: readonly string[] };

/** Adds users of the agency to one of its groups. */
export function addMembers(db: ControlDb, { agencyId, groupId, userIds }: Members): Statement {
  return db.run(sql`
    INSERT INTO ${scimMembers} (group_id, user_id)
    SELECT ${groupId}, id
    FROM ${users}
    WHERE +agency_id = ${agencyId}
      AND id IN (SELECT value FROM json_each(${JSON.stringify(userIds)}))
      AND EXISTS (SELECT 1 FROM ${scimGroups} WHERE id = ${groupId} AND agency_id = ${agencyId})
    ON CONFLICT DO NOTHING
  `);
}

const inGroupsOf = (db: ControlDb, agencyId: string) =>
  inArray(
    scimMembers.groupId,
    db.select({ id: scimGroups.id }).from(scimGroups).where(eq(scimGroups.agencyId, agencyId)),
  );

/** Removes users from a group of this agency; changes nothing if the group is another agency's. */
export function removeMembers(db: ControlDb, { agencyId, groupId, userIds }: Members): Statement {
  return db
    .delete(scimMembers)
    .where(
      and(inGroupsOf(db, agencyId), eq(scimMembers.groupId, groupId), isOneOf(scimMembers.userId, userIds)),
    );
}

/** Removes a user from all groups of the agency. */
export function removeMemberships(db: ControlDb, input: { agencyId: string; userId: string }): Statement {
  return db
    .delete(scimMembers)
    .where(and(inGroupsOf(db, input.agencyId), eq(scimMembers.userId, input.userId)));
}

/** The agency's groups for a sign-in: which of them the user is in, and whether the provider manages the user. */
export type ScimGroupsAtSignIn = {
  version: number;
  groups: { displayName: string; externalId: string | null; isMember: boolean }[];
};

/** Returns the agency's groups if its provider manages them and sees the user by SCIM, otherwise undefined. */
export async function findGroupsAtSignIn(
  db: ControlDb,
  { agencyId, userId }: { agencyId: string; userId: string },
): Promise<ScimGroupsAtSignIn | undefined> {
  const [tokens, seen, links, groups] = await db.batch([
    db.select({ version: scimTokens.version }).from(scimTokens).where(eq(scimTokens.agencyId, agencyId)),
    db
      .select({ id: users.id })
      .from(users)
      .where(and(isSeen(agencyId, { isFound: true }), eq(users.id, userId))),
    db
      .select({ userId: scimUsers.userId })
      .from(scimUsers)
      .where(and(eq(scimUsers.userId, userId), eq(scimUsers.agencyId, agencyId))),
    db
      .select({
        displayName: scimGroups.displayName,
        externalId: scimGroups.externalId,
        isMember: sql<number>`EXISTS (
          SELECT 1
          FROM ${scimMembers}
          WHERE group_id = ${sql.raw(`"scim_groups"."id"`)} AND user_id = ${userId}
        )`,
      })
      .from(scimGroups)
      .where(eq(scimGroups.agencyId, agencyId)),
  ]);
  const all = groups.map((group) => ({ ...group, isMember: group.isMember === 1 }));
  const isManaged = links.length > 0 || all.some(({ isMember }) => isMember);
  const [token] = tokens;
  return token && isManaged && seen.length > 0 ? { version: token.version, groups: all } : undefined;
}
