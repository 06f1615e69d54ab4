// Agencies, users, and their credentials: passwords, second factors, sessions. Secrets are stored hashed or sealed,
// never in clear.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { SESSION_STATES } from "#app/entities/accounts/access.ts";
import { LOCK_SCOPES } from "#app/entities/accounts/actor.ts";

export const agencies = sqliteTable("agencies", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  /** The agency's policy; see entities/users/policy.ts. */
  secondFactorRequired: integer("second_factor_required", { mode: "boolean" }).notNull().default(false),
  idleMinutes: integer("idle_minutes").notNull().default(30),
  absoluteMinutes: integer("absolute_minutes").notNull().default(720),
  passwordMaxAgeDays: integer("password_max_age_days").notNull().default(365),
  searchLimitDays: integer("search_limit_days").notNull().default(90),
  retentionDays: integer("retention_days").notNull().default(90),
  recordRetentionDays: integer("record_retention_days").notNull().default(365),
  auditRetentionDays: integer("audit_retention_days").notNull().default(730),
  resultLifetimeMinutes: integer("result_lifetime_minutes").notNull().default(60),
  /** Days after which a hotlist entry without an expiry date expires; 0 means never. */
  hotlistExpiryDays: integer("hotlist_default_days").notNull().default(0),
  caseNumberRequired: integer("case_number_required", { mode: "boolean" }).notNull().default(false),
  purposeRequired: integer("purpose_required", { mode: "boolean" }).notNull().default(false),
  /** Who may search many places and convoys, and how often a user may within 24 hours. */
  investigators: text({ enum: ["none", "admins", "everyone"] })
    .notNull()
    .default("admins"),
  investigationsPerDay: integer("investigations_per_day").notNull().default(20),
  /** The agency's local time, which decides what an unusual hour is. */
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
    /** Lower case, so that capitalization does not matter. */
    username: text().notNull().unique(),
    name: text().notNull(),
    email: text().notNull(),
    role: text({ enum: ["admin", "user"] }).notNull(),
    hotlistAdmin: integer("hotlist_admin", { mode: "boolean" }).notNull().default(false),
    hotlistViewer: integer("hotlist_viewer", { mode: "boolean" }).notNull().default(false),
    passwordHash: text("password_hash").notNull(),
    /** Null until first changed; the password's age then counts from the user's creation. */
    passwordChangedAt: integer("password_changed_at"),
    /** When a temporary password expires; null for one that the user chose. */
    temporaryUntil: integer("temporary_until"),
    /** The version of the banned-password list that the password was last compared with. */
    passwordListVersion: text("password_list_version"),
    /** When too many attempts failed; only an administrator unlocks it. */
    lockedAt: integer("locked_at"),
    /** The sign-ins that the lock refuses; null means all. */
    lockedFor: text("locked_for", { enum: LOCK_SCOPES }),
    /** The addresses of the attempts that led to the lock. */
    lockAddresses: text("lock_addresses", { mode: "json" }).$type<string[]>(),
    disabledAt: integer("disabled_at"),
    /** Disabled by an administrator, because of disuse, or by the agency's identity provider. */
    disabledBy: text("disabled_by", { enum: ["administrator", "disuse", "identity provider"] }),
    /**
     * A deleted user's row stays for the records that refer to it, disabled and under a username that cannot sign in.
     */
    deletedAt: integer("deleted_at"),
    lastSignInAt: integer("last_sign_in_at"),
    /** When the user was last enabled again; the days of disuse count from then. */
    enabledAt: integer("enabled_at"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("users_agency").on(table.agencyId, table.name)],
);

/** Usernames of deleted users, not reused until this time (CJIS IA-4 d). */
export const reservedUsernames = sqliteTable("reserved_usernames", {
  username: text().primaryKey(),
  until: integer().notNull(),
});

/** Sign-in attempts in progress or failed. The row is inserted before a secret is compared. */
export const signInAttempts = sqliteTable(
  "sign_in_attempts",
  {
    id: text().primaryKey(),
    /** What is counted together: a user's id, a hash of an unknown username, or a subset of a user's attempts. */
    account: text().notNull(),
    /** An IPv4 address or an IPv6 network of 64 bits. */
    address: text().notNull(),
    at: integer().notNull(),
    failed: integer({ mode: "boolean" }).notNull().default(false),
    /** Made on a device that the user has not signed in on before. Only these count for the address. */
    unknownDevice: integer("unknown_device", { mode: "boolean" }).notNull().default(true),
  },
  (table) => [
    index("sign_in_attempts_account").on(table.account, table.at),
    index("sign_in_attempts_address").on(table.address, table.at),
    index("sign_in_attempts_at").on(table.at),
  ],
);

/**
 * Devices that a user has signed in on, by the hash of a cookie. A device signs no one in; its attempts are counted
 * separately.
 */
export const knownDevices = sqliteTable(
  "known_devices",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    tokenHash: text("token_hash").notNull(),
    lastUsedAt: integer("last_used_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.tokenHash] }),
    index("known_devices_token").on(table.tokenHash),
    index("known_devices_used").on(table.lastUsedAt),
  ],
);

/** Digests of a user's former passwords, so that recent ones cannot be chosen again. */
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
  /** Null until a first code has proved that the app has the secret. */
  confirmedAt: integer("confirmed_at"),
  /** The time step of the last accepted code: no code is accepted twice. */
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
    /** SHA-256 of the token. The token itself is not stored. */
    tokenHash: text("token_hash").notNull().unique(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    kind: text({ enum: ["cookie", "bearer"] }).notNull(),
    state: text({ enum: SESSION_STATES }).notNull().default("full"),
    /** The password must be changed after the second factor. */
    passwordDue: integer("password_due", { mode: "boolean" }).notNull().default(false),
    /** When the password or a second factor was last verified. */
    provedAt: integer("proved_at").notNull().default(0),
    /** The pending passkey challenge. */
    challenge: text(),
    challengeUntil: integer("challenge_until"),
    createdAt: integer("created_at").notNull(),
    lastSeenAt: integer("last_seen_at").notNull(),
    revokedAt: integer("revoked_at"),
    ip: text().notNull(),
    userAgent: text("user_agent").notNull(),
    /** The version of the acknowledged use notification; empty if none was. */
    noticeVersion: text("notice_version").notNull(),
    /** The identity at the agency's provider that opened the session; null for a password. */
    signOnIssuer: text("sign_on_issuer"),
    signOnSubject: text("sign_on_subject"),
    /** The provider's own session, which a back-channel logout may name. */
    signOnSession: text("sign_on_session"),
  },
  (table) => [index("sessions_user").on(table.userId), index("sessions_seen").on(table.lastSeenAt)],
);
