/** The scheduled jobs, and when each counts as late. */

import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";

/** Returns the expression of a cron that runs every `minutes` minutes, from minute `first` of each hour on. */
const everyMinutes = (minutes: number, first = 0) =>
  `${first === 0 ? "*" : `${first}-59`}/${minutes} * * * *`;

/** Returns expressions that each run at different minutes, so that together they run every minute. */
const takingTurns = (count: number) =>
  Array.from({ length: count }, (_, first) => everyMinutes(count, first));

/**
 * The cron expressions of wrangler.toml. Each run is an invocation of its own, and D1 allows 1,000 queries and Workers
 * 30 s of CPU per invocation. So jobs with many queries do not share an expression. No two expressions mean the same,
 * because it is not documented whether Cloudflare accepts that. A job with many queries that runs every minute has
 * several expressions that alternate.
 */
export const CRONS = {
  minute: ["* * * * *"],
  axon: takingTurns(2),
  drain: takingTurns(3),
  review: takingTurns(4),
  pictures: takingTurns(6),
  fiveMinutes: [everyMinutes(5)],
  retention: [everyMinutes(5, 1)],
  auditArchive: [everyMinutes(5, 2)],
  alertArchive: [everyMinutes(5, 3)],
  recordRetention: [everyMinutes(5, 4)],
  upkeep: [everyMinutes(10)],
  figures: [everyMinutes(10, 5)],
  day: ["15 7 * * *"],
  cameras: ["20 7 * * *"],
} satisfies Record<string, string[]>;

type Watched = {
  label: string;
  crons: readonly string[];
  /** Milliseconds after its last success at which it is late. */
  lateAfter: number;
  /** A single failure raises the alarm (CJIS AU-5: the audit log cannot be written). */
  strict?: boolean;
};

/**
 * Every job of workers/scheduled.ts, with the crons that run it. Jobs that run every minute may miss some runs, jobs
 * that run every five minutes must succeed within half an hour (retention is due within the hour), and daily jobs may
 * miss one day.
 */
export const WATCHED_JOBS = {
  "audit-writing": {
    label: "Writing the audit log",
    crons: CRONS.minute,
    lateAfter: 3 * MINUTE,
    strict: true,
  },
  "audit-sealing": { label: "Sealing the audit log", crons: CRONS.minute, lateAfter: 5 * MINUTE },
  "audit-anchoring": {
    label: "Storing the heads of the audit log",
    crons: CRONS.fiveMinutes,
    lateAfter: 30 * MINUTE,
  },
  heartbeat: { label: "All scheduled jobs", crons: CRONS.minute, lateAfter: 3 * MINUTE },
  "alert-sweep": { label: "Notifying members of hits", crons: CRONS.minute, lateAfter: 5 * MINUTE },
  "dead-job-sweep": { label: "Retrying failed jobs", crons: CRONS.minute, lateAfter: 5 * MINUTE },
  "alert-pictures": { label: "Fetching images of hits", crons: CRONS.pictures, lateAfter: 15 * MINUTE },
  "webhook-sweep": { label: "Sending to outgoing webhooks", crons: CRONS.minute, lateAfter: 5 * MINUTE },
  "axon-poll": { label: "Polling Axon for new reads", crons: CRONS.axon, lateAfter: 10 * MINUTE },
  retention: { label: "Purging expired reads", crons: CRONS.retention, lateAfter: 30 * MINUTE },
  "read-tags": {
    label: "Preparing stored reads for faster searches",
    crons: CRONS.fiveMinutes,
    lateAfter: HOUR,
  },
  "key-bundles": {
    label: "Preparing the keys of reads for the next day and for faster searches",
    crons: CRONS.fiveMinutes,
    lateAfter: HOUR,
  },
  storage: { label: "Measuring the databases of reads", crons: CRONS.fiveMinutes, lateAfter: 30 * MINUTE },
  drain: { label: "Moving days of reads between databases", crons: CRONS.drain, lateAfter: 30 * MINUTE },
  "result-sweep": { label: "Purging search results", crons: CRONS.fiveMinutes, lateAfter: 30 * MINUTE },
  "export-sweep": { label: "Resuming and purging exports", crons: CRONS.minute, lateAfter: 5 * MINUTE },
  "import-sweep": { label: "Clearing hotlist imports", crons: CRONS.fiveMinutes, lateAfter: 30 * MINUTE },
  "expiry-notices": {
    label: "Sending notices of expiring plates",
    crons: CRONS.fiveMinutes,
    lateAfter: HOUR,
  },
  review: { label: "Reviewing searches", crons: CRONS.review, lateAfter: HOUR },
  "record-retention": { label: "Purging old records", crons: CRONS.recordRetention, lateAfter: HOUR },
  "audit-retention": {
    label: "Purging the oldest part of the audit log",
    crons: CRONS.upkeep,
    lateAfter: HOUR,
  },
  "audit-archiving": {
    label: "Archiving the older part of the audit log",
    crons: CRONS.auditArchive,
    lateAfter: HOUR,
  },
  "alert-archiving": { label: "Archiving older hits", crons: CRONS.alertArchive, lateAfter: HOUR },
  "saved-sweep": { label: "Deleting stored responses of saves", crons: CRONS.fiveMinutes, lateAfter: HOUR },
  "session-sweep": { label: "Deleting old sessions", crons: CRONS.fiveMinutes, lateAfter: HOUR },
  "attempt-sweep": { label: "Deleting sign-in attempts", crons: CRONS.fiveMinutes, lateAfter: HOUR },
  "backup-sweep": { label: "Deleting old backups", crons: CRONS.fiveMinutes, lateAfter: HOUR },
  backup: { label: "The nightly backup", crons: CRONS.day, lateAfter: 26 * HOUR },
  "camera-list": { label: "Refreshing Rekor's list of cameras", crons: CRONS.cameras, lateAfter: 50 * HOUR },
  // Not urgent, but a run disables only some of many accounts.
  "unused-users": { label: "Disabling unused accounts", crons: CRONS.upkeep, lateAfter: 50 * HOUR },
  figures: { label: "Counting transparency statistics", crons: CRONS.figures, lateAfter: HOUR },
} as const satisfies Record<string, Watched>;

export type WatchedJob = keyof typeof WATCHED_JOBS;

/** The names of all watched jobs. */
export const WATCHED_JOB_NAMES = Object.keys(WATCHED_JOBS) as WatchedJob[];

/** Returns when one of the cron expressions of this installation runs next, after an instant. Cron runs in UTC. */
export const nextRun = (crons: readonly string[], after: number): number =>
  Math.min(...crons.map((cron) => nextOf(cron, after)));

function nextOf(cron: string, after: number): number {
  const [minute = "", hour = ""] = cron.split(" ");
  if (hour !== "*") {
    const today = Math.floor(after / DAY) * DAY + Number(hour) * HOUR + Number(minute) * MINUTE;
    return today > after ? today : today + DAY;
  }
  const [from = "", step = "1"] = minute.split("/");
  const first = Number.parseInt(from, 10) || 0;
  let next = (Math.floor(after / MINUTE) + 1) * MINUTE;
  while ((new Date(next).getUTCMinutes() - first) % Number(step) !== 0) next += MINUTE;
  return next;
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
