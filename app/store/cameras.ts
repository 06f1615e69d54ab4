// Axis cameras as the door knows them: by the hash of the secret in the address that they post to.

import { and, eq, isNull } from "drizzle-orm";
import type { ControlDb } from "./database.ts";
import { degrees } from "./reads-units.ts";
import { axisCameras } from "./schema.ts";

export type DoorCamera = {
  id: string;
  agencyId: string;
  name: string;
  latitude: number | null;
  longitude: number | null;
  lastReadAt: number | null;
};

/** The camera that holds a secret (its SHA-256, hexadecimal) and is not revoked, or null. */
export async function findCameraBySecret(db: ControlDb, secretHash: string): Promise<DoorCamera | null> {
  const camera = await db.query.axisCameras.findFirst({
    columns: { id: true, agencyId: true, name: true, latitude: true, longitude: true, lastReadAt: true },
    where: and(eq(axisCameras.secretHash, secretHash), isNull(axisCameras.revokedAt)),
  });
  if (!camera) return null;
  return { ...camera, latitude: degrees(camera.latitude), longitude: degrees(camera.longitude) };
}

/** Notes when a camera last gave a read or a heartbeat, in milliseconds since 1970. */
export async function touchCamera(
  db: ControlDb,
  cameraId: string,
  seen: { lastReadAt: number } | { lastHeartbeatAt: number },
): Promise<void> {
  await db.update(axisCameras).set(seen).where(eq(axisCameras.id, cameraId));
}
