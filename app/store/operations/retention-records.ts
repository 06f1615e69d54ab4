// Removes expired records in bounded steps, each found by an index. Objects in R2 go before the rows that name them, so
// that an interrupted step finds its work again by the rows. The rows go in one transaction with their certificate.

import { listPages } from "#app/lib/files/list-pages.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { type ControlDb, preparedOf, type Statement } from "#app/store/database.ts";
import { importKey } from "#app/store/files.ts";
import { poolKey } from "./backup-pool.ts";

/** An agency, and the instant before which its records expire. */
export type Expired = { agencyId: string; before: number };
/** Also the cases under legal hold, in lower case. */
export type RecordCutoff = Expired & { heldCases: string[] };

/**
 * Maximum number of records that a step removes, and the statement that counts those removed by the previous statement
 * of the batch.
 */
export type PurgeStep = { limit: number; certificate: Statement };

async function removeCertified(
  db: ControlDb,
  removal: D1PreparedStatement,
  certificate: Statement,
): Promise<number> {
  const [removed] = await db.$client.batch([removal, preparedOf(db, certificate)]);
  return removed?.meta.changes ?? 0;
}

/** The kinds of records, by table, that no agency's policy covers, for `removeCommonRecords`. */
export const COMMON_RECORDS = [
  "deliveries",
  "dead_jobs",
  "addresses",
  "push_devices",
  "outgoing_deliveries",
] as const;
type CommonRecord = (typeof COMMON_RECORDS)[number];

/** Removes rows that no agency's policy covers. Returns the number removed. */
export async function removeCommonRecords(
  db: ControlDb,
  what: CommonRecord,
  { before, limit, certificate }: PurgeStep & { before: number },
): Promise<number> {
  return removeCertified(db, db.$client.prepare(COMMON[what]).bind(before, limit), certificate);
}

const COMMON = {
  /** Finished deliveries. Pending ones have their own sweep. */
  deliveries: `
    DELETE FROM deliveries
    WHERE rowid IN (
      SELECT rowid
      FROM deliveries INDEXED BY deliveries_created
      WHERE created_at < ?1 AND state <> 'pending'
      ORDER BY created_at
      LIMIT ?2
    )`,
  /** Finished deliveries to outgoing webhooks. Pending ones end within a day. */
  outgoing_deliveries: `
    DELETE FROM outgoing_deliveries
    WHERE id IN (
      SELECT id
      FROM outgoing_deliveries INDEXED BY outgoing_deliveries_created
      WHERE created_at < ?1 AND state <> 'pending'
      ORDER BY created_at
      LIMIT ?2
    )`,
  /** Failed jobs that the owner neither retried nor discarded. */
  dead_jobs: `
    DELETE FROM dead_jobs
    WHERE id IN (
      SELECT id
      FROM dead_jobs INDEXED BY dead_jobs_at
      WHERE at < ?1
      ORDER BY at
      LIMIT ?2
    )`,
  addresses: `
    DELETE FROM addresses
    WHERE position IN (
      SELECT position
      FROM addresses INDEXED BY addresses_at
      WHERE at < ?1
      ORDER BY at
      LIMIT ?2
    )`,
  /** Devices that the push service reported as gone. */
  push_devices: `
    DELETE FROM push_devices
    WHERE id IN (
      SELECT id
      FROM push_devices INDEXED BY push_devices_dropped
      WHERE dropped_at < ?1
      LIMIT ?2
    )`,
} satisfies Record<CommonRecord, string>;

/** Removes alerts of an agency with their deliveries and own images, except those of held cases. Returns the number. */
export async function removeOldAlerts(
  stores: { db: ControlDb; images: R2Bucket },
  { agencyId, before, heldCases }: RecordCutoff,
  { limit, certificate }: PurgeStep,
): Promise<number> {
  const database = stores.db.$client;
  const { results } = await database
    .prepare(`
      SELECT id, vehicle_image_key AS vehicle, plate_image_key AS plate
      FROM alerts INDEXED BY alerts_agency
      WHERE agency_id = ?1
        AND created_at < ?2
        AND (case_number = '' OR lower(trim(case_number)) NOT IN (SELECT value FROM json_each(?3)))
      ORDER BY created_at
      LIMIT ?4`)
    .bind(agencyId, before, JSON.stringify(heldCases), limit)
    .all<{ id: string; vehicle: string | null; plate: string | null }>();
  if (results.length === 0) return 0;
  // An image that the alert shares with an archived read belongs to the read.
  const own = results.flatMap(({ vehicle, plate }) => [vehicle, plate]).filter(isAlertImage);
  if (own.length > 0) await stores.images.delete(own);
  const ids = JSON.stringify(results.map(({ id }) => id));
  await database.batch([
    database.prepare("DELETE FROM deliveries WHERE alert_id IN (SELECT value FROM json_each(?))").bind(ids),
    database.prepare("DELETE FROM alerts WHERE id IN (SELECT value FROM json_each(?))").bind(ids),
    preparedOf(stores.db, certificate),
  ]);
  return results.length;
}

const isAlertImage = (key: string | null): key is string => key?.startsWith("alerts/") ?? false;

/** Query plan: the groups of the agency, and for each a range of the primary key. */
const OLD_ENTRIES_SQL = `
  DELETE FROM former_entries
  WHERE (group_id, ended_at, id) IN (
    SELECT f.group_id, f.ended_at, f.id
    FROM alert_groups g
    CROSS JOIN former_entries f ON f.group_id = g.id AND f.ended_at < ?2
    WHERE g.agency_id = ?1
      AND (f.case_number = '' OR lower(trim(f.case_number)) NOT IN (SELECT value FROM json_each(?3)))
    LIMIT ?4
  )`;

/** Removes former plates of an agency's lists, by the time of their removal. Returns the number. */
export async function removeOldEntries(
  db: ControlDb,
  { agencyId, before, heldCases }: RecordCutoff,
  { limit, certificate }: PurgeStep,
): Promise<number> {
  const removal = db.$client
    .prepare(OLD_ENTRIES_SQL)
    .bind(agencyId, before, JSON.stringify(heldCases), limit);
  return removeCertified(db, removal, certificate);
}

/** Removes finished imports of an agency with their rejected rows. Returns the number of imports. */
export async function removeOldImports(
  db: ControlDb,
  { agencyId, before }: Expired,
  { limit, certificate }: PurgeStep,
): Promise<number> {
  const database = db.$client;
  const { results } = await database
    .prepare(`
      SELECT id
      FROM hotlist_imports INDEXED BY hotlist_imports_ended
      WHERE state IN ('applied', 'cancelled', 'failed') AND agency_id = ?1 AND updated_at < ?2
      LIMIT ?3`)
    .bind(agencyId, before, limit)
    .all<{ id: string }>();
  if (results.length === 0) return 0;
  const ids = JSON.stringify(results.map(({ id }) => id));
  await database.batch([
    database
      .prepare("DELETE FROM hotlist_import_issues WHERE import_id IN (SELECT value FROM json_each(?))")
      .bind(ids),
    database.prepare("DELETE FROM hotlist_imports WHERE id IN (SELECT value FROM json_each(?))").bind(ids),
    preparedOf(db, certificate),
  ]);
  return results.length;
}

/** Removes what users of an agency saved of their own searches before an instant. Returns the number. */
export async function removeOldSavedSearches(
  db: ControlDb,
  { agencyId, before }: Expired,
  { limit, certificate }: PurgeStep,
): Promise<number> {
  const removal = db.$client
    .prepare(`
      DELETE FROM saved_searches
      WHERE rowid IN (
        SELECT rowid
        FROM saved_searches INDEXED BY saved_searches_age
        WHERE agency_id = ?1 AND searched_at < ?2
        LIMIT ?3
      )`)
    .bind(agencyId, before, limit);
  return removeCertified(db, removal, certificate);
}

/** Query plan: the attachments of each group of the agency; entries with an attachment by partial indexes. */
const LOOSE_ATTACHMENTS_SQL = `
  SELECT a.id, a.key
  FROM alert_groups g
  CROSS JOIN attachments a INDEXED BY attachments_group
    ON a.group_id = g.id
    AND a.created_at < ?2
  WHERE g.agency_id = ?1
    AND g.image_id IS NOT a.id
    AND NOT EXISTS (SELECT 1 FROM hotlist_entries e WHERE e.attachment_id = a.id)
    AND NOT EXISTS (SELECT 1 FROM former_entries f WHERE f.attachment_id = a.id)
  LIMIT ?3`;

/** Removes attachments of an agency's groups that no plate, listed or former, and no group has. Returns the number. */
export async function removeLooseAttachments(
  stores: { db: ControlDb; attachments: R2Bucket },
  { agencyId, before }: Expired,
  { limit, certificate }: PurgeStep,
): Promise<number> {
  const database = stores.db.$client;
  const { results } = await database
    .prepare(LOOSE_ATTACHMENTS_SQL)
    .bind(agencyId, before, limit)
    .all<{ id: string; key: string }>();
  if (results.length === 0) return 0;
  await stores.attachments.delete(results.map(({ key }) => key));
  const removal = database
    .prepare("DELETE FROM attachments WHERE id IN (SELECT value FROM json_each(?))")
    .bind(JSON.stringify(results.map(({ id }) => id)));
  await removeCertified(stores.db, removal, certificate);
  return results.length;
}

/**
 * Removes attachments under one prefix that were stored before an instant and that no row names, because their group or
 * plate was never saved. Returns the number.
 */
export async function removeStrayAttachments(
  stores: { db: ControlDb; attachments: R2Bucket },
  { prefix, before }: { prefix: string; before: number },
): Promise<number> {
  let removed = 0;
  for await (const { objects } of listPages(stores.attachments, { prefix })) {
    const old = objects.filter(({ uploaded }) => uploaded.getTime() < before).map(({ key }) => key);
    const { results } = await stores.db.$client
      .prepare(`
        SELECT value AS key
        FROM json_each(?)
        WHERE NOT EXISTS (SELECT 1 FROM attachments INDEXED BY attachments_key WHERE key = value)`)
      .bind(JSON.stringify(old))
      .all<{ key: string }>();
    if (results.length > 0) await stores.attachments.delete(results.map(({ key }) => key));
    removed += results.length;
  }
  return removed;
}

/**
 * Removes files of imports that were stored before an instant and that no import reads: it has ended, or its row was never
 * written. Returns the number.
 */
export async function removeStrayImports(
  stores: { db: ControlDb; imports: R2Bucket },
  { before }: { before: number },
): Promise<number> {
  let removed = 0;
  for await (const { objects } of listPages(stores.imports, { prefix: importKey("") })) {
    const old = objects.filter(({ uploaded }) => uploaded.getTime() < before).map(({ key }) => key);
    const { results } = await stores.db.$client
      .prepare(`
        SELECT value AS key
        FROM json_each(?1)
        WHERE NOT EXISTS (
          SELECT 1
          FROM hotlist_imports
          WHERE id = substr(value, ?2) AND state NOT IN ('applied', 'cancelled', 'failed')
        )`)
      .bind(JSON.stringify(old), importKey("").length + 1)
      .all<{ key: string }>();
    if (results.length > 0) await stores.imports.delete(results.map(({ key }) => key));
    removed += results.length;
  }
  return removed;
}

/**
 * Removes hit images of one UTC day that no alert names, because their alert was never saved or lost a race. The day is
 * that of their keys. If its retention is over, also removes such copies in the backups: after the restore of an earlier
 * backup, they have no object. Returns the number of objects and of copies without an object.
 */
export async function removeStrayAlertImages(
  stores: { db: ControlDb; images: R2Bucket; backups: R2Bucket },
  day: { from: number; to: number; isOver: boolean },
): Promise<number> {
  const { results } = await stores.db.$client
    .prepare(`
      SELECT vehicle_image_key AS vehicle, plate_image_key AS plate
      FROM alerts INDEXED BY alerts_created
      WHERE created_at BETWEEN ?1 AND ?2 AND (vehicle_image_key IS NOT NULL OR plate_image_key IS NOT NULL)`)
    .bind(day.from - SLACK_MS, day.to + SLACK_MS)
    .all<{ vehicle: string | null; plate: string | null }>();
  const named = new Set(results.flatMap(({ vehicle, plate }) => [vehicle, plate]));
  const pool = { bucket: stores.backups, root: poolKey("IMAGES", "") };
  let removed = 0;
  for (const { bucket, root } of [{ bucket: stores.images, root: "" }, ...(day.isOver ? [pool] : [])]) {
    const prefix = `${root}alerts/${isoTime(day.from).slice(0, 10)}/`;
    for await (const { objects } of listPages(bucket, { prefix })) {
      const unnamed = objects.map(({ key }) => key.slice(root.length)).filter((key) => !named.has(key));
      const stray = await withoutLate(stores.db, { keys: unnamed, from: day.from });
      if (stray.length > 0) await bucket.delete(stray.map((key) => `${root}${key}`));
      removed += stray.length;
    }
  }
  return removed;
}

/** Returns the keys that no older alert names. An agent that was offline sends its images days after the hit. */
async function withoutLate(
  db: ControlDb,
  { keys, from }: { keys: string[]; from: number },
): Promise<string[]> {
  if (keys.length === 0) return keys;
  const { results } = await db.$client
    .prepare(`
      SELECT vehicle_image_key AS vehicle, plate_image_key AS plate
      FROM alerts INDEXED BY alerts_created
      WHERE created_at BETWEEN ?1 AND ?2
        AND amended_at >= ?2
        AND (vehicle_image_key IS NOT NULL OR plate_image_key IS NOT NULL)`)
    .bind(from - LATEST_MS, from - SLACK_MS)
    .all<{ vehicle: string | null; plate: string | null }>();
  const named = new Set(results.flatMap(({ vehicle, plate }) => [vehicle, plate]));
  return keys.filter((key) => !named.has(key));
}

/** How long after its hit an image may arrive. */
const LATEST_MS = 90 * DAY;

/** An image may be stored some hours before or after its alert. */
const SLACK_MS = 6 * 60 * 60 * 1000;
