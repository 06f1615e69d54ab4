// The status screen of the owner: the build, migrations, queues, scheduled jobs, vendors, storage, the audit log,
// backups and push in one report. It calls the functions that other screens use for the same facts.

import type { AppContext } from "#app/context.ts";
import { BUILD, compareMigrations, type KnownMigration } from "#app/entities/operations/build.ts";
import {
  type JobRun,
  lateJobs,
  nextRun,
  WATCHED_JOB_NAMES,
  WATCHED_JOBS,
} from "#app/entities/operations/health.ts";
import type { AuditState, CronState, DatabaseState, StatusReport } from "#app/entities/operations/status.ts";
import { logError } from "#app/lib/log.ts";
import { listRestores } from "#app/store/operations/backup-runs.ts";
import { listRuns } from "#app/store/operations/health.ts";
import { countStatus, findMigrations, type StatusCounts } from "#app/store/operations/status.ts";
import { listBackups } from "./backups.ts";
import { viewStorage } from "./storage.ts";

/** Returns the state of the installation, over all agencies. */
export async function viewStatus(app: AppContext): Promise<StatusReport> {
  const now = app.clock();
  const [runs, counts, storage, backups, restores, databases] = await Promise.all([
    listRuns(app.db),
    countStatus(app.db, now),
    viewStorage(app),
    listBackups(app),
    listRestores(app.db),
    databaseStates(app),
  ]);
  const { failed, audit } = counts;
  const report: Omit<StatusReport, "problems"> = {
    at: now,
    build: { version: BUILD.version, commit: BUILD.commit },
    misconfigured: app.misconfigured,
    databases,
    queues: counts.waiting,
    failed: {
      jobs: failed?.jobs ?? 0,
      oldest_job: failed?.oldestJob ?? null,
      sends: failed?.sends ?? 0,
      webhooks: failed?.webhooks ?? 0,
    },
    crons: cronStates(runs, now),
    vendors: counts.vendors.map(({ okAt, failedAt, ...one }) => ({
      ...one,
      last_ok_at: okAt,
      last_failure_at: failedAt,
    })),
    storage: { ...storage.total, databases: storage.databases.length, alarms: storage.alarms },
    audit: auditState(counts, runs),
    backup: {
      newest: backups.newest,
      late: backups.late,
      verified_at: audit?.backupVerifiedAt ?? null,
      verified_ok: audit?.backupOutcome === "ok",
      restored_at: restores[0]?.finishedAt ?? null,
    },
    push: counts.push.map(({ channel, devices, okAt, waiting }) => ({
      channel,
      configured: app.push[channel] !== null,
      devices,
      last_ok_at: okAt,
      waiting,
    })),
  };
  return { ...report, problems: problemsOf(report) };
}

async function databaseStates(app: AppContext): Promise<DatabaseState[]> {
  const all = [
    { name: "DB", database: app.db.$client, known: BUILD.migrations.control },
    ...app.places.databases.map(({ name, database }) => ({ name, database, known: BUILD.migrations.reads })),
  ];
  return Promise.all(all.map(databaseState));
}

type Migrated = { name: string; database: D1Database; known: KnownMigration[] };

async function databaseState({ name, database, known }: Migrated): Promise<DatabaseState> {
  try {
    return { name, migrations: compareMigrations(known, await findMigrations(database)) };
  } catch (error) {
    logError(`the migrations of ${name} could not be read`, error);
    return { name, migrations: null };
  }
}

function cronStates(runs: readonly JobRun[], now: number): CronState[] {
  const late = new Set(lateJobs(runs, now));
  return WATCHED_JOB_NAMES.map((job) => {
    const run = runs.find((one) => one.job === job);
    return {
      job,
      label: WATCHED_JOBS[job].label,
      last_ok_at: run?.lastOkAt ?? null,
      last_failure_at: run?.lastFailureAt ?? null,
      next_at: nextRun(WATCHED_JOBS[job].crons, now),
      late: late.has(job),
    };
  });
}

function auditState({ audit }: StatusCounts, runs: readonly JobRun[]): AuditState {
  return {
    sealed_seq: audit?.sealedSeq ?? 0,
    sealed_at: audit?.sealedAt ?? null,
    waiting: audit?.waiting ?? 0,
    anchored_at: runs.find(({ job }) => job === "audit-anchoring")?.lastOkAt ?? null,
    verified_at: audit?.verifiedAt ?? null,
    checked: audit?.checked ?? 0,
    intact: audit?.intact ?? 0,
    checked_since: audit?.checkedSince ?? null,
  };
}

function problemsOf(report: Omit<StatusReport, "problems">): string[] {
  const { databases, crons, audit, backup, storage, failed, vendors, misconfigured } = report;
  const problems: string[] = [];
  for (const { name, migrations } of databases) {
    if (!migrations) problems.push(`${name} does not answer.`);
    else if (migrations.pending.length > 0)
      problems.push(`${name} lacks ${migrations.pending.length} of the migrations of this build.`);
  }
  if (audit.intact < audit.checked)
    problems.push(`Audit logs that do not verify: ${audit.checked - audit.intact}.`);
  for (const { label, late } of crons) if (late) problems.push(`A scheduled job is late: ${label}.`);
  if (backup.newest === null)
    problems.push("No backup has finished yet. One starts every night, or under Backups.");
  else if (backup.late) problems.push("No recent backup has finished.");
  if (backup.verified_at !== null && !backup.verified_ok)
    problems.push("The backup that was verified last is damaged.");
  problems.push(...storage.alarms, ...misconfigured.map(({ problem }) => problem));
  if (failed.jobs > 0) problems.push(`Failed jobs that wait for a decision: ${failed.jobs}.`);
  for (const { program, paused } of vendors)
    if (paused > 0)
      problems.push(`Connections to ${program} that are paused after repeated failures: ${paused}.`);
  return problems;
}
