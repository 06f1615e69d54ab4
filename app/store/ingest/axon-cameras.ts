// Axon's cameras as the poller comes to know them: by their names in reads.

import { sql } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { axonCameras } from "#app/store/schema/cameras.ts";
import { movedGap } from "./rekor-cameras.ts";

/** Cameras that are noted of one agency; names come from the vendor, and who makes them up fills no table. */
const MOST_CAMERAS = 5000;

/** Notes when each camera of an agency gave its latest read, and with `isLive` how long it usually is quiet. */
export function noteAxonCameras(
  db: ControlDb,
  seen: { agencyId: string; newest: ReadonlyMap<string, number>; isLive: boolean },
): Statement {
  const { agencyId, newest, isLive } = seen;
  const rows = new Map([...newest].map(([name, at]) => [name.slice(0, 200), at]));
  const gap = movedGap({
    usual: sql.raw("nullif(axon_cameras.usual_gap_ms, 0)"),
    last: sql.raw("axon_cameras.last_read_at"),
    at: sql.raw("excluded.last_read_at"),
  });
  return db.run(sql`insert into ${axonCameras} (agency_id, name, last_read_at, usual_gap_ms)
    select ${agencyId}, value ->> 0, value ->> 1, ${isLive ? 0 : null} from json_each(${JSON.stringify([...rows].slice(0, MOST_CAMERAS))})
    where (select count(*) from axon_cameras c where c.agency_id = ${agencyId}) < ${MOST_CAMERAS}
      or exists (select 1 from axon_cameras c where c.agency_id = ${agencyId} and c.name = value ->> 0)
    on conflict (agency_id, name) do update set
      usual_gap_ms = case when excluded.usual_gap_ms is null then axon_cameras.usual_gap_ms else ${gap} end,
      last_read_at = excluded.last_read_at
    where excluded.last_read_at > axon_cameras.last_read_at`);
}
