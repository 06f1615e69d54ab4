// Devices for push notifications, and quiet hours.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "./accounts.ts";

export const pushPreferences = sqliteTable("push_preferences", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  enabled: integer({ mode: "boolean" }).notNull(),
  /** Minutes after midnight in the zone, between which nothing is pushed; null without quiet hours. */
  quietFrom: integer("quiet_from"),
  quietUntil: integer("quiet_until"),
  timeZone: text("time_zone").notNull().default(""),
  changedAt: integer("changed_at").notNull(),
});

/** Phones and browsers on which a user wants notifications. */
export const pushDevices = sqliteTable(
  "push_devices",
  {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    channel: text({ enum: ["apns", "webpush"] }).notNull(),
    name: text().notNull(),
    /** SHA-256 of the token or endpoint, so that a device is registered once. */
    addressHash: text("address_hash").notNull().unique(),
    /** Sealed: token, or endpoint and keys. */
    sealedAddress: text("sealed_address").notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    droppedAt: integer("dropped_at"),
    dropped: text(),
  },
  (table) => [index("push_devices_user").on(table.userId)],
);

/** Our token for Apple's push service. Apple allows a new one every 20 minutes, across all isolates. */
export const providerTokens = sqliteTable("provider_tokens", {
  id: text().primaryKey(),
  sealedToken: text("sealed_token").notNull(),
  issuedAt: integer("issued_at").notNull(),
});
