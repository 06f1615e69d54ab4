// Stores camera events, any number of them with a few statements. The first event of a pass inserts its read, if there
// is none; every other event amends the read, unless another event amended it meanwhile. So concurrent, duplicate or
// unordered events become one read. A vehicle that stands in front of a camera across midnight for longer than the
// pass window becomes two reads (midnights.ts).

import { amendPass, continuesPass, PASS_WINDOW, type PassFacts } from "#app/entities/ingest/pass.ts";
import { roundsOf, upToBegin } from "#app/entities/ingest/rounds.ts";
import { at as elementAt } from "#app/lib/at.ts";
import { SECOND, utcDay } from "#app/lib/time/dates.ts";
import { FULL_FILL } from "#app/store/archive/placement/choice.ts";
import { within } from "#app/store/archive/placement/measure.ts";
import { AMEND, EXACT, FAR, INSERT, NEAR, type PassQueries } from "./event-statements.ts";
import { isFull, lookIn, requireChangeable, requireOpen } from "./fences.ts";
import { objectsOf } from "./images.ts";
import type { ReadKeys } from "./keys.ts";
import { anchored, nearest, type Placed } from "./midnights.ts";
import { hasMoved, nameOf, placeOf, waitForMove, whilePlaced } from "./placed-writes.ts";
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

/** Two concurrent events of a pass need a second attempt now and then; many attempts mean that something is wrong. */
const ATTEMPTS = 8;
/** A database that takes longer counts as gone. Events are idempotent, so the sender can try again. */
const WRITE_MS = 30 * SECOND;

/** Inserts reads that are new to the archive. A read of the same camera, car and instant is skipped. */
export async function insertReads(archive: Archive, reads: NewRead[]): Promise<void> {
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
 * Stores events, whose `capturedAt` is their own capture time. Returns what each one did, in their order. Throws if a
 * database or the bucket of keys fails; some events may be stored then, and retrying creates no duplicate.
 */
export function takeEvents(archive: Archive, reads: NewRead[]): Promise<TakenEvent[]> {
  return within(WRITE_MS, takeRounds(archive, reads));
}

async function takeRounds(archive: Archive, reads: NewRead[]): Promise<TakenEvent[]> {
  const taken: TakenEvent[] = [];
  const placed = await anchored(
    archive,
    reads.map((read, at) => ({ at, read })),
  );
  for (const round of roundsOf(placed.map(({ read }) => read))) {
    let left = round.map((at) => elementAt(placed, at));
    const begin = new Set<number>();
    let waits = 0;
    for (let attempt = 0; left.length > 0; ) {
      if (attempt === ATTEMPTS)
        throw new Error("a pass was amended concurrently each time, or purged meanwhile");
      const begun = begin.size;
      const { settled, moved } = await takeRound(archive, upToBegin(left, begin), begin);
      for (const [at, event] of settled) taken[at] = event;
      left = left.filter(({ at }) => !settled.has(at));
      if (moved) await waitForMove(waits++);
      else if (settled.size === 0 && begin.size === begun) attempt++;
    }
  }
  return taken;
}

/**
 * Inserts the reads of new passes and amends the others. Events that are missing from the result must be tried again:
 * another event was faster, the event was added to `begin`, the events that start a pass of their own, or its day
 * moved.
 */
async function takeRound(
  { places, keys }: Archive,
  placed: Placed[],
  begin: Set<number>,
): Promise<{ settled: Map<number, TakenEvent>; moved: boolean }> {
  const sealed = await sealReads(
    keys,
    placed.map(({ read }) => read),
  );
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
      const isNear = ({ at, read }: Placed) => read.carState === "new" || begin.has(at);
      try {
        for (const [queries, group] of Map.groupBy(own, (event) => (isNear(event) ? NEAR : FAR))) {
          const bytes = await takeGroup({ parts, queries, taken, begin }, group);
          if (bytes < places.limitBytes * FULL_FILL) continue;
          // If no other database has space, this one is used to the end.
          for (const day of days) await places.continueIfPossible(elementAt(day, day.length - 1));
        }
      } catch (error) {
        if (!(await hasMoved(places, days, error))) throw error;
        moved = true;
      }
    }),
  );
  return { settled: taken, moved };
}

type Taking = {
  parts: PlacedPart[];
  queries: PassQueries;
  taken: Map<number, TakenEvent>;
  begin: Set<number>;
};

/** Takes events of days with the same parts. Returns the bytes of the database that takes new passes. */
async function takeGroup(taking: Taking, events: SealedEvent[]): Promise<number> {
  const { parts, queries, taken } = taking;
  let left = events;
  for (const part of parts.slice(0, -1)) left = await amendEarlier(taking, part, left);
  const place = placeOf(elementAt(parts, parts.length - 1));
  const firsts = [...Map.groupBy(left, carOf).values()].map((own) => elementAt(own, 0).sealed);
  const { opened, bytes } = await openPasses(place.database, queries.open, firsts);
  const existing: SealedEvent[] = [];
  for (const event of left) {
    const id = opened.get(event.sealed);
    if (id === undefined) existing.push(event);
    else
      taken.set(event.at, {
        id: readId(place, id),
        created: true,
        unused: [],
        facts: event.read,
        revision: 0,
        capturedAt: event.read.capturedAt,
      });
  }
  for (const group of groupsOf(existing)) await amendPasses({ ...taking, place }, group);
  return bytes;
}

/** Amends the passes that an earlier part of the day has. Returns the events of other passes. */
async function amendEarlier(taking: Taking, part: PlacedPart, events: SealedEvent[]): Promise<SealedEvent[]> {
  const left: SealedEvent[] = [];
  for (const group of groupsOf(events)) {
    const place = placeOf(part);
    const known = await amendPasses({ ...taking, place }, group).catch((error: unknown) => {
      // A database without space for a longer text: the event becomes a read of its own.
      if (isFull(error)) return new Set<SealedEvent>();
      throw error;
    });
    left.push(...group.filter((event) => !known.has(event)));
  }
  return left;
}

/** Inserts the reads of new passes. Returns the ids of the new reads, and the size of the database. */
async function openPasses(
  database: D1Database,
  open: string,
  reads: SealedRead[],
): Promise<{ opened: Map<SealedRead, number>; bytes: number }> {
  const opened = new Map<SealedRead, number>();
  let bytes = 0;
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
    bytes = answers.at(-1)?.meta.size_after ?? 0;
  }
  return { opened, bytes };
}

type OpenedRow = { id: number; key_id: number; pass_tag: number };

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

type SealedEvent = Placed & { sealed: SealedRead };
type PassRow = { place: number; id: number; revision: number; captured_at: number; sealed: string };

/** Identifies the car of an event within a round. */
const carOf = ({ sealed: { row } }: SealedEvent) => `${row[0]} ${row[1]}`;

type Amended = Omit<TakenEvent, "id" | "created" | "capturedAt">;
/** A pass as events change it: its read and revision after them, and what each of them did by its place in the list. */
type Pass = {
  row: PassRow;
  read: NewRead;
  revision: number;
  events: Map<number, Amended>;
  sealed: SealedRead;
};

/**
 * Amends existing passes, each with the first events of its car up to one of another pass; those behind that one are to
 * be tried again. Returns the events of the cars whose first event has its pass in this database.
 */
async function amendPasses(
  taking: Taking & { place: ReadsDatabase },
  events: SealedEvent[],
): Promise<Set<SealedEvent>> {
  const { place, queries, taken, begin } = taking;
  const { database } = place;
  const json = JSON.stringify(events.map(({ sealed }) => sealed.row.slice(0, 3)));
  const days = daysOf(events.map(({ sealed }) => sealed));
  const query = database.prepare(queries.find).bind(json);
  const found = nearest(events, await lookIn<PassRow>(database, days, query));
  const known = new Set<SealedEvent>();
  const passes: Pass[] = [];
  const amend = async (own: SealedEvent[]) => {
    const { sealed } = elementAt(own, 0);
    const row = found.get(elementAt(own, 0));
    if (!row) return;
    for (const event of own) known.add(event);
    const read = await openRead(sealed.cipher, row);
    const pass: Pass = { row, read, revision: row.revision, events: new Map(), sealed };
    const others = own.findIndex((event) => found.get(event)?.id !== row.id);
    amendInOrder(pass, others < 0 ? own : own.slice(0, others), begin);
    passes.push(pass);
  };
  await Promise.all([...Map.groupBy(events, carOf).values()].map(amend));
  const changed = passes.filter(({ row, revision }) => revision > row.revision);
  const written = await writePasses(database, changed);
  for (const { row, revision, events } of passes) {
    if (revision > row.revision && !written.has(row.id)) continue;
    const pass = { id: readId(place, row.id), created: false, capturedAt: row.captured_at };
    for (const [at, event] of events) taken.set(at, { ...event, ...pass });
  }
  return known;
}

/** Amends a pass with the events of its car, up to one that starts another pass. */
function amendInOrder(pass: Pass, events: SealedEvent[], begin: Set<number>): void {
  for (const { at, read } of events) {
    if (read.capturedAt - pass.row.captured_at > PASS_WINDOW && !continuesPass(pass.read, read)) {
      begin.add(at);
      return;
    }
    const facts = amendPass(pass.read, read);
    const unused = unusedOf(pass.read, read, facts ?? pass.read);
    if (facts) {
      pass.read = { ...pass.read, ...facts };
      pass.revision++;
    }
    pass.events.set(at, { facts: pass.read, unused, revision: pass.revision });
  }
}

/** Writes changed passes. Returns the ids of those that no other event changed meanwhile. */
async function writePasses(database: D1Database, passes: Pass[]): Promise<Set<number>> {
  if (passes.length === 0) return new Set();
  for (const [cipher, own] of Map.groupBy(passes, ({ sealed }) => sealed.cipher)) {
    const resealed = await sealUnder(
      cipher,
      own.map(({ read }) => read),
    );
    for (const [i, pass] of own.entries()) pass.sealed = elementAt(resealed, i);
  }
  const sealed = passes.map((pass) => pass.sealed);
  const rows = passes.map((pass) => [
    pass.row.id,
    pass.row.revision,
    pass.revision - pass.row.revision,
    ...pass.sealed.row.slice(3),
  ]);
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

/** Events per statement, whose rows are in memory. The events of one car stay together. */
const PART = 1000;

function groupsOf(events: SealedEvent[]): SealedEvent[][] {
  const groups: SealedEvent[][] = [];
  for (const own of Map.groupBy(events, carOf).values()) {
    const last = groups.at(-1);
    if (last && last.length + own.length <= PART) last.push(...own);
    else groups.push(own);
  }
  return groups;
}
