// SCIM: the token of an agency's identity provider, and the users and groups that it manages.

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ScimProfile } from "#app/entities/users/scim/person.ts";
import { agencies, users } from "./accounts.ts";

/** An agency has at most one token. */
export const scimTokens = sqliteTable("scim_tokens", {
  agencyId: text("agency_id")
    .primaryKey()
    .references(() => agencies.id),
  /** Names the token in the audit log. */
  id: text().notNull(),
  tokenHash: text("token_hash").notNull().unique(),
  createdAt: integer("created_at").notNull(),
  /** The username of the administrator. */
  createdBy: text("created_by").notNull(),
  lastUsedAt: integer("last_used_at"),
  /** Counts changes, so that two requests at once do not act on the same former state. */
  version: integer().notNull().default(0),
});

/** Users as the identity provider describes them. */
export const scimUsers = sqliteTable(
  "scim_users",
  {
    userId: text("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    userName: text("user_name").notNull(),
    externalId: text("external_id"),
    profile: text({ mode: "json" }).$type<ScimProfile>().notNull(),
    changedAt: integer("changed_at").notNull(),
    /** When the provider deleted the user, who is disabled and no longer found by it. */
    removedAt: integer("removed_at"),
  },
  (table) => [
    uniqueIndex("scim_users_name").on(table.agencyId, sql`lower(user_name)`),
    index("scim_users_external").on(table.agencyId, table.externalId),
  ],
);

/** Groups of the identity provider. */
export const scimGroups = sqliteTable(
  "scim_groups",
  {
    id: text().primaryKey(),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    displayName: text("display_name").notNull(),
    externalId: text("external_id"),
    createdAt: integer("created_at").notNull(),
    changedAt: integer("changed_at").notNull(),
  },
  (table) => [uniqueIndex("scim_groups_name").on(table.agencyId, sql`lower(display_name)`)],
);

export const scimMembers = sqliteTable(
  "scim_members",
  {
    groupId: text("group_id")
      .notNull()
      .references(() => scimGroups.id, { onDelete: "cascade" }),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.userId] }),
    index("scim_members_user").on(table.userId),
  ],
);
