// Alert groups and their members. Invitations are in invitations.ts. A group is visible to its own agency, and to the
// members, hotlist admins and service accounts of agencies that accepted an invitation. For everyone else it does not exist. Archived
// groups are visible only to hotlist admins of the owning agency, and only on request.

import { and, count, desc, eq, isNull, or, sql } from "drizzle-orm";
import type { GroupMember } from "#app/entities/hotlists/group.ts";
import { compareNames } from "#app/lib/text.ts";
import { contains } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies, users } from "#app/store/schema/accounts.ts";
import { alertGroupInvitations, alertGroupMembers, alertGroups } from "#app/store/schema/groups.ts";

/**
 * Who asks: a user, or a service account for itself. With `seesJoined`, groups of other agencies in which the viewer's
 * agency participates are visible without a membership; with `managesHotlists`, archived groups of the own agency too.
 */
export type GroupViewer = {
  userId: string;
  agencyId: string;
  seesJoined: boolean;
  managesHotlists: boolean;
};

export type StoredGroup = typeof alertGroups.$inferSelect & {
  agencyName: string;
  changedByName: string | null;
};

/** Returns the condition under which a viewer can see a group. Queries on tables that belong to groups use it too. */
export function visibleTo(viewer: GroupViewer) {
  const member = sql`EXISTS (SELECT 1 FROM ${alertGroupMembers} m WHERE m.group_id = ${alertGroups.id} AND m.user_id = ${viewer.userId})`;
  const invited = sql`EXISTS (
    SELECT 1
    FROM ${alertGroupInvitations} i
    WHERE i.group_id = ${alertGroups.id} AND i.agency_id = ${viewer.agencyId} AND i.state = 'accepted'
  )`;
  return and(
    isNull(alertGroups.archivedAt),
    sql`(${alertGroups.agencyId} = ${viewer.agencyId} OR (${invited} AND (${viewer.seesJoined ? 1 : 0} OR ${member})))`,
  );
}

/** The condition of `visibleTo` for lists. Query plan: the agency's own groups and those that it joined, by indexes. */
function listedFor(viewer: GroupViewer) {
  const { agencyId } = viewer;
  return and(
    sql`${alertGroups.id} IN (
      SELECT id FROM alert_groups WHERE agency_id = ${agencyId}
      UNION ALL
      SELECT group_id FROM alert_group_invitations WHERE agency_id = ${agencyId} AND state = 'accepted'
    )`,
    visibleTo(viewer),
  );
}

/** Returns the condition under which a viewer can see an archived group. */
function inArchiveOf(viewer: GroupViewer) {
  return sql`
    ${alertGroups.archivedAt} IS NOT NULL
      AND ${alertGroups.agencyId} = ${viewer.agencyId}
      AND ${viewer.managesHotlists ? 1 : 0}`;
}

/** Returns the condition under which a viewer can see a group, in use or archived. */
export function visibleOrArchivedTo(viewer: GroupViewer) {
  return or(visibleTo(viewer), inArchiveOf(viewer));
}

function selectGroups(db: ControlDb) {
  return db
    .select({
      group: alertGroups,
      agencyName: agencies.name,
      changedByName: sql<
        string | null
      >`(SELECT name FROM ${users} WHERE ${users.id} = ${alertGroups.changedBy})`,
    })
    .from(alertGroups)
    .innerJoin(agencies, eq(agencies.id, alertGroups.agencyId));
}

/** Returns the group if this viewer can see it. "including archived" includes archived groups. */
export async function findGroup(
  db: ControlDb,
  viewer: GroupViewer,
  id: string,
  where: "in use" | "including archived" = "in use",
): Promise<StoredGroup | undefined> {
  const visible = where === "in use" ? visibleTo(viewer) : visibleOrArchivedTo(viewer);
  const [row] = await selectGroups(db).where(and(eq(alertGroups.id, id), visible));
  return row && { ...row.group, agencyName: row.agencyName, changedByName: row.changedByName };
}

/** Returns the archived groups of a viewer's agency, most recently archived first. */
export async function listArchivedGroups(
  db: ControlDb,
  viewer: GroupViewer,
  limit: number,
): Promise<StoredGroup[]> {
  const rows = await selectGroups(db)
    .where(inArchiveOf(viewer))
    .orderBy(desc(alertGroups.archivedAt), alertGroups.id)
    .limit(limit);
  return rows.map((row) => ({ ...row.group, agencyName: row.agencyName, changedByName: row.changedByName }));
}

const namedLike = (find: string) => contains([alertGroups.name, agencies.name], find);

/**
 * Returns the groups that this viewer can see, by name: all, or those with a text in their name or the name of their
 * agency. They are sorted here, because SQLite puts "Group 10" before "Group 2".
 */
export async function listGroups(db: ControlDb, viewer: GroupViewer, find = ""): Promise<StoredGroup[]> {
  const rows = await selectGroups(db)
    .where(and(listedFor(viewer), namedLike(find)))
    .orderBy(alertGroups.id);
  return rows
    .map((row) => ({ ...row.group, agencyName: row.agencyName, changedByName: row.changedByName }))
    .sort((a, b) => compareNames(a.name, b.name));
}

/** Inserts a group without plates and members. `at` is in epoch milliseconds, and `by` is a user's id. */
export function insertGroup(
  db: ControlDb,
  group: {
    id: string;
    agencyId: string;
    name: string;
    description: string;
    imageId: string | null;
    at: number;
    by: string;
  },
): Statement {
  const { at, by, ...rest } = group;
  return db
    .insert(alertGroups)
    .values({ ...rest, createdAt: at, createdBy: by, changedAt: at, changedBy: by });
}

/** Changes a group. The batch fails on `alert_groups.version` if the group has another version or is archived. */
export function updateGroup(
  db: ControlDb,
  change: {
    id: string;
    version: number;
    at: number;
    by: string;
    set: Partial<Pick<StoredGroup, "name" | "description" | "imageId" | "archivedAt">>;
  },
): Statement {
  return db
    .update(alertGroups)
    .set({
      ...change.set,
      changedAt: change.at,
      changedBy: change.by,
      version: sql`CASE WHEN ${alertGroups.version} = ${change.version} AND ${alertGroups.archivedAt} IS NULL THEN ${alertGroups.version} + 1 END`,
    })
    .where(eq(alertGroups.id, change.id));
}

/**
 * Records a change of who participates in a group, so that a form that was opened before it cannot be saved over it. With
 * `participant`, the batch fails on `alert_groups.version` unless that agency participates.
 */
export function touchGroup(
  db: ControlDb,
  change: { id: string; at: number; by: string; participant?: string },
): Statement {
  const { id, at, by, participant } = change;
  const participates = sql`EXISTS (
    SELECT 1
    FROM ${alertGroupInvitations} i
    WHERE i.group_id = ${id} AND i.agency_id = ${participant} AND i.state = 'accepted'
  )`;
  const next = sql`${alertGroups.version} + 1`;
  return db
    .update(alertGroups)
    .set({
      changedAt: at,
      changedBy: by,
      version: participant === undefined ? next : sql`CASE WHEN ${participates} THEN ${next} END`,
    })
    .where(eq(alertGroups.id, id));
}

/** Which members: of one agency, or those whose name, address or agency contains a text; "" is in all. */
type MemberFilter = { groupId: string; agencyId?: string; find?: string };

/** Returns active members of a group by name, with their agencies: all, or a part of the list. */
export async function listMembers(
  db: ControlDb,
  { limit = -1, offset = 0, ...filter }: MemberFilter & { limit?: number; offset?: number },
): Promise<(GroupMember & { agencyId: string })[]> {
  return db
    .select({
      id: users.id,
      name: users.name,
      email: users.email,
      agency: agencies.name,
      agencyId: agencies.id,
      hotlist: sql`${users.role} = 'admin' OR ${users.hotlistAdmin} OR ${users.hotlistViewer}`.mapWith(
        Boolean,
      ),
    })
    .from(alertGroupMembers)
    .innerJoin(users, eq(users.id, alertGroupMembers.userId))
    .innerJoin(agencies, eq(agencies.id, users.agencyId))
    .where(memberOf(filter))
    .orderBy(sql`${users.name} COLLATE NOCASE`, users.id)
    .limit(limit)
    .offset(offset);
}

/** Returns how many members `listMembers` lists without a limit. */
export async function countMembers(db: ControlDb, filter: MemberFilter): Promise<number> {
  const [row] = await db
    .select({ members: count() })
    .from(alertGroupMembers)
    .innerJoin(users, eq(users.id, alertGroupMembers.userId))
    .innerJoin(agencies, eq(agencies.id, users.agencyId))
    .where(memberOf(filter));
  return row?.members ?? 0;
}

/** Returns those of these groups that have an active member who may see hotlists, and so gets alerts. */
export async function listGroupsWithMembers(db: ControlDb, groupIds: string[]): Promise<string[]> {
  // Query plan: each group's members by primary key and their users, until one gets alerts.
  const withMembers = sql`
    SELECT i.value AS id
    FROM json_each(${JSON.stringify(groupIds)}) AS i
    WHERE EXISTS (
      SELECT 1
      FROM ${alertGroupMembers} AS m
      CROSS JOIN ${users} AS u ON u.id = m.user_id AND u.disabled_at IS NULL
        AND (u.role = 'admin' OR u.hotlist_admin OR u.hotlist_viewer)
      WHERE m.group_id = i.value
    )
  `;
  const rows = await db.all<{ id: string }>(withMembers);
  return rows.map(({ id }) => id);
}

function memberOf({ groupId, agencyId, find = "" }: MemberFilter) {
  return and(
    eq(alertGroupMembers.groupId, groupId),
    isNull(users.disabledAt),
    agencyId === undefined ? undefined : eq(users.agencyId, agencyId),
    contains([users.name, users.email, agencies.name], find),
  );
}

/** Returns the ids of a group's members, and of users proposed as such, who were disabled or deleted. */
export async function listFormerMembers(db: ControlDb, groupId: string): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    SELECT id
    FROM ${users}
    WHERE disabled_at IS NOT NULL
      AND id IN (
        SELECT user_id FROM alert_group_members WHERE group_id = ${groupId}
        UNION ALL
        SELECT user_id FROM alert_group_proposals WHERE group_id = ${groupId}
      )
  `);
  return rows.map(({ id }) => id);
}

/** A user, with what decides whether hotlists may be seen or changed. */
export const HOTLIST_USER = {
  id: users.id,
  name: users.name,
  email: users.email,
  role: users.role,
  hotlistAdmin: users.hotlistAdmin,
  hotlistViewer: users.hotlistViewer,
} as const;

/** Which active users of an agency: those whose name or address contains a text; "" is in all. */
type UserFilter = { agencyId: string; find?: string };

const isActiveUser = ({ agencyId, find = "" }: UserFilter) =>
  and(eq(users.agencyId, agencyId), isNull(users.disabledAt), contains([users.name, users.email], find));

/** Returns the active users of an agency by name: all, or a part of the list. */
export async function listAgencyUsers(
  db: ControlDb,
  { limit = -1, offset = 0, ...filter }: UserFilter & { limit?: number; offset?: number },
) {
  return db
    .select(HOTLIST_USER)
    .from(users)
    .where(isActiveUser(filter))
    .orderBy(sql`${users.name} COLLATE NOCASE`, users.id)
    .limit(limit)
    .offset(offset);
}

/** Returns how many users `listAgencyUsers` lists without a limit. */
export async function countAgencyUsers(db: ControlDb, filter: UserFilter): Promise<number> {
  return db.$count(users, isActiveUser(filter));
}

/** Adds members to a group, of any agency; those it already has stay as they are. */
export function insertMembers(
  db: ControlDb,
  input: { groupId: string; userIds: string[]; at: number; by: string },
): Statement {
  return db.run(sql`
    INSERT OR IGNORE INTO alert_group_members (group_id, user_id, added_at, added_by)
    SELECT ${input.groupId}, value, ${input.at}, ${input.by}
    FROM json_each(${JSON.stringify(input.userIds)})
  `);
}

/** Removes these members from a group; users who are not members are ignored. */
export function removeMembers(db: ControlDb, input: { groupId: string; userIds: string[] }): Statement {
  return db.run(sql`
    DELETE FROM alert_group_members
    WHERE group_id = ${input.groupId}
      AND user_id IN (SELECT value FROM json_each(${JSON.stringify(input.userIds)}))
  `);
}

/** Removes all members of one agency from a group. */
export function removeAgencyMembers(db: ControlDb, input: { groupId: string; agencyId: string }): Statement {
  return db.run(sql`
    DELETE FROM alert_group_members
    WHERE group_id = ${input.groupId}
      AND user_id IN (SELECT id FROM users WHERE agency_id = ${input.agencyId})
  `);
}

/** Returns all agencies except one, by name: those that can be invited. */
export async function listOtherAgencies(db: ControlDb, agencyId: string) {
  const others = await db
    .select({ id: agencies.id, name: agencies.name })
    .from(agencies)
    .where(sql`${agencies.id} <> ${agencyId}`)
    .orderBy(agencies.id);
  return others.sort((a, b) => compareNames(a.name, b.name));
}

/** Returns the days after which entries without their own expiry expire; 0 means never. */
export async function findExpiryDays(db: ControlDb, agencyId: string): Promise<number> {
  const row = await db.query.agencies.findFirst({
    where: eq(agencies.id, agencyId),
    columns: { hotlistExpiryDays: true },
  });
  return row?.hotlistExpiryDays ?? 0;
}
