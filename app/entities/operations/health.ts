/** The scheduled jobs, and when each counts as late. */

import { HOUR, MINUTE } from "#app/lib/time/dates.ts";

type Watched = {
  label: string;
  /** Milliseconds after its last success at which it is late. */
  lateAfter: number;
  /** A single failure raises the alarm (CJIS AU-5: the audit log cannot be written). */
  strict?: boolean;
};

/**
 * Every job of workers/scheduled.ts. Jobs that run every minute may miss some runs, jobs that run every five minutes
 * must succeed within half an hour (retention is due within the hour), and daily jobs may miss one day.
 */
export const WATCHED_JOBS = {
  "audit-writing": { label: "Writing the audit log", lateAfter: 3 * MINUTE, strict: true },
  "audit-sealing": { label: "Sealing the audit log", lateAfter: 5 * MINUTE },
  "audit-anchoring": { label: "Storing the heads of the audit log", lateAfter: 30 * MINUTE },
  heartbeat: { label: "All scheduled jobs", lateAfter: 3 * MINUTE },
  "alert-sweep": { label: "Notifying members of hits", lateAfter: 5 * MINUTE },
  "dead-job-sweep": { label: "Retrying failed jobs", lateAfter: 5 * MINUTE },
  "alert-pictures": { label: "Fetching images of hits", lateAfter: 15 * MINUTE },
  "axon-poll": { label: "Polling Axon for new reads", lateAfter: 10 * MINUTE },
  retention: { label: "Purging expired reads", lateAfter: 30 * MINUTE },
  "read-tags": { label: "Preparing stored reads for look-alike searches", lateAfter: HOUR },
  "result-sweep": { label: "Purging search results", lateAfter: 30 * MINUTE },
  "export-sweep": { label: "Resuming and purging exports", lateAfter: 5 * MINUTE },
  "import-sweep": { label: "Clearing hotlist imports", lateAfter: 30 * MINUTE },
  "expiry-notices": { label: "Announcing plates that expire", lateAfter: HOUR },
  review: { label: "Reviewing searches", lateAfter: HOUR },
  "record-retention": { label: "Purging old records", lateAfter: HOUR },
  "audit-retention": { label: "Purging the oldest part of the audit log", lateAfter: HOUR },
  "saved-sweep": { label: "Deleting stored answers of saves", lateAfter: HOUR },
  "session-sweep": { label: "Deleting old sessions", lateAfter: HOUR },
  "attempt-sweep": { label: "Deleting sign-in attempts", lateAfter: HOUR },
  "backup-sweep": { label: "Clearing backups", lateAfter: HOUR },
  backup: { label: "The nightly backup", lateAfter: 26 * HOUR },
  "camera-list": { label: "Refreshing Rekor's list of cameras", lateAfter: 50 * HOUR },
  "unused-users": { label: "Disabling unused accounts", lateAfter: 50 * HOUR },
  figures: { label: "Counting transparency statistics", lateAfter: HOUR },
} as const satisfies Record<string, Watched>;

export type WatchedJob = keyof typeof WATCHED_JOBS;

export const WATCHED_JOB_NAMES = Object.keys(WATCHED_JOBS) as WatchedJob[];

/** Runs of a job, in ms since 1970. */
export type JobRun = {
  job: string;
  since: number;
  lastOkAt: number | null;
  lastFailureAt: number | null;
};

/** Returns the jobs that are late at an instant, in the order of the list. Ignores jobs that have no row. */
export function lateJobs(runs: readonly JobRun[], now: number): WatchedJob[] {
  const byName = new Map(runs.map((run) => [run.job, run]));
  return WATCHED_JOB_NAMES.filter((name) => {
    const run = byName.get(name);
    if (!run) return false;
    const rule: Watched = WATCHED_JOBS[name];
    const hasFailed = (run.lastFailureAt ?? 0) > (run.lastOkAt ?? 0);
    return now - (run.lastOkAt ?? run.since) > rule.lateAfter || (rule.strict === true && hasFailed);
  });
}

/** An invalid setting, which turns its feature off. */
export type Misconfigured = { setting: string; problem: string };

/** GET /health-data: a late job, its label and its last success. */
export type LateJob = { job: string; label: string; last_ok_at: number | null };
