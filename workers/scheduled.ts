import { createAppContext, type Env } from "#app/context.ts";
import { forgetOldSessions } from "#app/domain/account.ts";
import { sweepResultSets } from "#app/domain/results.ts";

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
      await forgetOldSessions(app);
      break;
    default:
      throw new Error(`no job for the cron expression ${event.cron}`);
  }
}
