// Prepares keys of reads before they are needed: creates those of the next day, and bundles the rings that contain
// them. Otherwise the first read of each agency after midnight UTC would wait for a new key, and searches of many
// agencies would load their rings one by one.

import pLimit from "p-limit";
import type { AppContext } from "#app/context.ts";
import { HOUR, utcDay } from "#app/lib/time/dates.ts";
import { listKeys } from "#app/store/archive/day-copy.ts";

/** How long before a day its keys are created: long enough for failed runs and for many agencies. */
const AHEAD = 2 * HOUR;
/** Maximum number of keys that one run creates; the next run continues. */
const MOST_A_RUN = 1000;
/** Maximum concurrent R2 calls of a Worker. */
const AT_ONCE = 6;

type KeysContext = Pick<AppContext, "places" | "readKeys" | "clock">;

/** Creates the keys of a day that is about to begin, and bundles the rings that have changed. */
export async function keepKeysReady(app: KeysContext): Promise<void> {
  const failures = await createKeysAhead(app);
  await app.readKeys.bundle();
  if (failures.length > 0) throw failures[0];
}

/** Creates the next day's keys of the agencies with reads of today. Returns the errors of agencies whose ring failed. */
async function createKeysAhead({ places, readKeys, clock }: KeysContext): Promise<unknown[]> {
  const today = utcDay(clock());
  const day = utcDay(clock() + AHEAD);
  if (day === today) return [];
  const parts = await places.listParts(today, today);
  const databases = new Set(parts.flatMap(({ place }) => place?.database ?? []));
  const listed = await Promise.all([...databases].map((database) => listKeys(database, today)));
  const agencies = new Set(listed.flat().flatMap((key) => (key.day === null ? [] : key.agency_id)));
  await readKeys.loadMany([...agencies]);
  let left = MOST_A_RUN;
  const created = pLimit(AT_ONCE).map(agencies, async (agencyId) => {
    try {
      if ((await readKeys.of(agencyId)).days.includes(day) || left-- <= 0) return [];
      await readKeys.forDays(agencyId, [day]);
      return [];
    } catch (error) {
      return [error];
    }
  });
  return (await created).flat();
}
