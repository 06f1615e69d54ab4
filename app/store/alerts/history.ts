// Hits as users read and review them; writes.ts creates them. A history is paged by capture time and id, so that
// every page costs the same. The caller has checked that the group may be seen.

import { and, desc, eq, gt, isNull, lte, max, or, type SQL, sql } from "drizzle-orm";
import type { AlertFilter, AlertKey, Disposition } from "#app/entities/alerts/hit.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
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

/** Returns an alert with its group's name, without a check of access. */
export async function findAlert(
  db: ControlDb,
  id: string,
): Promise<(StoredAlert & { groupName: string }) | undefined> {
  const [row] = await db
    .select({ alert: alerts, groupName: alertGroups.name })
    .from(alerts)
    .innerJoin(alertGroups, eq(alertGroups.id, alerts.groupId))
    .where(eq(alerts.id, id));
  return row && { ...row.alert, groupName: row.groupName };
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

/**
 * Returns alerts of a group before or after a key: newest first towards the past, oldest first towards the present.
 */
export async function listAlerts(
  db: ControlDb,
  input: {
    groupId: string;
    filter: AlertFilter;
    beside: AlertKey | undefined;
    towards: "past" | "present";
    limit: number;
  },
): Promise<StoredAlertRow[]> {
  const { groupId, filter, beside, towards, limit } = input;
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

/** Returns a group's alerts within a span of a time, nearest first: what the rule of impossible trips needs. */
export async function listReadsOfGroup(
  db: ControlDb,
  { groupId, at, span, limit }: { groupId: string; at: number; span: number; limit: number },
) {
  const [from, until] = [at - span, at + span];
  return db
    .select({
      id: alerts.id,
      plate: alerts.plate,
      plateState: alerts.plateState,
      capturedAt: alerts.capturedAt,
      cameraName: alerts.cameraName,
      latitude: alerts.latitude,
      longitude: alerts.longitude,
      make: alerts.make,
      color: alerts.color,
    })
    .from(alerts)
    .where(
      and(eq(alerts.groupId, groupId), sql`${alerts.capturedAt} >= ${from}`, lte(alerts.capturedAt, until)),
    )
    .orderBy(sql`abs(${alerts.capturedAt} - ${at})`, desc(alerts.id))
    .limit(limit);
}

/** Returns when the newest alert of a group was created; null if there is none. */
export async function findLatest(db: ControlDb, groupId: string): Promise<number | null> {
  const [row] = await db
    .select({ at: max(alerts.createdAt) })
    .from(alerts)
    .where(eq(alerts.groupId, groupId));
  return row?.at ?? null;
}

/** Returns how many alerts of a group that pass the filter were created after `since`, counted up to `most`. */
export async function countAlertsSince(
  db: ControlDb,
  input: { groupId: string; filter: AlertFilter; since: number; most: number },
): Promise<number> {
  const found = await db
    .select({ id: alerts.id })
    .from(alerts)
    .where(
      and(eq(alerts.groupId, input.groupId), gt(alerts.createdAt, input.since), ...conditions(input.filter)),
    )
    .limit(input.most);
  return found.length;
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
    .where(
      and(
        sql`${alerts.groupId} IN (SELECT value FROM json_each(${JSON.stringify(input.groupIds)}))`,
        gt(alerts.createdAt, input.since),
      ),
    )
    .groupBy(alerts.groupId, alerts.cameraId, alerts.disposition);
}

/** Returns the cameras that a group has alerts of, with one index lookup (alerts_quality) per camera. */
export async function listCamerasOfGroup(db: ControlDb, groupId: string): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    WITH RECURSIVE c(id) AS (
      SELECT min(camera_id) FROM alerts WHERE group_id = ${groupId}
      UNION ALL
      SELECT (SELECT min(camera_id) FROM alerts WHERE group_id = ${groupId} AND camera_id > c.id)
      FROM c
      WHERE c.id IS NOT NULL)
    SELECT id FROM c WHERE id IS NOT NULL`);
  return rows.map(({ id }) => id);
}

/** Returns the names of cameras by id, each from its newest alert. */
export async function listCameraNames(db: ControlDb, cameraIds: string[]): Promise<Map<string, string>> {
  const rows = await db.all<{ id: string; name: string | null }>(sql`
    SELECT value AS id,
      (SELECT camera_name FROM alerts a WHERE a.camera_id = value ORDER BY a.created_at DESC LIMIT 1) AS name
    FROM json_each(${JSON.stringify(cameraIds)})`);
  return new Map(rows.map(({ id, name }) => [id, name ?? id]));
}
