import { createAppContext, type Env } from "#app/context.ts";
import { forgetOldSessions } from "#app/domain/account.ts";
import { forgetOldAttempts } from "#app/domain/account-attempts.ts";
import { sweepExports } from "#app/domain/exports.ts";
import { sweepImports } from "#app/domain/hotlist-import-work.ts";
import { sweepResultSets } from "#app/domain/results.ts";
import { forgetSaved } from "#app/domain/saved-once.ts";
import { disableUnusedUsers } from "#app/domain/users-upkeep.ts";

/** One case a cron expression of wrangler.toml. */
export async function runCron(
  event: ScheduledController,
  env: Env,
  lifetime: { waitUntil(work: Promise<unknown>): void },
): Promise<void> {
  const app = createAppContext(env, lifetime);
  switch (event.cron) {
    case "*/5 * * * *":
      await sweepResultSets(app);
      await sweepExports(app);
      await sweepImports(app);
      await forgetSaved(app);
      await forgetOldSessions(app);
      await forgetOldAttempts(app);
      break;
    case "15 7 * * *":
      await disableUnusedUsers(app);
      break;
    default:
      throw new Error(`no job for the cron expression ${event.cron}`);
  }
}
