// Agencies, their people, and what those prove themselves with: passwords, second factors, sessions.
// A secret is here as a hash or sealed, never itself.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { SESSION_STATES } from "#app/entities/accounts/access.ts";
import { LOCK_SCOPES } from "#app/entities/accounts/actor.ts";

export const agencies = sqliteTable("agencies", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  /** Policy of the agency; see entities/users/policy.ts for what each means. */
  secondFactorRequired: integer("second_factor_required", { mode: "boolean" }).notNull().default(false),
  idleMinutes: integer("idle_minutes").notNull().default(30),
  absoluteMinutes: integer("absolute_minutes").notNull().default(720),
  passwordMaxAgeDays: integer("password_max_age_days").notNull().default(365),
  searchLimitDays: integer("search_limit_days").notNull().default(90),
  retentionDays: integer("retention_days").notNull().default(90),
  recordRetentionDays: integer("record_retention_days").notNull().default(365),
  auditRetentionDays: integer("audit_retention_days").notNull().default(730),
  resultLifetimeMinutes: integer("result_lifetime_minutes").notNull().default(60),
  /** Days after which a hotlist entry that names no day expires; 0 means never. */
  hotlistExpiryDays: integer("hotlist_default_days").notNull().default(0),
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
    /** Too many failed attempts; only an administrator clears it. */
    lockedAt: integer("locked_at"),
    /** Whom the lock keeps out; null counts as everyone. */
    lockedFor: text("locked_for", { enum: LOCK_SCOPES }),
    /** The addresses of the attempts that led to the lock. */
    lockAddresses: text("lock_addresses", { mode: "json" }).$type<string[]>(),
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
    /** What is counted together: the user's id, a hash of a name that no one has, or a part of the user's attempts. */
    account: text().notNull(),
    /** An IPv4 address or an IPv6 network of 64 bits. */
    address: text().notNull(),
    at: integer().notNull(),
    failed: integer({ mode: "boolean" }).notNull().default(false),
    /** Made where the user has not signed in before; only these count for the address. */
    unknownDevice: integer("unknown_device", { mode: "boolean" }).notNull().default(true),
  },
  (table) => [
    index("sign_in_attempts_account").on(table.account, table.at),
    index("sign_in_attempts_address").on(table.address, table.at),
  ],
);

/** Devices that a user has signed in on, by the hash of a cookie. They sign no one in: their attempts count apart. */
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
    /** The version of the use notification that was acknowledged; empty where none was. */
    noticeVersion: text("notice_version").notNull(),
  },
  (table) => [index("sessions_user").on(table.userId), index("sessions_seen").on(table.lastSeenAt)],
);
