// Deliveries to outgoing webhooks: claimed one at a time per webhook with a lease, so that two consumers never send to
// the same webhook at once. If a consumer dies, the lease ends and the next one sends the delivery again under the same
// id. A pending delivery is leased if it was attempted and has no reason yet: its next attempt is when the lease ends.

import { and, desc, eq, sql } from "drizzle-orm";
import {
  DELIVERY_PAGE,
  type DeliveryPage,
  type DeliveryState,
  type OutgoingDeliveryRow,
} from "#app/entities/integrations/outgoing-webhooks.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { alerts } from "#app/store/schema/alerts.ts";
import { alertGroups } from "#app/store/schema/groups.ts";
import { outgoingDeliveries, outgoingWebhooks } from "#app/store/schema/outgoing-webhooks.ts";
import { IS_ENTITLED } from "./outgoing-events.ts";

export type OutgoingDelivery = typeof outgoingDeliveries.$inferSelect;
export type OutgoingWebhook = typeof outgoingWebhooks.$inferSelect;

/** Written out, because SQLite uses a partial index only if its condition is part of the statement. */
const IS_PENDING = sql.raw("outgoing_deliveries.state = 'pending'");

/**
 * Returns webhooks that are on, not paused, and have deliveries due before an instant, the longest due first. A claim
 * makes a delivery due later, so that webhooks whose sends never end do not delay the others.
 */
export async function listDueWebhooks(
  db: ControlDb,
  input: { now: number; before: number; limit: number },
): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    SELECT w.id, (
      SELECT min(next_at)
      FROM outgoing_deliveries INDEXED BY outgoing_deliveries_due
      WHERE outgoing_deliveries.webhook_id = w.id AND ${IS_PENDING}) AS due_at
    FROM outgoing_webhooks w
    WHERE w.off_at IS NULL AND w.paused_until <= ${input.now} AND due_at <= ${input.before}
    ORDER BY due_at, w.id
    LIMIT ${input.limit}`);
  return rows.map(({ id }) => id);
}

/** Maximum difference between the clocks of two consumers. */
const CLOCKS_DIFFER_MS = 5000;

/**
 * Leases the oldest due delivery of a webhook that is on and not paused. Returns undefined if there is none, or while
 * another delivery of the webhook is leased. No other consumer gets one of the webhook until the outcome is saved, or
 * until `leasedUntil`.
 */
export async function claimOutgoing(
  db: ControlDb,
  input: { webhookId: string; now: number; leasedUntil: number },
): Promise<OutgoingDelivery | undefined> {
  const { webhookId, now, leasedUntil } = input;
  const due = sql`
    SELECT id
    FROM outgoing_deliveries INDEXED BY outgoing_deliveries_due
    WHERE webhook_id = ${webhookId} AND ${IS_PENDING} AND next_at <= ${now}
    ORDER BY next_at
    LIMIT 1`;
  const isOpen = sql`EXISTS (
    SELECT 1
    FROM outgoing_webhooks w
    WHERE w.id = ${webhookId} AND w.off_at IS NULL AND w.paused_until <= ${now})`;
  // A lease ends at most one lease from now, so planned retries after that need not be read.
  const isFree = sql`NOT EXISTS (
    SELECT 1
    FROM outgoing_deliveries INDEXED BY outgoing_deliveries_due
    WHERE webhook_id = ${webhookId} AND ${IS_PENDING} AND next_at > ${now}
      AND next_at <= ${leasedUntil + CLOCKS_DIFFER_MS} AND attempts > 0 AND reason = '')`;
  const attempts = sql`${outgoingDeliveries.attempts} + 1`;
  const [row] = await db
    .update(outgoingDeliveries)
    .set({ attempts, reason: "", nextAt: leasedUntil, updatedAt: now })
    .where(sql`id = (${due}) AND ${IS_PENDING} AND ${isOpen} AND ${isFree}`)
    .returning();
  return row;
}

/**
 * Returns what a message needs: the webhook, the group and the hit as they are now, and whether the webhook may still
 * get events of the group.
 */
export async function findToSend(db: ControlDb, deliveryId: string) {
  const [row] = await db
    .select({
      webhook: outgoingWebhooks,
      groupName: alertGroups.name,
      alert: alerts,
      isEntitled: sql<number>`${IS_ENTITLED}`,
    })
    .from(outgoingDeliveries)
    .innerJoin(outgoingWebhooks, eq(outgoingWebhooks.id, outgoingDeliveries.webhookId))
    .innerJoin(alertGroups, eq(alertGroups.id, outgoingDeliveries.groupId))
    .leftJoin(alerts, eq(alerts.id, outgoingDeliveries.alertId))
    .where(eq(outgoingDeliveries.id, deliveryId));
  return row && { ...row, isEntitled: row.isEntitled === 1 };
}

/**
 * Returns when the next delivery of a webhook is due, or when its pause ends if that is later; null if none is pending.
 */
export async function findNextOutgoing(db: ControlDb, webhookId: string): Promise<number | null> {
  const [row] = await db.all<{ at: number | null }>(sql`
    SELECT max(
      min(next_at),
      coalesce((SELECT w.paused_until FROM outgoing_webhooks w WHERE w.id = ${webhookId}), 0)) AS at
    FROM outgoing_deliveries INDEXED BY outgoing_deliveries_due
    WHERE webhook_id = ${webhookId} AND ${IS_PENDING}`);
  return row?.at ?? null;
}

/** Saves the outcome of a claimed delivery. One that is no longer pending keeps its state. */
export function settleOutgoing(
  db: ControlDb,
  id: string,
  to: Pick<OutgoingDelivery, "state" | "status" | "reason" | "nextAt" | "updatedAt">,
): Statement {
  return db
    .update(outgoingDeliveries)
    .set(to)
    .where(and(eq(outgoingDeliveries.id, id), IS_PENDING));
}

/** Records that a receiver accepted a message: closes the circuit. */
export function noteAccepted(db: ControlDb, webhookId: string, at: number): Statement {
  return db
    .update(outgoingWebhooks)
    .set({ failures: 0, pausedUntil: 0, lastOkAt: at })
    .where(eq(outgoingWebhooks.id, webhookId));
}

/**
 * Records a failed send. From the failure `opensAt` in a row on, each failure pauses the webhook, twice as long each
 * time. Any failure pauses it for the `asked` milliseconds that the receiver requested, up to `pause.cap`.
 */
export function noteFailure(
  db: ControlDb,
  webhookId: string,
  input: {
    at: number;
    reason: string;
    counts: boolean;
    asked: number;
    opensAt: number;
    pause: { base: number; cap: number };
  },
): Statement {
  const { at, reason, counts, asked, opensAt, pause } = input;
  const failures = counts ? sql`failures + 1` : sql`0`;
  const paused = sql`CASE
    WHEN ${counts ? 1 : 0} AND failures + 1 >= ${opensAt}
    THEN ${at} + min(${pause.cap}, max(${asked}, ${pause.base} << min(failures + 1 - ${opensAt}, 20)))
    WHEN ${counts ? 1 : 0} AND ${asked} > 0
    THEN ${at} + min(${pause.cap}, ${asked})
    ELSE 0 END`;
  return db
    .update(outgoingWebhooks)
    .set({ failures, pausedUntil: paused, lastFailureAt: at, lastFailure: reason })
    .where(eq(outgoingWebhooks.id, webhookId));
}

/** Cancels everything that a webhook has not been sent. */
export function cancelPending(
  db: ControlDb,
  input: { webhookId: string; reason: string; at: number },
): Statement {
  const { webhookId, reason, at } = input;
  return db
    .update(outgoingDeliveries)
    .set({ state: "cancelled", reason, nextAt: null, updatedAt: at })
    .where(and(eq(outgoingDeliveries.webhookId, webhookId), IS_PENDING));
}

/** Ends pending deliveries that began before an instant. Returns how many, at most `limit`. */
export async function endOverdueOutgoing(
  db: ControlDb,
  input: { before: number; at: number; limit: number },
): Promise<number> {
  const { meta } = await db.run(sql`
    UPDATE outgoing_deliveries
    SET state = 'failed', reason = CASE reason WHEN '' THEN 'Not sent within a day' ELSE reason END, next_at = NULL,
      updated_at = ${input.at}
    WHERE id IN (
      SELECT id
      FROM outgoing_deliveries INDEXED BY outgoing_deliveries_pending
      WHERE ${IS_PENDING} AND created_at <= ${input.before} AND coalesce(retried_at, created_at) <= ${input.before}
      LIMIT ${input.limit})`);
  return meta.changes;
}

/** Makes failed deliveries of a webhook pending again: one, or up to `limit` of them, oldest first. */
export function retryOutgoing(
  db: ControlDb,
  input: { webhookId: string; deliveryId: string | undefined; at: number; limit: number },
): Statement {
  const { webhookId, deliveryId, at, limit } = input;
  const chosen = deliveryId === undefined ? sql`1` : sql`id = ${deliveryId}`;
  return db
    .update(outgoingDeliveries)
    .set({ state: "pending", attempts: 0, nextAt: at, updatedAt: at, retriedAt: at })
    .where(
      sql`id IN (
        SELECT id
        FROM outgoing_deliveries INDEXED BY outgoing_deliveries_failed
        WHERE webhook_id = ${webhookId} AND state = 'failed' AND ${chosen}
        ORDER BY updated_at
        LIMIT ${limit})`,
    )
    .returning({ id: outgoingDeliveries.id });
}

/** Returns a page of a webhook's deliveries, newest first. */
export async function listOutgoing(
  db: ControlDb,
  input: { webhookId: string; state?: DeliveryState; before?: { at: number; id: string } },
): Promise<DeliveryPage> {
  const { webhookId, state, before } = input;
  const rows = await db
    .select({ delivery: outgoingDeliveries, group: alertGroups.name })
    .from(outgoingDeliveries)
    .innerJoin(alertGroups, eq(alertGroups.id, outgoingDeliveries.groupId))
    .where(
      and(
        eq(outgoingDeliveries.webhookId, webhookId),
        state && eq(outgoingDeliveries.state, state),
        before &&
          sql`(${outgoingDeliveries.createdAt}, ${outgoingDeliveries.id}) < (${before.at}, ${before.id})`,
      ),
    )
    .orderBy(desc(outgoingDeliveries.createdAt), desc(outgoingDeliveries.id))
    .limit(DELIVERY_PAGE + 1);
  const shown = rows.slice(0, DELIVERY_PAGE).map(({ delivery, group }) => toRow(delivery, group));
  const last = rows.length > DELIVERY_PAGE ? shown.at(-1) : undefined;
  return { deliveries: shown, next: last ? `${last.created_at}.${last.id}` : null };
}

function toRow(delivery: OutgoingDelivery, group: string): OutgoingDeliveryRow {
  return {
    id: delivery.id,
    event: delivery.event,
    group,
    state: delivery.state,
    attempts: delivery.attempts,
    status: delivery.status,
    reason: delivery.reason,
    created_at: delivery.createdAt,
    updated_at: delivery.updatedAt,
    next_at: delivery.nextAt,
  };
}
