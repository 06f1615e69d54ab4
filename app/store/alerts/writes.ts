// Writes alerts. One a pass and entry, whatever is delivered twice, late or out of order: the first event makes it, a
// better one amends what it shows, and who has decided on it is never touched by either.

import { sql } from "drizzle-orm";
import type { MatchKind, ReadFacts, VendorImages, WatchingEntry } from "#app/entities/alerts/match.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { millionths } from "#app/store/archive/units.ts";
import { type ControlDb, inOneStep } from "#app/store/database.ts";

export type AlertToWrite = {
  id: string;
  entry: WatchingEntry;
  passKey: string;
  program: SourceProgram;
  matchKind: MatchKind;
  facts: ReadFacts;
  rank: number;
  cameraAgencyId: string;
  /** The camera's agency by name where somebody has corrected it; null: what the id stands for. */
  cameraAgency: string | null;
  differences: string[];
  vendorImages: VendorImages | null;
};

type Column = [column: string, from: (alert: AlertToWrite) => string | number | null];

/** What stays as the first event made it, since it is the entry's or the pass's. */
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

/** What a better event of the pass says anew. */
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

/** Pictures of an earlier event are better than none. */
const PICTURES: Column[] = [
  ["vehicle_image_key", ({ facts }) => facts.vehicleImageKey],
  ["plate_image_key", ({ facts }) => facts.plateImageKey],
];
const VENDOR_IMAGES: Column = [
  "vendor_images",
  ({ vendorImages }) => vendorImages && JSON.stringify(vendorImages),
];

/** What an earlier event left with the vendor is not asked for any more where a better one brought the picture. */
const leftWith = (
  kind: "vehicle" | "plate",
  other: "vehicle" | "plate",
) => `when excluded.${kind}_image_key is not null
  then case when alerts.vendor_images ->> '${other}' is not null then json_set(alerts.vendor_images, '$.${kind}', null) end`;
const LEFT = `case when excluded.vendor_images is not null then excluded.vendor_images
  when excluded.vehicle_image_key is not null and excluded.plate_image_key is not null then null
  ${leftWith("vehicle", "plate")} ${leftWith("plate", "vehicle")} else alerts.vendor_images end`;

const COLUMNS = [...FIXED, ...AMENDED, ...PICTURES, VENDOR_IMAGES];
const NAMES = [...COLUMNS.map(([name]) => name), "camera_agency"].join(", ");
/** A row of the bound text ends with the corrected name. */
const CORRECTED_AGENCY = COLUMNS.length;
const CAMERA_AGENCY = COLUMNS.findIndex(([name]) => name === "camera_agency_id");
const VALUES = [
  ...COLUMNS.map((_, i) => `j.value ->> ${i}`),
  `coalesce(j.value ->> ${CORRECTED_AGENCY}, (select name from agencies where id = j.value ->> ${CAMERA_AGENCY}), '')`,
].join(", ");
const SET = [
  ...AMENDED.map(([name]) => `${name} = excluded.${name}`),
  ...PICTURES.map(([name]) => `${name} = coalesce(excluded.${name}, alerts.${name})`),
  `vendor_images = ${LEFT}`,
].join(", ");

/** Alerts of one step: their rows are one bound text, which may have two million bytes, and notes are long. */
const STEP = 200;

/** Of a group's alerts the newest is the one that was committed last: an open history asks for what came after it. */
const newestOf = (group: string) =>
  `coalesce((select max(a.created_at) from alerts a where a.group_id = ${group}), 0)`;
const NEWEST = sql.raw(newestOf("alert_groups.id"));
const GROUP = `j.value ->> ${COLUMNS.findIndex(([name]) => name === "group_id")}`;

/**
 * Makes or amends alerts, in steps of many, each with the time of its groups' last alert. Gives those that nobody has
 * been told of yet, new or left over from an attempt that was not heard to succeed.
 */
export async function writeAlerts(db: ControlDb, alerts: AlertToWrite[], at: number): Promise<string[]> {
  const untold: string[] = [];
  for (let from = 0; from < alerts.length; from += STEP)
    untold.push(...(await writeStep(db, alerts.slice(from, from + STEP), at)));
  return untold;
}

async function writeStep(db: ControlDb, alerts: AlertToWrite[], at: number): Promise<string[]> {
  const rows = JSON.stringify(
    alerts.map((alert) => [...COLUMNS.map(([, from]) => from(alert)), alert.cameraAgency]),
  );
  const ids = JSON.stringify(alerts.map(({ id }) => id));
  const groups = JSON.stringify([...new Set(alerts.map(({ entry }) => entry.groupId))]);
  const [, , untold] = (await inOneStep(db, [
    db.run(sql`insert into alerts (${sql.raw(NAMES)}, created_at)
      select ${sql.raw(VALUES)}, max(${at}, 1 + ${sql.raw(newestOf(GROUP))}) from json_each(${rows}) as j where true
      on conflict (entry_id, pass_key) do update set ${sql.raw(SET)}, amended_at = ${at} where excluded.rank > alerts.rank`),
    db.run(sql`update alert_groups set last_alert_at = ${NEWEST} where id in (select value from json_each(${groups}))
      and coalesce(last_alert_at, 0) < ${NEWEST}`),
    db.all(
      sql`select id from alerts where id in (select value from json_each(${ids})) and fanned_out_at is null`,
    ),
  ])) as [unknown, unknown, D1Result<{ id: string }>];
  return untold.results.map(({ id }) => id);
}

/** An alert whose pictures are still with the vendor. */
export type UnfetchedAlert = {
  id: string;
  agencyId: string;
  cameraAgencyId: string;
  createdAt: number;
  vendorImages: VendorImages;
  /** The text that says so, by which a change meanwhile is noticed. */
  asStored: string;
};

/**
 * Alerts whose pictures are still with their vendors: of these ids, or of those that were made before, at most so many
 * of a source and all sources by turns. Which of them is drawn by lot, so that no picture waits behind those that fail.
 */
export async function listUnfetchedAlerts(
  db: ControlDb,
  wanted: { ids: string[] } | { before: number; limit: number; ofSource: number },
): Promise<UnfetchedAlert[]> {
  const columns = sql.raw(
    "id, agency_id as agencyId, camera_agency_id as cameraAgencyId, created_at as createdAt, vendor_images as asStored",
  );
  const source = sql.raw("vendor_images ->> 'program', vendor_images ->> 'source'");
  const rows = await db.all<Omit<UnfetchedAlert, "vendorImages">>(
    "ids" in wanted
      ? sql`select ${columns} from alerts where id in (select value from json_each(${JSON.stringify(wanted.ids)})) and vendor_images is not null`
      : sql`select ${columns} from alerts join (
          select id as drawn, row_number() over (partition by ${source} order by random()) as turn
          from alerts where vendor_images is not null and created_at < ${wanted.before}
        ) on drawn = id where turn <= ${wanted.ofSource} order by turn limit ${wanted.limit}`,
  );
  return rows.map((row) => ({ ...row, vendorImages: JSON.parse(row.asStored) as VendorImages }));
}

/**
 * Notes pictures that were stored, and what is left to fetch. Gives the keys of pictures that nobody needs now: those
 * that were replaced, or the new ones where a better event came meanwhile.
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
  const still = sql`id = ${alert.id} and vendor_images = ${alert.asStored}`;
  const [{ results: known }, { results: changed }] = (await inOneStep(db, [
    db.all(sql`select vehicle_image_key as vehicle, plate_image_key as plate from alerts where ${still}`),
    db.all(sql`update alerts set vehicle_image_key = coalesce(${keys.vehicle}, vehicle_image_key),
      plate_image_key = coalesce(${keys.plate}, plate_image_key), vendor_images = ${left && JSON.stringify(left)}
      where ${still} returning id`),
  ])) as [D1Result<{ vehicle: string | null; plate: string | null }>, D1Result<{ id: string }>];
  const [before] = known;
  const unused =
    before && changed.length > 0
      ? [keys.vehicle && before.vehicle, keys.plate && before.plate]
      : [keys.vehicle, keys.plate];
  return unused.filter((key) => key !== null);
}
