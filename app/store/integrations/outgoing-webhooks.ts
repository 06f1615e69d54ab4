// An agency's outgoing webhooks. Secrets are sealed; rows for screens do not contain them.

import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import type { OutgoingEvent, OutgoingWebhookRow } from "#app/entities/integrations/outgoing-webhooks.ts";
import type { SealedFor } from "#app/lib/crypto/primitives.ts";
import { compareNames } from "#app/lib/text.ts";
import { unlessFull } from "#app/store/constraints.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { alertGroups } from "#app/store/schema/groups.ts";
import { outgoingWebhooks } from "#app/store/schema/outgoing-webhooks.ts";
import type { OutgoingWebhook } from "./outgoing-deliveries.ts";

/** The agency that asks, and whether its agency-wide webhooks are included. */
export type WebhookReach = { agencyId: string; agencyWide: boolean };

/** Returns the owner that a webhook's sealed secret, its former one, or the query of its address is bound to. */
export function outgoingSecretOwner(id: string, field: "secret" | "former" | "query"): SealedFor {
  return { table: "outgoing_webhooks", id, field };
}

function within({ agencyId, agencyWide }: WebhookReach) {
  return and(
    eq(outgoingWebhooks.agencyId, agencyId),
    agencyWide ? undefined : isNotNull(outgoingWebhooks.groupId),
  );
}

/** Returns the webhooks within a reach by name, or one of them. */
export async function listOutgoingWebhooks(
  db: ControlDb,
  reach: WebhookReach,
  input: { now: number; id?: string },
): Promise<OutgoingWebhookRow[]> {
  const rows = await db
    .select({
      webhook: outgoingWebhooks,
      groupName: alertGroups.name,
      archivedAt: alertGroups.archivedAt,
      pending: countOf("pending"),
      failed: countOf("failed"),
    })
    .from(outgoingWebhooks)
    .leftJoin(alertGroups, eq(alertGroups.id, outgoingWebhooks.groupId))
    .where(and(within(reach), input.id === undefined ? undefined : eq(outgoingWebhooks.id, input.id)))
    .orderBy(asc(outgoingWebhooks.id));
  rows.sort((a, b) => compareNames(a.webhook.name, b.webhook.name));
  return rows.map(({ webhook, groupName, archivedAt, pending, failed }) => ({
    ...toRow(webhook, input.now),
    group:
      webhook.groupId === null
        ? null
        : { id: webhook.groupId, name: groupName ?? "", archived: archivedAt !== null },
    pending,
    failed,
  }));
}

/** Counts with the partial index of the state. */
function countOf(state: "pending" | "failed") {
  return sql<number>`(
    SELECT count(*)
    FROM outgoing_deliveries d
    WHERE d.webhook_id = ${outgoingWebhooks.id} AND d.state = ${sql.raw(`'${state}'`)})`;
}

function toRow(
  webhook: OutgoingWebhook,
  now: number,
): Omit<OutgoingWebhookRow, "group" | "pending" | "failed"> {
  const isPaused = webhook.pausedUntil > now;
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    events: eventsOf(webhook),
    plate_data: webhook.plateData,
    created_at: webhook.createdAt,
    state: webhook.offAt !== null ? "off" : isPaused ? "paused" : "on",
    off_reason: webhook.offReason,
    paused_until: isPaused ? webhook.pausedUntil : null,
    former_secret_until: (webhook.formerUntil ?? 0) > now ? webhook.formerUntil : null,
    last_ok_at: webhook.lastOkAt,
    last_failure_at: webhook.lastFailureAt,
    last_failure: webhook.lastFailure,
  };
}

/** Returns the events that a webhook receives. */
export function eventsOf(
  webhook: Pick<OutgoingWebhook, "onHit" | "onDisposition" | "onExpiring">,
): OutgoingEvent[] {
  const events: [OutgoingEvent, boolean][] = [
    ["hit", webhook.onHit],
    ["disposition", webhook.onDisposition],
    ["expiring", webhook.onExpiring],
  ];
  return events.flatMap(([event, wanted]) => (wanted ? [event] : []));
}

/** Returns the stored columns of a list of events. */
export function eventColumns(events: readonly OutgoingEvent[]) {
  return {
    onHit: events.includes("hit"),
    onDisposition: events.includes("disposition"),
    onExpiring: events.includes("expiring"),
  };
}

/** Returns a webhook with its sealed secrets, on or off; undefined if it is not within the reach. */
export async function findOutgoingWebhook(
  db: ControlDb,
  reach: WebhookReach,
  id: string,
): Promise<OutgoingWebhook | undefined> {
  const [row] = await db
    .select()
    .from(outgoingWebhooks)
    .where(and(within(reach), eq(outgoingWebhooks.id, id)));
  return row;
}

/** Breaks the constraint on `outgoing_webhooks.created_at` if the agency already has `most` webhooks. */
export function insertOutgoingWebhook(
  db: ControlDb,
  row: typeof outgoingWebhooks.$inferInsert,
  most: number,
): Statement {
  const { agencyId, createdAt } = row;
  const among = sql`agency_id = ${agencyId}`;
  return db
    .insert(outgoingWebhooks)
    .values({ ...row, createdAt: unlessFull(outgoingWebhooks, { among, most, value: createdAt }) });
}

/** Fails a batch, by the constraint on `outgoing_webhooks.url`, if a webhook has another address. Changes nothing. */
export function requireAddressUnchanged(
  db: ControlDb,
  { id, url, sealedQuery }: Pick<OutgoingWebhook, "id" | "url" | "sealedQuery">,
): Statement {
  const same = sql<string>`CASE
    WHEN ${outgoingWebhooks.url} = ${url} AND ${outgoingWebhooks.sealedQuery} IS ${sealedQuery}
    THEN ${outgoingWebhooks.url} END`;
  return db.update(outgoingWebhooks).set({ url: same }).where(eq(outgoingWebhooks.id, id));
}

/** Changes a webhook of an agency: one row, or none if it was deleted. */
export function updateOutgoingWebhook(
  db: ControlDb,
  key: { id: string; agencyId: string; sealedSecret?: string },
  set: Partial<typeof outgoingWebhooks.$inferInsert>,
): Statement {
  const { id, agencyId, sealedSecret } = key;
  const isCurrent = sealedSecret === undefined ? undefined : eq(outgoingWebhooks.sealedSecret, sealedSecret);
  return db
    .update(outgoingWebhooks)
    .set(set)
    .where(and(eq(outgoingWebhooks.id, id), eq(outgoingWebhooks.agencyId, agencyId), isCurrent));
}

/** Deletes a webhook of an agency with its deliveries. */
export function removeOutgoingWebhook(db: ControlDb, key: { id: string; agencyId: string }): Statement {
  return db
    .delete(outgoingWebhooks)
    .where(and(eq(outgoingWebhooks.id, key.id), eq(outgoingWebhooks.agencyId, key.agencyId)));
}
