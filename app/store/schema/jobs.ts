// What keeps work from being lost or done twice: jobs that the queue gave up on, saves that were done.

import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Jobs that the queue gave up on, kept until somebody drives them again. */
export const failedJobs = sqliteTable(
  "dead_jobs",
  {
    id: text().primaryKey(),
    queue: text().notNull(),
    body: text({ mode: "json" }).notNull(),
    attempts: integer().notNull(),
    at: integer().notNull(),
    /** What the owner made of it: `driven` is on its way to the queue, `sent` is there. Settled rows go after a week. */
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

/** Saves that were done, by the key that the form sent: the same save again gets the same answer. */
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
