// Finds the database that has the reads of a UTC day. The control database has a row per day, written when the day
// begins (its first read), and a further row for each part of a day that outgrew its database. A database is identified
// by the name of its binding.
//
// - Searches read the rows afresh, in parallel with what they ask the control database anyway, so a day that began or
//   moved is never missed. A day's former rows stay for minutes after a move (drain.ts), longer than any search.
// - Writers cache the rows per isolate. A place changes only after the former database fenced the day, and every write
//   checks that in its own transaction (fences.ts), so an outdated place is noticed before anything is written.

import { sql } from "drizzle-orm";
import { MINUTE } from "#app/lib/time/dates.ts";
import { createChoice } from "#app/store/archive/placement/choice.ts";
import { createParts } from "#app/store/archive/placement/parts.ts";
import type { ControlDb } from "#app/store/database.ts";
import { listFences } from "./fences.ts";

/** A READS_n binding. Its number is part of the ids of reads. */
export type ReadsDatabase = { name: string; number: number; database: D1Database };

/** A part of a day, and its database; null if the binding is missing. */
export type PlacedPart = { day: number; part: number; name: string; place: ReadsDatabase | null };

export type Places = {
  /** The bound databases, by number. */
  databases: readonly ReadsDatabase[];
  /** Maximum size of a database in bytes. */
  limitBytes: number;
  /** Returns the current parts of the days of a range. Days without reads have none. */
  listParts(from: number, to: number): Promise<PlacedPart[]>;
  /**
   * Returns the parts of each day, oldest first, possibly from the cache; new passes belong to the last one. A day
   * without a place gets one. Throws AppError unavailable if no database takes it.
   */
  forWriting(days: Iterable<number>): Promise<Map<number, PlacedPart[]>>;
  /** Asks again for the days of these parts, and completes a continuation that another worker has only begun. */
  refresh(parts: PlacedPart[]): Promise<void>;
  /** Continues days in other databases, unless they have left these parts already. Throws AppError unavailable. */
  continueDays(lasts: PlacedPart[]): Promise<void>;
  /** Continues days if another database has space. Does nothing for a minute after none had. */
  continueIfPossible(lasts: PlacedPart[]): Promise<void>;
  /**
   * Returns the names of unbound databases that may hold reads: a search that finds nothing must say so. Throws AppError
   * unavailable if that is not known.
   */
  listUnbound(): Promise<string[]>;
  /** Adds databases that were bound since then to the list. They are used from the next day on. */
  noteDatabases(): Promise<void>;
  /** Returns databases that take a day, best first, except the named ones. */
  rank(except: readonly string[]): Promise<ReadsDatabase[]>;
};

/** How often a day looks for another database while all are almost full. */
const RETRY_MS = MINUTE;

/** Until when an isolate does not try again to continue a day, by control database and day. */
const failures = new WeakMap<D1Database, Map<number, number>>();

/** Returns the bindings READS_0 to READS_999 of an environment, by number; numbers may be missing. */
export function findReadsDatabases(env: object): ReadsDatabase[] {
  return Object.entries(env)
    .flatMap(([name, database]: [string, D1Database]) => {
      const number = /^READS_(\d{1,3})$/.exec(name)?.[1];
      return number === undefined || !database ? [] : [{ name, number: Number(number), database }];
    })
    .sort((a, b) => a.number - b.number);
}

/** Returns the places of days in these databases. Throws Error if there is no database. */
export function createPlaces(parts: {
  db: ControlDb;
  databases: readonly ReadsDatabase[];
  limitBytes: number;
  clock: () => number;
}): Places {
  const { db, databases, limitBytes, clock } = parts;
  if (databases.length === 0) throw new Error("no READS_n database is configured");
  const byName = new Map(databases.map((one) => [one.name, one]));
  const client: D1Database = db.$client;
  const waiting = failures.get(client) ?? new Map<number, number>();
  failures.set(client, waiting);
  const rows = createParts({ db, databases, clock });
  const { rank, continueDays, begin } = createChoice({ db, databases, limitBytes, clock, parts: rows });

  return {
    databases,
    limitBytes,
    listParts: (from, to) => rows.readParts(sql`day BETWEEN ${from} AND ${to}`),
    forWriting: (days) => rows.forWriting(days, begin),
    async refresh(parts) {
      for (const { day } of parts) rows.forget(day);
      const last = [...new Map(parts.map((part) => [part.day, part])).values()];
      for (const [place, own] of Map.groupBy(last, (part) => part.place)) {
        if (!place) continue;
        const fences = await listFences(
          place.database,
          own.map(({ day }) => day),
        );
        const continued = own.filter(({ day }) => fences.get(day)?.continued === 1);
        if (continued.length > 0) await continueDays(continued);
      }
    },
    continueDays,
    async listUnbound() {
      // First records the days of a former version, if that was not done yet.
      await rows.readParts(sql`false`);
      const named = await db.all<{ name: string | null }>(sql`
        SELECT name FROM read_databases WHERE state <> 'removed'
        UNION SELECT database FROM read_places
        UNION SELECT move_to FROM read_places
        UNION SELECT left_in FROM read_places`);
      return named.flatMap(({ name }) => (name === null || byName.has(name) ? [] : [name])).sort();
    },
    async continueIfPossible(lasts) {
      const due = lasts.filter(({ day }) => clock() >= (waiting.get(day) ?? 0));
      if (due.length === 0) return;
      await continueDays(due).then(
        () => due.map(({ day }) => waiting.delete(day)),
        () => due.map(({ day }) => waiting.set(day, clock() + RETRY_MS)),
      );
    },
    noteDatabases: rows.noteDatabases,
    rank,
  };
}

/** Rows of a database have lower numbers; a moved row's id has the database's number above it, within 53 bits. */
const ORIGIN = 2 ** 40;

/**
 * Returns the id of a read, which never changes: the number of the database that stored it first, and its row there. A
 * row that was moved has a negative id, which holds both.
 */
export function readId({ number }: ReadsDatabase, row: number): string {
  if (row >= 0) return `${number}.${row}`;
  return `${Math.floor(-row / ORIGIN)}.${-row % ORIGIN}`;
}

/** Returns the row id that a read gets when it moves from a database. Negative ids do not affect new rows. */
export function movedRow(from: ReadsDatabase, row: number): number {
  return row < 0 ? row : -(from.number * ORIGIN + row);
}
