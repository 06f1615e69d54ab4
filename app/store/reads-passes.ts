// Events of passes that stand already, many at once: which day owns those around a midnight, what is known of each, and
// what its event changes. A change counts only where nobody was faster; who lost is left to the caller, one by one.

import { amendPass, PASS_WINDOW, type PassFacts } from "#app/entities/read-pass.ts";
import { DAY, utcDay } from "#app/lib/dates.ts";
import {
  type DatabaseOf,
  factsOf,
  type NewRead,
  type PassRow,
  type TakenEvent,
  unusedOf,
} from "./reads-events.ts";
import { millionths } from "./reads-units.ts";

/** Rows of one statement: with the longest names they are well below what a bound text may have. */
const ROWS = 2000;

/** The pass of `camera` and `car` around an instant, as columns of `t` beside a row of the bound text. */
const inPass = (t: string) => `${t}.camera_id = j.value ->> 0 AND ${t}.car_id = j.value ->> 1
  AND ${t}.captured_at BETWEEN (j.value ->> 2) - ${PASS_WINDOW} AND (j.value ->> 2) + ${PASS_WINDOW}`;

const CLAIM = `INSERT INTO midnight_passes (camera_id, car_id, captured_at, day)
  SELECT j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3 FROM json_each(?) AS j
  WHERE NOT EXISTS (SELECT 1 FROM midnight_passes AS m WHERE ${inPass("m")})`;
const CLAIMED = `SELECT j.key AS key, m.captured_at AS captured_at FROM json_each(?) AS j
  CROSS JOIN midnight_passes AS m ON ${inPass("m")}`;
const FIND = `SELECT j.key AS key, r.*, p.plate FROM json_each(?) AS j
  CROSS JOIN reads AS r INDEXED BY reads_pass ON ${inPass("r")} JOIN plates AS p ON p.id = r.plate_id`;

type Amendment = { row: PassRow; facts: PassFacts };

/** Columns that an amendment writes, the plate's text standing for its id, and where their values are from. */
const AMENDED: [column: string, from: (facts: PassFacts) => string | number | null][] = [
  ["plate_id", ({ plate }) => plate],
  ["plate_state", ({ plateState }) => plateState],
  ["make", ({ make }) => make],
  ["color", ({ color }) => color],
  ["body_type", ({ bodyType }) => bodyType],
  ["confidence", ({ confidence }) => confidence],
  ["direction", ({ direction }) => direction],
  ["latitude_e6", ({ latitude }) => millionths(latitude)],
  ["longitude_e6", ({ longitude }) => millionths(longitude)],
  ["car_state", ({ carState }) => carState],
  ["event_at", ({ eventAt }) => eventAt],
  ["vehicle_image_key", ({ vehicleImageKey }) => vehicleImageKey],
  ["plate_image_key", ({ plateImageKey }) => plateImageKey],
];
const AMEND_PLATES = "INSERT OR IGNORE INTO plates (plate) SELECT DISTINCT value ->> 2 FROM json_each(?)";
const AMEND = `UPDATE reads SET plate_id = (SELECT id FROM plates WHERE plate = j.value ->> 2), ${AMENDED.slice(
  1,
)
  .map(([column], i) => `${column} = j.value ->> ${i + 3}`)
  .join(", ")}, revision = revision + 1 FROM json_each(?) AS j
  WHERE reads.id = j.value ->> 0 AND reads.revision = j.value ->> 1 RETURNING id`;

const passOf = ({ cameraId, carId, capturedAt }: NewRead) => [cameraId, carId, capturedAt];

/** The same events at the instants that say which database owns their passes; differs around midnights only. */
export async function anchored(databaseOf: DatabaseOf, reads: NewRead[]): Promise<NewRead[]> {
  const near = reads.filter(({ capturedAt }) => isNearMidnight(capturedAt));
  if (near.length === 0) return reads;
  const anchors = new Map<NewRead, number>();
  const endingDay = (read: NewRead) => utcDay(read.capturedAt - PASS_WINDOW);
  for (const own of Map.groupBy(near, (read) => databaseOf(endingDay(read)).index).values()) {
    const { database } = databaseOf(endingDay(own[0] as NewRead));
    for (const chunk of chunked(own)) {
      const json = JSON.stringify(chunk.map((read) => [...passOf(read), endingDay(read)]));
      const [, claimed] = await database.batch<{ key: number; captured_at: number }>([
        database.prepare(CLAIM).bind(json),
        database.prepare(CLAIMED).bind(json),
      ]);
      for (const [read, { captured_at }] of nearest(chunk, claimed?.results ?? []))
        anchors.set(read, captured_at);
    }
  }
  return reads.map((read) => ({ ...read, capturedAt: anchors.get(read) ?? read.capturedAt }));
}

/** Takes events of passes that one database has, each of another car. What it does not give, it could not settle. */
export async function amendPasses(
  database: D1Database,
  { index, reads }: { index: number; reads: NewRead[] },
): Promise<Map<NewRead, TakenEvent>> {
  const taken = new Map<NewRead, TakenEvent>();
  for (const chunk of chunked(reads)) {
    const { results } = await database
      .prepare(FIND)
      .bind(JSON.stringify(chunk.map(passOf)))
      .all<PassRow & { key: number }>();
    const changes = new Map<NewRead, Amendment>();
    for (const [read, row] of nearest(chunk, results)) {
      const known = factsOf(row);
      const facts = amendPass(known, read);
      if (facts) changes.set(read, { row, facts });
      else taken.set(read, takenOf(index, { row, read, facts: known, revision: row.revision }));
    }
    const amended = await amend(database, [...changes.values()]);
    for (const [read, { row, facts }] of changes)
      if (amended.has(row.id))
        taken.set(read, takenOf(index, { row, read, facts, revision: row.revision + 1 }));
  }
  return taken;
}

function takenOf(
  index: number,
  event: { row: PassRow; read: NewRead; facts: PassFacts; revision: number },
): TakenEvent {
  const { row, read, facts, revision } = event;
  const unused = unusedOf(factsOf(row), read, facts);
  return {
    id: `${index}.${row.id}`,
    created: false,
    unused,
    facts,
    revision,
    capturedAt: row.captured_at,
  };
}

async function amend(database: D1Database, changes: Amendment[]): Promise<Set<number>> {
  if (changes.length === 0) return new Set();
  const rows = changes.map(({ row, facts }) => [
    row.id,
    row.revision,
    ...AMENDED.map(([, from]) => from(facts)),
  ]);
  const json = JSON.stringify(rows);
  const [, updated] = await database.batch<{ id: number }>([
    database.prepare(AMEND_PLATES).bind(json),
    database.prepare(AMEND).bind(json),
  ]);
  return new Set(updated?.results.map(({ id }) => id));
}

/** Of the rows found for each event the one that is nearest in time. */
function nearest<Row extends { key: number; captured_at: number }>(
  reads: NewRead[],
  rows: Row[],
): Map<NewRead, Row> {
  const found = new Map<NewRead, Row>();
  for (const row of rows) {
    const read = reads[row.key] as NewRead;
    const gap = ({ captured_at }: Row) => Math.abs(captured_at - read.capturedAt);
    const known = found.get(read);
    if (!known || gap(row) < gap(known)) found.set(read, row);
  }
  return found;
}

function chunked(reads: NewRead[]): NewRead[][] {
  return Array.from({ length: Math.ceil(reads.length / ROWS) }, (_, i) =>
    reads.slice(i * ROWS, (i + 1) * ROWS),
  );
}

/** Which database owns such a pass is not known before it is claimed. */
function isNearMidnight(at: number): boolean {
  const since = at - utcDay(at) * DAY;
  return since < PASS_WINDOW || since >= DAY - PASS_WINDOW;
}
