// Watches the scheduled jobs: stores each run, and checks every minute whether a job is late (CJIS AU-5 requires an
// alarm within the hour if the audit log cannot be written; here it takes a minute). An alarm is a line in the log when
// a job becomes late, a 503 at /health while it is, and a banner on administrators' screens.

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
import { logError, logWarning } from "#app/lib/log.ts";
import {
  expectRuns,
  listMissingGuards,
  listRuns,
  markLate,
  noteRun,
  probeAudit,
} from "#app/store/operations/health.ts";
import { storageLines, viewStorage } from "./storage.ts";

/** Runs a job and stores how it ended. Throws the job's error, or the error of storing. */
export async function runWatched(
  app: AppContext,
  job: WatchedJob,
  call: (app: AppContext) => Promise<unknown>,
): Promise<void> {
  try {
    await call(app);
  } catch (error) {
    // If the database is down this fails too. The last good run then grows old, which raises the same alarm.
    await noteRun(app.db, { job, at: app.clock(), failed: true }).catch(() => {});
    throw error;
  }
  await noteRun(app.db, { job, at: app.clock(), failed: false });
}

/**
 * Throws if the audit log does not accept a row (the test row is rolled back), or lacks a trigger that protects its
 * rows, because someone dropped it or a restore was abandoned.
 */
export async function checkAuditWriting(app: Pick<AppContext, "db" | "clock">): Promise<void> {
  const missing = await listMissingGuards(app.db);
  if (missing.length > 0) throw new Error(`the audit log can be changed: ${missing.join(", ")} missing`);
  await probeAudit(app.db, { ...auditWho(null), at: app.clock(), action: "access", outcome: "ok" });
}

/** Logs an alarm once for each job that has become late since the last check, and logs when it is on time again. */
export async function watchJobs(app: Pick<AppContext, "db" | "clock">): Promise<void> {
  const now = app.clock();
  try {
    await expectRuns(app.db, { jobs: WATCHED_JOB_NAMES, at: now });
    // This code running proves that scheduled jobs run. Only an outside probe can judge the heartbeat itself.
    const late = lateJobs(await listRuns(app.db), now).filter((job) => job !== "heartbeat");
    const { began, ended } = await markLate(app.db, { late, at: now });
    for (const job of began) logError(`ALARM: ${labelOf(job)} is late or failing (${job})`);
    for (const job of ended) logWarning(`Over: ${labelOf(job)} is on time again (${job})`);
  } catch (error) {
    // Without the database the alarm cannot be marked as raised, so it repeats every minute.
    logError("ALARM: the control database does not answer", error);
    throw error;
  }
}

const isWatched = (job: string): job is WatchedJob => job in WATCHED_JOBS;
const labelOf = (job: string) => (isWatched(job) ? WATCHED_JOBS[job].label : job);

/**
 * GET /health, for an uptime probe: `ok`, or the names of late jobs. Further lines name what is wrong with the space
 * for reads, then invalid settings; Odin works without those, so they alone do not make it unhealthy. A database that
 * does not answer is named `database`; `heartbeat` means that no job has ever run. The last lines describe the
 * databases of reads. The answer contains nothing else.
 */
export async function health(
  app: Pick<AppContext, "db" | "places" | "clock" | "misconfigured">,
): Promise<{ isWell: boolean; lines: string[] }> {
  const late = await lateNow(app);
  const storage = await storageLines(app).catch(() => ({ alarms: [], lines: [] }));
  const lines = [
    late.length === 0
      ? storage.alarms.length === 0
        ? "ok"
        : "storage is short"
      : `late: ${late.join(", ")}`,
    ...storage.alarms,
    ...(app.misconfigured.length === 0
      ? []
      : [`misconfigured: ${app.misconfigured.map(({ setting }) => setting).join(", ")}`]),
    ...storage.lines,
  ];
  return { isWell: late.length + storage.alarms.length === 0, lines };
}

async function lateNow(app: Pick<AppContext, "db" | "clock">): Promise<string[]> {
  try {
    const runs = await listRuns(app.db);
    return runs.length === 0 ? ["heartbeat"] : lateJobs(runs, app.clock());
  } catch {
    return ["database"];
  }
}

/**
 * GET /health-data: late jobs (none before jobs first ran), invalid settings, and what is wrong with the space for reads,
 * for administrators.
 */
export async function healthData(
  app: Pick<AppContext, "db" | "places" | "clock" | "misconfigured">,
): Promise<{ late: LateJob[]; misconfigured: readonly Misconfigured[]; storage: string[] }> {
  const [runs, { alarms }] = await Promise.all([listRuns(app.db), viewStorage(app)]);
  const late = lateJobs(runs, app.clock()).map((job) => ({
    job,
    label: WATCHED_JOBS[job].label,
    last_ok_at: runs.find((run) => run.job === job)?.lastOkAt ?? null,
  }));
  return { late, misconfigured: app.misconfigured, storage: alarms };
}
