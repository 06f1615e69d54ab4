// Place and convoy searches: the cameras that a user may pick, and the stored ranking.

import { sql } from "drizzle-orm";
import type { InvestigationCamera } from "#app/entities/search/investigate/areas.ts";
import { degrees } from "#app/lib/degrees.ts";
import type { ControlDb } from "#app/store/database.ts";
import { investigationKey } from "#app/store/files.ts";
import { maySearchAxis, maySearchAxon, maySearchRekor } from "./permission.ts";

/** More than an agency has. */
const MAX_CAMERAS = 20_000;

/**
 * Query plan: all cameras of the three tables, their agencies and Axon integrations by index, and for each whether the
 * tenant may search it by the primary key of the shares.
 */
const cameras = (tenantId: string, now: number) => sql`
  SELECT 'axis:' || c.id AS id, c.agency_id AS sourceId, c.id AS readAs, c.name, a.name AS agency,
    'Axis' AS program, c.latitude_e6 AS latitude, c.longitude_e6 AS longitude
  FROM axis_cameras c
  JOIN agencies a ON a.id = c.agency_id
  WHERE ${maySearchAxis(sql`c.agency_id`, tenantId, now)}
  UNION ALL
  SELECT 'axon:' || i.id || ':' || c.name, i.id, c.name, c.name, a.name, 'Axon', NULL, NULL
  FROM axon_cameras c
  JOIN axon_integrations i ON i.agency_id = c.agency_id
  JOIN agencies a ON a.id = c.agency_id
  WHERE ${maySearchAxon(sql`i.id`, tenantId, now)}
  UNION ALL
  SELECT 'rekor:' || c.id, NULL, c.id, CASE WHEN c.name = '' THEN c.id ELSE c.name END, a.name, 'Rekor',
    coalesce(c.corrected_latitude_e6, c.latitude_e6), coalesce(c.corrected_longitude_e6, c.longitude_e6)
  FROM rekor_cameras c
  JOIN agencies a ON a.id = c.agency_id
  WHERE ${maySearchRekor(sql`c.agency_id`, tenantId, now)}
  ORDER BY 5, 4, 1
  LIMIT ${MAX_CAMERAS}`;

/**
 * Returns the known cameras that a tenant may search, by agency and name. Axon does not say where its cameras are.
 * Rekor's are known once they have been read; those of other agencies are listed only if they share them, because the
 * tenant itself chose the agency's name for its key.
 */
export async function listInvestigationCameras(
  db: ControlDb,
  { tenantId, now }: { tenantId: string; now: number },
): Promise<InvestigationCamera[]> {
  const rows = await db.all<InvestigationCamera>(cameras(tenantId, now));
  return rows.map((row) => ({
    ...row,
    latitude: degrees(row.latitude),
    longitude: degrees(row.longitude),
  }));
}

export async function putInvestigation(bucket: R2Bucket, id: string, answer: unknown): Promise<void> {
  await bucket.put(investigationKey(id), JSON.stringify(answer));
}

/** Returns a stored ranking, or null if it is gone. */
export async function findInvestigation<T>(bucket: R2Bucket, id: string): Promise<T | null> {
  const object = await bucket.get(investigationKey(id));
  return object ? object.json<T>() : null;
}
