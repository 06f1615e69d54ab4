// Deliveries: one row per alert, member and channel records whether the member was notified of a hit. Rows are
// claimed with a lease, so that two consumers of the same alert never share one; when a lease expires, the next
// consumer may claim the row. The rows of a user have creation times in the order of their commits, whatever the
// clocks of the consumers.

import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { PushChannel, PushPreference } from "#app/entities/alerts/push.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { alerts, deliveries } from "#app/store/schema/alerts.ts";

export type Delivery = typeof deliveries.$inferSelect;

/** Written out, because SQLite uses a partial index only if its condition is part of the statement. */
const IS_PENDING = sql`${deliveries.state} = 'pending'`;

/** Returns what the notification of an alert needs; undefined if there is no such alert. */
export async function findAlertToDeliver(
  db: ControlDb,
  id: string,
): Promise<{ id: string; groupId: string; createdAt: number; fannedOutAt: number | null } | undefined> {
  const { groupId, createdAt, fannedOutAt } = alerts;
  const [row] = await db
    .select({ id: alerts.id, groupId, createdAt, fannedOutAt })
    .from(alerts)
    .where(eq(alerts.id, id));
  return row;
}

/** A member who may be notified, with their current settings. */
export type Recipient = PushPreference & { userId: string; apns: boolean; webpush: boolean };

type RecipientRow = {
  user_id: string;
  enabled: number;
  quiet_from: number | null;
  quiet_until: number | null;
  time_zone: string;
  apns: number;
  webpush: number;
};

const hasDevice = (channel: PushChannel) => sql`EXISTS (
  SELECT 1
  FROM push_devices d
  WHERE d.user_id = u.id AND d.channel = ${channel} AND d.dropped_at IS NULL)`;

/**
 * Query plan: members by the primary key of alert_group_members (group_id, user_id), already in the wanted order; users, groups and
 * preferences by their primary keys, devices by push_devices_user.
 */
const recipients = (groupId: string, page: { only: SQL; after: string; limit: number }) => sql`
  SELECT m.user_id, coalesce(p.enabled, 0) AS enabled, p.quiet_from, p.quiet_until,
    coalesce(p.time_zone, '') AS time_zone,
    ${hasDevice("apns")} AS apns,
    ${hasDevice("webpush")} AS webpush
  FROM alert_group_members m
  JOIN alert_groups g ON g.id = m.group_id
  JOIN users u ON u.id = m.user_id
  LEFT JOIN push_preferences p ON p.user_id = u.id
  WHERE m.group_id = ${groupId} AND m.user_id > ${page.after} ${page.only}
    AND g.archived_at IS NULL AND u.disabled_at IS NULL AND u.deleted_at IS NULL
    AND (u.role = 'admin' OR u.hotlist_admin = 1 OR u.hotlist_viewer = 1)
    AND (u.agency_id = g.agency_id OR EXISTS (
      SELECT 1
      FROM alert_group_invitations i
      WHERE i.group_id = g.id AND i.agency_id = u.agency_id AND i.state = 'accepted'))
  ORDER BY m.user_id
  LIMIT ${page.limit}`;

/**
 * Returns the members of a group who may see its alerts now, ordered by id: active users with a right to hotlists, of
 * the group's agency or of an agency that accepted an invitation. Pages by `after`, or only the users in `among`.
 */
export async function listRecipients(
  db: ControlDb,
  input: { groupId: string; limit: number; after?: string; among?: string[] },
): Promise<Recipient[]> {
  const { groupId, limit, after = "", among } = input;
  const only = among ? sql`AND m.user_id IN (SELECT value FROM json_each(${JSON.stringify(among)}))` : sql``;
  const rows = await db.all<RecipientRow>(recipients(groupId, { only, after, limit }));
  return rows.map((row) => ({
    userId: row.user_id,
    enabled: row.enabled === 1,
    quietFrom: row.quiet_from,
    quietUntil: row.quiet_until,
    timeZone: row.time_zone,
    apns: row.apns === 1,
    webpush: row.webpush === 1,
  }));
}

export type NewDelivery = Pick<Delivery, "userId" | "channel" | "state" | "reason">;

/**
 * Inserts missing rows; idempotent. Pending rows are due immediately. Each row gets a later time than all earlier rows
 * of its user; otherwise a list that was seen up to that time would count it as seen.
 */
export function insertDeliveries(
  db: ControlDb,
  input: { alertId: string; rows: NewDelivery[]; at: number },
): Statement {
  const { alertId, rows, at } = input;
  return db.run(sql`
    INSERT OR IGNORE INTO deliveries
      (alert_id, user_id, channel, state, reason, attempts, devices, created_at, updated_at, next_at)
    SELECT ${alertId}, value ->> 'userId', value ->> 'channel', value ->> 'state', value ->> 'reason', 0, '[]',
      max(${at}, 1 + coalesce((SELECT max(d.created_at) FROM deliveries d WHERE d.user_id = value ->> 'userId'), 0)),
      ${at}, CASE value ->> 'state' WHEN 'pending' THEN ${at} END
    FROM json_each(${JSON.stringify(rows)})`);
}

/** Removes an alert from the outbox: its rows are written. */
export function markFannedOut(db: ControlDb, input: { id: string; at: number }): Statement {
  return db
    .update(alerts)
    .set({ fannedOutAt: input.at })
    .where(and(eq(alerts.id, input.id), isNull(alerts.fannedOutAt)));
}

/**
 * Leases due rows of an alert that together have at most `devices` devices, at least one row. No other consumer
 * gets them until `leasedUntil`.
 */
export async function claimDeliveries(
  db: ControlDb,
  input: { alertId: string; now: number; leasedUntil: number; devices: number },
): Promise<Delivery[]> {
  const { alertId, now, leasedUntil, devices } = input;
  const due = sql`
    SELECT d.user_id, d.channel, (
      SELECT count(*)
      FROM push_devices p
      WHERE p.user_id = d.user_id AND p.channel = d.channel AND p.dropped_at IS NULL) AS devices
    FROM deliveries d
    WHERE d.alert_id = ${alertId} AND d.state = 'pending' AND d.next_at <= ${now}
    ORDER BY d.user_id, d.channel
    LIMIT ${devices}`;
  const fitting = sql`
    SELECT user_id, channel
    FROM (
      SELECT user_id, channel,
        sum(devices) OVER (ORDER BY user_id, channel) AS total,
        row_number() OVER (ORDER BY user_id, channel) AS place
      FROM (${due}))
    WHERE total <= ${devices} OR place = 1`;
  return db
    .update(deliveries)
    .set({ attempts: sql`${deliveries.attempts} + 1`, nextAt: leasedUntil, updatedAt: now })
    .where(
      and(
        eq(deliveries.alertId, alertId),
        IS_PENDING,
        sql`(${deliveries.userId}, ${deliveries.channel}) IN (${fitting})`,
      ),
    )
    .returning();
}

/** Returns when the next row of an alert is due; null if none is pending. */
export async function findNextDue(db: ControlDb, alertId: string): Promise<number | null> {
  const [row] = await db
    .select({ at: sql<number | null>`min(${deliveries.nextAt})` })
    .from(deliveries)
    .where(and(eq(deliveries.alertId, alertId), IS_PENDING));
  return row?.at ?? null;
}

export type Settled = Pick<Delivery, "userId" | "channel" | "state" | "reason" | "devices" | "nextAt">;

/** Saves the outcome of claimed rows. A row that is no longer pending keeps its state. */
export function settleDeliveries(
  db: ControlDb,
  input: { alertId: string; rows: Settled[]; at: number },
): Statement {
  const { alertId, rows, at } = input;
  const text = rows.map((row) => ({ ...row, devices: JSON.stringify(row.devices) }));
  return db.run(sql`
    UPDATE deliveries
    SET state = j.value ->> 'state', reason = j.value ->> 'reason', devices = j.value ->> 'devices',
      next_at = j.value ->> 'nextAt', updated_at = ${at}
    FROM json_each(${JSON.stringify(text)}) j
    WHERE alert_id = ${alertId} AND deliveries.user_id = j.value ->> 'userId'
      AND deliveries.channel = j.value ->> 'channel' AND deliveries.state = 'pending'`);
}

/**
 * Query plan: of each user, deliveries_user since the instant, then alert, membership and group by primary key; LIMIT
 * bounds the rows read.
 */
const unseen = ({ userIds, since }: { userIds: string[]; since: number }) => sql`
  SELECT u.value AS id, (
    SELECT count(*)
    FROM (
      SELECT 1
      FROM deliveries d
      CROSS JOIN alerts a ON a.id = d.alert_id
      CROSS JOIN alert_group_members m ON m.group_id = a.group_id AND m.user_id = d.user_id
      CROSS JOIN alert_groups g ON g.id = a.group_id AND g.archived_at IS NULL
      WHERE d.user_id = u.value AND d.channel = 'live' AND d.created_at > max(
        ${since},
        coalesce((SELECT seen_at FROM alerts_seen s WHERE s.user_id = u.value), 0))
      LIMIT 99)) AS unseen
  FROM json_each(${JSON.stringify(userIds)}) u`;

/**
 * Returns the number of hits since an instant that each user has not seen, up to 99, the most that a badge shows.
 * Counts only hits of groups that the user is a member of, like the live list.
 */
export async function countUnseen(
  db: ControlDb,
  input: { userIds: string[]; since: number },
): Promise<Map<string, number>> {
  const rows = await db.all<{ id: string; unseen: number }>(unseen(input));
  return new Map(rows.map(({ id, unseen }) => [id, unseen]));
}

/**
 * Query plan: alerts_outbox for lost messages, deliveries_due for overdue rows. The unary plus keeps SQLite from scanning the
 * whole table in the order of alerts to group the few rows that are due.
 */
const undelivered = ({ before, limit }: { before: number; limit: number }) => sql`
  SELECT id FROM (
    SELECT id
    FROM alerts
    WHERE fanned_out_at IS NULL AND created_at <= ${before}
    ORDER BY created_at
    LIMIT ${limit})
  UNION
  SELECT alert_id FROM (
    SELECT alert_id
    FROM deliveries
    WHERE state = 'pending' AND next_at <= ${before}
    GROUP BY +alert_id
    ORDER BY min(next_at)
    LIMIT ${limit})`;

/**
 * Returns the ids of alerts whose message was lost, and of alerts with rows due before `before`: at most `limit` of
 * each, oldest first.
 */
export async function listUndeliveredAlerts(
  db: ControlDb,
  input: { before: number; limit: number },
): Promise<string[]> {
  const rows = await db.all<{ id: string }>(undelivered(input));
  return rows.map(({ id }) => id);
}

/** The reason of a pending row whose push service requested a delay beyond the time of usual attempts. */
export const WAITS_AS_ASKED = "Waits as the push service asked";

/**
 * Sets rows created before `before` to the state `dead`, but those that a push service asked to delay only if they were
 * due before `dueBefore`. Returns the number of changed rows, at most `limit`.
 */
export async function endOverdueDeliveries(
  db: ControlDb,
  input: { before: number; dueBefore: number; at: number; reason: string; limit: number },
): Promise<number> {
  const { before, dueBefore, at, reason, limit } = input;
  const { meta } = await db.run(sql`
    UPDATE deliveries
    SET state = 'dead', reason = ${reason}, next_at = NULL, updated_at = ${at}
    WHERE rowid IN (
      SELECT rowid
      FROM deliveries
      WHERE state = 'pending' AND coalesce(driven_at, created_at) <= ${before}
        AND (reason <> ${WAITS_AS_ASKED} OR next_at <= ${dueBefore})
      LIMIT ${limit})`);
  return meta.changes;
}
