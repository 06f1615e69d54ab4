// Takes one camera event into the archive. An event that opens a pass inserts its read only where none stands; every
// other one amends the read, on condition that nobody amended it meanwhile. So events at once, twice or out of order
// make one read. Around midnight two databases could own a pass: the one of the day that ends decides.

import { amendPass, type CarState, PASS_WINDOW, type PassFacts } from "#app/entities/read-pass.ts";
import { DAY, utcDay } from "#app/lib/dates.ts";
import { degrees, millionths } from "./reads-units.ts";

/** A read to keep. `capturedAt` and `eventAt` are the same for the first event of a pass. */
export type NewRead = PassFacts & {
  capturedAt: number;
  agencyId: string;
  cameraId: string;
  cameraName: string;
  carId: string;
};

/** What became of an event. `unused`: keys of images, its own or replaced ones, that no read refers to any more. */
export type TakenEvent = {
  id: string;
  created: boolean;
  unused: string[];
  /** What is known of the pass now, how often it was amended, and when it was first seen. */
  facts: PassFacts;
  revision: number;
  capturedAt: number;
};

export type DatabaseOf = (day: number) => { database: D1Database; index: number };

export type PassRow = {
  id: number;
  revision: number;
  captured_at: number;
  plate: string;
  plate_state: string;
  make: string;
  color: string;
  body_type: string;
  confidence: number | null;
  direction: string;
  latitude_e6: number | null;
  longitude_e6: number | null;
  car_state: CarState;
  event_at: number;
  vehicle_image_key: string | null;
  plate_image_key: string | null;
};

/** Two events of a pass that meet once in a while need a second attempt; more than a few mean that something is wrong. */
const ATTEMPTS = 8;

const IN_PASS = "camera_id = ? AND car_id = ? AND captured_at BETWEEN ? AND ?";

/** Takes an event; `read.capturedAt` is the event's capture time. Throws where the database does. */
export async function takeEvent(databaseOf: DatabaseOf, read: NewRead): Promise<TakenEvent> {
  const anchor = await anchorOf(databaseOf, read);
  const { database, index } = databaseOf(utcDay(anchor));
  const opened = await openPass(database, { ...read, capturedAt: anchor });
  const id = `${index}.${opened.row.id}`;
  let row: PassRow = opened.row;
  const taken = (facts: PassFacts, revision: number) => ({
    id,
    facts,
    revision,
    capturedAt: row.captured_at,
  });
  if (opened.created) return { ...taken(factsOf(row), row.revision), created: true, unused: [] };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const known = factsOf(row);
    const amended = amendPass(known, read);
    if (!amended)
      return { ...taken(known, row.revision), created: false, unused: unusedOf(known, read, known) };
    if (await amend(database, row, amended)) {
      const unused = unusedOf(known, read, amended);
      return { ...taken(amended, row.revision + 1), created: false, unused };
    }
    const again = await database.prepare(`${PASS_SELECT} WHERE reads.id = ?`).bind(row.id).first<PassRow>();
    if (!again) break;
    row = again;
  }
  throw new Error("a pass was amended by others each time or purged meanwhile");
}

/** The capture time that says which database owns the pass: the event's own, but for passes around a midnight. */
async function anchorOf(databaseOf: DatabaseOf, read: NewRead): Promise<number> {
  const at = read.capturedAt;
  const sinceMidnight = at - utcDay(at) * DAY;
  if (sinceMidnight >= PASS_WINDOW && sinceMidnight < DAY - PASS_WINDOW) return at;
  const endingDay = utcDay(at - PASS_WINDOW);
  const { database } = databaseOf(endingDay);
  const pass = [read.cameraId, read.carId, at - PASS_WINDOW, at + PASS_WINDOW];
  const [, claimed] = await database.batch<{ captured_at: number }>([
    database
      .prepare(
        `INSERT INTO midnight_passes (camera_id, car_id, captured_at, day)
          SELECT ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM midnight_passes WHERE ${IN_PASS})`,
      )
      .bind(read.cameraId, read.carId, at, endingDay, ...pass),
    database
      .prepare(
        `SELECT captured_at FROM midnight_passes WHERE ${IN_PASS} ORDER BY abs(captured_at - ?) LIMIT 1`,
      )
      .bind(...pass, at),
  ]);
  return claimed?.results[0]?.captured_at ?? at;
}

const PASS_SELECT = "SELECT reads.*, plates.plate FROM reads JOIN plates ON plates.id = reads.plate_id";

async function openPass(database: D1Database, read: NewRead): Promise<{ row: PassRow; created: boolean }> {
  const at = read.capturedAt;
  const pass = [read.cameraId, read.carId, at - PASS_WINDOW, at + PASS_WINDOW];
  const [, inserted, found] = await database.batch([
    database.prepare("INSERT OR IGNORE INTO plates (plate) VALUES (?)").bind(read.plate),
    database
      .prepare(
        `INSERT INTO reads (plate_id, captured_at, day, agency_id, camera_id, camera_name, car_id, plate_state, make,
          color, body_type, confidence, direction, latitude_e6, longitude_e6, car_state, event_at, vehicle_image_key,
          plate_image_key)
        SELECT (SELECT id FROM plates WHERE plate = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
        WHERE NOT EXISTS (SELECT 1 FROM reads WHERE ${IN_PASS}) RETURNING id`,
      )
      .bind(
        read.plate,
        at,
        utcDay(at),
        read.agencyId,
        read.cameraId,
        read.cameraName,
        read.carId,
        read.plateState,
        read.make,
        read.color,
        read.bodyType,
        read.confidence,
        read.direction,
        millionths(read.latitude),
        millionths(read.longitude),
        read.carState,
        read.eventAt,
        read.vehicleImageKey,
        read.plateImageKey,
        ...pass,
      ),
    database
      .prepare(`${PASS_SELECT} WHERE ${IN_PASS} ORDER BY abs(captured_at - ?) LIMIT 1`)
      .bind(...pass, at),
  ]);
  return { row: found?.results[0] as PassRow, created: inserted?.results.length === 1 };
}

/** Writes an amended pass; false where somebody else amended it since it was read. */
async function amend(database: D1Database, row: PassRow, facts: PassFacts): Promise<boolean> {
  const [, updated] = await database.batch([
    database.prepare("INSERT OR IGNORE INTO plates (plate) VALUES (?)").bind(facts.plate),
    database
      .prepare(
        `UPDATE reads SET plate_id = (SELECT id FROM plates WHERE plate = ?), plate_state = ?, make = ?, color = ?,
          body_type = ?, confidence = ?, direction = ?, latitude_e6 = ?, longitude_e6 = ?, car_state = ?, event_at = ?,
          vehicle_image_key = ?, plate_image_key = ?, revision = revision + 1
        WHERE id = ? AND revision = ? RETURNING id`,
      )
      .bind(
        facts.plate,
        facts.plateState,
        facts.make,
        facts.color,
        facts.bodyType,
        facts.confidence,
        facts.direction,
        millionths(facts.latitude),
        millionths(facts.longitude),
        facts.carState,
        facts.eventAt,
        facts.vehicleImageKey,
        facts.plateImageKey,
        row.id,
        row.revision,
      ),
  ]);
  return updated?.results.length === 1;
}

export function factsOf(row: PassRow): PassFacts {
  return {
    plate: row.plate,
    plateState: row.plate_state,
    make: row.make,
    color: row.color,
    bodyType: row.body_type,
    confidence: row.confidence,
    direction: row.direction,
    latitude: degrees(row.latitude_e6),
    longitude: degrees(row.longitude_e6),
    carState: row.car_state,
    eventAt: row.event_at,
    vehicleImageKey: row.vehicle_image_key,
    plateImageKey: row.plate_image_key,
  };
}

/** Keys of images that a pass or its event offered and that are not kept. */
export function unusedOf(known: PassFacts, event: PassFacts, kept: PassFacts): string[] {
  const offered = [known, event].flatMap((facts) => [facts.vehicleImageKey, facts.plateImageKey]);
  const used = [kept.vehicleImageKey, kept.plateImageKey];
  return offered.filter((key): key is string => key !== null && !used.includes(key));
}
