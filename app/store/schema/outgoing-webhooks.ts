// Outgoing webhooks: addresses to which an agency has events posted, and one delivery row per event and webhook. The
// pending rows are the outbox. A delivery names a hit or a group by its id and contains no plate; the message is written
// when it is sent.

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { DeliveryDetail } from "#app/entities/integrations/outgoing-webhooks.ts";
import { agencies } from "./accounts.ts";
import { alertGroups } from "./groups.ts";

export const outgoingWebhooks = sqliteTable(
  "outgoing_webhooks",
  {
    id: text().primaryKey(),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    /** Null: events of every group that the agency owns or participates in. */
    groupId: text("group_id").references(() => alertGroups.id),
    name: text().notNull(),
    /** Without the values of its query. */
    url: text().notNull(),
    /** The query with its question mark; null if there is none. */
    sealedQuery: text("sealed_query"),
    sealedSecret: text("sealed_secret").notNull(),
    /** The secret before the last rotation. Messages are signed with it too until `formerUntil`. */
    sealedFormer: text("sealed_former"),
    formerUntil: integer("former_until"),
    onHit: integer("on_hit", { mode: "boolean" }).notNull(),
    onDisposition: integer("on_disposition", { mode: "boolean" }).notNull(),
    onExpiring: integer("on_expiring", { mode: "boolean" }).notNull(),
    /** Messages contain the plate and the read, not only ids. */
    plateData: integer("plate_data", { mode: "boolean" }).notNull().default(false),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by").notNull(),
    /** Null while it is on. */
    offAt: integer("off_at"),
    offReason: text("off_reason").notNull().default(""),
    /** Unanswered sends in a row, and until when nothing is sent because of them (the circuit breaker). */
    failures: integer().notNull().default(0),
    pausedUntil: integer("paused_until").notNull().default(0),
    lastOkAt: integer("last_ok_at"),
    lastFailureAt: integer("last_failure_at"),
    lastFailure: text("last_failure").notNull().default(""),
  },
  (table) => [
    index("outgoing_webhooks_agency").on(table.agencyId, table.createdAt),
    index("outgoing_webhooks_group").on(table.groupId),
  ],
);

export const outgoingDeliveries = sqliteTable(
  "outgoing_deliveries",
  {
    /** The header `webhook-id`, the same at every attempt. */
    id: text().primaryKey(),
    webhookId: text("webhook_id")
      .notNull()
      .references(() => outgoingWebhooks.id, { onDelete: "cascade" }),
    event: text({ enum: ["hit", "disposition", "expiring"] }).notNull(),
    /** What makes the event unique, so that a repeated step creates no second delivery. */
    eventKey: text("event_key").notNull(),
    groupId: text("group_id").notNull(),
    /** Empty for events that are not about one hit. */
    alertId: text("alert_id").notNull().default(""),
    detail: text({ mode: "json" }).$type<DeliveryDetail>().notNull().default(sql`'{}'`),
    state: text({ enum: ["pending", "delivered", "failed", "cancelled"] }).notNull(),
    attempts: integer().notNull().default(0),
    /** The status of the last answer; null if there was none. */
    status: integer(),
    reason: text().notNull().default(""),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** When it is due; while it is being sent, when its lease ends. */
    nextAt: integer("next_at"),
    /** When someone retried it. The day of attempts counts from then. */
    retriedAt: integer("retried_at"),
  },
  (table) => [
    uniqueIndex("outgoing_deliveries_once").on(table.webhookId, table.event, table.eventKey),
    index("outgoing_deliveries_newest").on(table.webhookId, table.createdAt, table.id),
    index("outgoing_deliveries_created").on(table.createdAt),
    index("outgoing_deliveries_pending").on(table.createdAt).where(sql`state = 'pending'`),
    index("outgoing_deliveries_due").on(table.webhookId, table.nextAt).where(sql`state = 'pending'`),
    index("outgoing_deliveries_failed").on(table.webhookId, table.updatedAt).where(sql`state = 'failed'`),
  ],
);
