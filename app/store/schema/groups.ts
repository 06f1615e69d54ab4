// Alert groups: owners, members, invited agencies and attachments. Groups are never deleted, only archived.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { agencies, users } from "./accounts.ts";

/** Groups of plates to watch. Archived groups keep everything but no longer match reads. */
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
    /** Counts edits. A writer with an outdated number writes NULL here, which rolls back its transaction. */
    version: integer().notNull().default(1),
    /** The current list: entries with fromVersion <= listVersion < untilVersion. Changing it is one write. */
    listVersion: integer("list_version").notNull().default(1),
    /** The version of the next import's rows; never reused. */
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

/** Other agencies invited into a group. Their own hotlist administrators accept and choose their members. */
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
    /** When the agency accepted; null if it does not participate. Builds before November 2026 read it. */
    acceptedAt: integer("accepted_at"),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.agencyId] }),
    index("alert_group_invitations_agency").on(table.agencyId, table.state),
  ],
);

/**
 * Users of another agency whom a group's owner proposes as members, until that agency's hotlist administrator decides.
 */
export const alertGroupProposals = sqliteTable(
  "alert_group_proposals",
  {
    groupId: text("group_id")
      .notNull()
      .references(() => alertGroups.id),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    proposedAt: integer("proposed_at").notNull(),
    proposedBy: text("proposed_by").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.userId] }),
    index("alert_group_proposals_user").on(table.userId),
  ],
);

/** Files that people attached; the bytes are in R2 under a random key. */
export const attachments = sqliteTable(
  "attachments",
  {
    id: text().primaryKey(),
    groupId: text("group_id").notNull(),
    key: text().notNull(),
    name: text().notNull(),
    type: text().notNull(),
    size: integer().notNull(),
    sha256: text().notNull(),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by").notNull(),
  },
  (table) => [
    index("attachments_group").on(table.groupId, table.createdAt),
    /** For the retention, which looks for objects that no row names. */
    index("attachments_key").on(table.key),
  ],
);
