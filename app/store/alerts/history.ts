// Hits as people read them and judge them; they are written in alert-writes.ts. A history is walked by time of the read
// and id, so that its hundredth page costs what its first does. Whether a group may be seen was decided before.

import { and, desc, eq, gt, isNull, lte, max, or, type SQL, sql } from "drizzle-orm";
import type { AlertFilter, AlertKey, Disposition } from "#app/entities/alerts/hit.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { alerts } from "#app/store/schema/alerts.ts";
import { alertGroups } from "#app/store/schema/groups.ts";

export type StoredAlert = typeof alerts.$inferSelect;

/** What a row of a history shows. */
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

/** An alert with its group's name, whoever asks. */
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

function passes(filter: AlertFilter): (SQL | undefined)[] {
  const { plate, program, camera, from, until, disposition } = filter;
  return [
    plate === ""
      ? undefined
      : or(sql`${alerts.plate} glob ${plate}`, sql`${alerts.listedPlate} glob ${plate}`),
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

/** Alerts of a group beside a key, in walking order: newest first towards the past, oldest first towards the present. */
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
        ...passes(filter),
      ),
    )
    .orderBy(
      ...(past ? [desc(alerts.capturedAt), desc(alerts.id)] : [sql`${alerts.capturedAt}`, sql`${alerts.id}`]),
    )
    .limit(limit);
}

/** When the newest alert of a group was made; null where there is none. */
export async function findLatest(db: ControlDb, groupId: string): Promise<number | null> {
  const [row] = await db
    .select({ at: max(alerts.createdAt) })
    .from(alerts)
    .where(eq(alerts.groupId, groupId));
  return row?.at ?? null;
}

/** How many alerts of a group that pass the filter were made since; counted up to `most`. */
export async function countAlertsSince(
  db: ControlDb,
  input: { groupId: string; filter: AlertFilter; since: number; most: number },
): Promise<number> {
  const found = await db
    .select({ id: alerts.id })
    .from(alerts)
    .where(and(eq(alerts.groupId, input.groupId), gt(alerts.createdAt, input.since), ...passes(input.filter)))
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
 * Writes what somebody found, or takes it back. Breaks the batch (`alerts.disposition_note`) where it was decided at
 * another time than `known`, which is null where nobody had.
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
      dispositionNote: sql`case when ${alerts.dispositionAt} is ${known} then ${to?.note ?? ""} end`,
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

/** Hits of groups since a time, counted by group, camera and disposition. */
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
        sql`${alerts.groupId} in (select value from json_each(${JSON.stringify(input.groupIds)}))`,
        gt(alerts.createdAt, input.since),
      ),
    )
    .groupBy(alerts.groupId, alerts.cameraId, alerts.disposition);
}

/** Cameras that a group has alerts of: one step through an index for each, however many alerts there are. */
export async function listCamerasOfGroup(db: ControlDb, groupId: string): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`with recursive c(id) as (
      select min(camera_id) from alerts where group_id = ${groupId}
      union all
      select (select min(camera_id) from alerts where group_id = ${groupId} and camera_id > c.id) from c
      where c.id is not null)
    select id from c where id is not null`);
  return rows.map(({ id }) => id);
}

/** Names of cameras as their newest alerts have them. */
export async function listCameraNames(db: ControlDb, cameraIds: string[]): Promise<Map<string, string>> {
  const rows = await db.all<{ id: string; name: string | null }>(sql`select value as id,
    (select camera_name from alerts a where a.camera_id = value order by a.created_at desc limit 1) as name
    from json_each(${JSON.stringify(cameraIds)})`);
  return new Map(rows.map(({ id, name }) => [id, name ?? id]));
}

export async function openAlertImage(bucket: R2Bucket, key: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const object = await bucket.get(key);
  return object && new Uint8Array(await object.arrayBuffer());
}
