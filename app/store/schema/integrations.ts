// Camera programs (vendor API keys, webhooks, sharing) and service accounts, whose tokens are stored as hashes. Circuit
// breakers and poll cursors are here too, because Workers share no memory.

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
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
    /** The user who created it. Null if it was replaced before this was noted. */
    formerBy: text("former_by"),
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

export const rekorKeys = sqliteTable(
  "rekor_keys",
  {
    id: text().primaryKey(),
    /** The tenant that owns the key. Only it may search with the key. */
    tenantId: text("tenant_id")
      .notNull()
      .references(() => agencies.id),
    /** The agency that the key belongs to in the vendor's system. */
    agency: text().notNull(),
    baseUrl: text("base_url").notNull(),
    sealedKey: text("sealed_key").notNull(),
    keyLast4: text("key_last4").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("rekor_keys_tenant").on(table.tenantId, table.agency)],
);

export const axonIntegrations = sqliteTable("axon_integrations", {
  id: text().primaryKey(),
  agencyId: text("agency_id")
    .notNull()
    .unique()
    .references(() => agencies.id),
  baseUrl: text("base_url").notNull(),
  clientId: text("client_id").notNull(),
  partnerId: text("partner_id").notNull(),
  sealedSecret: text("sealed_secret").notNull(),
  createdAt: integer("created_at").notNull(),
});

/**
 * Agencies that may not search an agency's Axon reads, or only under terms or for a time. Agencies without a row may
 * search.
 */
export const axonBlacklist = sqliteTable(
  "axon_blacklist",
  {
    integrationId: text("integration_id")
      .notNull()
      .references(() => axonIntegrations.id, { onDelete: "cascade" }),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    createdAt: integer("created_at").notNull(),
    /** From then on it finds nothing: 0 if always excluded, null if the terms have no end. */
    keptOutFrom: integer("kept_out_from").default(0),
    /** The agreement for sharing; empty if excluded. */
    declaration: text().notNull().default(""),
  },
  (table) => [primaryKey({ columns: [table.integrationId, table.agencyId] })],
);

export const axonTokens = sqliteTable("axon_tokens", {
  integrationId: text("integration_id").primaryKey(),
  sealedToken: text("sealed_token"),
  expiresAt: integer("expires_at").notNull().default(0),
  /** One caller fetches a token until this time; others wait. */
  leasedUntil: integer("leased_until").notNull().default(0),
});

/** With whom an owner shares a program's reads. An owner can always search its own. */
function sharesTable(name: string) {
  return sqliteTable(
    name,
    {
      ownerAgencyId: text("owner_agency_id")
        .notNull()
        .references(() => agencies.id),
      viewerAgencyId: text("viewer_agency_id")
        .notNull()
        .references(() => agencies.id),
      createdAt: integer("created_at").notNull(),
      /** The agreement or declaration that the viewing agency signed. */
      declaration: text().notNull().default(""),
      /** When sharing ends; null for no end. */
      validUntil: integer("valid_until"),
    },
    (table) => [primaryKey({ columns: [table.ownerAgencyId, table.viewerAgencyId] })],
  );
}

/** Agencies that may search an agency's Axis reads. */
export const axisShares = sharesTable("axis_shares");

/** Agencies whose hotlists are matched against reads from an agency's Rekor webhooks. */
export const rekorShares = sharesTable("rekor_shares");

/** The circuit breaker of each integration. */
export const integrationHealth = sqliteTable("integration_health", {
  integrationId: text("integration_id").primaryKey(),
  failures: integer().notNull().default(0),
  openUntil: integer("open_until").notNull().default(0),
  lastOkAt: integer("last_ok_at"),
  lastFailureAt: integer("last_failure_at"),
  lastFailure: text("last_failure"),
});

/** Addresses that a vendor posts live reads to. The secret is part of the address; only its hash is stored. */
export const webhooks = sqliteTable(
  "doors",
  {
    id: text().primaryKey(),
    /** The agency whose cameras post here. It may revoke the webhook. */
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    program: text({ enum: ["rekor"] }).notNull(),
    name: text().notNull(),
    secretHash: text("secret_hash").notNull().unique(),
    secretLast4: text("secret_last4").notNull(),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by").notNull(),
    revokedAt: integer("revoked_at"),
    lastReadAt: integer("last_read_at"),
    lastHeartbeatAt: integer("last_heartbeat_at"),
    lastTestAt: integer("last_test_at"),
    lastRefusedAt: integer("last_refused_at"),
    lastRefusal: text("last_refusal"),
  },
  (table) => [index("doors_agency").on(table.agencyId, table.name)],
);

/** Progress of pollers, for vendors without webhooks. */
export const pollCursors = sqliteTable("poll_cursors", {
  integrationId: text("integration_id").primaryKey(),
  cursor: text().notNull(),
  /** One run polls until this time; others wait. */
  leasedUntil: integer("leased_until").notNull().default(0),
  at: integer().notNull(),
});
