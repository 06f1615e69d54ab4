// The table of the segments of hits, and the statements that move hits to them and back. Every query has the group, the
// agency or the viewer.

import { and, asc, desc, eq, gte, isNotNull, isNull, lt, lte, max, type SQL, sql } from "drizzle-orm";
import type { AlertFilter } from "#app/entities/alerts/hit.ts";
import { type AlertSegment, contentOf, type SegmentContent } from "#app/entities/alerts/segment.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { type GroupViewer, visibleOrArchivedTo } from "#app/store/hotlists/groups.ts";
import { BACKUP_READS } from "#app/store/operations/storage.ts";
import { alertSegmentIds, alertSegmentRemoved, alertSegments, alerts } from "#app/store/schema/alerts.ts";
import { alertGroups } from "#app/store/schema/groups.ts";
import { GROUP, type StoredAlert } from "./history.ts";
import type { SegmentFile } from "./segment-archive.ts";

/** What a reader needs of a segment: its object, and the range by which it is found. */
export type FoundSegment = SegmentFile & Pick<AlertSegment, "number" | "minCapturedAt" | "maxCapturedAt">;

const FOUND = {
  number: alertSegments.number,
  groupId: alertSegments.groupId,
  agencyId: alertSegments.agencyId,
  objectKey: alertSegments.objectKey,
  sealedKey: alertSegments.sealedKey,
  minCapturedAt: alertSegments.minCapturedAt,
  maxCapturedAt: alertSegments.maxCapturedAt,
} as const;

/**
 * Whether a hit may leave the database: everything about it is older than `before`, and nothing of it is left to send,
 * fetch or purge.
 */
function isArchivable(before: number): SQL | undefined {
  return and(
    lt(alerts.capturedAt, before),
    lt(alerts.createdAt, before),
    sql`coalesce(${alerts.amendedAt}, 0) < ${before}`,
    sql`coalesce(${alerts.dispositionAt}, 0) < ${before}`,
    isNotNull(alerts.fannedOutAt),
    isNull(alerts.vendorImages),
    isNull(alerts.vehicleImageKey),
    isNull(alerts.plateImageKey),
  );
}

/** Returns the groups of an agency that have hits created before an instant. */
export async function listGroupsWithOld(
  db: ControlDb,
  { agencyId, before }: { agencyId: string; before: number },
): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    SELECT id
    FROM alert_groups
    WHERE agency_id = ${agencyId} AND EXISTS (
      SELECT 1
      FROM alerts INDEXED BY alerts_group
      WHERE alerts.group_id = alert_groups.id AND alerts.created_at < ${before})
    ORDER BY id`);
  return rows.map(({ id }) => id);
}

type Archivable = { groupId: string; before: number; limit: number };

/** Returns the number of hits of a group that may leave, up to `limit`, and the creation of the oldest of them. */
export async function countArchivable(
  db: ControlDb,
  { groupId, before, limit }: Archivable,
): Promise<{ hits: number; oldest: number | null }> {
  const [row] = await db.all<{ hits: number; oldest: number | null }>(sql`
    SELECT count(*) AS hits, min(created_at) AS oldest
    FROM (
      SELECT created_at
      FROM alerts INDEXED BY alerts_history
      WHERE ${eq(alerts.groupId, groupId)} AND ${isArchivable(before)}
      ORDER BY captured_at, id
      LIMIT ${limit})`);
  return row ?? { hits: 0, oldest: null };
}

/** Returns the hits of a group that may leave, the oldest reads first. */
export async function listArchivable(
  db: ControlDb,
  { groupId, before, limit }: Archivable,
): Promise<StoredAlert[]> {
  return db
    .select()
    .from(alerts)
    .where(and(eq(alerts.groupId, groupId), isArchivable(before)))
    .orderBy(asc(alerts.capturedAt), asc(alerts.id))
    .limit(limit);
}

/** Returns the 48 bits by which the segment of a hit is found. */
export async function hashOfId(id: string): Promise<number> {
  return Number.parseInt((await sha256(id)).slice(0, 12), 16);
}

/**
 * Returns the statements that record a segment and delete its hits, for one batch. They fail if a hit changed or is
 * gone (constraint `alert_segments.hits`), or if a backup is reading the database (constraint
 * `alert_segment_ids.segment`): the backup could lack the hits in both places.
 */
export function moveToSegment(
  db: ControlDb,
  segment: SegmentFile & { bytes: number; createdAt: number },
  moved: { hits: readonly StoredAlert[]; hashes: readonly number[]; before: number },
): [Statement, ...Statement[]] {
  const { hits, hashes, before } = moved;
  const { groupId, agencyId, objectKey, sealedKey, bytes, createdAt } = segment;
  const content = contentOf(hits);
  const list = JSON.stringify(hits.map(({ id, dispositionAt }, i) => [id, dispositionAt, hashes[i]]));
  const unchanged = sql`
    SELECT CASE WHEN count(*) = ${hits.length} THEN count(*) END
    FROM json_each(${list}) moved
    CROSS JOIN alerts ON alerts.id = moved.value ->> 0
    WHERE ${isArchivable(before)} AND alerts.disposition_at IS moved.value ->> 1`;
  return [
    db.run(sql`
      INSERT INTO alert_segments (group_id, agency_id, object_key, sealed_key, min_captured_at, max_captured_at,
        min_created_at, max_created_at, min_disposition_at, max_disposition_at, hits, cameras, cases, bytes, created_at)
      SELECT ${groupId}, ${agencyId}, ${objectKey}, ${sealedKey}, ${content.minCapturedAt}, ${content.maxCapturedAt},
        ${content.minCreatedAt}, ${content.maxCreatedAt}, ${content.minDispositionAt}, ${content.maxDispositionAt},
        (${unchanged}), ${JSON.stringify(content.cameras)}, ${JSON.stringify(content.cases)}, ${bytes}, ${createdAt}
      WHERE NOT EXISTS (${BACKUP_READS})`),
    // Hits that came back from another segment are still in its object.
    db.run(sql`
      INSERT OR IGNORE INTO alert_segment_removed (segment, alert_id)
      SELECT former.segment, moved.value ->> 0
      FROM json_each(${list}) moved
      CROSS JOIN alert_segment_ids former ON former.hash = moved.value ->> 2`),
    db.run(sql`
      INSERT INTO alert_segment_ids (hash, segment)
      SELECT DISTINCT value ->> 2, (SELECT number FROM alert_segments WHERE object_key = ${objectKey})
      FROM json_each(${list})`),
    db.run(sql`
      DELETE FROM alerts
      WHERE id IN (SELECT value ->> 0 FROM json_each(${list}))`),
  ];
}

/**
 * Returns the statements that bring a hit of a segment back into the database, for one batch. They fail if it is back
 * already (constraint `alerts.id` or `alerts.entry_id`) or its segment is gone (constraint `alerts.group_id`).
 */
export function bringBack(db: ControlDb, alert: StoredAlert, segment: number): [Statement, Statement] {
  const groupId = sql`CASE WHEN EXISTS (SELECT 1 FROM alert_segments WHERE number = ${segment})
    THEN ${alert.groupId} END`;
  return [
    db.insert(alerts).values({ ...alert, groupId }),
    db
      .update(alertSegments)
      .set({ hits: sql`${alertSegments.hits} - 1` })
      .where(eq(alertSegments.number, segment)),
  ];
}

/** Returns a segment, or undefined if it is gone. */
export async function findSegment(db: ControlDb, number: number): Promise<AlertSegment | undefined> {
  const [row] = await db.select().from(alertSegments).where(eq(alertSegments.number, number));
  return row;
}

/** Returns the number of an agency's newest segment, or null if it has none. */
export async function findLastSegment(db: ControlDb, agencyId: string): Promise<number | null> {
  const [row] = await db
    .select({ number: max(alertSegments.number) })
    .from(alertSegments)
    .where(eq(alertSegments.agencyId, agencyId));
  return row?.number ?? null;
}

/**
 * Returns the statement that selects the segments that may have a hit, the newest first (a hit may have been in
 * several, and is valid in one), and their groups: only those that the viewer can see. `hash` is that of `hashOfId`.
 */
export function selectSegmentsWith(db: ControlDb, viewer: GroupViewer, hash: number) {
  return db
    .select({ ...FOUND, ...GROUP })
    .from(alertSegmentIds)
    .innerJoin(alertSegments, eq(alertSegments.number, alertSegmentIds.segment))
    .innerJoin(alertGroups, eq(alertGroups.id, alertSegments.groupId))
    .where(and(eq(alertSegmentIds.hash, hash), visibleOrArchivedTo(viewer)))
    .orderBy(desc(alertSegments.number));
}

/**
 * Returns the statement that selects the segments of a group with reads in [from, until] and of the filter's camera:
 * towards the past those with the newest reads first, towards the present those with the oldest.
 */
export function selectSegmentsOfHistory(
  db: ControlDb,
  query: {
    groupId: string;
    from: number | null;
    until: number | null;
    camera?: AlertFilter["camera"];
    towards: "past" | "present";
  },
) {
  const { groupId, from, until, camera = "", towards } = query;
  const { minCapturedAt, maxCapturedAt, number } = alertSegments;
  const hasCamera = sql`EXISTS (
    SELECT 1
    FROM json_each(${alertSegments.cameras}) camera
    WHERE camera.value ->> 0 = ${camera})`;
  return db
    .select(FOUND)
    .from(alertSegments)
    .where(
      and(
        eq(alertSegments.groupId, groupId),
        from === null ? undefined : gte(maxCapturedAt, from),
        until === null ? undefined : lte(minCapturedAt, until),
        camera === "" ? undefined : hasCamera,
      ),
    )
    .orderBy(
      ...(towards === "past" ? [desc(maxCapturedAt), desc(number)] : [asc(minCapturedAt), asc(number)]),
    );
}

/** Returns the statement that selects the segments of a group with hits that were created after an instant. */
export function selectSegmentsSince(db: ControlDb, { groupId, since }: { groupId: string; since: number }) {
  return db
    .select(FOUND)
    .from(alertSegments)
    .where(and(eq(alertSegments.groupId, groupId), sql`${alertSegments.maxCreatedAt} > ${since}`))
    .orderBy(desc(alertSegments.maxCreatedAt));
}

/** Returns the segments of an agency with hits that were created or judged in [from, until). */
export async function listSegmentsCounted(
  db: ControlDb,
  { agencyId, from, until }: { agencyId: string; from: number; until: number },
): Promise<FoundSegment[]> {
  return db
    .select(FOUND)
    .from(alertSegments)
    .where(
      and(
        eq(alertSegments.agencyId, agencyId),
        sql`(min_created_at < ${until} AND max_created_at >= ${from}
          OR min_disposition_at < ${until} AND max_disposition_at >= ${from})`,
      ),
    );
}

/**
 * Returns segments of an agency with hits that expired before an instant and whose cases are not held, or whose deletion
 * has begun: first those that can be deleted without being opened, the oldest first, then others in random order, so that
 * segments that cannot be read do not keep the rest waiting.
 */
export async function listExpiring(
  db: ControlDb,
  input: { agencyId: string; before: number; heldCases: readonly string[]; limit: number },
): Promise<AlertSegment[]> {
  const { agencyId, before, heldCases, limit } = input;
  const isFree = sql`(
    one.value ->> 0 = '' OR one.value ->> 0 NOT IN (SELECT value FROM json_each(${JSON.stringify(heldCases)})))`;
  const cases = (condition: SQL) => sql`
    SELECT 1
    FROM json_each(${alertSegments.cases}) one
    WHERE ${condition}`;
  const isWhole = sql`sealed_key = ${KEY_DESTROYED}
    OR max_created_at < ${before} AND NOT EXISTS (${cases(sql`NOT ${isFree}`)})`;
  return db
    .select()
    .from(alertSegments)
    .where(
      and(
        eq(alertSegments.agencyId, agencyId),
        lt(alertSegments.minCreatedAt, before),
        sql`(sealed_key = ${KEY_DESTROYED} OR EXISTS (${cases(sql`one.value ->> 1 < ${before} AND ${isFree}`)}))`,
      ),
    )
    .orderBy(sql`CASE WHEN ${isWhole} THEN min_created_at END NULLS LAST`, sql`random()`)
    .limit(limit);
}

/** Returns the statement that selects the hits of a segment that are in a newer one. */
export function selectRemoved(db: ControlDb, segment: number) {
  return db
    .select({ id: alertSegmentRemoved.alertId })
    .from(alertSegmentRemoved)
    .where(eq(alertSegmentRemoved.segment, segment));
}

/** Returns the statement that selects those of these hits that are in the database, as they are now. */
export function selectBack(db: ControlDb, hits: readonly { id: string }[]) {
  const ids = JSON.stringify(hits.map(({ id }) => id));
  return db.select().from(alerts).where(sql`${alerts.id} IN (SELECT value FROM json_each(${ids}))`);
}

/** Returns the ids of a segment's hits that are in a newer one. */
export async function findRemovedIds(db: ControlDb, segment: number): Promise<Set<string>> {
  return new Set((await selectRemoved(db, segment)).map(({ id }) => id));
}

/**
 * Returns the statements that record that a segment's object has only these hits left, for one batch. They fail
 * (constraint `alert_segments.hits`) if a hit returned to the database since the segment was read.
 */
export function updateSegment(
  db: ControlDb,
  segment: AlertSegment,
  left: SegmentContent & {
    hits: number;
    bytes: number;
    hashes: readonly number[];
    dropped: readonly string[];
  },
): [Statement, ...Statement[]] {
  const { hashes, dropped, hits, ...columns } = left;
  return [
    db
      .update(alertSegments)
      .set({ ...columns, hits: sql`CASE WHEN ${alertSegments.hits} = ${segment.hits} THEN ${hits} END` })
      .where(eq(alertSegments.number, segment.number)),
    db.run(sql`
      DELETE FROM alert_segment_ids
      WHERE segment = ${segment.number} AND hash NOT IN (SELECT value FROM json_each(${JSON.stringify(hashes)}))`),
    db.run(sql`
      DELETE FROM alert_segment_removed
      WHERE segment = ${segment.number} AND alert_id IN (SELECT value FROM json_each(${JSON.stringify(dropped)}))`),
  ];
}

/** The key of a segment whose deletion has begun. */
const KEY_DESTROYED = "";

/** Returns whether the deletion of a segment has begun: it has no key, and perhaps no object. */
export const isBeingDeleted = ({ sealedKey }: Pick<AlertSegment, "sealedKey">) => sealedKey === KEY_DESTROYED;

/** Deletes a segment's key: nothing of it can be read from now on. */
export async function destroyKey(db: ControlDb, number: number): Promise<void> {
  await db.update(alertSegments).set({ sealedKey: KEY_DESTROYED }).where(eq(alertSegments.number, number));
}

/** Returns the number of a segment's hits, for a statement that runs before the segment is deleted. */
export const countOfSegment = (number: number): SQL =>
  sql`(SELECT hits FROM alert_segments WHERE number = ${number})`;

/** Returns a batch that deletes a segment. The first statement returns its former hit count. */
export function removeSegment(db: ControlDb, number: number): [Statement, ...Statement[]] {
  return [
    db.all(sql`DELETE FROM alert_segments WHERE number = ${number} RETURNING hits`),
    db.run(sql`DELETE FROM alert_segment_ids WHERE segment = ${number}`),
    db.run(sql`DELETE FROM alert_segment_removed WHERE segment = ${number}`),
  ];
}
