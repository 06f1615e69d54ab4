// Removes what may not be kept longer: reads of an agency before an instant, the images of old alerts, and images that no
// read refers to. Images go before the rows that name them: what was interrupted is found again by its rows.

import type { HeldPlate } from "#app/entities/legal-hold.ts";
import { DAY } from "#app/lib/dates.ts";
import type { ControlDb } from "./database.ts";
import { purgeReadImages } from "./read-images.ts";

/** Rows of one step: small enough for the image keys of one R2 call. */
const STEP = 400;

type OldRead = {
  id: number;
  plate_id: number;
  vehicle_image_key: string | null;
  plate_image_key: string | null;
};

export type PurgedReads = { reads: number; images: number; plates: number };

/** Removes an agency's reads of one database that were captured before an instant and that no hold keeps. */
export async function purgeReadsOf(
  stores: { database: D1Database; images: R2Bucket },
  input: { agencyId: string; before: number; held: HeldPlate[] },
): Promise<PurgedReads> {
  const { database, images } = stores;
  const purged: PurgedReads = { reads: 0, images: 0, plates: 0 };
  const held = JSON.stringify(input.held);
  for (;;) {
    const { results } = await database
      .prepare(
        `SELECT reads.id, plate_id, vehicle_image_key, plate_image_key
          FROM reads JOIN plates ON plates.id = reads.plate_id
          WHERE agency_id = ?1 AND captured_at < ?2 AND NOT EXISTS (
            SELECT 1 FROM json_each(?3) hold WHERE hold.value ->> '$.plate' = plates.plate
              AND captured_at BETWEEN hold.value ->> '$.from' AND hold.value ->> '$.until')
          LIMIT ${STEP}`,
      )
      .bind(input.agencyId, input.before, held)
      .all<OldRead>();
    if (results.length === 0) return purged;
    const keys = results
      .flatMap((read) => [read.vehicle_image_key, read.plate_image_key])
      .filter((key) => key !== null);
    if (keys.length > 0) await images.delete(keys);
    const ids = JSON.stringify(results.map(({ id }) => id));
    const plateIds = JSON.stringify([...new Set(results.map((read) => read.plate_id))]);
    const [, plates] = await database.batch([
      database.prepare("DELETE FROM reads WHERE id IN (SELECT value FROM json_each(?))").bind(ids),
      database
        .prepare(
          `DELETE FROM plates WHERE id IN (SELECT value FROM json_each(?))
            AND NOT EXISTS (SELECT 1 FROM reads WHERE plate_id = plates.id)`,
        )
        .bind(plateIds),
    ]);
    purged.reads += results.length;
    purged.images += keys.length;
    purged.plates += plates?.meta.changes ?? 0;
  }
}

/** Reads of an agency before an instant that a hold keeps, in one database. */
export async function countReadsBefore(
  database: D1Database,
  agencyId: string,
  before: number,
): Promise<number> {
  const count = await database
    .prepare("SELECT count(*) AS n FROM reads WHERE agency_id = ? AND captured_at < ?")
    .bind(agencyId, before)
    .first<number>("n");
  return count ?? 0;
}

/**
 * Removes images of days that no database has a read of, from the oldest day that has any: those whose row never came to
 * be. Also forgets the passes of midnights before the day. Gives how many images.
 */
export async function purgeStrayImages(
  stores: { databases: D1Database[]; images: R2Bucket },
  beforeDay: number,
): Promise<number> {
  let removed = 0;
  const listed = await stores.images.list({ prefix: "axis/", delimiter: "/" });
  for (const prefix of listed.delimitedPrefixes) {
    const at = Date.parse(`${prefix.slice("axis/".length, -1)}T00:00:00Z`);
    if (!(at < beforeDay * DAY)) continue;
    const counts = await Promise.all(
      stores.databases.map((database) =>
        database
          .prepare("SELECT 1 AS n FROM reads WHERE day = ? LIMIT 1")
          .bind(at / DAY)
          .first<number>("n"),
      ),
    );
    if (counts.every((count) => count === null)) removed += await purgeReadImages(stores.images, at);
  }
  for (const database of stores.databases)
    await database.prepare("DELETE FROM midnight_passes WHERE day < ?").bind(beforeDay).run();
  return removed;
}

/** Takes the images of an agency's alerts of before an instant, but of cases under a hold. The alerts stay. */
export async function purgeAlertImages(
  stores: { db: ControlDb; images: R2Bucket },
  input: { agencyId: string; before: number; heldCases: string[] },
): Promise<number> {
  const database = stores.db.$client;
  let removed = 0;
  for (;;) {
    const { results } = await database
      .prepare(
        `SELECT id, vehicle_image_key AS vehicle, plate_image_key AS plate FROM alerts INDEXED BY alerts_images
          WHERE agency_id = ?1 AND created_at < ?2 AND (vehicle_image_key IS NOT NULL OR plate_image_key IS NOT NULL)
            AND (case_number = '' OR case_number NOT IN (SELECT value FROM json_each(?3)))
          LIMIT ${STEP}`,
      )
      .bind(input.agencyId, input.before, JSON.stringify(input.heldCases))
      .all<{ id: string; vehicle: string | null; plate: string | null }>();
    if (results.length === 0) return removed;
    const keys = results.flatMap(({ vehicle, plate }) => [vehicle, plate]).filter((key) => key !== null);
    // A picture that the alert shares with an archived read is the read's, and goes when that one's time is over.
    const own = keys.filter((key) => key.startsWith("alerts/"));
    if (own.length > 0) await stores.images.delete(own);
    await database
      .prepare(
        `UPDATE alerts SET vehicle_image_key = NULL, plate_image_key = NULL
          WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .bind(JSON.stringify(results.map(({ id }) => id)))
      .run();
    removed += keys.length;
  }
}
