// Runs of backup and restore, and the parts that a running backup has written. A finished backup is described only by
// its manifest in R2. These tables are the only ones that backups leave out.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { BackupPlan, RestorePlan } from "#app/entities/operations/backup.ts";

export const backupRuns = sqliteTable(
  "backup_runs",
  {
    id: text().primaryKey(),
    kind: text({ enum: ["backup", "restore"] }).notNull(),
    state: text({ enum: ["running", "finished", "failed", "cancelled"] }).notNull(),
    /** A phase of entities/operations/backup.ts. */
    phase: text().notNull(),
    startedAt: integer("started_at").notNull(),
    /** A username, or empty for the nightly run. */
    startedBy: text("started_by").notNull().default(""),
    finishedAt: integer("finished_at"),
    rows: integer().notNull().default(0),
    bytes: integer().notNull().default(0),
    objects: integer().notNull().default(0),
    /** The version of the sealing key that its parts are encrypted with. */
    keyVersion: integer("key_version").notNull().default(0),
    message: text().notNull().default(""),
    plan: text({ mode: "json" }).$type<BackupPlan | RestorePlan>(),
    /** One worker, known by its lease token, holds the run until this time. */
    leasedUntil: integer("leased_until").notNull().default(0),
    lease: text().notNull().default(""),
    /** Leases since the last stored progress. */
    attempts: integer().notNull().default(0),
    /** When its files were removed; the row stays for a while as a record. */
    removedAt: integer("removed_at"),
  },
  (table) => [index("backup_runs_started").on(table.startedAt)],
);

export const backupParts = sqliteTable(
  "backup_parts",
  {
    runId: text("run_id")
      .notNull()
      .references(() => backupRuns.id, { onDelete: "cascade" }),
    /** A database binding with a table name, or `objects` with a bucket binding. */
    section: text().notNull(),
    name: text().notNull(),
    n: integer().notNull(),
    key: text().notNull(),
    rows: integer().notNull(),
    bytes: integer().notNull(),
    sha256: text().notNull(),
    /** Where the next part starts. */
    after: text().notNull(),
    isLast: integer("is_last", { mode: "boolean" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.section, table.name, table.n] })],
);
