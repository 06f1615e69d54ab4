// Jobs that the queue gave up on: kept until somebody drives them again, never dropped after four days.

import type { ControlDb } from "./database.ts";
import { deadJobs } from "./schema.ts";

export type DeadJob = typeof deadJobs.$inferInsert;

/** Keeps dead jobs; one that arrives twice is kept once. */
export async function insertDeadJobs(db: ControlDb, jobs: DeadJob[]): Promise<void> {
  for (const job of jobs) await db.insert(deadJobs).values(job).onConflictDoNothing();
}
