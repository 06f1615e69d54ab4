// Rekor's cameras as they make themselves known, and where the owner says that they stand. What the vendor says and
// what was corrected are kept apart: a read that comes later never undoes a correction.

import { and, asc, eq, gte, max, type SQL, sql } from "drizzle-orm";
import {
  type CameraCorrection,
  type CameraSeen,
  isSilent,
  type RekorCamera,
} from "#app/entities/ingest/camera.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import { degrees, millionths } from "#app/store/archive/units.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies } from "#app/store/schema/accounts.ts";
import { rekorCameras } from "#app/store/schema/cameras.ts";

/**
 * How long a camera is usually quiet between two reads, moved a little by each new one: quicker towards long pauses,
 * so that nights are known after some days, than towards short ones.
 */
export function movedGap(columns: { usual: SQL; last: SQL; at: SQL }): SQL {
  const { usual, last, at } = columns;
  const gap = sql`(${at} - ${last})`;
  return sql`case when ${last} is null or ${at} <= ${last} then ${usual}
    when ${usual} is null then ${gap}
    when ${gap} > ${usual} then ${usual} + (${gap} - ${usual}) / 4
    else ${usual} - (${usual} - ${gap}) / 64 end`;
}

/** Cameras that one agency may make known; names come from whoever posts, and who makes them up fills no table. */
const MOST_OF_AN_AGENCY = 5000;

/** Notes one camera, by the rules of `noteRekorCameras`. */
export function noteRekorCamera(db: ControlDb, seen: CameraSeen): Statement {
  return noteRekorCameras(db, [seen]);
}

/**
 * Notes cameras in one statement, however many; each at most once in the list. A place counts only whole, what comes
 * without a name or place leaves the known one, and a read that is older than the last one changes nothing. The first
 * agency that is named says whose a camera is, and what another one tells of it changes nothing: who posts to a door
 * says what it likes. So a camera that a key's list or search made known without an agency waits for one of those, or
 * for the owner, to name it.
 */
export function noteRekorCameras(db: ControlDb, seen: readonly CameraSeen[]): Statement {
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
    // What a search found says when a camera gave its latest read, not how long it usually is quiet.
    live: kind === "read" ? 1 : 0,
  }));
  const of = (key: string) => sql.raw(`json_extract(value, '$.${key}')`);
  const gap = movedGap({
    // 0 stands for one read and no gap yet.
    usual: sql.raw("nullif(rekor_cameras.usual_gap_ms, 0)"),
    last: sql.raw("rekor_cameras.last_read_at"),
    at: sql.raw("excluded.last_read_at"),
  });
  // Only doors tell of reads as they happen and of heartbeats.
  const posted = sql.raw("(excluded.usual_gap_ms is not null or excluded.last_heartbeat_at is not null)");
  const own = sql`case when excluded.agency_id is null then true
    when rekor_cameras.agency_id is null then not ${posted} else rekor_cameras.agency_id = excluded.agency_id end`;
  return db.run(sql`with sent as materialized (select value from json_each(${JSON.stringify(rows)})),
      crowded as materialized (select agency_id from rekor_cameras
        where agency_id in (select ${of("agency")} from sent) group by agency_id
        having count(*) >= ${MOST_OF_AN_AGENCY})
    insert into ${rekorCameras}
    (id, agency_id, name, site_name, latitude_e6, longitude_e6, is_manual, first_seen_at, last_read_at,
     last_heartbeat_at, usual_gap_ms)
    select ${of("id")}, ${of("agency")}, ${of("name")}, ${of("site")}, ${of("lat")}, ${of("lon")}, 0, ${of("at")},
      ${of("read")}, ${of("beat")}, case when ${of("live")} = 1 then 0 end
    from sent where ${of("agency")} is null
      or exists (select 1 from rekor_cameras as known where known.id = ${of("id")})
      or ${of("agency")} not in (select agency_id from crowded)
    on conflict (id) do update set
      agency_id = coalesce(rekor_cameras.agency_id, excluded.agency_id),
      name = case when excluded.name <> '' then excluded.name else rekor_cameras.name end,
      site_name = case when excluded.site_name <> '' then excluded.site_name else rekor_cameras.site_name end,
      latitude_e6 = coalesce(excluded.latitude_e6, rekor_cameras.latitude_e6),
      longitude_e6 = coalesce(excluded.longitude_e6, rekor_cameras.longitude_e6),
      usual_gap_ms = case when excluded.usual_gap_ms is null then rekor_cameras.usual_gap_ms else ${gap} end,
      last_read_at = max(coalesce(excluded.last_read_at, rekor_cameras.last_read_at),
        coalesce(rekor_cameras.last_read_at, excluded.last_read_at)),
      last_heartbeat_at = max(coalesce(excluded.last_heartbeat_at, rekor_cameras.last_heartbeat_at),
        coalesce(rekor_cameras.last_heartbeat_at, excluded.last_heartbeat_at))
    where (${own}) and (excluded.last_read_at is null or rekor_cameras.last_read_at is null
      or excluded.last_read_at > rekor_cameras.last_read_at)`);
}

/** Every camera, by name, as the owner's table has it. */
export async function listRekorCameras(db: ControlDb, now: number): Promise<RekorCamera[]> {
  const rows = await db
    .select()
    .from(rekorCameras)
    .orderBy(asc(rekorCameras.name), asc(rekorCameras.id))
    .limit(MOST_CAMERAS);
  return rows.map((row) => cameraOf(row, now));
}

/** More than any vendor's account has; what is beyond it would not be looked through by hand either. */
const MOST_CAMERAS = 20_000;

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
    vendor_latitude: degrees(row.latitude),
    vendor_longitude: degrees(row.longitude),
    last_read_at: row.lastReadAt,
    last_heartbeat_at: row.lastHeartbeatAt,
    silent: isSilent({ ...row, program: "Rekor" }, now),
  };
}

/** Corrects a camera, or with `place` null takes the correction back; the agency is kept either way. */
export function updateRekorCamera(
  db: ControlDb,
  change: {
    id: string;
    place: { latitude: number; longitude: number } | null;
    agencyId: string | null;
    now: number;
  },
): Statement {
  const { id, place, agencyId, now } = change;
  return db
    .update(rekorCameras)
    .set({
      correctedLatitude: millionths(place?.latitude ?? null),
      correctedLongitude: millionths(place?.longitude ?? null),
      agencyId,
      isManual: place !== null,
      correctedAt: now,
    })
    .where(eq(rekorCameras.id, id));
}

/**
 * What holds for reads now, of all cameras or of `ids`. With `since`, only what was changed from then on, and there a
 * correction that was taken back counts as one to the vendor's place: what was found before shows it otherwise.
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
        since === undefined ? eq(rekorCameras.isManual, true) : gte(rekorCameras.correctedAt, since),
        ids && sql`${rekorCameras.id} in (select value from json_each(${JSON.stringify(ids)}))`,
      ),
    );
  return rows.flatMap(({ camera, agency }) => {
    const { isManual } = camera;
    const latitude = degrees(isManual ? camera.correctedLatitude : camera.latitude);
    const longitude = degrees(isManual ? camera.correctedLongitude : camera.longitude);
    if (latitude === null || longitude === null) return [];
    return [{ cameraId: camera.id, latitude, longitude, agency: isManual ? agency : null }];
  });
}

/** When a camera was last corrected, where that was at `since` or later; 0 otherwise. */
export async function lastCorrectionSince(db: ControlDb, since: number): Promise<number> {
  const [row] = await db
    .select({ at: max(rekorCameras.correctedAt) })
    .from(rekorCameras)
    .where(gte(rekorCameras.correctedAt, since));
  return row?.at ?? 0;
}
