// An agency's own Axis cameras, for its administrators. The webhook finds them through cameras.ts.

import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { isSilent } from "#app/entities/ingest/camera.ts";
import type { AxisCameraRow } from "#app/entities/integrations/settings.ts";
import { degrees, millionths } from "#app/lib/degrees.ts";
import { compareNames } from "#app/lib/text.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { axisCameras } from "#app/store/schema/cameras.ts";

/** Returns an agency's cameras by name, including revoked ones: their reads are still searchable. */
export async function listAxisCameras(
  db: ControlDb,
  { agencyId, now }: { agencyId: string; now: number },
): Promise<AxisCameraRow[]> {
  const rows = await db
    .select()
    .from(axisCameras)
    .where(eq(axisCameras.agencyId, agencyId))
    .orderBy(asc(axisCameras.id));
  return rows
    .toSorted((a, b) => compareNames(a.name, b.name))
    .map((row) => ({
      id: row.id,
      name: row.name,
      latitude: degrees(row.latitude),
      longitude: degrees(row.longitude),
      created_at: row.createdAt,
      revoked_at: row.revokedAt,
      last_read_at: row.lastReadAt,
      last_heartbeat_at: row.lastHeartbeatAt,
      last_refused_at: row.lastRefusedAt,
      last_refusal: row.lastRefusal,
      silent: row.revokedAt === null && isSilent({ ...row, program: "Axis" }, now),
    }));
}

type Own = { id: string; agencyId: string };

/** Returns an agency's camera if it is not revoked. */
export async function findActiveAxisCamera(
  db: ControlDb,
  { id, agencyId }: Own,
): Promise<Pick<AxisCameraRow, "id" | "name" | "latitude" | "longitude"> | undefined> {
  const row = await db.query.axisCameras.findFirst({ where: isActive({ id, agencyId }) });
  if (!row) return undefined;
  return { id: row.id, name: row.name, latitude: degrees(row.latitude), longitude: degrees(row.longitude) };
}

const isActive = ({ id, agencyId }: Own) =>
  and(eq(axisCameras.id, id), eq(axisCameras.agencyId, agencyId), isNull(axisCameras.revokedAt));

/** The fields that the form of a camera replaces. */
type Placed = { name: string; latitude: number | null; longitude: number | null };

/** Inserts a camera with a location in degrees. The batch fails if the hash of its secret is in use. */
export function insertAxisCamera(
  db: ControlDb,
  camera: Own & Placed & { secretHash: string; createdAt: number },
): Statement {
  const { latitude, longitude, ...rest } = camera;
  return db
    .insert(axisCameras)
    .values({ ...rest, latitude: millionths(latitude), longitude: millionths(longitude) });
}

/** Updates a camera that is not revoked and still equals `known`. Each of these updates changes one row or none. */
export function updateAxisCamera(
  db: ControlDb,
  own: Own,
  { known, camera }: { known: Placed; camera: Placed },
): Statement {
  const { name, latitude, longitude } = axisCameras;
  const isKnown = [
    sql`${name} = ${known.name}`,
    sql`${latitude} IS ${millionths(known.latitude)}`,
    sql`${longitude} IS ${millionths(known.longitude)}`,
  ];
  return db
    .update(axisCameras)
    .set({
      name: camera.name,
      latitude: millionths(camera.latitude),
      longitude: millionths(camera.longitude),
    })
    .where(and(isActive(own), ...isKnown));
}

/**
 * Replaces the hash of a camera's secret, so that its former address stops working. Changes nothing if it is revoked.
 */
export function updateAxisSecret(db: ControlDb, own: Own, secretHash: string): Statement {
  return db.update(axisCameras).set({ secretHash }).where(isActive(own));
}

/** Revokes a camera: its address stops working, and its reads stay. Changes nothing if it is already revoked. */
export function revokeAxisCamera(db: ControlDb, own: Own, now: number): Statement {
  return db.update(axisCameras).set({ revokedAt: now }).where(isActive(own));
}
