/** The scheduled jobs, and when each counts as late. */

import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";

/** The cron expressions of wrangler.toml. */
export const CRONS = { minute: "* * * * *", fiveMinutes: "*/5 * * * *", day: "15 7 * * *" } as const;

type Cron = (typeof CRONS)[keyof typeof CRONS];

type Watched = {
  label: string;
  cron: Cron;
  /** Milliseconds after its last success at which it is late. */
  lateAfter: number;
  /** A single failure raises the alarm (CJIS AU-5: the audit log cannot be written). */
  strict?: boolean;
};

/**
 * Every job of workers/scheduled.ts, with the cron that runs it. Jobs that run every minute may miss some runs, jobs
 * that run every five minutes must succeed within half an hour (retention is due within the hour), and daily jobs may
 * miss one day.
 */
export const WATCHED_JOBS = {
  "audit-writing": {
    label: "Writing the audit log",
    cron: CRONS.minute,
    lateAfter: 3 * MINUTE,
    strict: true,
  },
  "audit-sealing": { label: "Sealing the audit log", cron: CRONS.minute, lateAfter: 5 * MINUTE },
  "audit-anchoring": {
    label: "Storing the heads of the audit log",
    cron: CRONS.fiveMinutes,
    lateAfter: 30 * MINUTE,
  },
  heartbeat: { label: "All scheduled jobs", cron: CRONS.minute, lateAfter: 3 * MINUTE },
  "alert-sweep": { label: "Notifying members of hits", cron: CRONS.minute, lateAfter: 5 * MINUTE },
  "dead-job-sweep": { label: "Retrying failed jobs", cron: CRONS.minute, lateAfter: 5 * MINUTE },
  "alert-pictures": { label: "Fetching images of hits", cron: CRONS.minute, lateAfter: 15 * MINUTE },
  "webhook-sweep": { label: "Sending to outgoing webhooks", cron: CRONS.minute, lateAfter: 5 * MINUTE },
  "axon-poll": { label: "Polling Axon for new reads", cron: CRONS.minute, lateAfter: 10 * MINUTE },
  retention: { label: "Purging expired reads", cron: CRONS.fiveMinutes, lateAfter: 30 * MINUTE },
  "read-tags": {
    label: "Preparing stored reads for faster searches",
    cron: CRONS.fiveMinutes,
    lateAfter: HOUR,
  },
  storage: { label: "Measuring the databases of reads", cron: CRONS.fiveMinutes, lateAfter: 30 * MINUTE },
  drain: { label: "Moving days of reads between databases", cron: CRONS.minute, lateAfter: 30 * MINUTE },
  "result-sweep": { label: "Purging search results", cron: CRONS.fiveMinutes, lateAfter: 30 * MINUTE },
  "export-sweep": { label: "Resuming and purging exports", cron: CRONS.minute, lateAfter: 5 * MINUTE },
  "import-sweep": { label: "Clearing hotlist imports", cron: CRONS.fiveMinutes, lateAfter: 30 * MINUTE },
  "expiry-notices": { label: "Sending notices of expiring plates", cron: CRONS.fiveMinutes, lateAfter: HOUR },
  review: { label: "Reviewing searches", cron: CRONS.minute, lateAfter: HOUR },
  "record-retention": { label: "Purging old records", cron: CRONS.fiveMinutes, lateAfter: HOUR },
  "audit-retention": {
    label: "Purging the oldest part of the audit log",
    cron: CRONS.fiveMinutes,
    lateAfter: HOUR,
  },
  "audit-archiving": {
    label: "Archiving the older part of the audit log",
    cron: CRONS.fiveMinutes,
    lateAfter: HOUR,
  },
  "alert-archiving": { label: "Archiving older hits", cron: CRONS.fiveMinutes, lateAfter: HOUR },
  "saved-sweep": { label: "Deleting stored responses of saves", cron: CRONS.fiveMinutes, lateAfter: HOUR },
  "session-sweep": { label: "Deleting old sessions", cron: CRONS.fiveMinutes, lateAfter: HOUR },
  "attempt-sweep": { label: "Deleting sign-in attempts", cron: CRONS.fiveMinutes, lateAfter: HOUR },
  "backup-sweep": { label: "Deleting old backups", cron: CRONS.fiveMinutes, lateAfter: HOUR },
  backup: { label: "The nightly backup", cron: CRONS.day, lateAfter: 26 * HOUR },
  "camera-list": { label: "Refreshing Rekor's list of cameras", cron: CRONS.day, lateAfter: 50 * HOUR },
  "unused-users": { label: "Disabling unused accounts", cron: CRONS.day, lateAfter: 50 * HOUR },
  figures: { label: "Counting transparency statistics", cron: CRONS.fiveMinutes, lateAfter: HOUR },
} as const satisfies Record<string, Watched>;

export type WatchedJob = keyof typeof WATCHED_JOBS;

export const WATCHED_JOB_NAMES = Object.keys(WATCHED_JOBS) as WatchedJob[];

/** Returns when a cron expression of this installation runs next, after an instant. Cron runs in UTC. */
export function nextRun(cron: Cron, after: number): number {
  const [minute = "", hour = ""] = cron.split(" ");
  if (hour !== "*") {
    const today = Math.floor(after / DAY) * DAY + Number(hour) * HOUR + Number(minute) * MINUTE;
    return today > after ? today : today + DAY;
  }
  const every = (minute.startsWith("*/") ? Number(minute.slice(2)) : 1) * MINUTE;
  return (Math.floor(after / every) + 1) * every;
}

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
