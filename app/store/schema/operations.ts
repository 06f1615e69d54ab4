// Failed jobs, runs of scheduled jobs, the answers of completed saves, the databases of reads (READS_n) with the days that
// each one holds, and runs of backup and restore with the parts that a running backup has written. A finished backup is
// described only by its manifest in R2: backups leave out their own tables.

import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { BackupPlan, ImagesPlan, RestorePlan } from "#app/entities/operations/backup.ts";

export const readDatabases = sqliteTable("read_databases", {
  /** The binding, for example `READS_3`. It is the identity of the database; numbers may be missing. */
  name: text().primaryKey(),
  state: text({ enum: ["open", "read-only", "draining", "removed"] })
    .notNull()
    .default("open"),
  stateAt: integer("state_at").notNull(),
  /** The last measurement; null before the first one. */
  bytes: integer(),
  reads: integer(),
  measuredAt: integer("measured_at"),
  readsCountedAt: integer("reads_counted_at"),
  /** Reads moved to other databases since the drain began. */
  movedReads: integer("moved_reads").notNull().default(0),
  /** What the drain is waiting for, as a sentence; empty if nothing. */
  note: text().notNull().default(""),
  /** Until when a worker holds the drain of this database. */
  leasedUntil: integer("leased_until").notNull().default(0),
});

/** Where the reads of each UTC day are. A day that outgrows its database continues in another one as the next part. */
export const readPlaces = sqliteTable(
  "read_places",
  {
    day: integer().notNull(),
    part: integer().notNull(),
    database: text().notNull(),
    placedAt: integer("placed_at").notNull(),
    /** The database that the part is being copied to, and how far the copy is (JSON). */
    moveTo: text("move_to"),
    progress: text(),
    /** The database that still has the part's former rows, and since when they are no longer searched. */
    leftIn: text("left_in"),
    leftAt: integer("left_at"),
  },
  (table) => [
    primaryKey({ columns: [table.day, table.part] }),
    index("read_places_database").on(table.database, table.placedAt),
  ],
);

/** Size of each database at the end of each UTC day, for the date on which space runs out. */
export const readSizes = sqliteTable(
  "read_sizes",
  {
    database: text().notNull(),
    day: integer().notNull(),
    bytes: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.database, table.day] })],
);

export const backupRuns = sqliteTable(
  "backup_runs",
  {
    id: text().primaryKey(),
    /** `images` is a chain of steps that copies the images of a restored backup back. */
    kind: text({ enum: ["backup", "restore", "images"] }).notNull(),
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
    plan: text({ mode: "json" }).$type<BackupPlan | RestorePlan | ImagesPlan>(),
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

/** Jobs that the queue gave up on, kept until the owner retries or discards them. */
export const failedJobs = sqliteTable(
  "dead_jobs",
  {
    id: text().primaryKey(),
    queue: text().notNull(),
    body: text({ mode: "json" }).notNull(),
    attempts: integer().notNull(),
    at: integer().notNull(),
    /**
     * `dead` failed, `driven` was claimed for a retry, `sent` is in the queue again. Settled rows are deleted after a
     * week.
     */
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

/**
 * Completed saves, by the idempotency key of the form: a repeated save gets the same answer. Also the first arrivals of
 * events of cameras with a wrong clock (store/ingest/arrivals.ts).
 */
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

/**
 * When each scheduled job last ran: one row per job, rewritten at each run. Also one for each alarm about storage, while it
 * lasts (`markAlarms` in store/operations/health.ts).
 */
export const jobRuns = sqliteTable("job_runs", {
  job: text().primaryKey(),
  /** When the job was first expected to run; one that never ran is late from then on. */
  since: integer().notNull(),
  lastOkAt: integer("last_ok_at"),
  lastFailureAt: integer("last_failure_at"),
  /** When the alarm was raised; null while the job is on time. */
  lateSince: integer("late_since"),
});
