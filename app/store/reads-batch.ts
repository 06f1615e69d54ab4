// Writes many reads with few statements, each over one bound JSON text: what is new to the archive in bulk, and events
// of cameras that were gathered before they were sent. One row at a time costs some fifty times as much.

import { PLATE_MAX_LENGTH } from "#app/entities/plate.ts";
import { PASS_WINDOW } from "#app/entities/read-pass.ts";
import { utcDay } from "#app/lib/dates.ts";
import { type DatabaseOf, type NewRead, type TakenEvent, takeEvent } from "./reads-events.ts";
import { amendPasses, anchored } from "./reads-passes.ts";
import { millionths } from "./reads-units.ts";

const INSERT_ROWS = 4000;
/** A bound text may have two million bytes. */
const INSERT_BYTES = 1_400_000;

/** Reads as JSON texts of which each is one bound value. */
export function* chunksOf(reads: NewRead[]): Generator<string> {
  const encoder = new TextEncoder();
  let rows: string[] = [];
  let bytes = 0;
  for (const read of reads) {
    if (read.plate.length > PLATE_MAX_LENGTH) throw new RangeError("a plate has at most 15 characters");
    const row = JSON.stringify(INSERTED.map(([, from]) => from(read)));
    const size = encoder.encode(row).length + 1;
    if (rows.length === INSERT_ROWS || (rows.length > 0 && bytes + size > INSERT_BYTES)) {
      yield `[${rows.join(",")}]`;
      [rows, bytes] = [[], 0];
    }
    rows.push(row);
    bytes += size;
  }
  if (rows.length > 0) yield `[${rows.join(",")}]`;
}

/** Columns of a row that is inserted in bulk, the plate's text standing for its id, and where their values are from. */
const INSERTED: [column: string, from: (read: NewRead) => string | number | null][] = [
  ["plate_id", (read) => read.plate],
  ["captured_at", (read) => read.capturedAt],
  ["day", (read) => utcDay(read.capturedAt)],
  ["agency_id", (read) => read.agencyId],
  ["camera_id", (read) => read.cameraId],
  ["camera_name", (read) => read.cameraName],
  ["car_id", (read) => read.carId],
  ["plate_state", (read) => read.plateState],
  ["make", (read) => read.make],
  ["color", (read) => read.color],
  ["body_type", (read) => read.bodyType],
  ["confidence", (read) => read.confidence],
  ["direction", (read) => read.direction],
  ["latitude_e6", (read) => millionths(read.latitude)],
  ["longitude_e6", (read) => millionths(read.longitude)],
  ["car_state", (read) => read.carState],
  ["event_at", (read) => read.eventAt],
  ["vehicle_image_key", (read) => read.vehicleImageKey],
  ["plate_image_key", (read) => read.plateImageKey],
];

const INSERT_PLATES = "INSERT OR IGNORE INTO plates (plate) SELECT DISTINCT value ->> 0 FROM json_each(?)";
const INSERT_READS = `INSERT OR IGNORE INTO reads (${INSERTED.map(([column]) => column).join(", ")})
  SELECT (SELECT id FROM plates WHERE plate = value ->> 0), ${INSERTED.slice(1)
    .map((_, i) => `value ->> ${i + 1}`)
    .join(", ")} FROM json_each(?)`;

export async function insertChunk(database: D1Database, json: string): Promise<void> {
  await database.batch([
    database.prepare(INSERT_PLATES).bind(json),
    database.prepare(INSERT_READS).bind(json),
  ]);
}

const COLUMN = new Map(INSERTED.map(([column], i) => [column, `j.value ->> ${i}`]));
/** Only what opens a pass; an event of a pass that there is amends it. */
const OPEN_PASSES = `INSERT OR IGNORE INTO reads (${INSERTED.map(([column]) => column).join(", ")})
  SELECT (SELECT id FROM plates WHERE plate = j.value ->> 0), ${INSERTED.slice(1)
    .map((_, i) => `j.value ->> ${i + 1}`)
    .join(", ")} FROM json_each(?) AS j
  WHERE NOT EXISTS (SELECT 1 FROM reads AS r WHERE r.camera_id = ${COLUMN.get("camera_id")} AND r.car_id = ${COLUMN.get("car_id")}
    AND r.captured_at BETWEEN ${COLUMN.get("captured_at")} - ${PASS_WINDOW} AND ${COLUMN.get("captured_at")} + ${PASS_WINDOW})
  RETURNING id, camera_id, car_id`;

/**
 * Takes events in, as `takeEvent` does one after the other; gives what became of each, in their order. However many,
 * they cost a few statements: a list that is sent again after half of it was taken would never be through otherwise.
 */
export async function takeEvents(databaseOf: DatabaseOf, reads: NewRead[]): Promise<TakenEvent[]> {
  const [only] = reads;
  if (only && reads.length === 1) return [await takeEvent(databaseOf, only)];
  const taken: TakenEvent[] = [];
  for (const round of roundsOf(reads)) {
    const results = await takeRound(
      databaseOf,
      round.map((at) => reads[at] as NewRead),
    );
    for (const [i, at] of round.entries()) taken[at] = results[i] as TakenEvent;
  }
  return taken;
}

const nameOf = (read: NewRead) => `${read.cameraId}|${read.carId}`;

/** Places of events, each round with one of a car: what follows within a pass amends what came before. */
function roundsOf(reads: NewRead[]): number[][] {
  const rounds: number[][] = [];
  const counts = new Map<string, number>();
  for (const [at, read] of reads.entries()) {
    const before = counts.get(nameOf(read)) ?? 0;
    counts.set(nameOf(read), before + 1);
    rounds[before] ??= [];
    rounds[before].push(at);
  }
  return rounds;
}

async function takeRound(databaseOf: DatabaseOf, reads: NewRead[]): Promise<TakenEvent[]> {
  const placed = await anchored(databaseOf, reads);
  const taken = new Map<string, TakenEvent>();
  const byDatabase = Map.groupBy(placed, (read) => databaseOf(utcDay(read.capturedAt)).index);
  await Promise.all(
    [...byDatabase].map(async ([index, own]) => {
      const { database } = databaseOf(utcDay((own[0] as NewRead).capturedAt));
      const opened = await openPasses(database, own);
      for (const read of own) {
        const id = opened.get(nameOf(read));
        if (id === undefined) continue;
        const fresh = { created: true, unused: [], facts: read, revision: 0 };
        taken.set(nameOf(read), { ...fresh, id: `${index}.${id}`, capturedAt: read.capturedAt });
      }
      const standing = own.filter((read) => !opened.has(nameOf(read)));
      const amended = await amendPasses(database, { index, reads: standing });
      for (const [read, event] of amended) taken.set(nameOf(read), event);
    }),
  );
  const results: TakenEvent[] = [];
  for (const read of reads) results.push(taken.get(nameOf(read)) ?? (await takeEvent(databaseOf, read)));
  return results;
}

/** Opens passes where none stand; gives the new reads' ids by their cars. */
async function openPasses(database: D1Database, reads: NewRead[]): Promise<Map<string, number>> {
  const opened = new Map<string, number>();
  for (const json of chunksOf(reads)) {
    const [, inserted] = await database.batch<{ id: number; camera_id: string; car_id: string }>([
      database.prepare(INSERT_PLATES).bind(json),
      database.prepare(OPEN_PASSES).bind(json),
    ]);
    for (const row of inserted?.results ?? []) opened.set(`${row.camera_id}|${row.car_id}`, row.id);
  }
  return opened;
}
