// One row a member and channel: what became of telling them of a hit. Rows are taken with a lease, so that of two
// consumers at the same alert each has its own; a lease that runs out gives the row to the next. What a user gets has
// times in the order in which it was committed, whatever the consumers' clocks show.

import { and, eq, isNull, sql } from "drizzle-orm";
import type { PushChannel, PushPreference } from "#app/entities/alerts/push.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { alerts, deliveries } from "#app/store/schema/alerts.ts";

export type Delivery = typeof deliveries.$inferSelect;

/** Written out, since a partial index is used only where its condition stands in the statement itself. */
const IS_PENDING = sql`${deliveries.state} = 'pending'`;

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

/** A member who may be told, as they stand at this moment. */
export type Recipient = PushPreference & { userId: string; apns: boolean; webpush: boolean };

type MemberRow = Record<
  "user_id" | "enabled" | "quiet_from" | "quiet_until" | "time_zone" | "apns" | "webpush",
  number & string
>;

/**
 * Members of a group who may see its alerts now, in the order of their ids: active, with a right to hotlists, of the
 * group's agency or of one that accepted an invitation. After an id, or only those of a list.
 */
export async function listRecipients(
  db: ControlDb,
  input: { groupId: string; limit: number; after?: string; among?: string[] },
): Promise<Recipient[]> {
  const { groupId, limit, after = "", among } = input;
  const only = among ? sql`and m.user_id in (select value from json_each(${JSON.stringify(among)}))` : sql``;
  const has = (channel: PushChannel) =>
    sql`exists (select 1 from push_devices d where d.user_id = u.id and d.channel = ${channel} and d.dropped_at is null)`;
  const rows = await db.all<MemberRow>(sql`
    select m.user_id, coalesce(p.enabled, 0) as enabled, p.quiet_from, p.quiet_until,
      coalesce(p.time_zone, '') as time_zone, ${has("apns")} as apns, ${has("webpush")} as webpush
    from alert_group_members m
    join alert_groups g on g.id = m.group_id
    join users u on u.id = m.user_id
    left join push_preferences p on p.user_id = u.id
    where m.group_id = ${groupId} and m.user_id > ${after} ${only}
      and g.archived_at is null and u.disabled_at is null and u.deleted_at is null
      and (u.role = 'admin' or u.hotlist_admin = 1 or u.hotlist_viewer = 1)
      and (u.agency_id = g.agency_id or exists (select 1 from alert_group_invitations i
        where i.group_id = g.id and i.agency_id = u.agency_id and i.state = 'accepted'))
    order by m.user_id limit ${limit}`);
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
 * Writes rows that are not there yet; the same page again changes nothing. Pending ones are due at once. A row is newer
 * than all that its user has already, or whoever has looked that far would seem to have looked at it.
 */
export function insertDeliveries(
  db: ControlDb,
  input: { alertId: string; rows: NewDelivery[]; at: number },
): Statement {
  const { alertId, rows, at } = input;
  return db.run(sql`insert or ignore into deliveries
    (alert_id, user_id, channel, state, reason, attempts, devices, created_at, updated_at, next_at)
    select ${alertId}, value ->> 'userId', value ->> 'channel', value ->> 'state', value ->> 'reason', 0, '[]',
      max(${at}, 1 + coalesce((select max(d.created_at) from deliveries d where d.user_id = value ->> 'userId'), 0)),
      ${at}, case value ->> 'state' when 'pending' then ${at} end
    from json_each(${JSON.stringify(rows)})`);
}

/** The alert has left the outbox. */
export function markFannedOut(db: ControlDb, input: { id: string; at: number }): Statement {
  return db
    .update(alerts)
    .set({ fannedOutAt: input.at })
    .where(and(eq(alerts.id, input.id), isNull(alerts.fannedOutAt)));
}

/**
 * Takes rows of an alert that are due, as many as have so many devices together and at least one; they are nobody else's
 * until the lease is over.
 */
export async function claimDeliveries(
  db: ControlDb,
  input: { alertId: string; now: number; leasedUntil: number; devices: number },
): Promise<Delivery[]> {
  const { alertId, now, leasedUntil, devices } = input;
  const due = sql`select d.user_id, d.channel, (select count(*) from push_devices p
      where p.user_id = d.user_id and p.channel = d.channel and p.dropped_at is null) as devices
    from deliveries d where d.alert_id = ${alertId} and d.state = 'pending' and d.next_at <= ${now}
    order by d.user_id, d.channel limit ${devices}`;
  const fitting = sql`select user_id, channel from (select user_id, channel,
      sum(devices) over (order by user_id, channel) as total, row_number() over (order by user_id, channel) as place
    from (${due})) where total <= ${devices} or place = 1`;
  return db
    .update(deliveries)
    .set({ attempts: sql`${deliveries.attempts} + 1`, nextAt: leasedUntil, updatedAt: now })
    .where(
      and(
        eq(deliveries.alertId, alertId),
        IS_PENDING,
        sql`(${deliveries.userId}, ${deliveries.channel}) in (${fitting})`,
      ),
    )
    .returning();
}

/** When the next row of an alert is due; null where none is pending. */
export async function findNextDue(db: ControlDb, alertId: string): Promise<number | null> {
  const [row] = await db
    .select({ at: sql<number | null>`min(${deliveries.nextAt})` })
    .from(deliveries)
    .where(and(eq(deliveries.alertId, alertId), IS_PENDING));
  return row?.at ?? null;
}

export type Settled = Pick<Delivery, "userId" | "channel" | "state" | "reason" | "devices" | "nextAt">;

/** Writes down what became of rows that were taken; one that has an end keeps it. */
export function settleDeliveries(
  db: ControlDb,
  input: { alertId: string; rows: Settled[]; at: number },
): Statement {
  const { alertId, rows, at } = input;
  const text = rows.map((row) => ({ ...row, devices: JSON.stringify(row.devices) }));
  return db.run(sql`update deliveries set state = j.value ->> 'state', reason = j.value ->> 'reason',
      devices = j.value ->> 'devices', next_at = j.value ->> 'nextAt', updated_at = ${at}
    from json_each(${JSON.stringify(text)}) j
    where alert_id = ${alertId} and deliveries.user_id = j.value ->> 'userId'
      and deliveries.channel = j.value ->> 'channel' and deliveries.state = 'pending'`);
}

/** How many hits each user has not looked at, counted no further than 99: a badge needs no more. */
export async function countUnseen(db: ControlDb, userIds: string[]): Promise<Map<string, number>> {
  const rows = await db.all<{ id: string; unseen: number }>(sql`
    select u.value as id, (select count(*) from (select 1 from deliveries d
      where d.user_id = u.value and d.channel = 'live'
        and d.created_at > coalesce((select seen_at from alerts_seen s where s.user_id = u.value), 0)
      limit 99)) as unseen
    from json_each(${JSON.stringify(userIds)}) u`);
  return new Map(rows.map(({ id, unseen }) => [id, unseen]));
}

/** Alerts whose message was lost, and alerts with rows that have been due for a while, so many of both, oldest first. */
export async function listUndeliveredAlerts(
  db: ControlDb,
  input: { before: number; limit: number },
): Promise<string[]> {
  const { before, limit } = input;
  // The plus keeps SQLite from walking the whole table in the order of alerts to group the few rows that are due.
  const rows = await db.all<{ id: string }>(sql`
    select id from (select id from alerts where fanned_out_at is null and created_at <= ${before}
      order by created_at limit ${limit})
    union select alert_id from (select alert_id from deliveries where state = 'pending' and next_at <= ${before}
      group by +alert_id order by min(next_at) limit ${limit})`);
  return rows.map(({ id }) => id);
}

/** Rows that nobody could bring to an end in time are dead; gives how many were ended, `limit` at most. */
export async function endOverdueDeliveries(
  db: ControlDb,
  input: { before: number; at: number; reason: string; limit: number },
): Promise<number> {
  const { before, at, reason, limit } = input;
  const { meta } = await db.run(sql`update deliveries
    set state = 'dead', reason = ${reason}, next_at = null, updated_at = ${at}
    where rowid in (select rowid from deliveries
      where state = 'pending' and coalesce(driven_at, created_at) <= ${before} limit ${limit})`);
  return meta.changes;
}
