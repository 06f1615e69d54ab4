// Watches the scheduled jobs: each run is noted, and each minute somebody looks whether one is late (CJIS AU-5: an alarm
// within the hour where the audit log cannot be written; here within a minute). An alarm is one line in the log when a
// job becomes late, a 503 at /health for as long as it is, and a strip on the administrators' screens.

import type { AppContext } from "#app/context.ts";
import {
  type LateJob,
  lateJobs,
  type Misconfigured,
  WATCHED_JOB_NAMES,
  WATCHED_JOBS,
  type WatchedJob,
} from "#app/entities/operations/health.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import {
  expectRuns,
  listMissingGuards,
  listRuns,
  markLate,
  noteRun,
  probeAudit,
} from "#app/store/operations/health.ts";

/** Runs a job and notes how it ended. Throws what the job threw, or that its end could not be noted. */
export async function runWatched(
  app: AppContext,
  job: WatchedJob,
  call: (app: AppContext) => Promise<unknown>,
): Promise<void> {
  try {
    await call(app);
  } catch (error) {
    // Where the database itself is away the note fails too: then the last good run grows old, which tells the same.
    await noteRun(app.db, { job, at: app.clock(), failed: true }).catch(() => {});
    throw error;
  }
  await noteRun(app.db, { job, at: app.clock(), failed: false });
}

/**
 * Throws where the audit log takes no row at this moment (it leaves none behind), or lacks a trigger that keeps its rows
 * from being changed: somebody took it away, or a restore was given up before its end.
 */
export async function checkAuditWriting(app: Pick<AppContext, "db" | "clock">): Promise<void> {
  const missing = await listMissingGuards(app.db);
  if (missing.length > 0) throw new Error(`the audit log can be changed: ${missing.join(", ")} missing`);
  await probeAudit(app.db, { ...auditWho(null), at: app.clock(), action: "access", outcome: "ok" });
}

/** Gives the alarm for each job that has become late since the last look, once, and says when it is in time again. */
export async function watchJobs(app: Pick<AppContext, "db" | "clock">): Promise<void> {
  const now = app.clock();
  try {
    await expectRuns(app.db, { jobs: WATCHED_JOB_NAMES, at: now });
    // That this runs at all shows that the jobs run: its own last run is judged by whoever asks from outside.
    const late = lateJobs(await listRuns(app.db), now).filter((job) => job !== "heartbeat");
    const { began, ended } = await markLate(app.db, { late, at: now });
    for (const job of began) console.error(`ALARM: ${labelOf(job)} is late or fails (${job})`);
    for (const job of ended) console.warn(`Over: ${labelOf(job)} is in time again (${job})`);
  } catch (error) {
    // Without the database nobody remembers that the alarm was given, so that it is given each minute.
    console.error("ALARM: the control database does not answer", error);
    throw error;
  }
}

const labelOf = (job: string) => WATCHED_JOBS[job as WatchedJob]?.label ?? job;

/**
 * GET /health, for an uptime probe: `ok`, or the names of what is late, and nothing else of what Odin holds.
 * Names of settings that make no sense follow on a line of their own; Odin works without them, so they alone do not make it unwell.
 * A database that does not answer is named `database`; jobs that have never run at all, `heartbeat`.
 */
export async function health(
  app: Pick<AppContext, "db" | "clock" | "misconfigured">,
): Promise<{ isWell: boolean; lines: string[] }> {
  const late = await lateNow(app);
  const lines = [
    late.length === 0 ? "ok" : `late: ${late.join(", ")}`,
    ...(app.misconfigured.length === 0
      ? []
      : [`misconfigured: ${app.misconfigured.map(({ setting }) => setting).join(", ")}`]),
  ];
  return { isWell: late.length === 0, lines };
}

async function lateNow(app: Pick<AppContext, "db" | "clock">): Promise<string[]> {
  try {
    const runs = await listRuns(app.db);
    return runs.length === 0 ? ["heartbeat"] : lateJobs(runs, app.clock());
  } catch {
    return ["database"];
  }
}

/** GET /health-data: what administrators are told is late (nothing before the jobs first ran), and bad settings. */
export async function healthData(
  app: Pick<AppContext, "db" | "clock" | "misconfigured">,
): Promise<{ late: LateJob[]; misconfigured: readonly Misconfigured[] }> {
  const runs = await listRuns(app.db);
  const late = lateJobs(runs, app.clock()).map((job) => ({
    job,
    label: WATCHED_JOBS[job].label,
    last_ok_at: runs.find((run) => run.job === job)?.lastOkAt ?? null,
  }));
  return { late, misconfigured: app.misconfigured };
}
