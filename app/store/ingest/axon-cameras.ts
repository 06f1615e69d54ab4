// Axon's cameras, which the poller learns from the names in reads.

import { sql } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { axonCameras } from "#app/store/schema/cameras.ts";
import { nextUsualGap } from "./rekor-cameras.ts";

/** Most cameras stored per agency: names come from the vendor, and made-up ones must not fill the table. */
const MOST_CAMERAS = 5000;

/** Records each camera's latest read (milliseconds since 1970) and, if `isLive`, updates its usual gap. */
export function noteAxonCameras(
  db: ControlDb,
  seen: { agencyId: string; newest: ReadonlyMap<string, number>; isLive: boolean },
): Statement {
  const { agencyId, newest, isLive } = seen;
  const rows = new Map([...newest].map(([name, at]) => [name.slice(0, 200), at]));
  const gap = nextUsualGap({
    usual: sql.raw("nullif(axon_cameras.usual_gap_ms, 0)"),
    last: sql.raw("axon_cameras.last_read_at"),
    at: sql.raw("excluded.last_read_at"),
  });
  return db.run(sql`INSERT INTO ${axonCameras} (agency_id, name, last_read_at, usual_gap_ms)
    SELECT ${agencyId}, value ->> 0, value ->> 1, ${isLive ? 0 : null}
    FROM json_each(${JSON.stringify([...rows].slice(0, MOST_CAMERAS))})
    WHERE (SELECT count(*) FROM axon_cameras c WHERE c.agency_id = ${agencyId}) < ${MOST_CAMERAS}
      OR EXISTS (SELECT 1 FROM axon_cameras c WHERE c.agency_id = ${agencyId} AND c.name = value ->> 0)
    ON CONFLICT (agency_id, name) DO UPDATE SET
      usual_gap_ms = CASE WHEN excluded.usual_gap_ms IS NULL THEN axon_cameras.usual_gap_ms ELSE ${gap} END,
      last_read_at = excluded.last_read_at
    WHERE excluded.last_read_at > axon_cameras.last_read_at`);
}
