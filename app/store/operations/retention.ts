// Removes expired images: those of old alerts, and those that no read refers to. archive/purge/reads.ts removes reads.
// Images go before the rows that name them, so that an interrupted step finds its work again by the rows.

import { MAX_PASS, PASS_WINDOW } from "#app/entities/ingest/pass.ts";
import { listPages } from "#app/lib/files/list-pages.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { purgeReadImages } from "#app/store/archive/images.ts";
import type { ControlDb } from "#app/store/database.ts";
import { poolKey } from "./backup-pool.ts";

/** Rows per step, few enough for one R2 call with all their image keys. */
const STEP = 400;
/** How far the capture times of an image and of its read may be apart. */
const PASS_REACH = MAX_PASS + PASS_WINDOW;

/**
 * Removes images of days that no database has a read of, because their rows were never saved, and copies of such days
 * in the backups: after the restore of an earlier backup, they have no object. Starts at the oldest day. Returns the
 * number of objects and of copies without an object.
 */
export async function purgeStrayImages(
  stores: { databases: D1Database[]; images: R2Bucket; backups: R2Bucket },
  beforeDay: number,
): Promise<number> {
  const roots = [
    { bucket: stores.images, root: "" },
    { bucket: stores.backups, root: poolKey("IMAGES", "") },
  ];
  const found = await Promise.all(roots.map(({ bucket, root }) => listDays(bucket, `${root}axis/`)));
  const days = [...new Set(found.flat())].filter((day) => day < beforeDay).sort((a, b) => a - b);
  if (days.length === 0) return 0;
  const used = await Promise.all(stores.databases.map((database) => listDaysWithReads(database, days)));
  const needed = new Set(used.flat());
  let removed = 0;
  for (const day of days)
    if (!needed.has(day))
      for (const { bucket, root } of roots) removed += await purgeReadImages(bucket, day * DAY, root);
  return removed;
}

/** Returns the UTC days that have objects below a prefix. */
export async function listDays(bucket: R2Bucket, prefix: string): Promise<number[]> {
  const days: number[] = [];
  for await (const { delimitedPrefixes } of listPages(bucket, { prefix, delimiter: "/" }))
    for (const found of delimitedPrefixes)
      days.push(Date.parse(`${found.slice(prefix.length, -1)}T00:00:00Z`) / DAY);
  return days.filter((day) => !Number.isNaN(day));
}

/** Query plan: all rows of read_keys, then a range of sealed_reads_time for each held key and day. */
const DAYS_WITH_READS_SQL = `
  WITH held AS MATERIALIZED (SELECT id FROM read_keys WHERE day IS NULL)
  SELECT d.value AS day
  FROM json_each(?1) AS d
  WHERE d.value IN (SELECT day FROM read_keys WHERE day IS NOT NULL)
    OR EXISTS (
      SELECT 1
      FROM held AS k
      CROSS JOIN sealed_reads AS r ON r.key_id = k.id
      WHERE r.captured_at BETWEEN d.value * ${DAY} - ?2 AND (d.value + 1) * ${DAY} - 1 + ?2
    )`;

/**
 * Returns which of these days a database has reads of. A day's key exists until its last read is gone. Reads under a
 * legal hold have a key without a day, and the time of the first event of their pass, whose later images are in the
 * next day's folder if it crossed midnight.
 */
async function listDaysWithReads(database: D1Database, days: number[]): Promise<number[]> {
  const { results } = await database
    .prepare(DAYS_WITH_READS_SQL)
    .bind(JSON.stringify(days), PASS_REACH)
    .all<{ day: number }>();
  return results.map(({ day }) => day);
}

/**
 * Removes the images of an agency's alerts before an instant, except those of held cases (lower case), which are read
 * again in each of at most `run.left` steps: `listed` while nothing may be left to do, `inStep` once a step begins.
 * Keeps the alerts. Counts the images in `run`, even if it fails.
 */
export async function purgeAlertImages(
  stores: { db: ControlDb; images: R2Bucket },
  input: {
    agencyId: string;
    before: number;
    cases: { listed: () => Promise<string[]>; inStep: () => Promise<ReadonlySet<string>> };
  },
  run: { left: number; alertImages: number },
): Promise<void> {
  const database = stores.db.$client;
  while (run.left > 0) {
    const { results } = await database
      .prepare(`
        SELECT id, vehicle_image_key AS vehicle, plate_image_key AS plate, lower(trim(case_number)) AS caseNumber
        FROM alerts INDEXED BY alerts_images
        WHERE agency_id = ?1
          AND created_at < ?2
          AND (vehicle_image_key IS NOT NULL OR plate_image_key IS NOT NULL)
          AND (case_number = '' OR lower(trim(case_number)) NOT IN (SELECT value FROM json_each(?3)))
        LIMIT ${STEP}`)
      .bind(input.agencyId, input.before, JSON.stringify(await input.cases.listed()))
      .all<{ id: string; vehicle: string | null; plate: string | null; caseNumber: string }>();
    if (results.length === 0) return;
    run.left--;
    const held = await input.cases.inStep();
    const gone = results.filter(({ caseNumber }) => caseNumber === "" || !held.has(caseNumber));
    const keys = gone.flatMap(({ vehicle, plate }) => [vehicle, plate]).filter((key) => key !== null);
    // An image that the alert shares with an archived read is removed with the read.
    const own = keys.filter((key) => key.startsWith("alerts/"));
    if (own.length > 0) await stores.images.delete(own);
    await database
      .prepare(`
        UPDATE alerts
        SET vehicle_image_key = NULL, plate_image_key = NULL
        WHERE id IN (SELECT value FROM json_each(?))`)
      .bind(JSON.stringify(gone.map(({ id }) => id)))
      .run();
    run.alertImages += keys.length;
    if (results.length < STEP) return;
  }
}
