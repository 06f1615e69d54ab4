import { type AppContext, createAppContext, type Env, isBeingRestored } from "#app/context.ts";
import { forgetOldSessions } from "#app/domain/account.ts";
import { forgetOldAttempts } from "#app/domain/account-attempts.ts";
import { sweepAlerts } from "#app/domain/alert-fan-out.ts";
import { sweepVendorImages } from "#app/domain/alert-images.ts";
import { anchorAuditHeads, sealAuditLog } from "#app/domain/audit-chain.ts";
import { pollAxon } from "#app/domain/axon-poll.ts";
import { startNightlyBackup, sweepBackups } from "#app/domain/backups.ts";
import { sweepDeadJobs } from "#app/domain/dead-jobs.ts";
import { sweepExports } from "#app/domain/exports.ts";
import { sweepImports } from "#app/domain/hotlist-import-work.ts";
import { refreshRekorCameras } from "#app/domain/integration-tests.ts";
import { sweepResultSets } from "#app/domain/results.ts";
import { purgeExpired } from "#app/domain/retention.ts";
import { forgetSaved } from "#app/domain/saved-once.ts";
import { disableUnusedUsers } from "#app/domain/users-upkeep.ts";

/** What each cron expression of wrangler.toml does: one domain call a line. */
const CRONS: Record<string, readonly ((app: AppContext) => Promise<unknown>)[]> = {
  "* * * * *": [sweepAlerts, sweepDeadJobs, (app) => sealAuditLog(app), sweepVendorImages, pollAxon],
  "*/5 * * * *": [
    purgeExpired,
    anchorAuditHeads,
    sweepResultSets,
    sweepExports,
    sweepImports,
    forgetSaved,
    forgetOldSessions,
    forgetOldAttempts,
    sweepBackups,
  ],
  "15 7 * * *": [refreshRekorCameras, disableUnusedUsers, startNightlyBackup],
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
  for (const call of calls) {
    try {
      await call(app);
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length > 0)
    throw new AggregateError(problems, `${problems.length} jobs of ${event.cron} failed`);
}
