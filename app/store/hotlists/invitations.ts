// Agencies that participate in a group: invitations, and the users that the owner proposed as members until their
// agency decides.

import { and, count, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import {
  type GroupInvitation,
  MAX_WAITING_INVITATIONS,
  type PendingMember,
} from "#app/entities/hotlists/group.ts";
import { compareNames } from "#app/lib/text.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { isOneOf } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies, users } from "#app/store/schema/accounts.ts";
import { alertGroupInvitations, alertGroupProposals, alertGroups } from "#app/store/schema/groups.ts";

const PENDING = {
  id: users.id,
  name: users.name,
  email: users.email,
  agency: agencies.name,
  agency_id: agencies.id,
} as const;

/** Returns the active users among these ids, with their agencies. */
export async function listUsersAmong(db: ControlDb, userIds: string[]): Promise<PendingMember[]> {
  if (userIds.length === 0) return [];
  return db
    .select(PENDING)
    .from(users)
    .innerJoin(agencies, eq(agencies.id, users.agencyId))
    .where(and(isNull(users.disabledAt), isOneOf(users.id, userIds)))
    .orderBy(sql`${agencies.name} COLLATE NOCASE`, agencies.id, sql`${users.name} COLLATE NOCASE`, users.id);
}

/**
 * Returns active users whom the owner of a group proposed as members and whose agencies have not decided, by agency and
 * name.
 */
export async function listProposals(db: ControlDb, groupId: string): Promise<PendingMember[]> {
  return db
    .select(PENDING)
    .from(alertGroupProposals)
    .innerJoin(users, and(eq(users.id, alertGroupProposals.userId), isNull(users.disabledAt)))
    .innerJoin(agencies, eq(agencies.id, users.agencyId))
    .where(eq(alertGroupProposals.groupId, groupId))
    .orderBy(sql`${agencies.name} COLLATE NOCASE`, agencies.id, sql`${users.name} COLLATE NOCASE`, users.id);
}

/** Proposes users as members of a group; earlier proposals of the same users stay as they are. */
export function insertProposals(
  db: ControlDb,
  input: { groupId: string; userIds: string[]; at: number; by: string },
): Statement {
  return db.run(sql`
    INSERT OR IGNORE INTO alert_group_proposals (group_id, user_id, proposed_at, proposed_by)
    SELECT ${input.groupId}, value, ${input.at}, ${input.by}
    FROM json_each(${JSON.stringify(input.userIds)})
  `);
}

/** Removes the proposals of an agency's users, or only those of `among`. */
export function removeProposals(
  db: ControlDb,
  input: { groupId: string; agencyId: string; among?: string[] },
): Statement {
  const { among } = input;
  const only = among ? sql`AND user_id IN (SELECT value FROM json_each(${JSON.stringify(among)}))` : sql``;
  return db.run(sql`
    DELETE FROM alert_group_proposals
    WHERE group_id = ${input.groupId}
      AND user_id IN (SELECT id FROM users WHERE agency_id = ${input.agencyId}) ${only}
  `);
}

/** Query plan: the agency's users by users_agency, each one's proposal by primary key. */
const PROPOSED = sql<string>`(
  SELECT json_group_array(name)
  FROM (
    SELECT u.name
    FROM alert_group_proposals p
    JOIN users u ON u.id = p.user_id AND u.disabled_at IS NULL
    WHERE p.group_id = ${alertGroupInvitations.groupId}
      AND u.agency_id = ${alertGroupInvitations.agencyId}
    ORDER BY u.name COLLATE NOCASE, u.id
  )
)`;

function selectInvitations(db: ControlDb) {
  const invited = sql<string>`(SELECT name FROM ${agencies} a WHERE a.id = ${alertGroupInvitations.agencyId})`;
  return db
    .select({
      group_id: alertGroups.id,
      group: alertGroups.name,
      agency_id: alertGroupInvitations.agencyId,
      agency: invited,
      owner: agencies.name,
      state: alertGroupInvitations.state,
      invited_by: sql<string>`coalesce((SELECT name FROM ${users} u WHERE u.id = ${alertGroupInvitations.invitedBy}), '')`,
      at: alertGroupInvitations.invitedAt,
      proposed: PROPOSED,
    })
    .from(alertGroupInvitations)
    .innerJoin(alertGroups, eq(alertGroups.id, alertGroupInvitations.groupId))
    .innerJoin(agencies, eq(agencies.id, alertGroups.agencyId));
}

function invitationOf({
  at,
  proposed,
  ...row
}: Omit<GroupInvitation, "invited_at" | "proposed"> & { at: number; proposed: string }): GroupInvitation {
  const names: string[] = JSON.parse(proposed);
  return { ...row, invited_at: isoTime(at), proposed: names };
}

/** Returns the pending and accepted invitations of a group. */
export async function listInvitations(db: ControlDb, groupId: string): Promise<GroupInvitation[]> {
  const rows = await selectInvitations(db).where(and(eq(alertGroupInvitations.groupId, groupId), isOpen()));
  return rows.map(invitationOf);
}

/** Returns whether an agency was ever invited to a group. */
export async function wasInvited(
  db: ControlDb,
  { groupId, agencyId }: { groupId: string; agencyId: string },
): Promise<boolean> {
  const rows = await db
    .select({ state: alertGroupInvitations.state })
    .from(alertGroupInvitations)
    .where(and(eq(alertGroupInvitations.groupId, groupId), eq(alertGroupInvitations.agencyId, agencyId)));
  return rows.length > 0;
}

/** Returns the agencies that were invited to a group and did not decline, by name, and whether each participates. */
export async function listInvited(db: ControlDb, groupId: string) {
  const { state } = alertGroupInvitations;
  const rows = await db
    .select({ id: agencies.id, name: agencies.name, participates: eq(state, "accepted").mapWith(Boolean) })
    .from(alertGroupInvitations)
    .innerJoin(agencies, eq(agencies.id, alertGroupInvitations.agencyId))
    .where(and(eq(alertGroupInvitations.groupId, groupId), isOpen()))
    .orderBy(agencies.id);
  return rows.sort((a, b) => compareNames(a.name, b.name));
}

/** Returns the condition that an invitation waits for an answer or was accepted. */
const isOpen = () => sql`${alertGroupInvitations.state} IN ('pending', 'accepted')`;

/** Returns the pending or accepted invitation of an agency to a group, unless the group is archived. */
export async function findInvitation(
  db: ControlDb,
  { groupId, agencyId }: { groupId: string; agencyId: string },
): Promise<GroupInvitation | undefined> {
  const [row] = await selectInvitations(db).where(
    and(
      eq(alertGroupInvitations.groupId, groupId),
      eq(alertGroupInvitations.agencyId, agencyId),
      isOpen(),
      isNull(alertGroups.archivedAt),
    ),
  );
  return row && invitationOf(row);
}

/**
 * Returns the condition that an agency has to decide: an invitation is pending, or users of the agency were proposed after
 * it was accepted.
 */
function waitsFor(agencyId: string) {
  // Query plan: the agency's users by users_agency once, each one's proposals by alert_group_proposals_user.
  const proposed = sql`
    SELECT p.group_id
    FROM users u
    CROSS JOIN alert_group_proposals p ON p.user_id = u.id
    WHERE u.agency_id = ${agencyId} AND u.disabled_at IS NULL`;
  const { state, groupId } = alertGroupInvitations;
  return and(
    eq(alertGroupInvitations.agencyId, agencyId),
    sql`(${state} = 'pending' OR (${state} = 'accepted' AND ${groupId} IN (${proposed})))`,
    isNull(alertGroups.archivedAt),
  );
}

/** Returns how many invitations `listWaiting` lists without a limit. */
export async function countWaiting(db: ControlDb, agencyId: string): Promise<number> {
  const [row] = await db
    .select({ waiting: count() })
    .from(alertGroupInvitations)
    .innerJoin(alertGroups, eq(alertGroups.id, alertGroupInvitations.groupId))
    .where(waitsFor(agencyId));
  return row?.waiting ?? 0;
}

/**
 * Returns a part of the invitations on which an agency has to decide: the pending ones, newest first, then those of groups
 * whose owner proposed further members.
 */
export async function listWaiting(
  db: ControlDb,
  { agencyId, limit, offset }: { agencyId: string; limit: number; offset: number },
): Promise<GroupInvitation[]> {
  const { state, invitedAt, groupId } = alertGroupInvitations;
  const order = [desc(state), desc(invitedAt), groupId] as const;
  // Of the others, the proposed users would be looked up only to sort the invitations.
  const shown = db
    .select({ id: groupId })
    .from(alertGroupInvitations)
    .innerJoin(alertGroups, eq(alertGroups.id, groupId))
    .where(waitsFor(agencyId))
    .orderBy(...order)
    .limit(limit)
    .offset(offset);
  const rows = await selectInvitations(db)
    .where(and(eq(alertGroupInvitations.agencyId, agencyId), inArray(groupId, shown)))
    .orderBy(...order);
  return rows.map(invitationOf);
}

/**
 * Invites agencies to a group unless they participate. The batch fails on `alert_group_invitations.invited_at` if too
 * many other invitations of the group's owner await the answer of one of them.
 */
export function upsertInvitations(
  db: ControlDb,
  input: { groupId: string; agencyIds: string[]; by: string; at: number },
): Statement {
  const { groupId, agencyIds, by, at } = input;
  const list = JSON.stringify(agencyIds);
  // Query plan: each agency's invitations by alert_group_invitations_agency, groups by primary key.
  const invitedAt = sql`CASE
    WHEN EXISTS (
      SELECT 1
      FROM alert_group_invitations
      WHERE group_id = ${groupId} AND agency_id = j.value AND state = 'accepted'
    )
      OR (
        SELECT count(*)
        FROM alert_group_invitations v
        JOIN alert_groups g ON g.id = v.group_id
        WHERE v.agency_id = j.value
          AND v.state = 'pending'
          AND v.group_id <> ${groupId}
          AND g.archived_at IS NULL
          AND g.agency_id = (SELECT agency_id FROM alert_groups WHERE id = ${groupId})
      ) < ${MAX_WAITING_INVITATIONS}
      THEN ${at}
  END`;
  return db.run(sql`
    INSERT INTO alert_group_invitations (group_id, agency_id, state, invited_by, invited_at)
    SELECT ${groupId}, j.value, 'pending', ${by}, ${invitedAt}
    FROM json_each(${list}) AS j
    WHERE TRUE
    ON CONFLICT (group_id, agency_id) DO UPDATE
    SET state = excluded.state, invited_by = excluded.invited_by, invited_at = excluded.invited_at,
      decided_by = NULL, decided_at = NULL
    WHERE alert_group_invitations.state <> 'accepted'`);
}

/**
 * Records the answer to an invitation. The batch fails on `alert_group_invitations.state` if its state is not one of
 * `from`.
 */
export function decideInvitation(
  db: ControlDb,
  input: {
    groupId: string;
    agencyId: string;
    from: string[];
    to: "accepted" | "declined" | "withdrawn";
    by: string;
    at: number;
  },
): Statement {
  return db
    .update(alertGroupInvitations)
    .set({
      state: sql`CASE WHEN ${alertGroupInvitations.state} IN (SELECT value FROM json_each(${JSON.stringify(input.from)})) THEN ${input.to} END`,
      decidedBy: input.by,
      decidedAt: input.at,
      acceptedAt: input.to === "accepted" ? input.at : null,
    })
    .where(
      and(
        eq(alertGroupInvitations.groupId, input.groupId),
        eq(alertGroupInvitations.agencyId, input.agencyId),
      ),
    );
}
