import { type AppContext, createAppContext, type Env, isBeingRestored } from "#app/context.ts";
import { forgetOldAttempts } from "#app/domain/accounts/attempts.ts";
import { forgetOldSessions } from "#app/domain/accounts/sign-in.ts";
import { archiveAlerts } from "#app/domain/alerts/archiving.ts";
import { sweepAlerts } from "#app/domain/alerts/fan-out.ts";
import { sweepVendorImages } from "#app/domain/alerts/images.ts";
import { keepKeysReady } from "#app/domain/archive/keys.ts";
import { retagArchive } from "#app/domain/archive/tags.ts";
import { sweepExports } from "#app/domain/exports/files.ts";
import { noticeExpiries } from "#app/domain/hotlists/expiry-notices.ts";
import { sweepImports } from "#app/domain/hotlists/import-work.ts";
import { pollAxon } from "#app/domain/ingest/axon.ts";
import { refreshRekorCameras } from "#app/domain/integrations/connection-test.ts";
import { sweepOutgoing } from "#app/domain/integrations/outgoing-delivery.ts";
import { startNightlyBackup, sweepBackups } from "#app/domain/operations/backups.ts";
import { drainStorage } from "#app/domain/operations/drain.ts";
import { sweepFailedJobs } from "#app/domain/operations/failed-jobs.ts";
import { checkAuditWriting, runWatched, watchJobs } from "#app/domain/operations/health.ts";
import { forgetSaved } from "#app/domain/operations/idempotency.ts";
import { purgeExpired } from "#app/domain/operations/retention.ts";
import { purgeOldAudit } from "#app/domain/operations/retention-audit.ts";
import { purgeOldRecords } from "#app/domain/operations/retention-records.ts";
import { measureStorage } from "#app/domain/operations/storage.ts";
import { archiveAudit } from "#app/domain/oversight/audit-archiving.ts";
import { anchorAuditHeads, sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { reviewSearches } from "#app/domain/oversight/review-searches.ts";
import { countPublished } from "#app/domain/oversight/transparency-count.ts";
import { sweepResultSets } from "#app/domain/search/purge.ts";
import { disableUnusedUsers } from "#app/domain/users/upkeep.ts";
import { WATCHED_JOBS, type WatchedJob } from "#app/entities/operations/health.ts";
import { logError } from "#app/lib/log.ts";

type Call = readonly [job: WatchedJob, call: (app: AppContext) => Promise<unknown>];

/**
 * The jobs in the order in which a cron runs them: one domain call per line, under the name that it is watched by.
 * WATCHED_JOBS says which cron expressions of wrangler.toml run each; those of different expressions run side by side.
 */
const CALLS: readonly Call[] = [
  // Every minute.
  ["audit-writing", checkAuditWriting],
  ["alert-sweep", sweepAlerts],
  ["webhook-sweep", (app) => sweepOutgoing(app)],
  ["dead-job-sweep", sweepFailedJobs],
  // Every minute, so that an export whose worker was killed resumes or fails within two.
  ["export-sweep", sweepExports],
  ["audit-sealing", (app) => sealAuditLog(app)],
  // After the jobs above, so that it judges their latest runs.
  ["heartbeat", watchJobs],
  // Every minute, each in an invocation of its own.
  ["alert-pictures", sweepVendorImages],
  ["axon-poll", pollAxon],
  ["review", (app) => reviewSearches(app)],
  ["drain", (app) => drainStorage(app)],
  // Every five minutes.
  ["storage", measureStorage],
  ["audit-anchoring", anchorAuditHeads],
  ["result-sweep", sweepResultSets],
  ["import-sweep", sweepImports],
  ["expiry-notices", noticeExpiries],
  ["saved-sweep", forgetSaved],
  ["session-sweep", forgetOldSessions],
  ["attempt-sweep", forgetOldAttempts],
  ["backup-sweep", sweepBackups],
  ["key-bundles", keepKeysReady],
  // The last of these jobs, because after an update it takes some seconds.
  ["read-tags", (app) => retagArchive(app)],
  // Every five minutes, at different minutes: jobs with many queries.
  ["retention", (app) => purgeExpired(app)],
  ["audit-archiving", (app) => archiveAudit(app)],
  // Minutes after retention, so that it does not archive hits that have just expired.
  ["alert-archiving", archiveAlerts],
  ["record-retention", purgeOldRecords],
  // Every ten minutes.
  ["audit-retention", purgeOldAudit],
  ["unused-users", (app) => disableUnusedUsers(app)],
  // Every ten minutes, five minutes later.
  ["figures", countPublished],
  // Once a day. Backups come first, because starting one is quick.
  ["backup", startNightlyBackup],
  ["camera-list", (app) => refreshRekorCameras(app)],
];

/** Runs the calls of a cron expression one after the other. A failure does not prevent the others. */
export async function runCron(
  event: ScheduledController,
  env: Env,
  lifetime: { waitUntil(work: Promise<unknown>): void },
): Promise<void> {
  const calls = CALLS.filter(([job]) => WATCHED_JOBS[job].crons.includes(event.cron));
  if (calls.length === 0) throw new Error(`no job for the cron expression ${event.cron}`);
  if (await isClosed(env)) return;
  const app = createAppContext(env, lifetime);
  const problems: unknown[] = [];
  for (const [job, call] of calls) {
    try {
      await runWatched(app, job, call);
    } catch (error) {
      logError(`the scheduled job ${job} failed`, error);
      problems.push(error);
    }
  }
  if (problems.length > 0)
    throw new AggregateError(problems, `${problems.length} jobs of ${event.cron} failed`);
}

/** Throws, and raises the alarm of `watchJobs`, if the database does not answer. */
async function isClosed(env: Env): Promise<boolean> {
  try {
    return await isBeingRestored(env);
  } catch (error) {
    logError("ALARM: the control database does not answer", error);
    throw error;
  }
}
