// Place and convoy searches: the cameras that a user may pick, and the stored ranking.

import { type SQL, sql } from "drizzle-orm";
import type { InvestigationCamera } from "#app/entities/search/investigate/areas.ts";
import { degrees } from "#app/lib/degrees.ts";
import { compareNames } from "#app/lib/text.ts";
import type { ControlDb } from "#app/store/database.ts";
import { investigationKey } from "#app/store/files.ts";
import { maySearchAxis, maySearchAxon, maySearchRekor } from "./permission.ts";

/**
 * Query plan: the agencies, and for each whether the tenant may search it by the primary key of the shares, then its
 * cameras by index. The crossed joins keep this order: otherwise the right is looked up for every camera, which took 8 ms
 * instead of 0.6 for the first 500 of 10,000.
 */
const cameras = ({ tenantId, now }: Tenant) => sql`
  SELECT 'axis:' || c.id AS id, c.agency_id AS sourceId, c.id AS readAs, c.name, a.name AS agency,
    'Axis' AS program, c.latitude_e6 AS latitude, c.longitude_e6 AS longitude
  FROM agencies a
  CROSS JOIN axis_cameras c ON c.agency_id = a.id
  WHERE ${maySearchAxis(sql`a.id`, tenantId, now)}
  UNION ALL
  SELECT 'axon:' || i.id || ':' || c.name, i.id, c.name, c.name, a.name, 'Axon', NULL, NULL
  FROM axon_integrations i
  CROSS JOIN agencies a ON a.id = i.agency_id
  CROSS JOIN axon_cameras c ON c.agency_id = i.agency_id
  WHERE ${maySearchAxon(sql`i.id`, tenantId, now)}
  UNION ALL
  SELECT 'rekor:' || c.id, NULL, c.id, CASE WHEN c.name = '' THEN c.id ELSE c.name END, a.name, 'Rekor',
    coalesce(c.corrected_latitude_e6, c.latitude_e6), coalesce(c.corrected_longitude_e6, c.longitude_e6)
  FROM agencies a
  CROSS JOIN rekor_cameras c ON c.agency_id = a.id
  WHERE ${maySearchRekor(sql`a.id`, tenantId, now)}`;

type Tenant = { tenantId: string; now: number };

/**
 * Returns the first `limit` cameras that a tenant may search, by agency and name: those whose name and agency have all
 * `words`, which are in lower case. Axon does not say where its cameras are. Rekor's cameras are known once they have
 * sent a read; other agencies' cameras are listed only if those agencies share them, because the tenant itself chose
 * the agency's name for its key.
 */
export async function listInvestigationCameras(
  db: ControlDb,
  { limit, words = [], ...tenant }: Tenant & { limit: number; words?: readonly string[] },
): Promise<InvestigationCamera[]> {
  const has = words.map((word) => sql`instr(lower(name || ' ' || agency), ${word}) > 0`);
  const found =
    has.length === 0
      ? cameras(tenant)
      : sql`SELECT * FROM (${cameras(tenant)}) WHERE ${sql.join(has, sql` AND `)}`;
  return camerasIn(db, sql`${found} ORDER BY 5, 4, 1 LIMIT ${limit}`);
}

/** Returns those of these cameras that a tenant may search, by agency and name. */
export async function findInvestigationCameras(
  db: ControlDb,
  { ids, ...tenant }: Tenant & { ids: readonly string[] },
): Promise<InvestigationCamera[]> {
  if (ids.length === 0) return [];
  return camerasIn(
    db,
    sql`SELECT * FROM (${cameras(tenant)})
      WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
      ORDER BY 1`,
  );
}

async function camerasIn(db: ControlDb, query: SQL): Promise<InvestigationCamera[]> {
  const rows = await db.all<InvestigationCamera>(query);
  return rows
    .map((row) => ({ ...row, latitude: degrees(row.latitude), longitude: degrees(row.longitude) }))
    .sort((a, b) => compareNames(a.agency, b.agency) || compareNames(a.name, b.name));
}

/** Returns how many cameras a tenant may search. */
export async function countInvestigationCameras(db: ControlDb, tenant: Tenant): Promise<number> {
  const [row] = await db.all<{ known: number }>(sql`SELECT count(*) AS known FROM (${cameras(tenant)})`);
  return row?.known ?? 0;
}

/** Stores the ranking of a place or convoy search with the files of its result set, which are purged together. */
export async function putInvestigation(bucket: R2Bucket, id: string, answer: unknown): Promise<void> {
  await bucket.put(investigationKey(id), JSON.stringify(answer));
}

/** Returns a stored ranking, or null if it is gone. */
export async function findInvestigation<T>(bucket: R2Bucket, id: string): Promise<T | null> {
  const object = await bucket.get(investigationKey(id));
  return object ? object.json<T>() : null;
}
