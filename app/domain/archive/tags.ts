// Tags reads again that have the tags of former versions, which did not fold confused characters or do not tell spellings.

import type { AppContext } from "#app/context.ts";
import { countFormerTags, retagReads } from "#app/store/archive/retag.ts";

/** Reads of one database per run: a few seconds of a cron. Five million reads in four databases take about nine hours. */
const MOST_A_RUN = 12_000;

/** Tags some reads of each database again. The next run continues. Returns how many it tagged. */
export async function retagArchive(
  app: Pick<AppContext, "readsDatabases" | "readKeys">,
  most = MOST_A_RUN,
): Promise<number> {
  let done = 0;
  for (const database of app.readsDatabases) done += await retagReads(database, app.readKeys, most);
  return done;
}

/** Returns how many reads are left; searches find them meanwhile, more slowly. */
export function countReadsToTag(app: Pick<AppContext, "readsDatabases">): Promise<number> {
  return countFormerTags(app.readsDatabases);
}
