// Takes camera events into the archive, however many with a few statements. An event that opens a pass inserts its read
// only where none stands; every other one amends the read, on condition that nobody amended it meanwhile. So events at
// once, twice or out of order make one read. Around midnight two days could own a pass: the one that ends decides; a vehicle
// that stands before a camera for longer than a pass's window over midnight is two reads.

import {
  amendPass,
  continuesPass,
  PASS_MOST,
  PASS_WINDOW,
  type PassFacts,
} from "#app/entities/ingest/pass.ts";
import { DAY, utcDay } from "#app/lib/time/dates.ts";
import type { ReadKeys } from "./keys.ts";
import {
  COLUMNS,
  ciphersOf,
  type NewRead,
  openRead,
  passTags,
  putWords,
  ROWS,
  rowsOf,
  type SealedRead,
  sealReads,
  sealUnder,
  stepsOf,
} from "./rows.ts";

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

type DatabaseOf = (day: number) => { database: D1Database; index: number };
export type Archive = { databaseOf: DatabaseOf; keys: ReadKeys };

/** Two events of a pass that meet once in a while need a second attempt; more than a few mean that something is wrong. */
const ATTEMPTS = 8;

const ALL = COLUMNS.join(", ");
const PASS = `j AS MATERIALIZED (SELECT key AS place,
  ${COLUMNS.slice(0, 3)
    .map((column, i) => `value ->> ${i} AS ${column}`)
    .join(", ")} FROM json_each(?))`;
const inPass = (t: string, back = PASS_WINDOW) => `${t}.key_id = j.key_id AND ${t}.pass_tag = j.pass_tag
  AND ${t}.captured_at BETWEEN j.captured_at - ${back} AND j.captured_at + ${PASS_WINDOW}`;

const INSERT = `WITH ${ROWS} INSERT OR IGNORE INTO sealed_reads (${ALL}) SELECT ${ALL} FROM j WHERE true`;
/** How passes are looked for: only what opens one is inserted, an event of a pass that there is amends it. */
const lookBack = (back: number) => ({
  open: `WITH ${ROWS} INSERT OR IGNORE INTO sealed_reads (${ALL}) SELECT ${ALL} FROM j
    WHERE NOT EXISTS (SELECT 1 FROM sealed_reads AS r INDEXED BY sealed_reads_pass WHERE ${inPass("r", back)})
    RETURNING id, key_id, pass_tag`,
  find: `WITH ${PASS} SELECT j.place, r.id, r.revision, r.captured_at, r.sealed
    FROM j CROSS JOIN sealed_reads AS r INDEXED BY sealed_reads_pass ON ${inPass("r", back)}`,
});
type Looking = ReturnType<typeof lookBack>;
const NEAR = lookBack(PASS_WINDOW);
/** What is no vehicle's first event may be of one that came hours ago. */
const FAR = lookBack(PASS_MOST);
const AMENDED = COLUMNS.slice(3);
const AMEND = `UPDATE sealed_reads SET ${AMENDED.map((column, i) => `${column} = j.value ->> ${i + 2}`).join(", ")},
  revision = revision + 1 FROM json_each(?) AS j
  WHERE sealed_reads.id = j.value ->> 0 AND sealed_reads.revision = j.value ->> 1 RETURNING id`;
const CLAIM = `WITH ${PASS} INSERT INTO sealed_midnights (key_id, pass_tag, captured_at)
  SELECT key_id, pass_tag, captured_at FROM j WHERE NOT EXISTS (SELECT 1 FROM sealed_midnights AS m WHERE ${inPass("m")})`;
const CLAIMED = `WITH ${PASS} SELECT j.place, m.captured_at FROM j CROSS JOIN sealed_midnights AS m ON ${inPass("m")}`;

/** Keeps reads that are new to the archive; one of the same camera, car and instant is passed over. */
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
 * Takes events, `capturedAt` being each one's capture time; gives what became of each, in their order. Throws where a
 * database or the bucket of keys does: some of the events may be taken then, and may be told again.
 */
export async function takeEvents(archive: Archive, reads: NewRead[]): Promise<TakenEvent[]> {
  const taken: TakenEvent[] = [];
  for (const round of roundsOf(reads)) {
    let left = await anchored(
      archive,
      round.map((at) => ({ at, read: reads[at] as NewRead })),
    );
    const begin = new Set<number>();
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === ATTEMPTS) throw new Error("a pass was amended by others each time or purged meanwhile");
      const settled = await takeRound(archive, left, begin);
      for (const [at, event] of settled) taken[at] = event;
      left = left.filter(({ at }) => !settled.has(at));
    }
  }
  return taken;
}

/** An event with its place in the list. */
type Placed = { at: number; read: NewRead };

/** Places of events, each round with one of a car: what follows within a pass amends what came before. */
function roundsOf(reads: NewRead[]): number[][] {
  const rounds: number[][] = [];
  const cameras = new Map<string, Map<string | number, number>>();
  for (const [at, { cameraId, carId }] of reads.entries()) {
    const counts = cameras.get(cameraId) ?? new Map<string | number, number>();
    cameras.set(cameraId, counts);
    // Most ids are counts, and numbers are looked up faster than new texts.
    const count = Number(carId);
    const car = String(count) === carId ? count : carId;
    const before = counts.get(car) ?? 0;
    counts.set(car, before + 1);
    rounds[before] ??= [];
    rounds[before].push(at);
  }
  return rounds;
}

/** The same events at the instants that say which day owns their passes; differs around midnights only. */
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
    const { database } = databaseOf(endingDay((own[0] as Placed).read));
    const byCipher = Map.groupBy(own, ({ read }) => ciphers(read.agencyId, endingDay(read)));
    const placedRows = new Map<number, [number, number, number]>();
    for (const [cipher, events] of byCipher) {
      const tags = await passTags(
        cipher,
        events.map(({ read }) => read),
      );
      for (const [i, { at, read }] of events.entries())
        placedRows.set(at, [cipher.id, tags[i] as number, read.capturedAt]);
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
 * Opens the passes that none stand of and amends the others. What it does not give, somebody else was faster with, or it
 * is among those that `begin` a pass of their own, whoever stood there before.
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
  const events = placed.map(({ at, read }, i) => ({ at, read, sealed: sealed[i] as SealedRead }));
  const byDatabase = Map.groupBy(events, ({ read }) => archive.databaseOf(utcDay(read.capturedAt)).index);
  await Promise.all(
    [...byDatabase].map(async ([index, own]) => {
      const { database } = archive.databaseOf(utcDay((own[0] as Placed).read.capturedAt));
      const isNear = ({ at, read }: Placed) => read.carState === "new" || begin.has(at);
      const groups = Map.groupBy(own, (event) => (isNear(event) ? NEAR : FAR));
      for (const [looking, group] of groups)
        await takeGroup({ database, index, looking, taken, begin }, group);
    }),
  );
  return taken;
}

type Taking = {
  database: D1Database;
  index: number;
  looking: Looking;
  taken: Map<number, TakenEvent>;
  begin: Set<number>;
};

async function takeGroup(taking: Taking, events: Standing[]): Promise<void> {
  const { database, index, looking, taken } = taking;
  const opened = await openPasses(
    database,
    looking.open,
    events.map((event) => event.sealed),
  );
  const standing: Standing[] = [];
  for (const event of events) {
    const id = opened.get(event.sealed);
    if (id === undefined) standing.push(event);
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
  for (const part of parts(standing)) await amendPasses(taking, part);
}

/** Opens passes where none stand; gives the ids of the new reads. */
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
    for (const { id, key_id, pass_tag } of answers.flatMap(({ results }) => results))
      if (id !== undefined)
        opened.set(byPass.get(key_id as number)?.get(pass_tag as number) as SealedRead, id);
  }
  return opened;
}

type OpenedRow = { id: number; key_id: number; pass_tag: number };

/** The statements of a step: each chunk's words before its rows. */
function puts(database: D1Database, sql: string, step: SealedRead[][]): D1PreparedStatement[] {
  return step.flatMap((chunk) => [...putWords(database, chunk), database.prepare(sql).bind(rowsOf(chunk))]);
}

type Standing = Placed & { sealed: SealedRead };
type PassRow = { place: number; id: number; revision: number; captured_at: number; sealed: string };

/** Takes events of passes that stand, each of another car. */
async function amendPasses(taking: Taking, standing: Standing[]): Promise<void> {
  const { database, index, looking, taken, begin } = taking;
  const json = JSON.stringify(standing.map(({ sealed }) => sealed.row.slice(0, 3)));
  const { results } = await database.prepare(looking.find).bind(json).all<PassRow>();
  const take = (at: number, row: PassRow, event: Omit<TakenEvent, "id" | "created" | "capturedAt">) =>
    taken.set(at, { ...event, id: `${index}.${row.id}`, created: false, capturedAt: row.captured_at });
  const changes: { at: number; row: PassRow; sealed: SealedRead; read: NewRead; unused: string[] }[] = [];
  const found = [...nearest(standing, results)];
  const opened = await Promise.all(found.map(([{ sealed }, row]) => openRead(sealed.cipher, row)));
  for (const [i, [{ at, read, sealed }, row]] of found.entries()) {
    const known = opened[i] as NewRead;
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
    const again = await sealUnder(
      cipher,
      own.map(({ read }) => read),
    );
    for (const [i, change] of own.entries()) change.sealed = again[i] as SealedRead;
  }
  const rows = changes.map(({ row, sealed }) => [row.id, row.revision, ...sealed.row.slice(3)]);
  const answers = await database.batch<{ id: number }>([
    ...putWords(
      database,
      changes.map(({ sealed }) => sealed),
    ),
    database.prepare(AMEND).bind(JSON.stringify(rows)),
  ]);
  const amended = new Set(answers.at(-1)?.results.map(({ id }) => id));
  for (const { at, row, sealed, unused } of changes)
    if (amended.has(row.id)) take(at, row, { facts: sealed.read, unused, revision: row.revision + 1 });
}

/** Keys of images that a pass or its event offered and that are not kept. */
function unusedOf(known: PassFacts, event: PassFacts, kept: PassFacts): string[] {
  const offered = [known, event].flatMap((facts) => [facts.vehicleImageKey, facts.plateImageKey]);
  const used = [kept.vehicleImageKey, kept.plateImageKey];
  return offered.filter((key): key is string => key !== null && !used.includes(key));
}

/** Of the rows found for each event the one that is nearest in time. */
function nearest<Event extends Placed, Row extends { place: number; captured_at: number }>(
  events: Event[],
  rows: Row[],
): Map<Event, Row> {
  const found = new Map<Event, Row>();
  for (const row of rows) {
    const event = events[row.place] as Event;
    const gap = ({ captured_at }: Row) => Math.abs(captured_at - event.read.capturedAt);
    const known = found.get(event);
    if (!known || gap(row) < gap(known)) found.set(event, row);
  }
  return found;
}

/** Events of one statement: their rows, when found, are opened here. */
const PART = 1000;

function parts<Event>(events: Event[]): Event[][] {
  return Array.from({ length: Math.ceil(events.length / PART) }, (_, i) =>
    events.slice(i * PART, (i + 1) * PART),
  );
}

/** Which day owns such a pass is not known before it is claimed. */
function isNearMidnight(at: number): boolean {
  const since = at - utcDay(at) * DAY;
  return since < PASS_WINDOW || since >= DAY - PASS_WINDOW;
}
