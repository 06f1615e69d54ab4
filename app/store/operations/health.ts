// Runs of the scheduled jobs, and whether the audit log takes rows. The probe of the log leaves nothing behind: its
// row is written in a transaction that is then made to fail.

import { and, inArray, isNotNull, isNull, notInArray, sql } from "drizzle-orm";
import type { JobRun } from "#app/entities/operations/health.ts";
import type { AuditEntry } from "#app/entities/oversight/audit.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { type ControlDb, inOneStep } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { jobRuns } from "#app/store/schema/health.ts";

/** Makes rows for jobs that have none: from now on they are expected to run. */
export async function expectRuns(
  db: ControlDb,
  input: { jobs: readonly string[]; at: number },
): Promise<void> {
  await db.run(sql`insert or ignore into ${jobRuns} (job, since)
    select value, ${input.at} from json_each(${JSON.stringify(input.jobs)})`);
}

/** Notes that a job has ended well or has failed. */
export async function noteRun(
  db: ControlDb,
  input: { job: string; at: number; failed: boolean },
): Promise<void> {
  const { job, at, failed } = input;
  const set = failed ? { lastFailureAt: at } : { lastOkAt: at };
  await db
    .insert(jobRuns)
    .values({ job, since: at, ...set })
    .onConflictDoUpdate({ target: jobRuns.job, set });
}

export async function listRuns(db: ControlDb): Promise<JobRun[]> {
  const { job, since, lastOkAt, lastFailureAt } = jobRuns;
  return db.select({ job, since, lastOkAt, lastFailureAt }).from(jobRuns);
}

/** Notes which jobs are late; gives those that were not before, and those that are in time again. */
export async function markLate(
  db: ControlDb,
  input: { late: readonly string[]; at: number },
): Promise<{ began: string[]; ended: string[] }> {
  const late = [...input.late];
  const began = await db
    .update(jobRuns)
    .set({ lateSince: input.at })
    .where(and(inArray(jobRuns.job, late), isNull(jobRuns.lateSince)))
    .returning({ job: jobRuns.job });
  const ended = await db
    .update(jobRuns)
    .set({ lateSince: null })
    .where(and(notInArray(jobRuns.job, late), isNotNull(jobRuns.lateSince)))
    .returning({ job: jobRuns.job });
  return { began: began.map(({ job }) => job), ended: ended.map(({ job }) => job) };
}

const GUARDS = ["audit_log", "audit_chain", "audit_checkpoints"].flatMap((table) => [
  `${table}_no_update`,
  `${table}_no_delete`,
]);

/** Names of triggers that the audit log should have and has not. */
export async function listMissingGuards(db: ControlDb): Promise<string[]> {
  const rows = await db.all<{
    name: string;
  }>(sql`select value as name from json_each(${JSON.stringify(GUARDS)})
    where value not in (select name from sqlite_master where type = 'trigger')`);
  return rows.map(({ name }) => name);
}

/** Throws where the audit log would not take a row now. */
export async function probeAudit(db: ControlDb, entry: AuditEntry): Promise<void> {
  try {
    await inOneStep(db, [
      insertAudit(db, entry),
      db.run(sql`insert into ${jobRuns} (job, since) values (null, 0)`),
    ]);
  } catch (error) {
    if (brokenConstraint(error) === "job_runs.job") return;
    throw error;
  }
}
