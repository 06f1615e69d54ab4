// The SQL conditions under which an agency may search another's reads. No other file has such a condition. A search
// asks for one tenant and every source, a live read for one source and every tenant that might be alerted. A Rekor
// search uses a key of the tenant's own; having a key grants nothing here, because Odin cannot know whose account it
// opens.

import { type SQL, sql } from "drizzle-orm";
import type { ReadOrigin } from "#app/entities/alerts/match.ts";
import type { ControlDb } from "#app/store/database.ts";
import { axisShares, rekorShares } from "#app/store/schema/integrations.ts";
import { resultSets } from "#app/store/schema/search.ts";

/** Axis: the agency itself, and agencies that it currently shares with. Both arguments are columns or values. */
export function maySearchAxis(owner: unknown, tenant: unknown, now: number): SQL {
  return isOwnOrShared(axisShares, { owner, tenant, now });
}

/** Rekor, for reads from an agency's webhooks: the agency itself, and agencies that it currently shares with. */
export function maySearchRekor(owner: unknown, tenant: unknown, now: number): SQL {
  return isOwnOrShared(rekorShares, { owner, tenant, now });
}

function isOwnOrShared(
  shares: typeof axisShares,
  { owner, tenant, now }: { owner: unknown; tenant: unknown; now: number },
): SQL {
  return sql`(${owner} = ${tenant} OR EXISTS (
    SELECT 1
    FROM ${shares} s
    WHERE s.owner_agency_id = ${owner}
      AND s.viewer_agency_id = ${tenant}
      AND (s.valid_until IS NULL OR s.valid_until > ${now})))`;
}

/** Axon: every agency that the integration's agency has not blacklisted, or whose blacklisting has not started. */
export function maySearchAxon(integrationId: unknown, tenant: unknown, now: number): SQL {
  return sql`NOT EXISTS (
    SELECT 1
    FROM axon_blacklist b
    WHERE b.integration_id = ${integrationId}
      AND b.agency_id = ${tenant}
      AND b.kept_out_from <= ${now})`;
}

/** Axon, for what was found or received earlier: as `maySearchAxon`, and the integration still exists. */
function maySearchAxonStill(integrationId: unknown, tenant: unknown, now: number): SQL {
  // Its blacklist is deleted with an integration, even while a poll of it is running.
  return sql`(EXISTS (SELECT 1 FROM axon_integrations WHERE id = ${integrationId})
    AND ${maySearchAxon(integrationId, tenant, now)})`;
}

/**
 * Returns the agencies, as a JSON array of names, whose reads a result set has, although its agency may no longer
 * search them. Reads of Rekor were found with a key of the agency's own.
 */
export function endedSharing(now: number): SQL<string> {
  return sql<string>`(
    SELECT json_group_array(DISTINCT ${ofAsked("agency")})
    FROM json_each(${resultSets.statuses}) AS asked
    WHERE ${ofAsked("reads")} > 0 AND ${hasEnded(resultSets.agencyId, now)})`;
}

const ofAsked = (key: string) => sql.raw(`(asked.value ->> '${key}')`);

/** Whether a tenant may no longer search the source `asked`, a row of json_each with `program` and `sourceId`. */
function hasEnded(tenant: unknown, now: number): SQL {
  return sql`CASE ${ofAsked("program")}
    WHEN 'Axis' THEN NOT ${maySearchAxis(ofAsked("sourceId"), tenant, now)}
    WHEN 'Axon' THEN NOT ${maySearchAxonStill(ofAsked("sourceId"), tenant, now)}
    ELSE 0 END`;
}

/** Where a read was found: its program, source and agency. */
export type ReadSource = Record<"program" | "sourceId" | "agency", string>;

/** Returns the names of the agencies of these sources whose reads the tenant may no longer search. */
export async function listEndedSharing(
  db: ControlDb,
  { sources, tenantId, now }: { sources: readonly ReadSource[]; tenantId: string; now: number },
): Promise<string[]> {
  const rows = await db.all<{ agency: string }>(sql`
    SELECT DISTINCT ${ofAsked("agency")} AS agency
    FROM json_each(${JSON.stringify(sources)}) AS asked
    WHERE ${hasEnded(tenantId, now)}`);
  return rows.map(({ agency }) => agency);
}

/** The origin of a live read as columns or values. */
type OriginValues = { program: unknown; agencyId: unknown; integrationId: unknown };

/** A live read of any program: whether the tenant may search it, and so may be alerted. */
export function mayBeAlerted(origin: OriginValues, tenant: unknown, now: number): SQL {
  return sql`CASE ${origin.program}
      WHEN 'Axis' THEN ${maySearchAxis(origin.agencyId, tenant, now)}
      WHEN 'Axon' THEN ${maySearchAxonStill(origin.integrationId, tenant, now)}
      ELSE ${maySearchRekor(origin.agencyId, tenant, now)} END`;
}

/** Returns which of the tenants may search each of the origins, as pairs of an origin's index and a tenant. */
export async function listMaySearch(
  db: ControlDb,
  input: { origins: ReadOrigin[]; tenants: string[]; now: number },
): Promise<[origin: number, tenant: string][]> {
  const of = (key: keyof ReadOrigin) => sql.raw(`(o.value ->> '${key}')`);
  const origin = { program: of("program"), agencyId: of("agencyId"), integrationId: of("integrationId") };
  const rows = await db.all<{ origin: number; tenant: string }>(sql`SELECT o.key AS origin, t.value AS tenant
    FROM json_each(${JSON.stringify(input.origins)}) AS o
    CROSS JOIN json_each(${JSON.stringify(input.tenants)}) AS t
    WHERE ${mayBeAlerted(origin, sql.raw("t.value"), input.now)}`);
  return rows.map((row) => [row.origin, row.tenant]);
}
