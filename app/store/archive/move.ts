// Moves reads from the old clear-text tables into the sealed ones, step by step. A read is deleted there only after it
// was inserted here, and moving it twice creates no duplicate. Remove this file when no installation has such rows.

import type { CarState } from "#app/entities/ingest/pass.ts";
import { degrees } from "#app/lib/degrees.ts";
import type { NewRead } from "./rows.ts";

const STEP = 1000;

type ClearRow = {
  id: number;
  plate: string;
  captured_at: number;
  agency_id: string;
  camera_id: string;
  camera_name: string;
  car_id: string;
  plate_state: string;
  make: string;
  color: string;
  body_type: string;
  confidence: number | null;
  direction: string;
  latitude_e6: number | null;
  longitude_e6: number | null;
  car_state: CarState;
  event_at: number;
  vehicle_image_key: string | null;
  plate_image_key: string | null;
};

/** Moves at most `most` reads of one database. Returns how many it moved. `insert` stores reads in the archive. */
export async function moveClearReads(
  database: D1Database,
  insert: (reads: NewRead[]) => Promise<void>,
  most: number,
): Promise<number> {
  let moved = 0;
  while (moved < most) {
    const { results } = await database
      .prepare(
        `SELECT reads.*, plates.plate
        FROM reads
        JOIN plates ON plates.id = reads.plate_id
        ORDER BY reads.id
        LIMIT ${STEP}`,
      )
      .all<ClearRow>();
    const last = results.at(-1);
    if (!last) break;
    await insert(results.map(readOf));
    await database.prepare("DELETE FROM reads WHERE id <= ?").bind(last.id).run();
    moved += results.length;
  }
  if (moved >= most) return moved;
  // Triggers update the full-text index of the plates.
  await database.batch([
    database.prepare("DELETE FROM plates WHERE NOT EXISTS (SELECT 1 FROM reads WHERE plate_id = plates.id)"),
    database.prepare("DELETE FROM midnight_passes"),
  ]);
  return moved;
}

function readOf(row: ClearRow): NewRead {
  return {
    plate: row.plate,
    capturedAt: row.captured_at,
    agencyId: row.agency_id,
    cameraId: row.camera_id,
    cameraName: row.camera_name,
    carId: row.car_id,
    plateState: row.plate_state,
    make: row.make,
    color: row.color,
    bodyType: row.body_type,
    confidence: row.confidence,
    direction: row.direction,
    latitude: degrees(row.latitude_e6),
    longitude: degrees(row.longitude_e6),
    carState: row.car_state,
    eventAt: row.event_at,
    vehicleImageKey: row.vehicle_image_key,
    plateImageKey: row.plate_image_key,
  };
}
