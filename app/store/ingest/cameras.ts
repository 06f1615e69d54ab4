// Axis cameras as the door knows them: by the hash of the secret in the address that they post to.

import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { degrees } from "#app/store/archive/units.ts";
import type { ControlDb } from "#app/store/database.ts";
import { axisCameras } from "#app/store/schema/cameras.ts";
import { movedGap } from "./rekor-cameras.ts";

export type WebhookCamera = {
  id: string;
  agencyId: string;
  name: string;
  latitude: number | null;
  longitude: number | null;
  lastReadAt: number | null;
  lastRefusedAt: number | null;
};

/** The camera that holds one of a few secrets (SHA-256, hexadecimal) and is not revoked, or null. */
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
 * Notes when a camera last gave a read (and how long it usually is quiet), a heartbeat, or something that was refused and
 * why; in milliseconds since 1970.
 */
export async function touchCamera(
  db: ControlDb,
  cameraId: string,
  seen: { lastReadAt: number } | { lastHeartbeatAt: number } | { lastRefusedAt: number; lastRefusal: string },
): Promise<void> {
  const { lastReadAt: last, usualGapMs: usual } = axisCameras;
  const moved =
    "lastReadAt" in seen
      ? { usualGapMs: movedGap({ usual: sql`${usual}`, last: sql`${last}`, at: sql`${seen.lastReadAt}` }) }
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

/** When each camera of an agency was last heard of; one that is revoked, or no longer asked, is not expected to be. */
export async function listCameraTimes(db: ControlDb, agencyId: string): Promise<CameraTimes[]> {
  return db.all<CameraTimes>(sql`select id, name, 'Axis' as program, last_read_at as lastReadAt,
      last_heartbeat_at as lastHeartbeatAt, usual_gap_ms as usualGapMs from axis_cameras
      where agency_id = ${agencyId} and revoked_at is null
    union all select id, case when name = '' then id else name end, 'Rekor', last_read_at, last_heartbeat_at,
      usual_gap_ms from rekor_cameras where agency_id = ${agencyId}
    union all select name, name, 'Axon', last_read_at, null, usual_gap_ms from axon_cameras where agency_id = ${agencyId}
      and exists (select 1 from axon_integrations i where i.agency_id = ${agencyId})`);
}
