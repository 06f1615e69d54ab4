// The camera programs: keys to ask vendors with, webhooks that they post to, and who may search whose reads.
// Circuit breakers and poll cursors live beside them, because a Worker's memory is not shared.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { agencies } from "./accounts.ts";

export const rekorKeys = sqliteTable(
  "rekor_keys",
  {
    id: text().primaryKey(),
    /** The tenant that holds the key and alone may search with it. */
    tenantId: text("tenant_id")
      .notNull()
      .references(() => agencies.id),
    /** The agency that the key opens, as the vendor's account names it. */
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
 * Agencies that may not search an agency's Axon reads, and those that may on terms or for a time: an agency without a row
 * may search them.
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
    /** From then on it finds nothing: always where it is blacklisted (0), never where its terms have no end (null). */
    keptOutFrom: integer("kept_out_from").default(0),
    /** What the sharing rests on; empty where it is blacklisted. */
    declaration: text().notNull().default(""),
  },
  (table) => [primaryKey({ columns: [table.integrationId, table.agencyId] })],
);

export const axonTokens = sqliteTable("axon_tokens", {
  integrationId: text("integration_id").primaryKey(),
  sealedToken: text("sealed_token"),
  expiresAt: integer("expires_at").notNull().default(0),
  /** Until then one caller is fetching a token and everybody else waits. */
  leasedUntil: integer("leased_until").notNull().default(0),
});

/** With whom an owner shares a program's reads; its own are always its own. */
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
      /** What the sharing rests on: the agreement or declaration that the viewer signed. */
      declaration: text().notNull().default(""),
      /** From then on nothing is shared any more; null where it has no end. */
      validUntil: integer("valid_until"),
    },
    (table) => [primaryKey({ columns: [table.ownerAgencyId, table.viewerAgencyId] })],
  );
}

/** Which agencies may search an agency's Axis reads. */
export const axisShares = sharesTable("axis_shares");

/** Whose hotlists are matched with the reads that come through an agency's Rekor webhooks. */
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

/** Addresses that a vendor's system posts live reads to; the secret stands in the address, only its hash here. */
export const webhooks = sqliteTable(
  "doors",
  {
    id: text().primaryKey(),
    /** The agency whose cameras post here, and that may revoke it. */
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

/** How far a poller has come with a vendor that is asked rather than tells. */
export const pollCursors = sqliteTable("poll_cursors", {
  integrationId: text("integration_id").primaryKey(),
  cursor: text().notNull(),
  /** Until then one run is at it and every other one waits. */
  leasedUntil: integer("leased_until").notNull().default(0),
  at: integer().notNull(),
});
