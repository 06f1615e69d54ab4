// How far the poller has come with each integration. A lease allows one run at a time: it is taken with one conditional
// write, so that the later of two concurrent runs stops.

import { sql } from "drizzle-orm";
import type { SearchSource } from "#app/entities/search/source.ts";
import type { ControlDb } from "#app/store/database.ts";

export type Pollable = { source: SearchSource; agencyId: string };

/** Returns every Axon integration whose circuit breaker is closed, with the agency whose cameras it reads. */
export async function listPollable(db: ControlDb, now: number): Promise<Pollable[]> {
  const rows = await db.all<Omit<SearchSource, "program" | "cameraIds"> & { agencyId: string }>(
    sql`SELECT i.id, i.id AS integrationId, a.name AS agency, i.base_url AS baseUrl, i.sealed_secret AS sealedSecret,
        i.client_id AS clientId, i.partner_id AS partnerId, i.agency_id AS agencyId
      FROM axon_integrations AS i
      JOIN agencies AS a ON a.id = i.agency_id
      WHERE NOT EXISTS (SELECT 1 FROM integration_health h WHERE h.integration_id = i.id AND h.open_until > ${now})
      ORDER BY i.id`,
  );
  return rows.map(({ agencyId, ...row }) => ({
    agencyId,
    source: { ...row, program: "Axon", cameraIds: [] },
  }));
}

/**
 * Takes the lease of an integration. Returns its cursor (`start` if it has none yet), or null if another run holds the
 * lease. Idempotent: retrying with the same `until` returns the same lease.
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
    ON CONFLICT (integration_id) DO UPDATE SET leased_until = ${until}
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
