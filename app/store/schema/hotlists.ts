// Plates to watch, and the imports that add many of them. An import stages its rows under a version of its own;
// changing the group's listVersion activates them.

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { EXPIRY_STAGES } from "#app/entities/hotlists/entry.ts";
import { agencies, users } from "./accounts.ts";
import { alertGroups } from "./groups.ts";

/** What is known about a plate while it is on a list and after its removal. */
const entryColumns = {
  groupId: text("group_id").notNull(),
  /** Canonical; may contain * and ? if entered by hand. */
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
  revision: integer().notNull().default(1),
  fromVersion: integer("from_version").notNull(),
  removedBy: text("removed_by"),
};

/** Plates to watch. Those that were removed stay for a day, and then move to `former_entries`. */
export const hotlistEntries = sqliteTable(
  "hotlist_entries",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    ...entryColumns,
    /** A digest of its content, so that an import can see whether anything changed. */
    digest: integer().notNull(),
    untilVersion: integer("until_version"),
    /**
     * The version of the import that last found the plate in its file, and the expiry that follows once it is applied.
     * Negative if a user changed the plate during the import, which may lack it.
     */
    keptBy: integer("kept_by").notNull().default(0),
    keptExpiresAt: integer("kept_expires_at"),
    removedAt: integer("removed_at"),
  },
  (table) => [
    index("hotlist_entries_plate").on(table.groupId, table.plate, table.state),
    // Expired entries are counted and listed separately; the index skips former ones.
    index("hotlist_entries_expiry").on(table.groupId, table.untilVersion, table.expiresAt, table.fromVersion),
    index("hotlist_entries_history").on(table.groupId, table.createdAt).where(sql`until_version is not null`),
    index("hotlist_entries_attachment").on(table.attachmentId).where(sql`attachment_id is not null`),
    index("hotlist_entries_wildcards")
      .on(table.id)
      .where(sql`instr(plate, '*') > 0 or instr(plate, '?') > 0`),
  ],
);

/**
 * Plates that were on a list: the history, until the agency's retention of records ends. A table without rowids and with
 * one order takes half the space of entries with the indexes that lists and matching need.
 */
export const formerEntries = sqliteTable(
  "former_entries",
  {
    ...entryColumns,
    /** The id that it had on the list. */
    id: integer().notNull(),
    /** When it was removed; its expiry or listing if that is not known. */
    endedAt: integer("ended_at").notNull(),
    untilVersion: integer("until_version").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.endedAt, table.id] }),
    index("former_entries_attachment").on(table.attachmentId).where(sql`attachment_id is not null`),
  ],
);

/**
 * Tells a user that their plates in a group expire: all of the user's entries that expire in (expiresAfter,
 * expiresUntil]. One row per user, group and run, however many plates.
 */
export const expiryNotices = sqliteTable(
  "expiry_notices",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    groupId: text("group_id")
      .notNull()
      .references(() => alertGroups.id),
    stage: text({ enum: EXPIRY_STAGES }).notNull(),
    expiresAfter: integer("expires_after").notNull(),
    expiresUntil: integer("expires_until").notNull(),
    createdAt: integer("created_at").notNull(),
    seenAt: integer("seen_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.groupId, table.stage, table.expiresUntil] }),
    index("expiry_notices_user").on(table.userId, table.createdAt),
    index("expiry_notices_created").on(table.createdAt),
  ],
);

/** One row: the time up to which expiries have been announced. */
export const expiryNoticeRuns = sqliteTable("expiry_notice_runs", {
  id: integer().primaryKey(),
  /** A run that another run has overtaken writes NULL, which rolls back its transaction. */
  noticedUntil: integer("noticed_until").notNull(),
});

/** One row, which says whether cached wildcard entries still belong to this database. */
export const wildcardVersions = sqliteTable("wildcard_versions", {
  id: integer().primaryKey(),
  /** Changed by triggers: counts changes of wildcard entries and of all lists. A lower one is of an earlier database. */
  version: integer().notNull(),
  /** Changed by each restore of a backup. */
  epoch: integer().notNull().default(0),
});

/** One import of plates, from upload to activation. The cursor columns store the consumer's progress. */
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
      enum: [
        "reading",
        "mapping",
        "comparing",
        "ready",
        "renewing",
        "applied",
        "cancelling",
        "cancelled",
        "failed",
      ],
    }).notNull(),
    message: text().notNull().default(""),
    layout: text({ mode: "json" }),
    /** The version of its staged rows. */
    version: integer().notNull(),
    offset: integer().notNull().default(0),
    line: integer().notNull().default(1),
    skipping: integer({ mode: "boolean" }).notNull().default(false),
    /** The range of entry ids that it may have staged: entries outside are not its own. */
    firstEntryId: integer("first_entry_id").notNull(),
    walkedTo: integer("walked_to").notNull().default(0),
    /** Counts steps, so that a step that ran twice at once counts once. */
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
    /** When the sweep last queued or ended it. */
    triedAt: integer("tried_at").notNull().default(0),
    appliedAt: integer("applied_at"),
  },
  (table) => [
    index("hotlist_imports_group").on(table.groupId, table.createdAt),
    index("hotlist_imports_state").on(table.state, table.updatedAt),
    /** For the retention: each agency keeps them as long as its policy says. */
    index("hotlist_imports_ended")
      .on(table.agencyId, table.updatedAt)
      .where(sql`state in ('applied', 'cancelled', 'failed')`),
    /** One import at a time, because activation could not tell two staged imports apart. */
    uniqueIndex("hotlist_imports_open")
      .on(table.groupId)
      .where(sql`state not in ('applied', 'cancelled', 'failed')`),
  ],
);

/** Rows of an import's file that need attention: rejected, conflicting, repeated. */
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

/** File layouts that an agency has described, by name. */
export const hotlistMappings = sqliteTable(
  "hotlist_mappings",
  {
    id: text().primaryKey(),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    name: text().notNull(),
    /** The name in lower case, so that no two differ only in capitalization. */
    nameKey: text("name_key").notNull(),
    layout: text({ mode: "json" }).notNull(),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by").notNull(),
  },
  (table) => [uniqueIndex("hotlist_mappings_name").on(table.agencyId, table.nameKey)],
);
