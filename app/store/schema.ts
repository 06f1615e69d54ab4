// The control database: agencies, people, sessions, what may be searched, result sets and the audit log.
// Reads have databases of their own (reads-schema.ts). Times are milliseconds since 1970 UTC.

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { SESSION_STATES } from "#app/entities/access.ts";
import type { VendorImages } from "#app/entities/match.ts";

export const agencies = sqliteTable("agencies", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  /** Policy of the agency; see entities/policy.ts for what each means. */
  secondFactorRequired: integer("second_factor_required", { mode: "boolean" }).notNull().default(false),
  idleMinutes: integer("idle_minutes").notNull().default(30),
  absoluteMinutes: integer("absolute_minutes").notNull().default(720),
  passwordMaxAgeDays: integer("password_max_age_days").notNull().default(365),
  searchLimitDays: integer("search_limit_days").notNull().default(90),
  retentionDays: integer("retention_days").notNull().default(90),
  resultLifetimeMinutes: integer("result_lifetime_minutes").notNull().default(60),
  /** Days after which a hotlist entry expires where nobody says otherwise. */
  hotlistExpiryDays: integer("hotlist_expiry_days").notNull().default(30),
  caseNumberRequired: integer("case_number_required", { mode: "boolean" }).notNull().default(false),
  purposeRequired: integer("purpose_required", { mode: "boolean" }).notNull().default(false),
  /** Where its clocks are: what is an unusual hour is decided there. */
  timeZone: text("time_zone").notNull().default("America/New_York"),
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
    /** Null until it is first changed; its age then counts from the user's creation. */
    passwordChangedAt: integer("password_changed_at"),
    /** Until when a temporary password may be used; null for one that its holder has chosen. */
    temporaryUntil: integer("temporary_until"),
    /** The version of the banned list that the password was last compared with. */
    passwordListVersion: text("password_list_version"),
    /** Too many failed sign-ins; only an administrator clears it. */
    lockedAt: integer("locked_at"),
    disabledAt: integer("disabled_at"),
    /** Why: by an administrator, or not used for long. */
    disabledBy: text("disabled_by", { enum: ["administrator", "disuse"] }),
    /** A deleted user stays for the records that name it, disabled and under a name nobody can sign in with. */
    deletedAt: integer("deleted_at"),
    lastSignInAt: integer("last_sign_in_at"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("users_agency").on(table.agencyId, table.name)],
);

/** Names of deleted users, not given out again until then (CJIS IA-4 d). */
export const reservedUsernames = sqliteTable("reserved_usernames", {
  username: text().primaryKey(),
  until: integer().notNull(),
});

/** Sign-ins that are under way or have failed: a row is taken before a secret is compared. */
export const signInAttempts = sqliteTable(
  "sign_in_attempts",
  {
    id: text().primaryKey(),
    /** The user's id, or a hash of a name that nobody has. */
    account: text().notNull(),
    address: text().notNull(),
    at: integer().notNull(),
    failed: integer({ mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    index("sign_in_attempts_account").on(table.account, table.at),
    index("sign_in_attempts_address").on(table.address, table.at),
  ],
);

/** Digests of passwords that a user has had, so that none of the last ones is chosen again. */
export const passwordHistory = sqliteTable(
  "password_history",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    digest: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.digest] })],
);

export const totpFactors = sqliteTable("totp_factors", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  sealedSecret: text("sealed_secret").notNull(),
  /** Null until a first code has shown that the app has the secret. */
  confirmedAt: integer("confirmed_at"),
  /** The time step of the last code that was taken: no code counts twice. */
  lastStep: integer("last_step").notNull().default(0),
  createdAt: integer("created_at").notNull(),
});

export const passkeys = sqliteTable(
  "passkeys",
  {
    /** The credential's id, base64url. */
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text().notNull(),
    publicKey: text("public_key").notNull(),
    counter: integer().notNull(),
    transports: text({ mode: "json" }).$type<string[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [index("passkeys_user").on(table.userId)],
);

export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    codeHash: text("code_hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
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
    state: text({ enum: SESSION_STATES }).notNull().default("full"),
    /** The password has to be changed once the second factor has been given. */
    passwordDue: integer("password_due", { mode: "boolean" }).notNull().default(false),
    /** When the password or a second factor was last given. */
    provedAt: integer("proved_at").notNull().default(0),
    /** The passkey challenge that waits for its answer. */
    challenge: text(),
    challengeUntil: integer("challenge_until"),
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
    /** Longest usual pause between reads, a slow-moving figure. */
    usualGapMs: integer("usual_gap_ms"),
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

/** Groups of plates to watch. Archived groups stay, with everything that they held, and are found by nobody. */
export const alertGroups = sqliteTable(
  "alert_groups",
  {
    id: text().primaryKey(),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    name: text().notNull(),
    description: text().notNull().default(""),
    imageId: text("image_id"),
    /** Counts edits; a writer that knows another number writes NULL here, which ends its transaction. */
    version: integer().notNull().default(1),
    /** The list in force: entries with fromVersion <= listVersion < untilVersion. Moving it is one write. */
    listVersion: integer("list_version").notNull().default(1),
    /** The number that the next import stages its rows under; never given twice. */
    nextVersion: integer("next_version").notNull().default(2),
    plateCount: integer("plate_count").notNull().default(0),
    lastAlertAt: integer("last_alert_at"),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by").notNull(),
    changedAt: integer("changed_at").notNull(),
    changedBy: text("changed_by").notNull(),
    archivedAt: integer("archived_at"),
  },
  (table) => [index("alert_groups_agency").on(table.agencyId, table.name)],
);

export const alertGroupMembers = sqliteTable(
  "alert_group_members",
  {
    groupId: text("group_id")
      .notNull()
      .references(() => alertGroups.id),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    addedAt: integer("added_at").notNull(),
    addedBy: text("added_by").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.userId] }),
    index("alert_group_members_user").on(table.userId),
  ],
);

/** Another agency asked into a group; its own hotlist admin accepts and chooses its members. */
export const alertGroupInvitations = sqliteTable(
  "alert_group_invitations",
  {
    groupId: text("group_id")
      .notNull()
      .references(() => alertGroups.id),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    state: text({ enum: ["pending", "accepted", "declined", "withdrawn"] }).notNull(),
    invitedBy: text("invited_by").notNull(),
    invitedAt: integer("invited_at").notNull(),
    decidedBy: text("decided_by"),
    decidedAt: integer("decided_at"),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.agencyId] }),
    index("alert_group_invitations_agency").on(table.agencyId, table.state),
  ],
);

/** Plates to watch. A row that is no longer in force stays: it is the history. */
export const hotlistEntries = sqliteTable(
  "hotlist_entries",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    groupId: text("group_id").notNull(),
    /** Canonical; may hold * and ? where it was entered by hand. */
    plate: text().notNull(),
    state: text().notNull().default(""),
    reason: text().notNull().default(""),
    notes: text().notNull().default(""),
    caseNumber: text("case_number").notNull().default(""),
    matchPolicy: text("match_policy", { enum: ["exact", "lookalike"] })
      .notNull()
      .default("exact"),
    stateRequired: integer("state_required", { mode: "boolean" }).notNull().default(false),
    make: text().notNull().default(""),
    color: text().notNull().default(""),
    bodyType: text("body_type").notNull().default(""),
    priority: text({ enum: ["high", "normal", "low"] })
      .notNull()
      .default("normal"),
    expiresAt: integer("expires_at"),
    attachmentId: text("attachment_id"),
    createdAt: integer("created_at").notNull(),
    addedBy: text("added_by").notNull(),
    addedByName: text("added_by_name").notNull(),
    addedByAgency: text("added_by_agency").notNull(),
    /** Of what it says, so that an import sees at once whether anything changed. */
    digest: integer().notNull(),
    revision: integer().notNull().default(1),
    fromVersion: integer("from_version").notNull(),
    untilVersion: integer("until_version"),
    /** The import that last found the plate in its file, and the expiry that follows from it once it is applied. */
    keptBy: integer("kept_by").notNull().default(0),
    keptExpiresAt: integer("kept_expires_at"),
    removedAt: integer("removed_at"),
    removedBy: text("removed_by"),
  },
  (table) => [
    index("hotlist_entries_plate").on(table.groupId, table.plate, table.state),
    // What has expired is counted and listed apart; history (ended entries) is stepped over.
    index("hotlist_entries_expiry").on(table.groupId, table.untilVersion, table.expiresAt, table.fromVersion),
    index("hotlist_entries_wildcards")
      .on(table.id)
      .where(sql`instr(plate, '*') > 0 or instr(plate, '?') > 0`),
  ],
);

/** One row, moved by triggers: counts changes of entries with wildcards and of the lists that hold them. */
export const wildcardVersions = sqliteTable("wildcard_versions", {
  id: integer().primaryKey(),
  version: integer().notNull(),
});

/** One upload of plates, from the file to the switch; the cursor columns say how far its consumer has come. */
export const hotlistImports = sqliteTable(
  "hotlist_imports",
  {
    id: text().primaryKey(),
    groupId: text("group_id").notNull(),
    agencyId: text("agency_id").notNull(),
    userId: text("user_id").notNull(),
    username: text().notNull(),
    userName: text("user_name").notNull(),
    agencyName: text("agency_name").notNull(),
    fileName: text("file_name").notNull(),
    size: integer().notNull(),
    preset: text().notNull(),
    mode: text({ enum: ["add", "replace"] }).notNull(),
    onConflict: text("on_conflict", { enum: ["keep", "replace"] }).notNull(),
    state: text({
      enum: ["reading", "comparing", "ready", "renewing", "applied", "cancelling", "cancelled", "failed"],
    }).notNull(),
    message: text().notNull().default(""),
    layout: text({ mode: "json" }),
    /** The version that its rows are staged under. */
    version: integer().notNull(),
    offset: integer().notNull().default(0),
    line: integer().notNull().default(1),
    skipping: integer({ mode: "boolean" }).notNull().default(false),
    /** Entries of other numbers are none of its business: the first that it may have staged, and the last that was. */
    firstEntryId: integer("first_entry_id").notNull(),
    walkedTo: integer("walked_to").notNull().default(0),
    /** Counts steps; a step that was done twice at once counts once. */
    step: integer().notNull().default(0),
    rows: integer().notNull().default(0),
    added: integer().notNull().default(0),
    unchanged: integer().notNull().default(0),
    conflicting: integer().notNull().default(0),
    removed: integer().notNull().default(0),
    rejected: integer().notNull().default(0),
    repeated: integer().notNull().default(0),
    expiresAt: integer("expires_at"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    appliedAt: integer("applied_at"),
  },
  (table) => [
    index("hotlist_imports_group").on(table.groupId, table.createdAt),
    index("hotlist_imports_state").on(table.state, table.updatedAt),
    /** One at a time: what two staged at once could not be told apart by the switch. */
    uniqueIndex("hotlist_imports_open")
      .on(table.groupId)
      .where(sql`state not in ('applied', 'cancelled', 'failed')`),
  ],
);

/** Rows of an import's file that need a look: rejected, conflicting, repeated. */
export const hotlistImportIssues = sqliteTable(
  "hotlist_import_issues",
  {
    importId: text("import_id")
      .notNull()
      .references(() => hotlistImports.id, { onDelete: "cascade" }),
    kind: text({ enum: ["rejected", "conflicting", "repeated"] }).notNull(),
    line: integer().notNull(),
    plate: text().notNull(),
    reason: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.kind, table.line] })],
);

/** Files that people attached; the bytes are in R2 under a random key. */
export const attachments = sqliteTable("attachments", {
  id: text().primaryKey(),
  groupId: text("group_id").notNull(),
  key: text().notNull(),
  name: text().notNull(),
  type: text().notNull(),
  size: integer().notNull(),
  sha256: text().notNull(),
  createdAt: integer("created_at").notNull(),
  createdBy: text("created_by").notNull(),
});

export const pushPreferences = sqliteTable("push_preferences", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  enabled: integer({ mode: "boolean" }).notNull(),
  /** Minutes after midnight in the zone between which nothing is pushed; null where there are no quiet hours. */
  quietFrom: integer("quiet_from"),
  quietUntil: integer("quiet_until"),
  timeZone: text("time_zone").notNull().default(""),
  changedAt: integer("changed_at").notNull(),
});

/** Saves that were done, by the key that the form sent: the same save again gets the same answer. */
export const savedOnce = sqliteTable(
  "saved_once",
  {
    userId: text("user_id").notNull(),
    key: text().notNull(),
    answer: text({ mode: "json" }).notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.key] }), index("saved_once_at").on(table.at)],
);

/** What leaves the product, and for a while the file itself. No reference to the user: files outlive an account. */
export const exports = sqliteTable(
  "exports",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    agencyId: text("agency_id").notNull(),
    kind: text({ enum: ["pdf", "zip"] }).notNull(),
    state: text({ enum: ["queued", "running", "ready", "failed", "cancelled"] }).notNull(),
    name: text().notNull(),
    justification: text().notNull(),
    caseNumber: text("case_number").notNull(),
    timeZone: text("time_zone").notNull(),
    records: integer().notNull(),
    done: integer().notNull().default(0),
    missing: integer().notNull().default(0),
    bytes: integer().notNull().default(0),
    sha256: text().notNull().default(""),
    message: text().notNull().default(""),
    requester: text({ mode: "json" }).notNull(),
    /** The upload in parts that is not finished yet. */
    uploadId: text("upload_id"),
    /** When its maker was last heard of. */
    heartbeatAt: integer("heartbeat_at").notNull(),
    createdAt: integer("created_at").notNull(),
    finishedAt: integer("finished_at"),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("exports_user").on(table.userId, table.createdAt),
    index("exports_expiry").on(table.expiresAt),
    index("exports_state").on(table.state, table.heartbeatAt),
  ],
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
    /** The family of the act, by the first part of its name; entities/audit-filter.ts says what each is called. */
    kind: text().generatedAlwaysAs(
      sql`case
        when action like 'audit.%' then 'audit'
        when action like '%.view' then 'view'
        when action like 'search%' then 'search'
        when action like 'export%' then 'export'
        when action like 'sign-%' or action like 'session.%' or action = 'step-up' then 'sign-in'
        when action like 'group.%' or action like 'plate.%' or action like 'hotlist%' or action like 'attachment.%'
          or action like 'alert.%' or action like 'push-%' then 'hotlist'
        else 'other' end`,
      { mode: "virtual" },
    ),
  },
  (table) => [
    index("audit_log_at").on(table.agencyId, table.at, table.seq),
    index("audit_log_kind").on(table.agencyId, table.kind, table.at, table.seq),
    index("audit_log_plate_at").on(table.agencyId, table.plate, table.at, table.seq).where(sql`plate <> ''`),
    index("audit_log_case")
      .on(table.agencyId, table.caseNumber, table.at, table.seq)
      .where(sql`case_number <> ''`),
    index("audit_log_name").on(table.agencyId, table.username, table.at, table.seq),
    index("audit_log_refused").on(table.agencyId, table.at, table.seq).where(sql`outcome = 'refused'`),
    index("audit_log_user").on(table.userId, table.seq),
    /** Holds all that the review compares of a user's searches. */
    index("audit_log_searches")
      .on(table.agencyId, table.userId, table.at, table.plate, table.caseNumber)
      .where(sql`action = 'search' and outcome = 'ok'`),
  ],
);

/** The hash chain over the audit log, one chain an agency: each hash covers the row and the hash before it. */
export const auditChain = sqliteTable(
  "audit_chain",
  {
    seq: integer().primaryKey(),
    agencyId: text("agency_id").notNull(),
    /** From 1, without a gap. */
    position: integer().notNull(),
    hash: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [uniqueIndex("audit_chain_position").on(table.agencyId, table.position)],
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
    /** What the owner made of it: `driven` is on its way to the queue, `sent` is there. Settled rows go after a week. */
    state: text({ enum: ["dead", "driven", "sent", "discarded"] })
      .notNull()
      .default("dead"),
    stateAt: integer("state_at"),
  },
  (table) => [
    uniqueIndex("dead_jobs_at").on(table.at, table.id),
    index("dead_jobs_state").on(table.state, table.stateAt),
  ],
);

/** What a geocoder has named, by position rounded to some ten metres; an empty address says that it knows none. */
export const addresses = sqliteTable("addresses", {
  position: text().primaryKey(),
  address: text().notNull(),
  attribution: text().notNull(),
  at: integer().notNull(),
});

/** One row: when the geocoder may be asked next. */
export const geocoderTurns = sqliteTable("geocoder_turns", {
  id: integer().primaryKey(),
  nextAt: integer("next_at").notNull(),
});

/** Addresses that a vendor's system posts live reads to; the secret stands in the address, only its hash here. */
export const doors = sqliteTable(
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
    lastRefusedAt: integer("last_refused_at"),
    lastRefusal: text("last_refusal"),
  },
  (table) => [index("doors_agency").on(table.agencyId, table.name)],
);

/** Rekor cameras as the vendor's list, reads and heartbeats make them known, and what the owner corrected. */
export const rekorCameras = sqliteTable(
  "rekor_cameras",
  {
    /** The vendor's own id, with the agent before it where one is known: `agent/camera`. */
    id: text().primaryKey(),
    agencyId: text("agency_id").references(() => agencies.id),
    name: text().notNull().default(""),
    siteName: text("site_name").notNull().default(""),
    latitude: integer("latitude_e6"),
    longitude: integer("longitude_e6"),
    correctedLatitude: integer("corrected_latitude_e6"),
    correctedLongitude: integer("corrected_longitude_e6"),
    isManual: integer("is_manual", { mode: "boolean" }).notNull().default(false),
    /** When the owner last corrected it or took a correction back: results found before are shown anew. */
    correctedAt: integer("corrected_at"),
    firstSeenAt: integer("first_seen_at").notNull(),
    lastReadAt: integer("last_read_at"),
    lastHeartbeatAt: integer("last_heartbeat_at"),
    /** Longest usual pause between reads, a slow-moving figure: silent for longer than that is worth a look. */
    usualGapMs: integer("usual_gap_ms"),
  },
  (table) => [
    index("rekor_cameras_agency").on(table.agencyId, table.name),
    index("rekor_cameras_corrected").on(table.correctedAt),
  ],
);

/** One read and one entry that watches for it, with everything that the alert shows copied into it. */
export const alerts = sqliteTable(
  "alerts",
  {
    id: text().primaryKey(),
    groupId: text("group_id").notNull(),
    /** The agency that owns the group. */
    agencyId: text("agency_id").notNull(),
    entryId: integer("entry_id").notNull(),
    /** One pass of a car before a camera, whatever number of events it makes. */
    passKey: text("pass_key").notNull(),
    program: text({ enum: ["Rekor", "Axon", "Axis"] }).notNull(),
    matchKind: text("match_kind", { enum: ["exact", "lookalike", "wildcard"] }).notNull(),
    plate: text().notNull(),
    plateState: text("plate_state").notNull().default(""),
    make: text().notNull().default(""),
    color: text().notNull().default(""),
    bodyType: text("body_type").notNull().default(""),
    confidence: integer(),
    capturedAt: integer("captured_at").notNull(),
    cameraId: text("camera_id").notNull(),
    cameraName: text("camera_name").notNull(),
    /** Whose camera it was. */
    cameraAgencyId: text("camera_agency_id").notNull(),
    cameraAgency: text("camera_agency").notNull(),
    latitude: integer("latitude_e6"),
    longitude: integer("longitude_e6"),
    vehicleImageKey: text("vehicle_image_key"),
    plateImageKey: text("plate_image_key"),
    /** Where its pictures are with the vendor, until they are stored here or found to be gone. */
    vendorImages: text("vendor_images", { mode: "json" }).$type<VendorImages>(),
    listedPlate: text("listed_plate").notNull(),
    listedState: text("listed_state").notNull().default(""),
    reason: text().notNull().default(""),
    notes: text().notNull().default(""),
    caseNumber: text("case_number").notNull().default(""),
    priority: text({ enum: ["high", "normal", "low"] })
      .notNull()
      .default("normal"),
    listedAt: integer("listed_at").notNull(),
    listedBy: text("listed_by").notNull(),
    listedByAgency: text("listed_by_agency").notNull(),
    /** How good the event was that it shows: a better one of the same pass amends it, another one does not. */
    rank: integer().notNull().default(0),
    /** What does not fit, in words, worst first. */
    differences: text({ mode: "json" }).$type<string[]>().notNull().default(sql`'[]'`),
    createdAt: integer("created_at").notNull(),
    amendedAt: integer("amended_at"),
    /** Null until its members have their delivery rows: the outbox. */
    fannedOutAt: integer("fanned_out_at"),
    disposition: text({ enum: ["correct", "wrong-state", "misread", "dismissed"] }),
    dispositionNote: text("disposition_note").notNull().default(""),
    dispositionBy: text("disposition_by"),
    dispositionByName: text("disposition_by_name"),
    dispositionAt: integer("disposition_at"),
  },
  (table) => [
    uniqueIndex("alerts_once").on(table.entryId, table.passKey),
    index("alerts_group").on(table.groupId, table.createdAt),
    index("alerts_history").on(table.groupId, table.capturedAt, table.id),
    index("alerts_quality").on(table.groupId, table.cameraId, table.disposition, table.createdAt),
    index("alerts_camera").on(table.cameraId, table.createdAt),
    index("alerts_pass").on(table.passKey),
    index("alerts_created").on(table.createdAt),
    index("alerts_images")
      .on(table.agencyId, table.createdAt)
      .where(sql`vehicle_image_key is not null or plate_image_key is not null`),
    index("alerts_outbox").on(table.createdAt).where(sql`fanned_out_at is null`),
    index("alerts_pictures").on(table.createdAt).where(sql`vendor_images is not null`),
  ],
);

/** Phones and browsers that a user wants to be told on. */
export const pushDevices = sqliteTable(
  "push_devices",
  {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    channel: text({ enum: ["apns", "webpush"] }).notNull(),
    name: text().notNull(),
    /** SHA-256 of the token or endpoint: one device is registered once. */
    addressHash: text("address_hash").notNull().unique(),
    /** Token, or endpoint and keys. */
    sealedAddress: text("sealed_address").notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    droppedAt: integer("dropped_at"),
    dropped: text(),
  },
  (table) => [index("push_devices_user").on(table.userId)],
);

/** One row a member and channel: what became of telling them. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    alertId: text("alert_id").notNull(),
    userId: text("user_id").notNull(),
    channel: text({ enum: ["apns", "webpush", "live"] }).notNull(),
    state: text({ enum: ["pending", "delivered", "suppressed", "dead"] }).notNull(),
    /** Why it was suppressed or gave up. */
    reason: text().notNull().default(""),
    attempts: integer().notNull().default(0),
    /** Devices that have taken it, so that a second attempt leaves them alone. */
    devices: text({ mode: "json" }).$type<string[]>().notNull().default(sql`'[]'`),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    nextAt: integer("next_at"),
    /** When the owner drove it again: patience counts from then. */
    drivenAt: integer("driven_at"),
  },
  (table) => [
    primaryKey({ columns: [table.alertId, table.userId, table.channel] }),
    index("deliveries_user").on(table.userId, table.createdAt),
    index("deliveries_due").on(table.nextAt).where(sql`state = 'pending'`),
    index("deliveries_dead").on(table.updatedAt).where(sql`state = 'dead'`),
  ],
);

/** The token that we show to Apple's push service: it may be made anew every twenty minutes, in all isolates together. */
export const providerTokens = sqliteTable("provider_tokens", {
  id: text().primaryKey(),
  sealedToken: text("sealed_token").notNull(),
  issuedAt: integer("issued_at").notNull(),
});

/** Up to when a user has looked at the list of hits. */
export const alertsSeen = sqliteTable("alerts_seen", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  seenAt: integer("seen_at").notNull(),
});

/** How far a poller has come with a vendor that is asked rather than tells. */
export const pollCursors = sqliteTable("poll_cursors", {
  integrationId: text("integration_id").primaryKey(),
  cursor: text().notNull(),
  /** Until then one run is at it and every other one waits. */
  leasedUntil: integer("leased_until").notNull().default(0),
  at: integer().notNull(),
});

/** What an ongoing case keeps from the purge: reads of some plates over a time. Set by one, approved by another. */
export const legalHolds = sqliteTable(
  "legal_holds",
  {
    id: text().primaryKey(),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    caseNumber: text("case_number").notNull(),
    reason: text().notNull(),
    /** Canonical plates. */
    plates: text({ mode: "json" }).$type<string[]>().notNull(),
    from: integer("from_at").notNull(),
    until: integer("until_at").notNull(),
    state: text({ enum: ["requested", "active", "refused", "released"] }).notNull(),
    requestedBy: text("requested_by").notNull(),
    requestedByName: text("requested_by_name").notNull(),
    requestedAt: integer("requested_at").notNull(),
    decidedBy: text("decided_by"),
    decidedByName: text("decided_by_name"),
    decidedAt: integer("decided_at"),
    releasedBy: text("released_by"),
    releasedByName: text("released_by_name"),
    releasedAt: integer("released_at"),
  },
  (table) => [index("legal_holds_agency").on(table.agencyId, table.requestedAt)],
);
