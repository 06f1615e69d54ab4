// Service accounts of agencies. Tokens are stored as hashes.

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ServiceScope } from "#app/entities/accounts/service-scopes.ts";
import { agencies } from "./accounts.ts";

export const serviceAccounts = sqliteTable(
  "service_accounts",
  {
    id: text().primaryKey(),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    name: text().notNull(),
    scopes: text({ mode: "json" }).$type<ServiceScope[]>().notNull(),
    /** Ranges of addresses that it may call from; empty for any. */
    addresses: text({ mode: "json" }).$type<string[]>().notNull(),
    perMinute: integer("per_minute").notNull(),
    tokenHash: text("token_hash").notNull().unique(),
    tokenLast4: text("token_last4").notNull(),
    /** The user who created the present token and is responsible for it. */
    tokenBy: text("token_by").notNull(),
    /** The token before the last rotation works until `formerUntil`. */
    formerHash: text("former_hash").unique(),
    formerUntil: integer("former_until"),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by").notNull(),
    rotatedAt: integer("rotated_at"),
    expiresAt: integer("expires_at").notNull(),
    disabledAt: integer("disabled_at"),
    lastUsedAt: integer("last_used_at"),
    lastUsedIp: text("last_used_ip").notNull().default(""),
    /** When a known token was last refused, and why. */
    lastRefusedAt: integer("last_refused_at"),
    lastRefusedIp: text("last_refused_ip").notNull().default(""),
    lastRefusal: text("last_refusal").notNull().default(""),
  },
  (table) => [
    uniqueIndex("service_accounts_name").on(table.agencyId, sql`lower(${table.name})`),
    index("service_accounts_agency").on(table.agencyId, table.createdAt),
  ],
);
