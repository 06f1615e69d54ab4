// Rekor's cameras, registered from what the vendor reports, and the owner's corrections of their locations. Both are
// kept apart: a later read never overwrites a correction.

import { and, asc, eq, gte, max, type SQL, sql } from "drizzle-orm";
import {
  type CameraCorrection,
  type CameraSeen,
  isSilent,
  type RekorCamera,
} from "#app/entities/ingest/camera.ts";
import { isMappable, type Place } from "#app/entities/search/sighting.ts";
import { degrees, millionths } from "#app/lib/degrees.ts";
import { compareNames } from "#app/lib/text.ts";
import { isOneOf } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { jsonChunks } from "#app/store/json-chunks.ts";
import { agencies } from "#app/store/schema/accounts.ts";
import { rekorCameras } from "#app/store/schema/cameras.ts";

/**
 * Returns an SQL expression for a camera's usual gap between reads after a new read. It grows by a fourth of the
 * difference and shrinks by 1/64, so that nights are learned within days.
 */
export function nextUsualGap(columns: { usual: SQL; last: SQL; at: SQL }): SQL {
  const { usual, last, at } = columns;
  const gap = sql`(${at} - ${last})`;
  return sql`CASE WHEN ${last} IS NULL OR ${at} <= ${last} THEN ${usual}
    WHEN ${usual} IS NULL THEN ${gap}
    WHEN ${gap} > ${usual} THEN ${usual} + (${gap} - ${usual}) / 4
    ELSE ${usual} - (${usual} - ${gap}) / 64 END`;
}

/**
 * Maximum number of cameras that one agency may register: names come from the sender, and invented ones must not fill
 * the table.
 */
const MAX_OF_AN_AGENCY = 5000;
/** Maximum number of cameras in one list: those of a large state. No more cameras without an agency are recorded. */
export const CAMERAS_LISTED = 20_000;

/**
 * Returns the statements that record any number of cameras; ids must be unique in the list. A location is stored only with both
 * coordinates; missing names and locations keep the known ones, and a read older than the last one changes nothing. The
 * first agency that posts a camera, or sees it through a key with its own name, owns it, and nothing else changes it:
 * senders can claim any id. A camera seen through another key has no owner until then, or until the owner assigns one.
 */
export function noteRekorCameras(db: ControlDb, seen: readonly CameraSeen[]): Statement[] {
  const rows = seen.map(({ id, agencyId, name, siteName, latitude, longitude, at, kind }) => ({
    id: id.slice(0, 250),
    agency: agencyId,
    name: name.slice(0, 200),
    site: siteName.slice(0, 200),
    lat: isMappable(latitude, longitude) ? millionths(latitude) : null,
    lon: isMappable(latitude, longitude) ? millionths(longitude) : null,
    at,
    read: kind === "read" || kind === "past-read" ? at : null,
    beat: kind === "heartbeat" ? at : null,
    // A search shows when a camera last sent a read, but not its usual gap.
    live: kind === "read" ? 1 : 0,
  }));
  return jsonChunks(rows).map(({ json }) => db.run(upsertSeen(json)));
}

/** Query plan: one pass over the rows sent, known cameras by primary key, the agencies' counts by rekor_cameras_agency. */
function upsertSeen(rows: string): SQL {
  const of = (key: string) => sql.raw(`json_extract(value, '$.${key}')`);
  const gap = nextUsualGap({
    // 0 means one read and no gap yet.
    usual: sql.raw("nullif(rekor_cameras.usual_gap_ms, 0)"),
    last: sql.raw("rekor_cameras.last_read_at"),
    at: sql.raw("excluded.last_read_at"),
  });
  return sql`WITH sent AS MATERIALIZED (SELECT value FROM json_each(${rows})),
      crowded AS MATERIALIZED (
        SELECT agency_id
        FROM rekor_cameras
        WHERE agency_id IN (SELECT ${of("agency")} FROM sent)
        GROUP BY agency_id
        HAVING count(*) >= ${MAX_OF_AN_AGENCY})
    INSERT INTO ${rekorCameras}
      (id, agency_id, name, site_name, latitude_e6, longitude_e6, is_manual, first_seen_at, last_read_at,
       last_heartbeat_at, usual_gap_ms)
    SELECT ${of("id")}, ${of("agency")}, ${of("name")}, ${of("site")}, ${of("lat")}, ${of("lon")}, 0, ${of("at")},
      ${of("read")}, ${of("beat")}, CASE WHEN ${of("live")} = 1 THEN 0 END
    FROM sent
    WHERE CASE
      WHEN ${of("agency")} IS NULL THEN
        EXISTS (SELECT 1 FROM rekor_cameras AS known WHERE known.id = ${of("id")})
        OR NOT EXISTS (SELECT 1 FROM rekor_cameras WHERE agency_id IS NULL LIMIT 1 OFFSET ${CAMERAS_LISTED - 1})
      ELSE
        EXISTS (SELECT 1 FROM rekor_cameras AS known WHERE known.id = ${of("id")} AND known.agency_id = ${of("agency")})
        OR ${of("agency")} NOT IN (SELECT agency_id FROM crowded)
      END
    ON CONFLICT (id) DO UPDATE SET
      agency_id = coalesce(rekor_cameras.agency_id, excluded.agency_id),
      name = CASE WHEN excluded.name <> '' THEN excluded.name ELSE rekor_cameras.name END,
      site_name = CASE WHEN excluded.site_name <> '' THEN excluded.site_name ELSE rekor_cameras.site_name END,
      latitude_e6 = coalesce(excluded.latitude_e6, rekor_cameras.latitude_e6),
      longitude_e6 = coalesce(excluded.longitude_e6, rekor_cameras.longitude_e6),
      usual_gap_ms = CASE WHEN excluded.usual_gap_ms IS NULL THEN rekor_cameras.usual_gap_ms ELSE ${gap} END,
      last_read_at = max(coalesce(excluded.last_read_at, rekor_cameras.last_read_at),
        coalesce(rekor_cameras.last_read_at, excluded.last_read_at)),
      last_heartbeat_at = max(coalesce(excluded.last_heartbeat_at, rekor_cameras.last_heartbeat_at),
        coalesce(rekor_cameras.last_heartbeat_at, excluded.last_heartbeat_at))
    WHERE (rekor_cameras.agency_id IS NULL OR rekor_cameras.agency_id = excluded.agency_id)
      AND (excluded.last_read_at IS NULL
        OR rekor_cameras.last_read_at IS NULL
        OR excluded.last_read_at > rekor_cameras.last_read_at)`;
}

/** Returns the cameras whose id, name or site contains a text, by name, for the owner's table. */
export async function listRekorCameras(
  db: ControlDb,
  { find, now }: { find: string; now: number },
): Promise<RekorCamera[]> {
  const { id, name, siteName } = rekorCameras;
  const words = sql`lower(${id} || char(10) || ${name} || char(10) || ${siteName})`;
  const rows = await db
    .select()
    .from(rekorCameras)
    .where(find === "" ? undefined : sql`instr(${words}, lower(${find})) > 0`)
    .orderBy(asc(sql`${name} COLLATE NOCASE`), asc(id))
    .limit(CAMERAS_LISTED);
  return rows.map((row) => cameraOf(row, now)).sort((a, b) => compareNames(a.camera_name, b.camera_name));
}

/**
 * Returns a Rekor camera of any agency or of none, with whether it is silent at `now`; undefined if it is not known.
 */
export async function findRekorCamera(
  db: ControlDb,
  id: string,
  now: number,
): Promise<RekorCamera | undefined> {
  const row = await db.query.rekorCameras.findFirst({ where: eq(rekorCameras.id, id) });
  return row && cameraOf(row, now);
}

function cameraOf(row: typeof rekorCameras.$inferSelect, now: number): RekorCamera {
  return {
    camera_id: row.id,
    camera_name: row.name,
    site_name: row.siteName,
    corrected_latitude: degrees(row.correctedLatitude ?? row.latitude),
    corrected_longitude: degrees(row.correctedLongitude ?? row.longitude),
    agency_id: row.agencyId,
    is_manual: row.isManual,
    corrected_at: row.correctedAt,
    vendor_latitude: degrees(row.latitude),
    vendor_longitude: degrees(row.longitude),
    last_read_at: row.lastReadAt,
    last_heartbeat_at: row.lastHeartbeatAt,
    silent: isSilent({ ...row, program: "Rekor" }, now),
  };
}

/**
 * Corrects a camera's location, removes the correction if `place` is null, or leaves the location if it is undefined. Sets
 * the agency in each case. Changes nothing if the camera was last corrected at another time than `known`, if given.
 */
export function updateRekorCamera(
  db: ControlDb,
  change: {
    id: string;
    place: Place | null | undefined;
    agencyId: string | null;
    known: number | null | undefined;
    now: number;
  },
): Statement {
  const { id, place, agencyId, known, now } = change;
  return db
    .update(rekorCameras)
    .set({
      ...(place !== undefined && {
        correctedLatitude: millionths(place?.latitude ?? null),
        correctedLongitude: millionths(place?.longitude ?? null),
        isManual: place !== null,
      }),
      agencyId,
      // Later than the one before, which a client may know.
      correctedAt: sql`max(${now}, coalesce(corrected_at, 0) + 1)`,
    })
    .where(and(eq(rekorCameras.id, id), known === undefined ? undefined : sql`corrected_at IS ${known}`));
}

/**
 * Returns the corrections in force, for all cameras or for `ids`. With `since`, returns only what changed from then on;
 * a removed correction is then returned as one to the vendor's location, because older results still show the removed
 * one.
 */
export async function listCorrections(
  db: ControlDb,
  only: { since?: number; ids?: readonly string[] } = {},
): Promise<CameraCorrection[]> {
  const { since, ids } = only;
  const rows = await db
    .select({ camera: rekorCameras, agency: agencies.name })
    .from(rekorCameras)
    .leftJoin(agencies, eq(agencies.id, rekorCameras.agencyId))
    .where(
      and(
        // Literally the condition of rekor_cameras_manual.
        since === undefined ? sql`is_manual = 1` : gte(rekorCameras.correctedAt, since),
        ids && isOneOf(rekorCameras.id, ids),
      ),
    );
  return rows.flatMap(({ camera, agency }) => {
    const { isManual } = camera;
    const latitude = degrees(isManual ? camera.correctedLatitude : camera.latitude);
    const longitude = degrees(isManual ? camera.correctedLongitude : camera.longitude);
    if (latitude === null || longitude === null) return [];
    const { id: cameraId, agencyId } = camera;
    return [{ cameraId, agencyId, latitude, longitude, agency: isManual ? agency : null }];
  });
}

/** Returns the time of the latest correction if it was at `since` or later; 0 otherwise. */
export async function lastCorrectionSince(db: ControlDb, since: number): Promise<number> {
  const [row] = await db
    .select({ at: max(rekorCameras.correctedAt) })
    .from(rekorCameras)
    .where(gte(rekorCameras.correctedAt, since));
  return row?.at ?? 0;
}
