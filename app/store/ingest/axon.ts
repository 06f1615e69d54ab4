// The progress of the Axon poller for each integration, and the cameras that it learns from the names in reads. A lease
// allows one run at a time: it is taken with one conditional write, so that the later of two concurrent runs stops.

import { type SQL, sql } from "drizzle-orm";
import type { SearchSource } from "#app/entities/search/source.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { axonCameras } from "#app/store/schema/cameras.ts";
import { nextUsualGap } from "./rekor-cameras.ts";

export type Pollable = { source: SearchSource; agencyId: string };

/** Query plan: axon_integrations once, or by primary key; agency, cursor and health of each by primary key. */
const pollable = (now: number, among: SQL) => sql`
  SELECT i.id, i.id AS integrationId, a.name AS agency, i.base_url AS baseUrl, i.sealed_secret AS sealedSecret,
    i.client_id AS clientId, i.partner_id AS partnerId, i.agency_id AS agencyId
  FROM axon_integrations AS i
  JOIN agencies AS a ON a.id = i.agency_id
  LEFT JOIN poll_cursors AS c ON c.integration_id = i.id
  WHERE NOT EXISTS (SELECT 1 FROM integration_health h WHERE h.integration_id = i.id AND h.open_until > ${now})
    ${among}
  ORDER BY coalesce(c.at, 0), i.id`;

/**
 * Returns every Axon integration whose circuit breaker is closed, or those of `ids`, with the agency whose cameras it
 * reads. The one polled longest ago is first, so that successive runs that cannot poll all of them do not skip the same
 * ones.
 */
export async function listPollable(
  db: ControlDb,
  { now, ids }: { now: number; ids?: readonly string[] },
): Promise<Pollable[]> {
  const among = ids ? sql`AND i.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))` : sql``;
  const rows = await db.all<Omit<SearchSource, "program" | "cameraIds"> & { agencyId: string }>(
    pollable(now, among),
  );
  return rows.map(({ agencyId, ...row }) => ({
    agencyId,
    source: { ...row, program: "Axon", cameraIds: [] },
  }));
}

/**
 * Takes the lease of an integration. Returns its cursor (`start` if it has none yet), or null if another run holds the
 * lease. Idempotent: retrying with the same `until` returns the same lease. Also moves the integration to the end of
 * `listPollable`, so that one whose polls never finish does not come first in every run.
 */
export async function leaseCursor(
  db: ControlDb,
  input: { integrationId: string; start: string; now: number; until: number },
): Promise<string | null> {
  const { integrationId, start, now, until } = input;
  const [row] = await db.all<{
    cursor: string;
  }>(sql`INSERT INTO poll_cursors (integration_id, cursor, leased_until, at)
    VALUES (${integrationId}, ${start}, ${until}, ${now})
    ON CONFLICT (integration_id) DO UPDATE SET leased_until = ${until}, at = ${now}
      WHERE poll_cursors.leased_until <= ${now} OR poll_cursors.leased_until = ${until}
    RETURNING cursor`);
  return row?.cursor ?? null;
}

/** Advances a cursor while its lease is held, so that progress is kept if the run fails later. */
export async function moveCursor(
  db: ControlDb,
  input: { integrationId: string; cursor: string; until: number; now: number },
): Promise<void> {
  const { integrationId, cursor, until, now } = input;
  await db.run(sql`UPDATE poll_cursors
    SET cursor = ${cursor}, at = ${now}
    WHERE integration_id = ${integrationId} AND leased_until = ${until}`);
}

/** Releases the lease and advances the cursor, if there is one. */
export async function releaseCursor(
  db: ControlDb,
  input: { integrationId: string; cursor: string | null; until: number; now: number },
): Promise<void> {
  const { integrationId, cursor, until, now } = input;
  await db.run(sql`UPDATE poll_cursors
    SET cursor = coalesce(${cursor}, cursor), leased_until = 0, at = ${now}
    WHERE integration_id = ${integrationId} AND leased_until = ${until}`);
}

/**
 * Maximum number of cameras stored per agency: names come from the vendor, and invented ones must not fill the table.
 */
const MAX_CAMERAS = 5000;

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
    FROM json_each(${JSON.stringify([...rows].slice(0, MAX_CAMERAS))})
    WHERE (SELECT count(*) FROM axon_cameras c WHERE c.agency_id = ${agencyId}) < ${MAX_CAMERAS}
      OR EXISTS (SELECT 1 FROM axon_cameras c WHERE c.agency_id = ${agencyId} AND c.name = value ->> 0)
    ON CONFLICT (agency_id, name) DO UPDATE SET
      usual_gap_ms = CASE WHEN excluded.usual_gap_ms IS NULL THEN axon_cameras.usual_gap_ms ELSE ${gap} END,
      last_read_at = excluded.last_read_at
    WHERE excluded.last_read_at > axon_cameras.last_read_at`);
}
