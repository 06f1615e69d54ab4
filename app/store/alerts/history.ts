// Hits in the database as users read and review them; writes.ts creates them, archived.ts adds those that left. A history
// is paged by capture time and id, so that every page costs the same. The caller has checked that the group may be seen.

import { and, desc, eq, gt, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { type AlertFilter, type AlertKey, DISPOSITIONS, type Disposition } from "#app/entities/alerts/hit.ts";
import { isOneOf } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { type GroupViewer, visibleOrArchivedTo } from "#app/store/hotlists/groups.ts";
import { jsonChunks } from "#app/store/json-chunks.ts";
import { alerts } from "#app/store/schema/alerts.ts";
import { alertGroups } from "#app/store/schema/groups.ts";

export type StoredAlert = typeof alerts.$inferSelect;

/** The columns of a row in a history. */
const ROW = {
  id: alerts.id,
  plate: alerts.plate,
  plateState: alerts.plateState,
  capturedAt: alerts.capturedAt,
  cameraName: alerts.cameraName,
  cameraAgency: alerts.cameraAgency,
  reason: alerts.reason,
  program: alerts.program,
  createdAt: alerts.createdAt,
  matchKind: alerts.matchKind,
  priority: alerts.priority,
  differences: alerts.differences,
  disposition: alerts.disposition,
  vehicleImageKey: alerts.vehicleImageKey,
  notes: alerts.notes,
  listedAt: alerts.listedAt,
  latitude: alerts.latitude,
  longitude: alerts.longitude,
} as const;

export type StoredAlertRow = Pick<StoredAlert, keyof typeof ROW>;

/** The columns that a hit shows of its group. They are named because the columns of a batch need different names. */
export const GROUP = {
  groupName: sql<string>`${alertGroups.name}`.as("group_name"),
  groupArchivedAt: sql<number | null>`${alertGroups.archivedAt}`.as("group_archived_at"),
} as const;

/**
 * Returns the statement that selects an alert of the database, and its group, if the viewer can see the group, in use or
 * archived.
 */
export function selectAlert(db: ControlDb, viewer: GroupViewer, id: string) {
  return db
    .select({ alert: alerts, ...GROUP })
    .from(alerts)
    .innerJoin(alertGroups, eq(alertGroups.id, alerts.groupId))
    .where(and(eq(alerts.id, id), visibleOrArchivedTo(viewer)));
}

function conditions(filter: AlertFilter): (SQL | undefined)[] {
  const { plate, program, camera, from, until, disposition } = filter;
  return [
    plate === ""
      ? undefined
      : or(sql`${alerts.plate} GLOB ${plate}`, sql`${alerts.listedPlate} GLOB ${plate}`),
    program === "" ? undefined : eq(alerts.program, program),
    camera === "" ? undefined : eq(alerts.cameraId, camera),
    from === null ? undefined : sql`${alerts.capturedAt} >= ${from}`,
    until === null ? undefined : lte(alerts.capturedAt, until),
    disposition === ""
      ? undefined
      : disposition === "none"
        ? isNull(alerts.disposition)
        : eq(alerts.disposition, disposition),
  ];
}

/** Which part of a group's history is requested: before or after a key, or from an end. */
export type HistoryQuery = {
  groupId: string;
  filter: AlertFilter;
  beside: AlertKey | undefined;
  towards: "past" | "present";
  limit: number;
};

/** Returns alerts of the database: newest first towards the past, oldest first towards the present. */
export async function listOnlineAlerts(db: ControlDb, query: HistoryQuery): Promise<StoredAlertRow[]> {
  const { groupId, filter, beside, towards, limit } = query;
  const here = sql`(${alerts.capturedAt}, ${alerts.id})`;
  const past = towards === "past";
  const there = beside && sql`(${beside.capturedAt}, ${beside.id})`;
  return db
    .select(ROW)
    .from(alerts)
    .where(
      and(
        eq(alerts.groupId, groupId),
        there && (past ? sql`${here} < ${there}` : sql`${here} > ${there}`),
        ...conditions(filter),
      ),
    )
    .orderBy(
      ...(past ? [desc(alerts.capturedAt), desc(alerts.id)] : [sql`${alerts.capturedAt}`, sql`${alerts.id}`]),
    )
    .limit(limit);
}

/** The columns that the rule of impossible trips needs. */
const READ = {
  id: alerts.id,
  plate: alerts.plate,
  plateState: alerts.plateState,
  capturedAt: alerts.capturedAt,
  cameraName: alerts.cameraName,
  latitude: alerts.latitude,
  longitude: alerts.longitude,
  make: alerts.make,
  color: alerts.color,
} as const;

export type ReadOfGroup = Pick<StoredAlert, keyof typeof READ>;

/** A span of time around an instant. */
export type ReadsQuery = { groupId: string; at: number; span: number; limit: number };

/** Returns the statement that selects a group's alerts of the database within a span of a time, nearest first. */
export function selectOnlineReads(db: ControlDb, { groupId, at, span, limit }: ReadsQuery) {
  const [from, until] = [at - span, at + span];
  return db
    .select(READ)
    .from(alerts)
    .where(
      and(eq(alerts.groupId, groupId), sql`${alerts.capturedAt} >= ${from}`, lte(alerts.capturedAt, until)),
    )
    .orderBy(sql`abs(${alerts.capturedAt} - ${at})`, desc(alerts.id))
    .limit(limit);
}

/** Returns when the newest alert of a group was created, archived or not; null if there is none. */
export async function findLatest(db: ControlDb, groupId: string): Promise<number | null> {
  const [row] = await db.all<{ at: number | null }>(sql`
    SELECT max(at) AS at
    FROM (
      SELECT max(created_at) AS at FROM alerts WHERE group_id = ${groupId}
      UNION ALL
      SELECT max(max_created_at) FROM alert_segments WHERE group_id = ${groupId}
    )`);
  return row?.at ?? null;
}

/** Which hits of a group count as new, and up to how many are counted. */
export type NewQuery = { groupId: string; filter: AlertFilter; since: number; most: number };

/** Returns the statement that selects alerts of the database that pass the filter and were created after `since`. */
export function selectNew(db: ControlDb, { groupId, filter, since, most }: NewQuery) {
  return db
    .select({ id: alerts.id })
    .from(alerts)
    .where(and(eq(alerts.groupId, groupId), gt(alerts.createdAt, since), ...conditions(filter)))
    .limit(most);
}

export type NewDisposition = {
  disposition: Disposition;
  note: string;
  by: string;
  byName: string;
  at: number;
};

/**
 * Saves or removes a disposition. Aborts the batch (constraint `alerts.disposition_note`) if the time of the
 * current disposition is not `known`, which is null for none.
 */
export function updateDisposition(
  db: ControlDb,
  input: { id: string; known: number | null; to: NewDisposition | null },
): Statement {
  const { id, known, to } = input;
  return db
    .update(alerts)
    .set({
      disposition: to?.disposition ?? null,
      dispositionNote: sql`CASE WHEN ${alerts.dispositionAt} IS ${known} THEN ${to?.note ?? ""} END`,
      dispositionBy: to?.by ?? null,
      dispositionByName: to?.byName ?? null,
      dispositionAt: to?.at ?? null,
    })
    .where(eq(alerts.id, id));
}

export type QualityCount = {
  groupId: string;
  cameraId: string;
  disposition: Disposition | null;
  hits: number;
};

/** Returns the hits of groups since a time, counted by group, camera and disposition. */
export async function countByDisposition(
  db: ControlDb,
  input: { groupIds: string[]; since: number },
): Promise<QualityCount[]> {
  return db
    .select({
      groupId: alerts.groupId,
      cameraId: alerts.cameraId,
      disposition: alerts.disposition,
      hits: sql<number>`count(*)`,
    })
    .from(alerts)
    .where(and(isOneOf(alerts.groupId, input.groupIds), gt(alerts.createdAt, input.since)))
    .groupBy(alerts.groupId, alerts.cameraId, alerts.disposition);
}

/** Hits of one camera in one group with one disposition: a range of alerts_quality. */
type HitsOfCamera = Pick<QualityCount, "groupId" | "cameraId" | "disposition">;

/** Selects the newest of these hits as `newest`. */
const newestOf = ({ group, camera, disposition }: Record<"group" | "camera" | "disposition", SQL>) => sql`(
    SELECT newest.id
    FROM alerts newest INDEXED BY alerts_quality
    WHERE newest.group_id = ${group} AND newest.camera_id = ${camera} AND newest.disposition IS ${disposition}
    ORDER BY newest.created_at DESC
    LIMIT 1)`;

/** Query plan: one lookup in alerts_quality per row of `wanted`. */
const cameraNames = (wanted: string) => sql`
  SELECT camera_id AS id, camera_name AS name, created_at AS at
  FROM json_each(${wanted}) wanted
  CROSS JOIN alerts ON alerts.id = ${newestOf({
    group: sql.raw("wanted.value ->> 0"),
    camera: sql.raw("wanted.value ->> 1"),
    disposition: sql.raw("wanted.value ->> 2"),
  })}`;

/**
 * Returns the names of the cameras of these hits by id, each from its newest hit among them. Other groups' hits do not
 * count: senders choose the ids of Rekor's cameras, so another agency may use the same id with another name.
 */
export async function listCameraNames(
  db: ControlDb,
  hits: readonly HitsOfCamera[],
): Promise<Map<string, string>> {
  const wanted = hits.map(({ groupId, cameraId, disposition }) => [groupId, cameraId, disposition]);
  const rows: { id: string; name: string; at: number }[] = [];
  for (const { json } of jsonChunks(wanted))
    rows.push(...(await db.all<(typeof rows)[number]>(cameraNames(json))));
  return new Map(rows.sort((a, b) => a.at - b.at).map(({ id, name }) => [id, name]));
}

/** As JSON, with null for none. */
const ALL_DISPOSITIONS = JSON.stringify([null, ...DISPOSITIONS.map(({ value }) => value)]);

/**
 * Query plan: a lookup in alerts_quality per camera and one per disposition of it, and alert_segments_captured once for the
 * group's segments. No list of cameras is bound, because D1 accepts values of two million bytes. SQLite takes `name` from
 * the row with the greatest `at`.
 */
const camerasOfGroup = (groupId: string) => sql`
  WITH RECURSIVE c(id) AS (
    SELECT min(camera_id) FROM alerts WHERE group_id = ${groupId}
    UNION ALL
    SELECT (SELECT min(camera_id) FROM alerts WHERE group_id = ${groupId} AND camera_id > c.id)
    FROM c
    WHERE c.id IS NOT NULL)
  SELECT id, name, max(at) AS at
  FROM (
    SELECT c.id, alerts.camera_name AS name, alerts.created_at AS at
    FROM c
    CROSS JOIN json_each(${ALL_DISPOSITIONS}) d
    CROSS JOIN alerts ON alerts.id = ${newestOf({
      group: sql`${groupId}`,
      camera: sql.raw("c.id"),
      disposition: sql.raw("d.value"),
    })}
    UNION ALL
    SELECT camera.value ->> 0, camera.value ->> 1, camera.value ->> 2
    FROM alert_segments
    CROSS JOIN json_each(cameras) camera
    WHERE group_id = ${groupId})
  GROUP BY id
  ORDER BY id`;

/** Returns the cameras of a group's alerts, archived or not, with their names by id, each from its newest alert. */
export async function listCamerasOfGroup(db: ControlDb, groupId: string): Promise<Map<string, string>> {
  const rows = await db.all<{ id: string; name: string }>(camerasOfGroup(groupId));
  return new Map(rows.map(({ id, name }) => [id, name]));
}
