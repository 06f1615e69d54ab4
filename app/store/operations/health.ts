// Runs of the scheduled jobs, and whether the audit log accepts rows. The probe of the log leaves nothing behind: its
// transaction is made to fail.

import { and, inArray, isNotNull, isNull, notInArray, sql } from "drizzle-orm";
import type { JobRun } from "#app/entities/operations/health.ts";
import type { AuditEntry } from "#app/entities/oversight/audit.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { type ControlDb, inOneStep, rowsOf } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { jobRuns } from "#app/store/schema/operations.ts";

/** Adds rows for jobs that have none. From then on they are expected to run. */
export async function expectRuns(
  db: ControlDb,
  input: { jobs: readonly string[]; at: number },
): Promise<void> {
  await db.run(sql`
    INSERT OR IGNORE INTO ${jobRuns} (job, since)
    SELECT value, ${input.at}
    FROM json_each(${JSON.stringify(input.jobs)})`);
}

/** Stores that a job succeeded or failed. */
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

/** Returns when each job last succeeded and failed (epoch milliseconds, or null), and the rows of raised alarms. */
export async function listRuns(db: ControlDb): Promise<JobRun[]> {
  const { job, since, lastOkAt, lastFailureAt } = jobRuns;
  return db.select({ job, since, lastOkAt, lastFailureAt }).from(jobRuns);
}

/** Stores which jobs are late. Returns the jobs that became late, and those that are on time again. */
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

/** The prefix of rows of `job_runs` that are raised alarms instead of jobs. */
const ALARM = "alarm: ";

/** Stores which alarms hold. Returns those that did not before. */
export async function markAlarms(
  db: ControlDb,
  { names, at }: { names: readonly string[]; at: number },
): Promise<string[]> {
  const rows = JSON.stringify(names.map((name) => `${ALARM}${name}`));
  const [, began] = await inOneStep(db, [
    db.run(sql`
      DELETE FROM ${jobRuns}
      WHERE job >= ${ALARM} AND job < ${`${ALARM}\u{10FFFF}`} AND job NOT IN (SELECT value FROM json_each(${rows}))`),
    db.all(sql`
      INSERT OR IGNORE INTO ${jobRuns} (job, since)
      SELECT value, ${at}
      FROM json_each(${rows})
      RETURNING job`),
  ]);
  return rowsOf<{ job: string }>(began).map(({ job }) => job.slice(ALARM.length));
}

const GUARDED = [
  "audit_log",
  "audit_chain",
  "audit_checkpoints",
  "audit_segments",
  "audit_segment_filters",
  "audit_segment_terms",
  "review_searches",
];
const GUARDS = [
  ...GUARDED.flatMap((table) => [`${table}_no_update`, `${table}_no_delete`]),
  "audit_log_no_reuse",
  "audit_segments_no_overlap",
  "audit_checkpoints_no_split",
];

/** Returns the names of the audit log's triggers that are missing. */
export async function listMissingGuards(db: ControlDb): Promise<string[]> {
  const rows = await db.all<{
    name: string;
  }>(sql`
    SELECT value AS name
    FROM json_each(${JSON.stringify(GUARDS)})
    WHERE value NOT IN (SELECT name FROM sqlite_master WHERE type = 'trigger')`);
  return rows.map(({ name }) => name);
}

/** Throws if the audit log does not accept a row. */
export async function probeAudit(db: ControlDb, entry: AuditEntry): Promise<void> {
  try {
    await inOneStep(db, [
      insertAudit(db, entry),
      db.run(sql`INSERT INTO ${jobRuns} (job, since) VALUES (NULL, 0)`),
    ]);
  } catch (error) {
    if (brokenConstraint(error) === "job_runs.job") return;
    throw error;
  }
}
