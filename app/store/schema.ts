// The control database: agencies, people, sessions, what may be searched, result sets and the audit log.
// Reads have databases of their own (reads-schema.ts). Times are milliseconds since 1970 UTC.

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const agencies = sqliteTable("agencies", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  /** Policy of the agency; see entities/policy.ts for what each means. */
  searchLimitDays: integer("search_limit_days").notNull().default(90),
  resultLifetimeMinutes: integer("result_lifetime_minutes").notNull().default(60),
  createdAt: integer("created_at").notNull(),
});

export const users = sqliteTable(
  "users",
  {
    id: text().primaryKey(),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    /** Lower case, so that a name is one name however it is typed. */
    username: text().notNull().unique(),
    name: text().notNull(),
    email: text().notNull(),
    role: text({ enum: ["admin", "user"] }).notNull(),
    hotlistAdmin: integer("hotlist_admin", { mode: "boolean" }).notNull().default(false),
    hotlistViewer: integer("hotlist_viewer", { mode: "boolean" }).notNull().default(false),
    passwordHash: text("password_hash").notNull(),
    disabledAt: integer("disabled_at"),
    lastSignInAt: integer("last_sign_in_at"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("users_agency").on(table.agencyId, table.name)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: text().primaryKey(),
    /** SHA-256 of the token; the token itself is nowhere but with its holder. */
    tokenHash: text("token_hash").notNull().unique(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    kind: text({ enum: ["cookie", "bearer"] }).notNull(),
    createdAt: integer("created_at").notNull(),
    lastSeenAt: integer("last_seen_at").notNull(),
    revokedAt: integer("revoked_at"),
    ip: text().notNull(),
    userAgent: text("user_agent").notNull(),
    noticeVersion: text("notice_version").notNull(),
  },
  (table) => [index("sessions_user").on(table.userId), index("sessions_seen").on(table.lastSeenAt)],
);

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

/** Agencies that may not search an agency's Axon reads. */
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

export const axisCameras = sqliteTable(
  "axis_cameras",
  {
    id: text().primaryKey(),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    name: text().notNull(),
    latitude: integer("latitude_e6"),
    longitude: integer("longitude_e6"),
    /** SHA-256 of the secret in the address that the camera posts to. */
    secretHash: text("secret_hash").notNull().unique(),
    revokedAt: integer("revoked_at"),
    createdAt: integer("created_at").notNull(),
    lastReadAt: integer("last_read_at"),
    lastHeartbeatAt: integer("last_heartbeat_at"),
  },
  (table) => [index("axis_cameras_agency").on(table.agencyId, table.name)],
);

/** Which agencies may search an agency's Axis reads; an agency always may search its own. */
export const axisShares = sqliteTable(
  "axis_shares",
  {
    ownerAgencyId: text("owner_agency_id")
      .notNull()
      .references(() => agencies.id),
    viewerAgencyId: text("viewer_agency_id")
      .notNull()
      .references(() => agencies.id),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.ownerAgencyId, table.viewerAgencyId] })],
);

/** The circuit breaker of each integration. */
export const integrationHealth = sqliteTable("integration_health", {
  integrationId: text("integration_id").primaryKey(),
  failures: integer().notNull().default(0),
  openUntil: integer("open_until").notNull().default(0),
  lastOkAt: integer("last_ok_at"),
  lastFailureAt: integer("last_failure_at"),
  lastFailure: text("last_failure"),
});

export const resultSets = sqliteTable(
  "result_sets",
  {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    agencyId: text("agency_id").notNull(),
    state: text({ enum: ["running", "ready", "cancelled", "failed", "purged"] }).notNull(),
    request: text({ mode: "json" }).notNull(),
    statuses: text({ mode: "json" }).notNull(),
    count: integer().notNull().default(0),
    truncated: integer({ mode: "boolean" }).notNull().default(false),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("result_sets_expiry").on(table.expiresAt), index("result_sets_user").on(table.userId)],
);

/** Who did what, when, from where, to what, and how it ended. Triggers refuse UPDATE and DELETE. */
export const auditLog = sqliteTable(
  "audit_log",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull(),
    agencyId: text("agency_id").notNull(),
    userId: text("user_id").notNull(),
    username: text().notNull(),
    sessionId: text("session_id").notNull(),
    ip: text().notNull(),
    userAgent: text("user_agent").notNull(),
    action: text().notNull(),
    outcome: text({ enum: ["ok", "refused", "failed"] }).notNull(),
    object: text().notNull().default(""),
    plate: text().notNull().default(""),
    caseNumber: text("case_number").notNull().default(""),
    programsQueried: text("programs_queried").notNull().default(""),
    detail: text({ mode: "json" }).notNull().default(sql`'{}'`),
  },
  (table) => [
    index("audit_log_agency").on(table.agencyId, table.seq),
    index("audit_log_plate").on(table.agencyId, table.plate, table.seq),
    index("audit_log_user").on(table.userId, table.seq),
  ],
);

/** Jobs that the queue gave up on, kept until somebody drives them again. */
export const deadJobs = sqliteTable(
  "dead_jobs",
  {
    id: text().primaryKey(),
    queue: text().notNull(),
    body: text({ mode: "json" }).notNull(),
    attempts: integer().notNull(),
    at: integer().notNull(),
  },
  (table) => [uniqueIndex("dead_jobs_at").on(table.at, table.id)],
);
