// Phones and browsers that people want to be told on, and when they want quiet.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "./accounts.ts";

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

/** The token that we show to Apple's push service: it may be made anew every twenty minutes, in all isolates together. */
export const providerTokens = sqliteTable("provider_tokens", {
  id: text().primaryKey(),
  sealedToken: text("sealed_token").notNull(),
  issuedAt: integer("issued_at").notNull(),
});
