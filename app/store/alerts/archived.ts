// Reads a group's hits in the database and in segments as one list. A hit that is in both has returned to the database,
// whose version is the valid one. Segments are looked up after the database or in one batch with it, because hits move
// from the database to segments. Objects that cannot be read fail the call (ArchiveFault) rather than omit hits.

import pMap from "p-map";
import { type FilteredFields, oldestFirst, passesFilter } from "#app/entities/alerts/segment.ts";
import { isArchiveFault } from "#app/store/archive-fault.ts";
import type { ControlDb } from "#app/store/database.ts";
import type { GroupViewer } from "#app/store/hotlists/groups.ts";
import {
  type HistoryQuery,
  listOnlineAlerts,
  type NewQuery,
  type ReadOfGroup,
  type ReadsQuery,
  type StoredAlert,
  type StoredAlertRow,
  selectAlert,
  selectNew,
  selectOnlineReads,
} from "./history.ts";
import type { AlertArchive, SegmentFile } from "./segment-archive.ts";
import {
  type FoundSegment,
  findSegment,
  hashOfId,
  isBeingDeleted,
  listSegmentsCounted,
  selectBack,
  selectRemoved,
  selectSegmentsOfHistory,
  selectSegmentsSince,
  selectSegmentsWith,
} from "./segments.ts";

/** The hits: those in the database, and those in the archive. */
export type Hits = { db: ControlDb; alertArchive: AlertArchive };

/** Segments that are opened at a time. A Worker has six connections. */
const OPENED_AT_ONCE = 4;

/** A hit of a segment, in the database's version if it returned there. */
export type ArchivedHit = { alert: StoredAlert; isBack: boolean };

/** Returns the valid hits of a segment; none if it was deleted meanwhile, or is being deleted. Throws ArchiveFault. */
export async function readSegment(
  { db, alertArchive }: Hits,
  segment: SegmentFile & { number: number },
): Promise<ArchivedHit[]> {
  if (isBeingDeleted(segment)) return [];
  let stored: StoredAlert[];
  try {
    stored = (await alertArchive.open(segment)).hits;
  } catch (error) {
    if (!isArchiveFault(error) || !error.isFileMissing) throw error;
    const known = await findSegment(db, segment.number);
    if (known && !isBeingDeleted(known)) throw error;
    return [];
  }
  const [removed, back] = await db.batch([selectRemoved(db, segment.number), selectBack(db, stored)]);
  const isRemoved = new Set(removed.map(({ id }) => id));
  const current = new Map(back.map((alert) => [alert.id, alert]));
  return stored
    .filter(({ id }) => !isRemoved.has(id))
    .map((alert) => ({ alert: current.get(alert.id) ?? alert, isBack: current.has(alert.id) }));
}

/** A hit, its group, and the segment that it is in; null in the database. */
export type FoundAlert = {
  alert: StoredAlert;
  group: { name: string; archivedAt: number | null };
  segment: number | null;
};

/** Returns a hit of a group that the viewer can see, in use or archived. Throws ArchiveFault. */
export async function findHit(hits: Hits, viewer: GroupViewer, id: string): Promise<FoundAlert | undefined> {
  const { db } = hits;
  const [online, segments] = await db.batch([
    selectAlert(db, viewer, id),
    selectSegmentsWith(db, viewer, await hashOfId(id)),
  ]);
  for (const { alert, groupName: name, groupArchivedAt: archivedAt } of online)
    return { alert, group: { name, archivedAt }, segment: null };
  for (const { groupName: name, groupArchivedAt: archivedAt, ...segment } of segments) {
    const hit = (await readSegment(hits, segment)).find(({ alert }) => alert.id === id);
    const group = { name, archivedAt };
    if (hit) return { alert: hit.alert, group, segment: hit.isBack ? null : segment.number };
  }
  return undefined;
}

/** Reads segments, some at a time, in their order. */
async function readSegments(hits: Hits, segments: readonly FoundSegment[]): Promise<ArchivedHit[]> {
  const read = await pMap(segments, (segment) => readSegment(hits, segment), { concurrency: OPENED_AT_ONCE });
  return read.flat();
}

/** Returns the first hits of both lists in an order, each hit once. */
function merged<Row extends { id: string }>(
  pool: readonly Row[],
  found: readonly Row[],
  { order, limit }: { order: (a: Row, b: Row) => number; limit: number },
): Row[] {
  const known = new Set(pool.map(({ id }) => id));
  return [...pool, ...found.filter(({ id }) => !known.has(id))].sort(order).slice(0, limit);
}

/**
 * Returns hits of a group before or after a key: newest first towards the past, oldest first towards the present. Opens
 * segments in that order until no other can have a hit of the page. Throws ArchiveFault.
 */
export async function listAlerts(hits: Hits, query: HistoryQuery): Promise<StoredAlertRow[]> {
  const { groupId, filter, beside, limit } = query;
  const isPast = query.towards === "past";
  const order = (a: StoredAlertRow, b: StoredAlertRow) => oldestFirst(a, b) * (isPast ? -1 : 1);
  const belongs = (alert: StoredAlertRow & FilteredFields) =>
    passesFilter(alert, filter) && (!beside || oldestFirst(alert, beside) * (isPast ? -1 : 1) > 0);
  let pool = await listOnlineAlerts(hits.db, query);
  // Segments cannot contribute beyond the last hit of a full page.
  const end = () => pool[limit - 1]?.capturedAt ?? null;
  const [from, until] = isPast
    ? [latest(filter.from, end()), earliest(filter.until, beside?.capturedAt)]
    : [latest(filter.from, beside?.capturedAt), earliest(filter.until, end())];
  const range = { groupId, from, until, camera: filter.camera, towards: query.towards };
  const waiting = await selectSegmentsOfHistory(hits.db, range);
  for (let many = 1; ; many = Math.min(2 * many, OPENED_AT_ONCE)) {
    const last = end();
    const next = waiting
      .splice(0, many)
      .filter(
        (segment) =>
          last === null || (isPast ? segment.maxCapturedAt >= last : segment.minCapturedAt <= last),
      );
    // They are sorted: no later one can contribute either.
    if (next.length === 0) return pool;
    const found = (await readSegments(hits, next)).map(({ alert }) => alert).filter(belongs);
    pool = merged<StoredAlertRow>(pool, found, { order, limit });
  }
}

const latest = (a: number | null, b: number | null | undefined) =>
  a === null ? (b ?? null) : Math.max(a, b ?? a);
const earliest = (a: number | null, b: number | null | undefined) =>
  a === null ? (b ?? null) : Math.min(a, b ?? a);

/**
 * Returns a group's hits within a span of a time, nearest first: what the rule of impossible trips needs. Throws ArchiveFault.
 */
export async function listReadsOfGroup(hits: Hits, query: ReadsQuery): Promise<ReadOfGroup[]> {
  const { groupId, at, span, limit } = query;
  const [from, until] = [at - span, at + span];
  const [online, segments] = await hits.db.batch([
    selectOnlineReads(hits.db, query),
    selectSegmentsOfHistory(hits.db, { groupId, from, until, towards: "past" }),
  ]);
  const found = (await readSegments(hits, segments))
    .map(({ alert }) => alert)
    .filter(({ capturedAt }) => capturedAt >= from && capturedAt <= until);
  const distance = ({ capturedAt }: ReadOfGroup) => Math.abs(capturedAt - at);
  return merged<ReadOfGroup>(online, found, {
    limit,
    order: (a, b) => distance(a) - distance(b) || (a.id < b.id ? 1 : -1),
  });
}

/**
 * Returns how many hits of a group that pass the filter were created after `since`, counted up to `most`. Throws ArchiveFault.
 */
export async function countAlertsSince(hits: Hits, query: NewQuery): Promise<number> {
  const { db } = hits;
  const [online, segments] = await db.batch([selectNew(db, query), selectSegmentsSince(db, query)]);
  let count = online.length;
  for (const segment of segments) {
    if (count >= query.most) break;
    const read = await readSegment(hits, segment);
    count += read.filter(
      ({ alert, isBack }) => !isBack && alert.createdAt > query.since && passesFilter(alert, query.filter),
    ).length;
  }
  return Math.min(count, query.most);
}

/** Counts archived hits of an agency created in [from, until), and those judged then by disposition. Throws ArchiveFault. */
export async function countArchivedHits(
  hits: Hits,
  span: { agencyId: string; from: number; until: number },
): Promise<{ created: number; judged: Map<string, number> }> {
  const isInside = (at: number | null) => at !== null && at >= span.from && at < span.until;
  const judged = new Map<string, number>();
  let created = 0;
  await pMap(
    await listSegmentsCounted(hits.db, span),
    async (segment) => {
      for (const { alert, isBack } of await readSegment(hits, segment)) {
        // The database counts it.
        if (isBack) continue;
        if (isInside(alert.createdAt)) created++;
        const { disposition } = alert;
        if (disposition && isInside(alert.dispositionAt))
          judged.set(disposition, (judged.get(disposition) ?? 0) + 1);
      }
    },
    { concurrency: OPENED_AT_ONCE },
  );
  return { created, judged };
}
