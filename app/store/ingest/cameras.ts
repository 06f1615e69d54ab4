// Axis cameras, found by the hash of the secret in their webhook address.

import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { degrees } from "#app/lib/degrees.ts";
import type { ControlDb } from "#app/store/database.ts";
import { axisCameras } from "#app/store/schema/cameras.ts";
import { nextUsualGap } from "./rekor-cameras.ts";

export type WebhookCamera = {
  id: string;
  agencyId: string;
  name: string;
  latitude: number | null;
  longitude: number | null;
  lastReadAt: number | null;
  lastRefusedAt: number | null;
};

/** Returns the camera that has one of the secrets (SHA-256, hexadecimal) and is not revoked, or null. */
export async function findCameraBySecret(
  db: ControlDb,
  secretHashes: string[],
): Promise<WebhookCamera | null> {
  const camera = await db.query.axisCameras.findFirst({
    columns: {
      id: true,
      agencyId: true,
      name: true,
      latitude: true,
      longitude: true,
      lastReadAt: true,
      lastRefusedAt: true,
    },
    where: and(inArray(axisCameras.secretHash, secretHashes), isNull(axisCameras.revokedAt)),
  });
  if (!camera) return null;
  return { ...camera, latitude: degrees(camera.latitude), longitude: degrees(camera.longitude) };
}

/**
 * Records when a camera last sent a read (which also updates its usual gap), a heartbeat, or something that was refused
 * and why. Times are in milliseconds since 1970.
 */
export async function touchCamera(
  db: ControlDb,
  cameraId: string,
  seen: { lastReadAt: number } | { lastHeartbeatAt: number } | { lastRefusedAt: number; lastRefusal: string },
): Promise<void> {
  const { lastReadAt: last, usualGapMs: usual } = axisCameras;
  const moved =
    "lastReadAt" in seen
      ? {
          usualGapMs: nextUsualGap({ usual: sql`${usual}`, last: sql`${last}`, at: sql`${seen.lastReadAt}` }),
        }
      : {};
  await db
    .update(axisCameras)
    .set({ ...seen, ...moved })
    .where(eq(axisCameras.id, cameraId));
}

export type CameraTimes = {
  id: string;
  name: string;
  program: SourceProgram;
  lastReadAt: number | null;
  lastHeartbeatAt: number | null;
  usualGapMs: number | null;
};

/** Returns when each camera of an agency last reported. Revoked cameras and deleted integrations are left out. */
export async function listCameraTimes(db: ControlDb, agencyId: string): Promise<CameraTimes[]> {
  return db.all<CameraTimes>(cameraTimes(agencyId));
}

/** Query plan: axis_cameras_agency, rekor_cameras_agency, and axon_cameras by primary key, all by the agency. */
const cameraTimes = (agencyId: string) => sql`
  SELECT id, name, 'Axis' AS program, last_read_at AS lastReadAt, last_heartbeat_at AS lastHeartbeatAt,
    usual_gap_ms AS usualGapMs
  FROM axis_cameras
  WHERE agency_id = ${agencyId} AND revoked_at IS NULL
  UNION ALL
  SELECT id, CASE WHEN name = '' THEN id ELSE name END, 'Rekor', last_read_at, last_heartbeat_at, usual_gap_ms
  FROM rekor_cameras
  WHERE agency_id = ${agencyId}
  UNION ALL
  SELECT name, name, 'Axon', last_read_at, NULL, usual_gap_ms
  FROM axon_cameras
  WHERE agency_id = ${agencyId}
    AND EXISTS (SELECT 1 FROM axon_integrations i WHERE i.agency_id = ${agencyId})`;
