// How far a poller has come with each vendor that is asked rather than tells. One run at a time: the lease is one
// conditional write, so that of two crons that meet one goes home.

import { sql } from "drizzle-orm";
import type { SearchSource } from "#app/entities/search/source.ts";
import type { ControlDb } from "#app/store/database.ts";

export type Pollable = { source: SearchSource; agencyId: string };

/** Every Axon integration that is not left alone for its failures, with the agency whose cameras it reads. */
export async function listPollable(db: ControlDb, now: number): Promise<Pollable[]> {
  const rows = await db.all<Omit<SearchSource, "program" | "cameraIds"> & { agencyId: string }>(
    sql`select i.id, i.id as integrationId, a.name as agency, i.base_url as baseUrl, i.sealed_secret as sealedSecret,
        i.client_id as clientId, i.partner_id as partnerId, i.agency_id as agencyId
      from axon_integrations as i join agencies as a on a.id = i.agency_id
      where not exists (select 1 from integration_health h where h.integration_id = i.id and h.open_until > ${now})
      order by i.id`,
  );
  return rows.map(({ agencyId, ...row }) => ({
    agencyId,
    source: { ...row, program: "Axon", cameraIds: [] },
  }));
}

/**
 * Takes the lease of an integration; gives its cursor (`start` where it has none yet), or null where another run is at it.
 * Asking again with the same end gives the same lease: an answer may be lost.
 */
export async function leaseCursor(
  db: ControlDb,
  input: { integrationId: string; start: string; now: number; until: number },
): Promise<string | null> {
  const { integrationId, start, now, until } = input;
  const [row] = await db.all<{
    cursor: string;
  }>(sql`insert into poll_cursors (integration_id, cursor, leased_until, at)
    values (${integrationId}, ${start}, ${until}, ${now})
    on conflict (integration_id) do update set leased_until = ${until}
      where poll_cursors.leased_until <= ${now} or poll_cursors.leased_until = ${until}
    returning cursor`);
  return row?.cursor ?? null;
}

/** Moves a cursor on while its lease is held: what a run has come through stays so, however the run ends. */
export async function moveCursor(
  db: ControlDb,
  input: { integrationId: string; cursor: string; until: number; now: number },
): Promise<void> {
  const { integrationId, cursor, until, now } = input;
  await db.run(sql`update poll_cursors set cursor = ${cursor}, at = ${now}
    where integration_id = ${integrationId} and leased_until = ${until}`);
}

/** Gives the lease back, with the cursor moved where the run went through. */
export async function releaseCursor(
  db: ControlDb,
  input: { integrationId: string; cursor: string | null; until: number; now: number },
): Promise<void> {
  const { integrationId, cursor, until, now } = input;
  await db.run(sql`update poll_cursors set cursor = coalesce(${cursor}, cursor), leased_until = 0, at = ${now}
    where integration_id = ${integrationId} and leased_until = ${until}`);
}
