// Finds the database that has the reads of a UTC day. The control database has a row per day, written when the day
// begins (its first read), and a further row for each part of a day that outgrew its database. A database is identified
// by the name of its binding.
//
// - Searches read the rows afresh, in parallel with what they ask the control database anyway, so a day that began or
//   moved is never missed. A day's former rows stay for minutes after a move (drain.ts), longer than any search.
// - Writers cache the rows per isolate. A place changes only after the former database fenced the day, and every write
//   checks that in its own transaction (fences.ts), so an outdated place is noticed before anything is written.

import { sql } from "drizzle-orm";
import { at } from "#app/lib/at.ts";
import { AppError } from "#app/lib/errors.ts";
import { logError } from "#app/lib/log.ts";
import { DAY, isoTime, MINUTE, SECOND, utcDay } from "#app/lib/time/dates.ts";
import { withDeadline } from "#app/lib/waiting.ts";
import { type ControlDb, inOneStep, rowsOf } from "#app/store/database.ts";
import { continueElsewhere, findFence, isFull } from "./fences.ts";

/** A READS_n binding. Its number is part of the ids of reads. */
export type ReadsDatabase = { name: string; number: number; database: D1Database };

/** A part of a day, and its database; null if the binding is missing. */
export type PlacedPart = { day: number; part: number; name: string; place: ReadsDatabase | null };

export type Places = {
  /** The bound databases, by number. */
  databases: readonly ReadsDatabase[];
  /** Bytes that a database may have. */
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
  /** Continues a day in another database, unless it has left this part already. Throws AppError unavailable. */
  continueDay(last: PlacedPart): Promise<void>;
  /** Continues a day if another database has space. Does nothing for a minute after none had. */
  continueIfPossible(last: PlacedPart): Promise<void>;
  /**
   * Returns the names of databases that have, had or get reads but are not bound, and of those that were not removed.
   * What is not found in the others may be there. Throws AppError unavailable if that is not known.
   */
  listUnbound(): Promise<string[]>;
  /** Adds databases that were bound since to the list. They are used from the next day on. */
  noteDatabases(): Promise<void>;
  /** Returns databases that take a day, best first, except the named ones. */
  rank(except: readonly string[]): Promise<ReadsDatabase[]>;
};

/** The fill at which the alarm is raised, and from which an emptier database is preferred. */
export const ALARM_FILL = 0.7;
/** A database this full takes no new day while another has more space. */
const BUSY_FILL = 0.9;
/** A database this full takes no new pass: the rest is for changes to the reads it has. */
export const FULL_FILL = 0.97;
/** How long a database may take to say its size before it counts as gone. */
const ANSWER_MS = 3 * SECOND;

/** While all databases are almost full, how often a day looks for another one. */
const RETRY_MS = MINUTE;

type PartRow = { day: number; part: number; database: string };
/** `used` grows with each day that a database takes. */
type DatabaseRow = { name: string; state: string; used: number | null };

/** The parts that this isolate knows, by control database and day. */
const caches = new WeakMap<D1Database, Map<number, PlacedPart[]>>();

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
  const cache = caches.get(client) ?? new Map<number, PlacedPart[]>();
  caches.set(client, cache);
  const waiting = failures.get(client) ?? new Map<number, number>();
  failures.set(client, waiting);

  const placed = ({ day, part, database }: PartRow): PlacedPart => ({
    day,
    part,
    name: database,
    place: byName.get(database) ?? null,
  });

  /** Reads the rows of days. An installation without a list of databases records its reads first. */
  async function readParts(condition: ReturnType<typeof sql>): Promise<PlacedPart[]> {
    for (;;) {
      const [found, known] = await inOneStep(db, [
        db.all(sql`SELECT day, part, database FROM read_places WHERE ${condition} ORDER BY day, part`),
        db.all(sql`SELECT 1 AS n FROM read_databases LIMIT 1`),
      ]);
      if (rowsOf(known).length > 0) return rowsOf<PartRow>(found).map(placed);
      await recordFormerPlaces(db, { databases, now: clock() });
    }
  }

  async function forWriting(wanted: Iterable<number>): Promise<Map<number, PlacedPart[]>> {
    const days = new Set(wanted);
    const found = new Map<number, PlacedPart[]>();
    for (const day of days) {
      // Cached names, because the bindings of this call may be other objects.
      const known = cache.get(day);
      if (known)
        found.set(
          day,
          known.map(({ part, name }) => placed({ day, part, database: name })),
        );
    }
    for (let isPlaced = false; found.size < days.size; isPlaced = true) {
      const missing = [...days].filter((day) => !found.has(day));
      const rows = await readParts(sql`day IN (SELECT value FROM json_each(${JSON.stringify(missing)}))`);
      for (const [day, own] of Map.groupBy(rows, (row) => row.day)) {
        found.set(day, own);
        cache.set(day, own);
      }
      if (found.size === days.size) break;
      if (isPlaced) throw nowhere();
      for (const day of missing.filter((day) => !found.has(day)))
        await place({ day, part: 0, ranked: await rank([]) });
    }
    return found;
  }

  /** Writes a part's row for the best of the databases, unless another worker was faster. */
  async function place(input: { day: number; part: number; ranked: ReadsDatabase[]; after?: string }) {
    const { day, part, ranked, after = "" } = input;
    const [best] = ranked;
    if (!best) throw nowhere();
    // Not after a part that moved meanwhile: the fence is in its former database. Not where another part has, had or will
    // have its reads: a database has one fence per day. Query plan: the database and the day's parts by primary key.
    const insertion = sql`
      INSERT OR IGNORE INTO read_places (day, part, database, placed_at)
      SELECT ${day}, ${part}, name, ${clock()}
      FROM read_databases
      WHERE name = ${best.name}
        AND state = 'open'
        AND (
          ${part} = 0
          OR EXISTS (
            SELECT 1 FROM read_places WHERE day = ${day} AND part = ${part} - 1 AND database = ${after}
          )
        )
        AND NOT EXISTS (
          SELECT 1
          FROM read_places
          WHERE day = ${day} AND ${best.name} IN (database, move_to, left_in)
        )`;
    await db.run(insertion);
  }

  async function noteDatabases(): Promise<void> {
    // First the days of a former version: the list of databases says that they are recorded.
    await readParts(sql`false`);
    await db.run(insertDatabases(databases, clock()));
  }

  async function rank(except: readonly string[]): Promise<ReadsDatabase[]> {
    await noteDatabases();
    const listed = await db.all<DatabaseRow>(sql`
      SELECT name, state, (SELECT max(rowid) FROM read_places WHERE database = name) AS used
      FROM read_databases`);
    const open = listed.filter(
      ({ name, state }) => state === "open" && byName.has(name) && !except.includes(name),
    );
    const measured = await Promise.all(
      open.map(async ({ name, used }) => {
        const one = byName.get(name) as ReadsDatabase;
        return { one, used: used ?? 0, fill: (await sizeOf(one.database)) / limitBytes };
      }),
    );
    return measured
      .filter(({ fill }) => fill < FULL_FILL)
      .sort((a, b) => tierOf(a) - tierOf(b) || byTurn(a, b) || a.fill - b.fill || a.one.number - b.one.number)
      .map(({ one }) => one);
  }

  async function continueDay({ day, part, name, place: former }: PlacedPart): Promise<void> {
    cache.delete(day);
    const parts = await readParts(sql`day = ${day}`);
    const last = parts.at(-1);
    if (last?.part !== part || last.name !== name) return;
    const used = await db.all<{ name: string | null }>(sql`
      SELECT database AS name FROM read_places WHERE day = ${day}
      UNION SELECT move_to FROM read_places WHERE day = ${day}
      UNION SELECT left_in FROM read_places WHERE day = ${day}`);
    const names = used.flatMap(({ name: one }) => (one === null ? [] : [one]));
    const ranked = await withoutFence(await rank(names), day);
    if (ranked.length === 0) throw nowhere();
    // Before the new row, so that no worker stores a pass in both. A full database stores no pass anyway.
    if (former)
      await continueElsewhere(former.database, day).catch((error: unknown) => {
        if (!isFull(error)) throw error;
      });
    await place({ day, part: part + 1, ranked, after: name });
  }

  return {
    databases,
    limitBytes,
    listParts: (from, to) => readParts(sql`day BETWEEN ${from} AND ${to}`),
    forWriting,
    async refresh(parts) {
      for (const { day } of parts) cache.delete(day);
      for (const last of Map.groupBy(parts, ({ day }) => day).values()) {
        const part = at(last, last.length - 1);
        if (part.place && (await findFence(part.place.database, part.day))?.continued === 1)
          await continueDay(part);
      }
    },
    continueDay,
    async listUnbound() {
      // First the days of a former version.
      await readParts(sql`false`);
      const named = await db.all<{ name: string | null }>(sql`
        SELECT name FROM read_databases WHERE state <> 'removed'
        UNION SELECT database FROM read_places
        UNION SELECT move_to FROM read_places
        UNION SELECT left_in FROM read_places`);
      return named.flatMap(({ name }) => (name === null || byName.has(name) ? [] : [name])).sort();
    },
    async continueIfPossible(last) {
      if (clock() < (waiting.get(last.day) ?? 0)) return;
      await continueDay(last).then(
        () => waiting.delete(last.day),
        () => waiting.set(last.day, clock() + RETRY_MS),
      );
    },
    noteDatabases,
    rank,
  };
}

type Measured = { fill: number; used: number };

const tierOf = ({ fill }: Measured) => (fill < ALARM_FILL ? 0 : fill < BUSY_FILL ? 1 : 2);

/** With space enough, days take turns, so that a search over several days works in parallel. */
function byTurn(a: Measured, b: Measured): number {
  return tierOf(a) === 0 ? a.used - b.used : 0;
}

function nowhere(): AppError {
  return new AppError("unavailable", "No database of reads takes new reads.", { retryAfter: 60 });
}

/** Returns the databases that may take a day: one that had it is fenced, because workers may still write to it. */
export async function withoutFence(databases: ReadsDatabase[], day: number): Promise<ReadsDatabase[]> {
  const free: ReadsDatabase[] = [];
  for (const one of databases) {
    const fence = await findFence(one.database, day);
    // An open fence is left by a copy that was given up.
    if (!fence || (fence.state === "open" && fence.continued === 0)) free.push(one);
  }
  return free;
}

/** Returns the bytes of a database, or Infinity if it does not answer. */
async function sizeOf(database: D1Database): Promise<number> {
  return measure(database).catch(() => Number.POSITIVE_INFINITY);
}

/** Returns the bytes of a database. Throws if it does not answer. */
export async function measure(database: D1Database): Promise<number> {
  const { meta } = await within(ANSWER_MS, database.prepare("SELECT 1 AS n").all());
  return meta.size_after;
}

/** Waits for a call to a database. Throws Error after `ms`. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return withDeadline(ms, work, `a database did not answer within ${ms} ms`);
}

/**
 * Records the places of the days of an installation that stored reads by UTC day modulo the number of its databases,
 * once: each day where a database has reads of it, and the days without reads up to tomorrow as a worker of the former
 * version, which may still run, places them. Throws AppError unavailable if that does not explain every day that was
 * found: a binding may be missing, and its days must not look as if they had no reads.
 */
async function recordFormerPlaces(
  db: ControlDb,
  { databases, now }: { databases: readonly ReadsDatabase[]; now: number },
): Promise<void> {
  const found = new Map<number, string>();
  const numbers = new Map<number, number>();
  for (const { name, number, database } of databases)
    for (const day of await daysIn(database)) {
      const other = found.get(day);
      if (other !== undefined)
        throw unclear(`Both ${other} and ${name} have reads of ${isoTime(day * DAY).slice(0, 10)}.`);
      found.set(day, name);
      numbers.set(day, number);
    }
  if (found.size > 0) {
    const most = at(databases, databases.length - 1).number + 1;
    const counts = Array.from({ length: most }, (_, i) => i + 1).filter((count) =>
      [...numbers].every(([day, number]) => modulo(day, count) === number),
    );
    if (counts.length === 0)
      throw unclear(
        `No number of databases up to ${most} explains which days they have. Is a binding missing?`,
      );
    const days = [...found.keys()];
    const [first, last] = [Math.min(...days), Math.max(utcDay(now) + 1, ...days)];
    for (let day = first; day <= last; day++) {
      const places = new Set(counts.map((count) => modulo(day, count)));
      // Undecided days get a place with their first read.
      if (!found.has(day) && places.size === 1) found.set(day, `READS_${[...places].join()}`);
    }
  }
  await inOneStep(db, [
    db.run(sql`
      INSERT OR IGNORE INTO read_places (day, part, database, placed_at)
      SELECT value ->> 0, 0, value ->> 1, ${now}
      FROM json_each(${JSON.stringify([...found].sort(([a], [b]) => a - b))})`),
    db.run(insertDatabases(databases, now)),
  ]);
}

const modulo = (day: number, count: number) => ((day % count) + count) % count;

function unclear(reason: string): AppError {
  logError(`ALARM: the places of the days of reads are unclear. ${reason}`);
  return new AppError("unavailable", `The places of the days of reads are unclear. ${reason}`, {
    retryAfter: 60,
  });
}

/** Returns the days that a database of the former version has reads of, also of held ones. */
async function daysIn(database: D1Database): Promise<number[]> {
  const { results } = await database
    .prepare(`
      SELECT day FROM read_keys WHERE day IS NOT NULL
      UNION
      SELECT day FROM reads
      UNION
      SELECT captured_at / ${DAY} FROM sealed_reads
      WHERE key_id IN (SELECT id FROM read_keys WHERE day IS NULL)`)
    .all<{ day: number }>();
  return results.map(({ day }) => day);
}

function insertDatabases(databases: readonly ReadsDatabase[], now: number) {
  const names = JSON.stringify(databases.map(({ name }) => name));
  return sql`INSERT OR IGNORE INTO read_databases (name, state_at) SELECT value, ${now} FROM json_each(${names})`;
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
