// Writes alerts. Idempotent: one alert per pass and entry, even if events arrive twice, late or out of order. The
// first event creates the alert, a better one amends what it shows; neither changes a disposition.

import { sql } from "drizzle-orm";
import type { MatchKind } from "#app/entities/alerts/hit.ts";
import type { ReadFacts, VendorImages, WatchingEntry } from "#app/entities/alerts/match.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { chunksOf } from "#app/lib/at.ts";
import { millionths } from "#app/lib/degrees.ts";
import { type ControlDb, inOneStep, rowsOf } from "#app/store/database.ts";
import { IN_FORCE_TEXT } from "#app/store/hotlists/plates.ts";
import { mayBeAlerted } from "#app/store/search/permission.ts";

export type AlertToWrite = {
  id: string;
  entry: WatchingEntry;
  passKey: string;
  program: SourceProgram;
  matchKind: MatchKind;
  facts: ReadFacts;
  rank: number;
  cameraAgencyId: string;
  /** The Axon integration of the read; empty for other programs. */
  integrationId: string;
  /** The camera's agency by name if someone corrected it; null for the name of the agency id. */
  cameraAgency: string | null;
  differences: string[];
  vendorImages: VendorImages | null;
};

type Column = [column: string, from: (alert: AlertToWrite) => string | number | null];

/** Columns that later events never change: facts of the entry or of the pass. */
const FIXED: Column[] = [
  ["id", ({ id }) => id],
  ["group_id", ({ entry }) => entry.groupId],
  ["agency_id", ({ entry }) => entry.agencyId],
  ["entry_id", ({ entry }) => entry.id],
  ["pass_key", ({ passKey }) => passKey],
  ["program", ({ program }) => program],
  ["camera_id", ({ facts }) => facts.cameraId],
  ["camera_name", ({ facts }) => facts.cameraName],
  ["camera_agency_id", ({ cameraAgencyId }) => cameraAgencyId],
  ["captured_at", ({ facts }) => facts.capturedAt],
  ["listed_plate", ({ entry }) => entry.plate],
  ["listed_state", ({ entry }) => entry.state],
  ["reason", ({ entry }) => entry.reason],
  ["notes", ({ entry }) => entry.notes],
  ["case_number", ({ entry }) => entry.caseNumber],
  ["priority", ({ entry }) => entry.priority],
  ["listed_at", ({ entry }) => entry.createdAt],
  ["listed_by", ({ entry }) => entry.addedByName],
  ["listed_by_agency", ({ entry }) => entry.addedByAgency],
];

/** Columns that a better event of the pass replaces. */
const AMENDED: Column[] = [
  ["match_kind", ({ matchKind }) => matchKind],
  ["plate", ({ facts }) => facts.plate],
  ["plate_state", ({ facts }) => facts.plateState],
  ["make", ({ facts }) => facts.make],
  ["color", ({ facts }) => facts.color],
  ["body_type", ({ facts }) => facts.bodyType],
  ["confidence", ({ facts }) => (facts.confidence === null ? null : Math.round(facts.confidence))],
  ["latitude_e6", ({ facts }) => millionths(facts.latitude)],
  ["longitude_e6", ({ facts }) => millionths(facts.longitude)],
  ["rank", ({ rank }) => rank],
  ["differences", ({ differences }) => JSON.stringify(differences)],
];

/** Pictures of an earlier event are kept unless the better event has its own. */
const PICTURES: Column[] = [
  ["vehicle_image_key", ({ facts }) => facts.vehicleImageKey],
  ["plate_image_key", ({ facts }) => facts.plateImageKey],
];
const VENDOR_IMAGES: Column = [
  "vendor_images",
  ({ vendorImages }) => vendorImages && JSON.stringify(vendorImages),
];

/** Pictures that an earlier event left with the vendor are no longer fetched if a better event brought its own. */
const leftWith = (
  kind: "vehicle" | "plate",
  other: "vehicle" | "plate",
) => `WHEN excluded.${kind}_image_key IS NOT NULL THEN
      CASE WHEN alerts.vendor_images ->> '${other}' IS NOT NULL THEN json_set(alerts.vendor_images, '$.${kind}', NULL) END`;
const LEFT = `CASE
    WHEN excluded.vendor_images IS NOT NULL THEN excluded.vendor_images
    WHEN excluded.vehicle_image_key IS NOT NULL AND excluded.plate_image_key IS NOT NULL THEN NULL
    ${leftWith("vehicle", "plate")}
    ${leftWith("plate", "vehicle")}
    ELSE alerts.vendor_images
  END`;

const COLUMNS = [...FIXED, ...AMENDED, ...PICTURES, VENDOR_IMAGES];
const NAMES = [...COLUMNS.map(([name]) => name), "camera_agency"].join(", ");
/** The last elements of a bound row are the corrected agency name and the Axon integration. */
const CORRECTED_AGENCY = COLUMNS.length;
const INTEGRATION = COLUMNS.length + 1;
const bound = (column: string) => `j.value ->> ${COLUMNS.findIndex(([name]) => name === column)}`;
const SET = [
  ...AMENDED.map(([name]) => `${name} = excluded.${name}`),
  ...PICTURES.map(([name]) => `${name} = coalesce(excluded.${name}, alerts.${name})`),
  `vendor_images = ${LEFT}`,
].join(", ");

/** Alerts per transaction: their rows are one bound text, which may have two million bytes, and notes are long. */
const STEP = 200;

/**
 * An alert's creation time is later than that of all earlier alerts of its group, because an open history asks for
 * alerts after its newest.
 */
const newestOf = (group: string) =>
  `coalesce((SELECT max(a.created_at) FROM alerts a WHERE a.group_id = ${group}), 0)`;
const NEWEST = sql.raw(newestOf("alert_groups.id"));

/**
 * The entry of the alert that the pass already has for this listing, found by alerts_pass; otherwise the row's own. They
 * differ if the entry was replaced by an equal one while two events of the pass were matched.
 */
const ENTRY = `coalesce(
    (SELECT a.entry_id
    FROM alerts a INDEXED BY alerts_pass
    WHERE ${["pass_key", "group_id", "listed_plate", "listed_state"].map((name) => `a.${name} = ${bound(name)}`).join(" AND ")}
    LIMIT 1),
    ${bound("entry_id")})`;

/**
 * Whether the group still lists the plate, perhaps with other details, or the pass has an alert of the group already:
 * storing the pictures of a hit may take seconds, in which the plate was removed or the group archived. Query plan: the
 * group by primary key, then hotlist_entries_plate; or alerts_pass.
 */
const STILL_LISTED = `(
    EXISTS (
      SELECT 1
      FROM alert_groups g
      CROSS JOIN hotlist_entries e INDEXED BY hotlist_entries_plate ON e.group_id = g.id AND e.plate = ${bound("listed_plate")}
      WHERE g.id = ${bound("group_id")} AND g.archived_at IS NULL AND ${IN_FORCE_TEXT})
    OR EXISTS (
      SELECT 1
      FROM alerts a INDEXED BY alerts_pass
      WHERE a.pass_key = ${bound("pass_key")} AND a.group_id = ${bound("group_id")}))`;

/** As for `STILL_LISTED`: the sharing may have ended meanwhile. Query plan: the sharing by its primary key. */
const stillShared = (now: number) =>
  mayBeAlerted(
    {
      program: sql.raw(`(${bound("program")})`),
      agencyId: sql.raw(`(${bound("camera_agency_id")})`),
      integrationId: sql.raw(`(j.value ->> ${INTEGRATION})`),
    },
    sql.raw(`(${bound("agency_id")})`),
    now,
  );

const VALUES = [
  ...COLUMNS.map(([name]) => (name === "entry_id" ? ENTRY : bound(name))),
  `coalesce(j.value ->> ${CORRECTED_AGENCY}, (SELECT name FROM agencies WHERE id = ${bound("camera_agency_id")}), '')`,
].join(", ");

/**
 * Conflicts are found by the unique index alerts_once (entry_id, pass_key); the newest alert of each group by
 * alerts_group.
 */
const upsertAlerts = (rows: string, at: number) => sql`
  INSERT INTO alerts (${sql.raw(NAMES)}, created_at)
  SELECT ${sql.raw(VALUES)}, max(${at}, 1 + ${sql.raw(newestOf(bound("group_id")))})
  FROM json_each(${rows}) AS j
  WHERE ${sql.raw(STILL_LISTED)} AND ${stillShared(at)}
  ON CONFLICT (entry_id, pass_key) DO UPDATE
  SET ${sql.raw(SET)}, amended_at = ${at}
  WHERE excluded.rank > alerts.rank`;

/**
 * Creates or amends alerts in several transactions, and sets the time of each group's last alert. Returns the ids
 * of those that are not fanned out yet, whether new or left by an earlier attempt.
 */
export async function writeAlerts(db: ControlDb, alerts: AlertToWrite[], at: number): Promise<string[]> {
  const unannounced: string[] = [];
  for (const step of chunksOf(alerts, STEP)) unannounced.push(...(await writeStep(db, step, at)));
  return unannounced;
}

async function writeStep(db: ControlDb, alerts: AlertToWrite[], at: number): Promise<string[]> {
  const rows = JSON.stringify(
    alerts.map((alert) => [
      ...COLUMNS.map(([, from]) => from(alert)),
      alert.cameraAgency,
      alert.integrationId,
    ]),
  );
  const ids = JSON.stringify(alerts.map(({ id }) => id));
  const groups = JSON.stringify([...new Set(alerts.map(({ entry }) => entry.groupId))]);
  const [, , unannounced] = await inOneStep(db, [
    db.run(upsertAlerts(rows, at)),
    db.run(sql`
      UPDATE alert_groups
      SET last_alert_at = ${NEWEST}
      WHERE id IN (SELECT value FROM json_each(${groups})) AND coalesce(last_alert_at, 0) < ${NEWEST}`),
    db.all(sql`
      SELECT id
      FROM alerts
      WHERE id IN (SELECT value FROM json_each(${ids})) AND fanned_out_at IS NULL`),
  ]);
  return rowsOf<{ id: string }>(unannounced).map(({ id }) => id);
}

/** An alert with pictures that have not been fetched from the vendor yet. */
export type UnfetchedAlert = {
  id: string;
  agencyId: string;
  cameraAgencyId: string;
  createdAt: number;
  vendorImages: VendorImages;
  /** The stored JSON of `vendorImages`, to detect concurrent changes. */
  asStored: string;
};

/**
 * Returns alerts with unfetched pictures: those with the given ids, or those created before a time, at most
 * `ofSource` per source, interleaved by source. The selection is random, so that failing pictures do not block
 * others.
 */
export async function listUnfetchedAlerts(
  db: ControlDb,
  wanted: { ids: string[] } | { before: number; limit: number; ofSource: number },
): Promise<UnfetchedAlert[]> {
  const columns = sql.raw(
    "id, agency_id AS agencyId, camera_agency_id AS cameraAgencyId, created_at AS createdAt, vendor_images AS asStored",
  );
  const source = sql.raw("vendor_images ->> 'program', vendor_images ->> 'source'");
  const byIds = (ids: string[]) => sql`
    SELECT ${columns}
    FROM alerts
    WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND vendor_images IS NOT NULL`;
  // Query plan: alerts_pictures, which has only alerts with pictures left to fetch, then each selected alert by primary key.
  const selection = ({ before, limit, ofSource }: { before: number; limit: number; ofSource: number }) => sql`
    SELECT ${columns}
    FROM alerts
    JOIN (
      SELECT id AS drawn, row_number() OVER (PARTITION BY ${source} ORDER BY random()) AS turn
      FROM alerts
      WHERE vendor_images IS NOT NULL AND created_at < ${before}
    ) ON drawn = id
    WHERE turn <= ${ofSource}
    ORDER BY turn
    LIMIT ${limit}`;
  const rows = await db.all<Omit<UnfetchedAlert, "vendorImages">>(
    "ids" in wanted ? byIds(wanted.ids) : selection(wanted),
  );
  return rows.map((row) => {
    const vendorImages: VendorImages = JSON.parse(row.asStored);
    return { ...row, vendorImages };
  });
}

/**
 * Saves fetched pictures and what is left to fetch. Returns the keys of pictures that are no longer needed: those
 * that were replaced, or the new ones if a better event changed the alert in the meantime.
 */
export async function saveFetchedPictures(
  db: ControlDb,
  input: {
    alert: UnfetchedAlert;
    keys: { vehicle: string | null; plate: string | null };
    left: VendorImages | null;
  },
): Promise<string[]> {
  const { alert, keys, left } = input;
  const still = sql`id = ${alert.id} AND vendor_images = ${alert.asStored}`;
  const [known, changed] = await inOneStep(db, [
    db.all(sql`
      SELECT vehicle_image_key AS vehicle, plate_image_key AS plate
      FROM alerts
      WHERE ${still}`),
    db.all(sql`
      UPDATE alerts
      SET vehicle_image_key = coalesce(${keys.vehicle}, vehicle_image_key),
        plate_image_key = coalesce(${keys.plate}, plate_image_key),
        vendor_images = ${left && JSON.stringify(left)}
      WHERE ${still}
      RETURNING id`),
  ]);
  const [before] = rowsOf<{ vehicle: string | null; plate: string | null }>(known);
  const unused =
    before && rowsOf(changed).length > 0
      ? [keys.vehicle && before.vehicle, keys.plate && before.plate]
      : [keys.vehicle, keys.plate];
  return unused.filter((key) => key !== null);
}
