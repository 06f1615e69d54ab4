// When each scheduled job last ran, for whoever watches that Odin watches: one row a job, rewritten at each run.

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const jobRuns = sqliteTable("job_runs", {
  job: text().primaryKey(),
  /** When the job was first expected to run: one that never did is late from then on. */
  since: integer().notNull(),
  lastOkAt: integer("last_ok_at"),
  lastFailureAt: integer("last_failure_at"),
  /** When it was found to be late and the alarm was given; null while it is in time. */
  lateSince: integer("late_since"),
});
