import { type AppContext, createAppContext, type Env, isBeingRestored } from "#app/context.ts";
import { forgetOldSessions } from "#app/domain/account.ts";
import { forgetOldAttempts } from "#app/domain/account-attempts.ts";
import { sweepAlerts } from "#app/domain/alert-fan-out.ts";
import { sweepVendorImages } from "#app/domain/alert-images.ts";
import { anchorAuditHeads, sealAuditLog } from "#app/domain/audit-chain.ts";
import { pollAxon } from "#app/domain/axon-poll.ts";
import { startNightlyBackup, sweepBackups } from "#app/domain/backups.ts";
import { sweepDeadJobs } from "#app/domain/dead-jobs.ts";
import { noticeExpiries } from "#app/domain/expiry-notices.ts";
import { sweepExports } from "#app/domain/exports.ts";
import { countPublished } from "#app/domain/figures-count.ts";
import { checkAuditWriting, runWatched, watchJobs } from "#app/domain/health.ts";
import { sweepImports } from "#app/domain/hotlist-import-work.ts";
import { refreshRekorCameras } from "#app/domain/integration-tests.ts";
import { sweepResultSets } from "#app/domain/results.ts";
import { purgeExpired } from "#app/domain/retention.ts";
import { purgeOldAudit } from "#app/domain/retention-audit.ts";
import { purgeOldRecords } from "#app/domain/retention-records.ts";
import { reviewSearches } from "#app/domain/review-searches.ts";
import { forgetSaved } from "#app/domain/saved-once.ts";
import { disableUnusedUsers } from "#app/domain/users-upkeep.ts";
import type { WatchedJob } from "#app/entities/health.ts";

type Call = readonly [job: WatchedJob, call: (app: AppContext) => Promise<unknown>];

/** What each cron expression of wrangler.toml does: one domain call a line, under the name that it is watched by. */
const CRONS: Record<string, readonly Call[]> = {
  "* * * * *": [
    ["audit-writing", checkAuditWriting],
    ["alert-sweep", sweepAlerts],
    // Before all that can wait: somebody may be told of what it finds.
    ["axon-poll", pollAxon],
    ["dead-job-sweep", sweepDeadJobs],
    // Each minute, so that an export whose worker was killed resumes or fails within two.
    ["export-sweep", sweepExports],
    ["audit-sealing", (app) => sealAuditLog(app)],
    // What went before is judged by how it went just now.
    ["heartbeat", watchJobs],
    // Behind it, since they may take some seconds: vendors are waited for.
    ["alert-pictures", sweepVendorImages],
    ["review", (app) => reviewSearches(app)],
  ],
  "*/5 * * * *": [
    ["retention", (app) => purgeExpired(app)],
    ["audit-anchoring", anchorAuditHeads],
    ["result-sweep", sweepResultSets],
    ["import-sweep", sweepImports],
    ["expiry-notices", noticeExpiries],
    ["record-retention", purgeOldRecords],
    ["audit-retention", purgeOldAudit],
    ["figures", countPublished],
    ["saved-sweep", forgetSaved],
    ["session-sweep", forgetOldSessions],
    ["attempt-sweep", forgetOldAttempts],
    ["backup-sweep", sweepBackups],
  ],
  "15 7 * * *": [
    // The first: it takes a moment, and whatever the others use up of the run cannot keep it from its turn.
    ["backup", startNightlyBackup],
    ["camera-list", refreshRekorCameras],
    ["unused-users", disableUnusedUsers],
  ],
};

/** Runs the calls of a cron expression one after the other. One that fails does not keep the others from their turn. */
export async function runCron(
  event: ScheduledController,
  env: Env,
  lifetime: { waitUntil(work: Promise<unknown>): void },
): Promise<void> {
  const calls = CRONS[event.cron];
  if (!calls) throw new Error(`no job for the cron expression ${event.cron}`);
  if (isBeingRestored(env)) return;
  const app = createAppContext(env, lifetime);
  const problems: unknown[] = [];
  for (const [job, call] of calls) {
    try {
      await runWatched(app, job, call);
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length > 0)
    throw new AggregateError(problems, `${problems.length} jobs of ${event.cron} failed`);
}
