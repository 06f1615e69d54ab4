// Jobs that the queue gave up on: kept until somebody drives them again, never dropped after four days.

import { sql } from "drizzle-orm";
import type { ControlDb } from "./database.ts";
import { deadJobs } from "./schema.ts";

export type DeadJob = typeof deadJobs.$inferInsert;

/** Keeps dead jobs; one that arrives twice is kept once. */
export async function insertDeadJobs(db: ControlDb, jobs: DeadJob[]): Promise<void> {
  for (const job of jobs) {
    // Written as text by hand: a message may be anything, and drizzle would make SQL's null of JSON's.
    const body = sql`${JSON.stringify(job.body ?? null)}`;
    await db
      .insert(deadJobs)
      .values({ ...job, body })
      .onConflictDoNothing();
  }
}
