// Result sets are purged when they expire: by a delayed job each, and by a sweep for those whose job was lost.

import type { AppContext } from "#app/context.ts";
import { logError } from "#app/lib/log.ts";
import { DAY, SECOND } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { sendJob } from "#app/store/queue.ts";
import {
  findPurgeTime,
  listExpiredResultSets,
  purgeResultSets,
  removePurgedResultSets,
  removeResultFiles,
} from "#app/store/search/result-sets.ts";

/**
 * Schedules the purge of a set after its lifetime, in milliseconds. The caller does not wait: the sweep purges sets
 * whose job was lost.
 */
export function purgeAfter(app: AppContext, { id, lifetime }: { id: string; lifetime: number }): void {
  const sent = sendPurge(app, { id, after: lifetime });
  app.waitUntil(sent.catch((error: unknown) => logError("the purge of a result set was not planned", error)));
}

async function sendPurge(app: AppContext, { id, after }: { id: string; after: number }): Promise<void> {
  await sendJob(app.jobs, { v: 1, type: "purge-result-set", id }, { delaySeconds: after / SECOND });
}

/**
 * Purges a set if it has expired; otherwise reschedules itself, because a queue delays a job by at most twelve hours.
 * Idempotent: a job that runs early or twice does no harm.
 */
export async function purgeResultSet(app: AppContext, id: string): Promise<void> {
  const at = await findPurgeTime(app.db, id);
  if (at === undefined) return;
  const left = at - app.clock();
  if (left > 0) await sendPurge(app, { id, after: left });
  else await purge(app, [id]);
}

/** Sets per step, and steps per sweep, with two queries each: D1 allows 1,000 for all jobs of its cron. */
const SETS_A_STEP = 400;
const MAX_STEPS = 50;

/** Purges expired sets that the delayed jobs missed. Returns their number. The next run continues. */
export async function sweepResultSets(app: AppContext): Promise<number> {
  let purged = 0;
  for (let step = 0; step < MAX_STEPS; step++) {
    const ids = await listExpiredResultSets(app.db, app.clock(), SETS_A_STEP);
    if (ids.length === 0) break;
    await purge(app, ids);
    purged += ids.length;
  }
  await removePurgedResultSets(app.db, app.clock() - 7 * DAY);
  return purged;
}

// Files first: a record without files is swept again, but a file without a record would stay forever.
async function purge(app: AppContext, ids: string[]): Promise<void> {
  await removeResultFiles(app.results, ids);
  await inOneStep(app.db, [purgeResultSets(app.db, ids, app.clock())]);
}
