// Stores camera events, any number of them with a few statements. The first event of a pass inserts its read, if there
// is none; every other event amends the read, unless another event amended it meanwhile. So concurrent, duplicate or
// unordered events become one read. Around midnight two days could own a pass: the day that ends decides. A vehicle
// that stands in front of a camera across midnight for longer than the pass window becomes two reads.

import {
  amendPass,
  continuesPass,
  PASS_MOST,
  PASS_WINDOW,
  type PassFacts,
} from "#app/entities/ingest/pass.ts";
import { at as elementAt } from "#app/lib/at.ts";
import { DAY, utcDay } from "#app/lib/time/dates.ts";
import type { ReadKeys } from "./keys.ts";
import {
  COLUMNS,
  ciphersOf,
  type NewRead,
  openRead,
  passTags,
  putKeysAndRuns,
  ROWS,
  rowsOf,
  type SealedRead,
  sealReads,
  sealUnder,
  stepsOf,
} from "./rows.ts";

/** What an event did. `unused` lists image keys, of this event or of images it replaced, that no read uses any more. */
export type TakenEvent = {
  id: string;
  created: boolean;
  unused: string[];
  /** The facts of the pass now, its number of amendments, and the capture time of its first event. */
  facts: PassFacts;
  revision: number;
  capturedAt: number;
};

type DatabaseOf = (day: number) => { database: D1Database; index: number };
export type Archive = { databaseOf: DatabaseOf; keys: ReadKeys };

/** Two concurrent events of a pass need a second attempt now and then; many attempts mean that something is wrong. */
const ATTEMPTS = 8;

const ALL = COLUMNS.join(", ");
const PASS_COLUMNS = COLUMNS.slice(0, 3)
  .map((column, i) => `value ->> ${i} AS ${column}`)
  .join(", ");
const PASS = `j AS MATERIALIZED (SELECT key AS place, ${PASS_COLUMNS} FROM json_each(?))`;
const inPass = (t: string, back = PASS_WINDOW) => `${t}.key_id = j.key_id AND ${t}.pass_tag = j.pass_tag
  AND ${t}.captured_at BETWEEN j.captured_at - ${back} AND j.captured_at + ${PASS_WINDOW}`;

const INSERT = `WITH ${ROWS}
  INSERT OR IGNORE INTO sealed_reads (${ALL})
  SELECT ${ALL} FROM j WHERE true`;
/** How passes are found, by the index over passes: `open` inserts only new passes, `find` returns the existing ones. */
const lookBack = (back: number) => ({
  open: `WITH ${ROWS}
    INSERT OR IGNORE INTO sealed_reads (${ALL})
    SELECT ${ALL} FROM j
    WHERE NOT EXISTS (SELECT 1 FROM sealed_reads AS r INDEXED BY sealed_reads_pass WHERE ${inPass("r", back)})
    RETURNING id, key_id, pass_tag`,
  find: `WITH ${PASS}
    SELECT j.place, r.id, r.revision, r.captured_at, r.sealed
    FROM j
    CROSS JOIN sealed_reads AS r INDEXED BY sealed_reads_pass ON ${inPass("r", back)}`,
});
type PassQueries = ReturnType<typeof lookBack>;
const NEAR = lookBack(PASS_WINDOW);
/** An event that is not a vehicle's first may belong to a pass that began hours ago. */
const FAR = lookBack(PASS_MOST);
const AMENDED = COLUMNS.slice(3);
const AMEND = `UPDATE sealed_reads
  SET ${AMENDED.map((column, i) => `${column} = j.value ->> ${i + 2}`).join(", ")}, revision = revision + 1
  FROM json_each(?) AS j
  WHERE sealed_reads.id = j.value ->> 0 AND sealed_reads.revision = j.value ->> 1
  RETURNING id`;
const CLAIM = `WITH ${PASS}
  INSERT INTO sealed_midnights (key_id, pass_tag, captured_at)
  SELECT key_id, pass_tag, captured_at FROM j
  WHERE NOT EXISTS (SELECT 1 FROM sealed_midnights AS m WHERE ${inPass("m")})`;
const CLAIMED = `WITH ${PASS}
  SELECT j.place, m.captured_at
  FROM j
  CROSS JOIN sealed_midnights AS m ON ${inPass("m")}`;

/** Inserts reads that are new to the archive. A read of the same camera, car and instant is skipped. */
export async function insertReads({ databaseOf, keys }: Archive, reads: NewRead[]): Promise<void> {
  const sealed = await sealReads(keys, reads);
  const byDatabase = Map.groupBy(sealed, ({ read }) => databaseOf(utcDay(read.capturedAt)).database);
  await Promise.all(
    [...byDatabase].map(async ([database, own]) => {
      for (const step of stepsOf(own)) await database.batch(puts(database, INSERT, step));
    }),
  );
}

/**
 * Stores events, whose `capturedAt` is their own capture time. Returns what each one did, in their order. Throws if a
 * database or the bucket of keys fails; some events may be stored then, and retrying creates no duplicate.
 */
export async function takeEvents(archive: Archive, reads: NewRead[]): Promise<TakenEvent[]> {
  const taken: TakenEvent[] = [];
  for (const round of roundsOf(reads)) {
    let left = await anchored(
      archive,
      round.map((at) => ({ at, read: elementAt(reads, at) })),
    );
    const begin = new Set<number>();
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === ATTEMPTS)
        throw new Error("a pass was amended concurrently each time, or purged meanwhile");
      const settled = await takeRound(archive, left, begin);
      for (const [at, event] of settled) taken[at] = event;
      left = left.filter(({ at }) => !settled.has(at));
    }
  }
  return taken;
}

/** An event with its place in the list. */
type Placed = { at: number; read: NewRead };

/**
 * Groups the places of events into rounds with at most one event per car: later events of a pass amend earlier ones.
 */
function roundsOf(reads: NewRead[]): number[][] {
  const rounds: number[][] = [];
  const cameras = new Map<string, Map<string | number, number>>();
  for (const [at, { cameraId, carId }] of reads.entries()) {
    const counts = cameras.get(cameraId) ?? new Map<string | number, number>();
    cameras.set(cameraId, counts);
    // Most ids are counts, and Map finds numbers faster than newly built texts.
    const count = Number(carId);
    const car = String(count) === carId ? count : carId;
    const before = counts.get(car) ?? 0;
    counts.set(car, before + 1);
    rounds[before] ??= [];
    rounds[before].push(at);
  }
  return rounds;
}

/** Returns the events with the times that decide which day owns their passes; they differ only around midnight. */
async function anchored({ databaseOf, keys }: Archive, placed: Placed[]): Promise<Placed[]> {
  const near = placed.filter(({ read }) => isNearMidnight(read.capturedAt));
  if (near.length === 0) return placed;
  const endingDay = (read: Pick<NewRead, "capturedAt">) => utcDay(read.capturedAt - PASS_WINDOW);
  const ciphers = await ciphersOf(
    keys,
    near.map(({ read }) => read),
    endingDay,
  );
  const anchors = new Map<number, number>();
  for (const own of Map.groupBy(near, ({ read }) => databaseOf(endingDay(read)).index).values()) {
    const { database } = databaseOf(endingDay(elementAt(own, 0).read));
    const byCipher = Map.groupBy(own, ({ read }) => ciphers(read.agencyId, endingDay(read)));
    const placedRows = new Map<number, [number, number, number]>();
    for (const [cipher, events] of byCipher) {
      const tags = await passTags(
        cipher,
        events.map(({ read }) => read),
      );
      for (const [i, { at, read }] of events.entries())
        placedRows.set(at, [cipher.id, elementAt(tags, i), read.capturedAt]);
    }
    const json = JSON.stringify(own.map(({ at }) => placedRows.get(at)));
    const [, claimed] = await database.batch<{ place: number; captured_at: number }>([
      database.prepare(CLAIM).bind(json),
      database.prepare(CLAIMED).bind(json),
    ]);
    for (const [{ at }, row] of nearest(own, claimed?.results ?? [])) anchors.set(at, row.captured_at);
  }
  return placed.map(({ at, read }) => ({
    at,
    read: { ...read, capturedAt: anchors.get(at) ?? read.capturedAt },
  }));
}

/**
 * Inserts the reads of new passes and amends the others. Events that are missing from the result must be tried again:
 * another event was faster, or the event was added to `begin`, the events that start a pass of their own.
 */
async function takeRound(
  archive: Archive,
  placed: Placed[],
  begin: Set<number>,
): Promise<Map<number, TakenEvent>> {
  const sealed = await sealReads(
    archive.keys,
    placed.map(({ read }) => read),
  );
  const taken = new Map<number, TakenEvent>();
  const events = placed.map(({ at, read }, i) => ({ at, read, sealed: elementAt(sealed, i) }));
  const byDatabase = Map.groupBy(events, ({ read }) => archive.databaseOf(utcDay(read.capturedAt)).index);
  await Promise.all(
    [...byDatabase].map(async ([index, own]) => {
      const { database } = archive.databaseOf(utcDay(elementAt(own, 0).read.capturedAt));
      const isNear = ({ at, read }: Placed) => read.carState === "new" || begin.has(at);
      const groups = Map.groupBy(own, (event) => (isNear(event) ? NEAR : FAR));
      for (const [queries, group] of groups)
        await takeGroup({ database, index, queries, taken, begin }, group);
    }),
  );
  return taken;
}

type Taking = {
  database: D1Database;
  index: number;
  queries: PassQueries;
  taken: Map<number, TakenEvent>;
  begin: Set<number>;
};

async function takeGroup(taking: Taking, events: SealedEvent[]): Promise<void> {
  const { database, index, queries, taken } = taking;
  const opened = await openPasses(
    database,
    queries.open,
    events.map((event) => event.sealed),
  );
  const existing: SealedEvent[] = [];
  for (const event of events) {
    const id = opened.get(event.sealed);
    if (id === undefined) existing.push(event);
    else
      taken.set(event.at, {
        id: `${index}.${id}`,
        created: true,
        unused: [],
        facts: event.read,
        revision: 0,
        capturedAt: event.read.capturedAt,
      });
  }
  for (const part of parts(existing)) await amendPasses(taking, part);
}

/** Inserts the reads of new passes. Returns the ids of the new reads. */
async function openPasses(
  database: D1Database,
  open: string,
  reads: SealedRead[],
): Promise<Map<SealedRead, number>> {
  const opened = new Map<SealedRead, number>();
  for (const step of stepsOf(reads)) {
    const byKey = Map.groupBy(step.flat(), ({ cipher }) => cipher.id);
    const byPass = new Map(
      [...byKey].map(([key, own]) => [key, new Map(own.map((one) => [one.row[1], one]))]),
    );
    const answers = await database.batch<Partial<OpenedRow>>(puts(database, open, step));
    for (const { id, key_id, pass_tag } of answers.flatMap(({ results }) => results)) {
      if (id === undefined || key_id === undefined || pass_tag === undefined) continue;
      const read = byPass.get(key_id)?.get(pass_tag);
      if (read) opened.set(read, id);
    }
  }
  return opened;
}

type OpenedRow = { id: number; key_id: number; pass_tag: number };

/** Returns the statements of a step: each chunk's keys and runs before its rows. */
function puts(database: D1Database, sql: string, step: SealedRead[][]): D1PreparedStatement[] {
  return step.flatMap((chunk) => [
    ...putKeysAndRuns(database, chunk),
    database.prepare(sql).bind(rowsOf(chunk)),
  ]);
}

type SealedEvent = Placed & { sealed: SealedRead };
type PassRow = { place: number; id: number; revision: number; captured_at: number; sealed: string };

/** Amends existing passes with events, each of another car. */
async function amendPasses(taking: Taking, events: SealedEvent[]): Promise<void> {
  const { database, index, queries, taken, begin } = taking;
  const json = JSON.stringify(events.map(({ sealed }) => sealed.row.slice(0, 3)));
  const { results } = await database.prepare(queries.find).bind(json).all<PassRow>();
  const take = (at: number, row: PassRow, event: Omit<TakenEvent, "id" | "created" | "capturedAt">) =>
    taken.set(at, { ...event, id: `${index}.${row.id}`, created: false, capturedAt: row.captured_at });
  const changes: { at: number; row: PassRow; sealed: SealedRead; read: NewRead; unused: string[] }[] = [];
  const found = [...nearest(events, results)];
  const opened = await Promise.all(found.map(([{ sealed }, row]) => openRead(sealed.cipher, row)));
  for (const [i, [{ at, read, sealed }, row]] of found.entries()) {
    const known = elementAt(opened, i);
    if (read.capturedAt - row.captured_at > PASS_WINDOW && !continuesPass(known, read)) {
      begin.add(at);
      continue;
    }
    const facts = amendPass(known, read);
    if (!facts) {
      take(at, row, { facts: known, unused: unusedOf(known, read, known), revision: row.revision });
      continue;
    }
    changes.push({ at, row, sealed, read: { ...known, ...facts }, unused: unusedOf(known, read, facts) });
  }
  if (changes.length === 0) return;
  for (const [cipher, own] of Map.groupBy(changes, ({ sealed }) => sealed.cipher)) {
    const resealed = await sealUnder(
      cipher,
      own.map(({ read }) => read),
    );
    for (const [i, change] of own.entries()) change.sealed = elementAt(resealed, i);
  }
  const rows = changes.map(({ row, sealed }) => [row.id, row.revision, ...sealed.row.slice(3)]);
  const answers = await database.batch<{ id: number }>([
    ...putKeysAndRuns(
      database,
      changes.map(({ sealed }) => sealed),
    ),
    database.prepare(AMEND).bind(JSON.stringify(rows)),
  ]);
  const amended = new Set(answers.at(-1)?.results.map(({ id }) => id));
  for (const { at, row, sealed, unused } of changes)
    if (amended.has(row.id)) take(at, row, { facts: sealed.read, unused, revision: row.revision + 1 });
}

/** Returns the image keys that a pass or its event had and that are not kept. */
function unusedOf(known: PassFacts, event: PassFacts, kept: PassFacts): string[] {
  const offered = [known, event].flatMap((facts) => [facts.vehicleImageKey, facts.plateImageKey]);
  const used = [kept.vehicleImageKey, kept.plateImageKey];
  return offered.filter((key): key is string => key !== null && !used.includes(key));
}

/** Returns, for each event that has rows, the row nearest in time. */
function nearest<Event extends Placed, Row extends { place: number; captured_at: number }>(
  events: Event[],
  rows: Row[],
): Map<Event, Row> {
  const found = new Map<Event, Row>();
  for (const row of rows) {
    const event = elementAt(events, row.place);
    const gap = ({ captured_at }: Row) => Math.abs(captured_at - event.read.capturedAt);
    const known = found.get(event);
    if (!known || gap(row) < gap(known)) found.set(event, row);
  }
  return found;
}

/** Events per statement: the rows found are opened in memory. */
const PART = 1000;

function parts<Event>(events: Event[]): Event[][] {
  return Array.from({ length: Math.ceil(events.length / PART) }, (_, i) =>
    events.slice(i * PART, (i + 1) * PART),
  );
}

/** Returns whether a pass must be claimed before it is known which day owns it. */
function isNearMidnight(at: number): boolean {
  const since = at - utcDay(at) * DAY;
  return since < PASS_WINDOW || since >= DAY - PASS_WINDOW;
}
