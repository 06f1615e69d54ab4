// Retags reads stored by earlier versions, whose tags ignore look-alikes or exact spelling.

import type { AppContext } from "#app/context.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { rotated } from "#app/lib/turns.ts";
import { countFormerTags, type RetagBudget, retagReads } from "#app/store/archive/retag.ts";

/**
 * What one run does in all databases together: some seconds of a cron, and a share of the 1,000 queries that D1 allows
 * per invocation. Five million reads take about 18 hours.
 */
const A_RUN: RetagBudget = { reads: 24_000, queries: 300 };
const RUNS_EVERY = 5 * MINUTE;

/**
 * Retags some reads. The next run continues with another database, so that each gets its turn. Returns the number of
 * retagged reads.
 */
export async function retagArchive(
  app: Pick<AppContext, "readsDatabases" | "readKeys" | "clock">,
  most = A_RUN,
): Promise<number> {
  const budget = { ...most };
  let done = 0;
  for (const database of rotated(app.readsDatabases, { now: app.clock(), every: RUNS_EVERY }))
    done += await retagReads(database, app.readKeys, budget);
  return done;
}

/** Returns the number of reads that are left; until then, searches find them more slowly. */
export function countReadsToTag(app: Pick<AppContext, "readsDatabases">): Promise<number> {
  return countFormerTags(app.readsDatabases);
}
