// Failed jobs, runs of scheduled jobs, and the answers of completed saves.

import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

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

/** Completed saves, by the idempotency key of the form: a repeated save gets the same answer. */
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

/** When each scheduled job last ran: one row per job, rewritten at each run. */
export const jobRuns = sqliteTable("job_runs", {
  job: text().primaryKey(),
  /** When the job was first expected to run; one that never ran is late from then on. */
  since: integer().notNull(),
  lastOkAt: integer("last_ok_at"),
  lastFailureAt: integer("last_failure_at"),
  /** When the alarm was raised; null while the job is on time. */
  lateSince: integer("late_since"),
});
