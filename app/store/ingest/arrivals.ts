// When events of cameras with a wrong clock first arrived. They are kept with the idempotency keys, for a day.

import { sql } from "drizzle-orm";
import { DAY } from "#app/lib/time/dates.ts";
import { type ControlDb, inOneStep, rowsOf } from "#app/store/database.ts";

/** How long an event is recognized when it is posted again. */
export const ARRIVALS_KEPT = DAY;

/** Saves that the `fresh` events of a camera arrived now, unless they did before. Query plan: the primary key. */
const saveArrivals = (camera: string, fresh: string[], now: number) => sql`
  INSERT INTO saved_once (user_id, key, answer, at)
  SELECT ${camera}, value, 'null', ${now}
  FROM json_each(${JSON.stringify(fresh)})
  WHERE TRUE
  ON CONFLICT (user_id, key) DO UPDATE
  SET at = excluded.at
  WHERE at < ${now - ARRIVALS_KEPT}`;

/** Returns when events of a camera first arrived, by key; `fresh` events arrive now if they are not known. */
export async function findArrivals(
  db: ControlDb,
  input: { cameraId: string; keys: string[]; fresh: string[]; now: number },
): Promise<Map<string, number>> {
  const { cameraId, keys, fresh, now } = input;
  const camera = `camera ${cameraId}`;
  const [, found] = await inOneStep(db, [
    db.all(saveArrivals(camera, fresh, now)),
    db.all(sql`
      SELECT key, at
      FROM saved_once
      WHERE user_id = ${camera} AND key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))
        AND at >= ${now - ARRIVALS_KEPT}`),
  ]);
  return new Map(rowsOf<{ key: string; at: number }>(found).map(({ key, at }) => [key, at]));
}
