// Stores camera events, any number of them with a few statements. The first event of a pass inserts its read, if there
// is none; every other event amends the read, unless another event amended it meanwhile. So concurrent, duplicate or
// unordered events become one read. A vehicle that stands in front of a camera across midnight for longer than the
// pass window becomes two reads (midnights.ts).

import { amendPass, continuesPass, PASS_WINDOW, type PassFacts } from "#app/entities/ingest/pass.ts";
import { chunksOf, at as elementAt } from "#app/lib/at.ts";
import { SECOND, utcDay } from "#app/lib/time/dates.ts";
import { FULL_FILL } from "#app/store/archive/placement/choice.ts";
import { within } from "#app/store/archive/placement/measure.ts";
import { AMEND, EXACT, FAR, FIND, INSERT, NEAR, type PassQueries } from "./event-statements.ts";
import { isFull, lookIn, requireChangeable, requireOpen } from "./fences.ts";
import { objectsOf } from "./images.ts";
import type { ReadKeys } from "./keys.ts";
import { anchored, type Placed } from "./midnights.ts";
import {
  hasMoved,
  lastParts,
  nameOf,
  placeOf,
  waitForMove,
  whilePlaced,
  withOpenKeys,
} from "./placed-writes.ts";
import { type PlacedPart, type Places, type ReadsDatabase, readId } from "./placement.ts";
import {
  type NewRead,
  openRead,
  putKeysAndRuns,
  rowsOf,
  type SealedRead,
  sealReads,
  sealUnder,
  stepsOf,
} from "./rows.ts";

/** What an event did. `unused` lists objects of images, of this event or of those it replaced, that no read uses now. */
export type TakenEvent = {
  id: string;
  created: boolean;
  unused: string[];
  /** The facts of the pass now, its number of amendments, and the capture time of its first event. */
  facts: PassFacts;
  revision: number;
  capturedAt: number;
};

export type Archive = { places: Places; keys: ReadKeys };

/** Two concurrent events of a pass occasionally need a second attempt; many attempts mean that something is wrong. */
const ATTEMPTS = 8;
/** A database that takes longer counts as unavailable. Events are idempotent, so the sender can try again. */
const WRITE_MS = 30 * SECOND;

/** Inserts reads that are new to the archive. A read of the same camera, car and instant is skipped. */
export function insertReads(archive: Archive, reads: NewRead[]): Promise<void> {
  return withOpenKeys(archive.keys, reads, () => insertAll(archive, reads));
}

async function insertAll(archive: Archive, reads: NewRead[]): Promise<void> {
  const sealed = await sealReads(archive.keys, reads);
  const dayOf = ({ read }: SealedRead) => utcDay(read.capturedAt);
  await whilePlaced(archive.places, sealed.map(dayOf), async (partsOf) => {
    const byPlace = Map.groupBy(sealed, (one) => nameOf(partsOf(dayOf(one))));
    await Promise.all(
      [...byPlace.values()].map(async (own) => {
        const parts = partsOf(dayOf(elementAt(own, 0)));
        const fresh = await withoutKnown(parts.slice(0, -1), own);
        const { database } = placeOf(elementAt(parts, parts.length - 1));
        for (const step of stepsOf(fresh)) await database.batch(puts(database, INSERT, step));
      }),
    );
  });
}

/** Returns the reads that no earlier part of their day has. */
async function withoutKnown(earlier: PlacedPart[], reads: SealedRead[]): Promise<SealedRead[]> {
  let left = reads;
  for (const part of earlier) {
    const { database } = placeOf(part);
    const known = new Set<number>();
    for (let from = 0; from < left.length; from += PART) {
      const group = left.slice(from, from + PART);
      const query = database.prepare(EXACT).bind(JSON.stringify(group.map(({ row }) => row.slice(0, 3))));
      for (const found of await lookIn<{ place: number }>(database, daysOf(group), query))
        known.add(from + found.place);
    }
    left = left.filter((_, i) => !known.has(i));
  }
  return left;
}

/**
 * Stores events, whose `capturedAt` is their own capture time. Returns what each one did, in the same order. Throws if
 * a database or the bucket of keys fails; some events may be stored then, and retrying creates no duplicate.
 */
export function takeEvents(archive: Archive, reads: NewRead[]): Promise<TakenEvent[]> {
  return within(
    WRITE_MS,
    withOpenKeys(archive.keys, reads, () => takeAll(archive, reads)),
  );
}

async function takeAll(archive: Archive, reads: NewRead[]): Promise<TakenEvent[]> {
  const taken: TakenEvent[] = [];
  const full = new Set<string>();
  let waits = 0;
  const placed = reads.map((read, at) => ({ at, read }));
  let left = await anchored(archive, placed);
  for (let attempt = 0; left.length > 0; ) {
    if (attempt === ATTEMPTS)
      throw new Error("a pass was amended concurrently each time, or purged meanwhile");
    const { settled, moved } = await takeOnce(archive, left, full);
    for (const [at, event] of settled) taken[at] = event;
    left = left.filter(({ at }) => !settled.has(at));
    if (moved) await waitForMove(waits++);
    else if (settled.size === 0) attempt++;
  }
  return taken;
}

/**
 * Inserts the reads of new passes and amends the others. Events that are missing from the result must be tried again:
 * another event was faster, an earlier part of their day is full, or their day moved.
 */
async function takeOnce(
  { places, keys }: Archive,
  placed: Placed[],
  full: Set<string>,
): Promise<{ settled: Map<number, TakenEvent>; moved: boolean }> {
  const reads = placed.map(({ read }) => read);
  const sealed = await sealReads(keys, reads);
  const taken = new Map<number, TakenEvent>();
  const events = placed.map(({ at, read }, i) => ({ at, read, sealed: elementAt(sealed, i) }));
  const dayOf = ({ read }: Placed) => utcDay(read.capturedAt);
  const byDay = await places.forWriting(events.map(dayOf));
  const partsOf = (event: Placed) => byDay.get(dayOf(event)) ?? [];
  let moved = false;
  await Promise.all(
    [...Map.groupBy(events, (event) => nameOf(partsOf(event))).values()].map(async (own) => {
      const parts = partsOf(elementAt(own, 0));
      const days = [...new Set(own.map(dayOf))].map((day) => byDay.get(day) ?? []);
      try {
        const bytes = await takeGroup({ parts, taken, full }, own);
        // If no other database has space, this one is used to the end.
        if (bytes >= places.limitBytes * FULL_FILL) await places.continueIfPossible(lastParts(days));
      } catch (error) {
        if (!(await hasMoved(places, days, error))) throw error;
        moved = true;
      }
    }),
  );
  return { settled: taken, moved };
}

/** `full`: databases of earlier parts that have no space for a longer text: events of their passes become reads of their own. */
type Taking = { parts: PlacedPart[]; taken: Map<number, TakenEvent>; full: Set<string> };

/**
 * Takes events of days with the same parts, with queries whose number does not grow with the passes. Returns the bytes of
 * the database that takes new passes.
 */
async function takeGroup({ parts, taken, full }: Taking, events: SealedEvent[]): Promise<number> {
  const last = placeOf(elementAt(parts, parts.length - 1));
  const earlier = parts.slice(0, -1).filter(({ name }) => !full.has(name));
  const cars = Map.groupBy(events, carOf);
  let bytes = 0;
  let left = events;
  // Most posts have one event of a new pass for each car: then nothing else is left to do.
  if (earlier.length === 0 && cars.size === events.length) {
    bytes = await openPasses(
      last,
      events.map((event) => beginPass(last, event)),
      taken,
    );
    left = events.filter(({ at }) => !taken.has(at));
  }
  if (left.length === 0) return bytes;
  const unlessFull = (place: ReadsDatabase, work: Promise<void>) =>
    work.catch((error: unknown) => {
      if (place === last || !isFull(error)) throw error;
      full.add(place.name);
    });
  const known = new Map<string, Pass[]>();
  for (const place of [...earlier.map(placeOf), last])
    await unlessFull(place, findPasses(place, left, known));
  const passes = await Promise.all(
    [...Map.groupBy(left, carOf)].map(([car, own]) => assign(own, known.get(car) ?? [], last)),
  );
  const touched = passes.flat().filter(({ events }) => events.size > 0);
  const begun = touched.filter(({ id }) => id === null);
  if (begun.length > 0) bytes = await openPasses(last, begun, taken);
  const stored = touched.filter(isStored);
  for (const [place, own] of Map.groupBy(stored, ({ place }) => place))
    await unlessFull(place, amendPasses(place, own, taken));
  return bytes;
}

type SealedEvent = Placed & { sealed: SealedRead };
type Outcome = Omit<TakenEvent, "id" | "capturedAt">;

/** A pass as the events of a list change it. */
type Pass = {
  place: ReadsDatabase;
  /** Its row, null until it is stored. `revision` and `sealed` are those of the row. */
  id: number | null;
  row: { revision: number; captured_at: number; sealed: string };
  /** The read and its number of amendments after the events; null until an event needs them. */
  read: NewRead | null;
  revision: number;
  /** What each event did, by its place in the list. */
  events: Map<number, Outcome>;
  /** One of its events: the first one of a new pass. */
  event: SealedEvent;
  /** How a new pass looks for one that another worker may have stored. */
  queries: PassQueries;
};
type StoredPass = Pass & { id: number };
const isStored = (pass: Pass): pass is StoredPass => pass.id !== null;

/** Identifies the car of an event, or of a row, within its agency and day. */
const carName = (key: unknown, pass: unknown) => `${key} ${pass}`;
const carOf = ({ sealed: { row } }: SealedEvent) => carName(row[0], row[1]);

const queriesFor = ({ read }: Placed) => (read.carState === "new" ? NEAR : FAR);

function beginPass(place: ReadsDatabase, event: SealedEvent, queries = queriesFor(event)): Pass {
  const { at, read } = event;
  const row = { revision: 0, captured_at: read.capturedAt, sealed: "" };
  const first: Outcome = { created: true, unused: [], facts: read, revision: 0 };
  return { place, id: null, row, read, revision: 0, events: new Map([[at, first]]), event, queries };
}

/** Inserts the reads of new passes and settles their first events. Returns the bytes of the database. */
async function openPasses(
  place: ReadsDatabase,
  passes: Pass[],
  taken: Map<number, TakenEvent>,
): Promise<number> {
  const { database } = place;
  let bytes = 0;
  // Those that look back for hours come first, so that they do not find passes of events behind them in the list.
  for (const queries of [FAR, NEAR]) {
    const own = passes.filter((pass) => pass.queries === queries);
    const bySealed = new Map(own.map((pass) => [pass.event.sealed, pass]));
    for (const step of stepsOf([...bySealed.keys()])) {
      const rows = new Map(step.flat().map((sealed) => [sealed.row.slice(0, 3).join(" "), sealed]));
      const answers = await database.batch<Partial<OpenedRow>>(puts(database, queries.open, step));
      for (const { id, key_id, pass_tag, captured_at } of answers.flatMap(({ results }) => results)) {
        const sealed = rows.get(`${key_id} ${pass_tag} ${captured_at}`);
        const pass = sealed && bySealed.get(sealed);
        if (id === undefined || !pass) continue;
        pass.id = id;
        const { at } = pass.event;
        const first = pass.events.get(at);
        if (first) settle(place, { ...pass, id, events: new Map([[at, first]]) }, taken);
      }
      bytes = answers.at(-1)?.meta.size_after ?? 0;
    }
  }
  return bytes;
}

type OpenedRow = { id: number; key_id: number; pass_tag: number; captured_at: number };

/** Returns the statements of a step: each chunk's keys and runs before its rows. */
function puts(database: D1Database, sql: string, step: SealedRead[][]): D1PreparedStatement[] {
  return [
    requireOpen(database, daysOf(step.flat())),
    ...step.flatMap((chunk) => [
      ...putKeysAndRuns(database, chunk),
      database.prepare(sql).bind(rowsOf(chunk)),
    ]),
  ];
}

const daysOf = (reads: SealedRead[]) => new Set(reads.map(({ read }) => utcDay(read.capturedAt)));

type PassRow = OpenedRow & { revision: number; sealed: string };

/** Events or passes per statement, whose rows are in memory. */
const PART = 1000;

/** Adds the passes that the events may belong to, by car and in the order of time. */
async function findPasses(
  place: ReadsDatabase,
  events: SealedEvent[],
  found: Map<string, Pass[]>,
): Promise<void> {
  const { database } = place;
  const eventOf = new Map(events.map((event) => [carOf(event), event]));
  const rows = new Map<number, PassRow>();
  for (const piece of chunksOf(events, PART)) {
    const json = JSON.stringify(piece.map(({ sealed }) => sealed.row.slice(0, 3)));
    const days = daysOf(piece.map(({ sealed }) => sealed));
    for (const row of await lookIn<PassRow>(database, days, database.prepare(FIND).bind(json)))
      rows.set(row.id, row);
  }
  for (const row of rows.values()) {
    const car = carName(row.key_id, row.pass_tag);
    const event = eventOf.get(car);
    if (!event) continue;
    const own = found.get(car) ?? [];
    found.set(car, own);
    const { id, revision } = row;
    own.push({ place, id, row, read: null, revision, events: new Map(), event, queries: FAR });
  }
}

/**
 * Gives each event of a car to its pass, as if they came one after the other: to the nearest one of the first database that
 * has any, or to a new one in the last. Returns the passes.
 */
async function assign(events: SealedEvent[], known: Pass[], last: ReadsDatabase): Promise<Pass[]> {
  const passes = [...known];
  for (const event of events) {
    let queries = queriesFor(event);
    let pass = nearestPass(passes, event, queries);
    if (pass && event.read.capturedAt - pass.row.captured_at > PASS_WINDOW) {
      // It may also be the first event of another car with the same id.
      if (!continuesPass(await readOf(pass), event.read)) {
        queries = NEAR;
        pass = nearestPass(passes, event, queries);
      }
    }
    if (pass) amend(pass, await readOf(pass), event);
    else passes.push(beginPass(last, event, queries));
  }
  return passes;
}

async function readOf(pass: Pass): Promise<NewRead> {
  pass.read ??= await openRead(pass.event.sealed.cipher, pass.row);
  return pass.read;
}

function nearestPass(passes: Pass[], { read }: Placed, queries: PassQueries): Pass | undefined {
  let nearest: Pass | undefined;
  const gapOf = ({ row }: Pass) => Math.abs(read.capturedAt - row.captured_at);
  const compare = (one: Pass, other: Pass) =>
    gapOf(one) - gapOf(other) || one.row.captured_at - other.row.captured_at;
  for (const pass of passes) {
    const since = read.capturedAt - pass.row.captured_at;
    if (since < -PASS_WINDOW || since > queries.back) continue;
    if (nearest && nearest.place !== pass.place) break;
    if (!nearest || compare(pass, nearest) < 0) nearest = pass;
  }
  return nearest;
}

function amend(pass: Pass, known: NewRead, { at, read }: Placed): void {
  const facts = amendPass(known, read);
  const unused = unusedOf(known, read, facts ?? known);
  if (facts) {
    pass.read = { ...known, ...facts };
    pass.revision++;
  }
  pass.events.set(at, { created: false, facts: pass.read ?? known, unused, revision: pass.revision });
}

/** Settles the events of passes, after writing the passes that they change, unless another event did so meanwhile. */
async function amendPasses(
  place: ReadsDatabase,
  passes: StoredPass[],
  taken: Map<number, TakenEvent>,
): Promise<void> {
  const isChanged = ({ row, revision }: Pass) => revision > row.revision;
  for (const pass of passes) if (!isChanged(pass)) settle(place, pass, taken);
  for (const piece of chunksOf(passes.filter(isChanged), PART)) {
    const written = await writePasses(place.database, piece);
    for (const pass of piece) if (written.has(pass.id)) settle(place, pass, taken);
  }
}

function settle(place: ReadsDatabase, { id, row, events }: StoredPass, taken: Map<number, TakenEvent>): void {
  for (const [at, event] of events)
    taken.set(at, { ...event, id: readId(place, id), capturedAt: row.captured_at });
}

/** Writes changed passes. Returns the ids of those that no other event changed meanwhile. */
async function writePasses(database: D1Database, passes: StoredPass[]): Promise<Set<number>> {
  const rows: unknown[] = [];
  const sealed: SealedRead[] = [];
  for (const [cipher, own] of Map.groupBy(passes, ({ event }) => event.sealed.cipher)) {
    const reads = await Promise.all(own.map(readOf));
    for (const [i, one] of (await sealUnder(cipher, reads)).entries()) {
      const { id, row, revision } = elementAt(own, i);
      sealed.push(one);
      rows.push([id, row.revision, revision - row.revision, ...one.row.slice(3)]);
    }
  }
  const answers = await database.batch<{ id: number }>([
    requireChangeable(database, daysOf(sealed)),
    ...putKeysAndRuns(database, sealed),
    database.prepare(AMEND).bind(JSON.stringify(rows)),
  ]);
  return new Set(answers.at(-1)?.results.map(({ id }) => id));
}

/** Returns the objects that have images of a pass or its event, and none that is kept. */
function unusedOf(known: PassFacts, event: PassFacts, kept: PassFacts): string[] {
  const keysOf = (facts: PassFacts) => [facts.vehicleImageKey, facts.plateImageKey];
  const used = new Set(objectsOf(keysOf(kept)));
  return objectsOf([known, event].flatMap(keysOf)).filter((object) => !used.has(object));
}
