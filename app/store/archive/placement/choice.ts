// Chooses the database of a new day, and of the next part of a day that outgrew its database.

import { sql } from "drizzle-orm";
import { AppError } from "#app/lib/errors.ts";
import { continueElsewhere, isFull, listFences } from "#app/store/archive/fences.ts";
import type { PlacedPart, ReadsDatabase } from "#app/store/archive/placement.ts";
import type { ControlDb } from "#app/store/database.ts";
import { sizeOf } from "./measure.ts";
import type { Parts } from "./parts.ts";

/** The fill at which the alarm is raised, and from which an emptier database is preferred. */
export const ALARM_FILL = 0.7;
/** A database this full takes no new day while another has more space. */
const BUSY_FILL = 0.9;
/** A database this full takes no new pass: the rest is for changes to the reads it has. */
export const FULL_FILL = 0.97;
/** `used` grows with each day that a database takes. */
type DatabaseRow = { name: string; state: string; used: number | null };

/** Returns the functions that choose among these databases. */
export function createChoice(input: {
  db: ControlDb;
  databases: readonly ReadsDatabase[];
  limitBytes: number;
  clock: () => number;
  parts: Parts;
}) {
  const { db, databases, limitBytes, clock, parts } = input;
  const byName = new Map(databases.map((one) => [one.name, one]));

  /** Returns the databases that take days. */
  async function measureOpen(except: readonly string[] = []): Promise<Measured[]> {
    await parts.noteDatabases();
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
    return measured.filter(({ fill }) => fill < FULL_FILL);
  }

  async function begin(days: number[]): Promise<void> {
    const measured = await measureOpen();
    const chosen = days.flatMap((day) =>
      takeBest(measured, () => true).map((name) => ({ day, part: 0, name })),
    );
    if (chosen.length < days.length) throw noSpaceError();
    await insertParts(db, chosen, clock());
  }

  async function continueDays(given: PlacedPart[]): Promise<void> {
    for (const { day } of given) parts.forget(day);
    const inDays = sql`day IN (SELECT value FROM json_each(${JSON.stringify(given.map(({ day }) => day))}))`;
    const newest = new Map((await parts.readParts(inDays)).map((part) => [part.day, part]));
    const lasts = given.filter(
      ({ day, part, name }) => newest.get(day)?.part === part && newest.get(day)?.name === name,
    );
    if (lasts.length === 0) return;
    const used = await db.all<{ day: number; name: string | null }>(sql`
      SELECT day, database AS name FROM read_places WHERE ${inDays}
      UNION SELECT day, move_to FROM read_places WHERE ${inDays}
      UNION SELECT day, left_in FROM read_places WHERE ${inDays}`);
    const usedOn = Map.groupBy(used, ({ day }) => day);
    const measured = await measureOpen();
    const isFree = await freeDays(
      measured.map(({ one }) => one),
      lasts.map(({ day }) => day),
    );
    const chosen = lasts.flatMap((last) => {
      const { day, part, name: after } = last;
      const isUsed = (one: ReadsDatabase) => usedOn.get(day)?.some(({ name }) => name === one.name);
      const best = takeBest(measured, (one) => !isUsed(one) && isFree(one, day));
      return best.map((name) => ({ last, row: { day, part: part + 1, name, after } }));
    });
    // Before the new rows, so that no worker stores a pass in both. A full database stores no pass anyway.
    for (const own of Map.groupBy(chosen, ({ last }) => last.place).values()) {
      const days = own.map(({ row }) => row.day);
      const former = own[0]?.last.place?.database;
      if (former)
        await continueElsewhere(former, days).catch((error: unknown) => {
          if (!isFull(error)) throw error;
        });
    }
    await insertParts(
      db,
      chosen.map(({ row }) => row),
      clock(),
    );
    if (chosen.length < lasts.length) throw noSpaceError();
  }

  return {
    begin,
    continueDays,
    /** Returns the databases that take a day, best first, except the named ones. */
    rank: async (except: readonly string[]) => (await measureOpen(except)).sort(byRank).map(({ one }) => one),
  };
}

/** A part and the database that takes it; `after`: the database of the part before, which was full. */
type ChosenPart = { day: number; part: number; name: string; after?: string };

/** Writes the rows of parts, unless other workers were faster. */
async function insertParts(db: ControlDb, chosen: ChosenPart[], placedAt: number): Promise<void> {
  const rows = chosen.map(({ day, part, name, after = "" }) => [day, part, name, after]);
  // Two conditions: the previous part is still in the database that was fenced, and no other part of the day uses, used
  // or will use this one (a day has one fence per database). Query plan: the database and the day's parts by primary key.
  const insertion = sql`
    INSERT OR IGNORE INTO read_places (day, part, database, placed_at)
    SELECT j.value ->> 0, j.value ->> 1, d.name, ${placedAt}
    FROM json_each(${JSON.stringify(rows)}) AS j
    CROSS JOIN read_databases AS d ON d.name = j.value ->> 2
    WHERE d.state = 'open'
      AND (
        j.value ->> 1 = 0
        OR EXISTS (
          SELECT 1
          FROM read_places
          WHERE day = j.value ->> 0 AND part = (j.value ->> 1) - 1 AND database = j.value ->> 3
        )
      )
      AND NOT EXISTS (
        SELECT 1
        FROM read_places
        WHERE day = j.value ->> 0 AND d.name IN (database, move_to, left_in)
      )`;
  await db.run(insertion);
}

type Measured = { one: ReadsDatabase; fill: number; used: number };

/** Returns the name of the best of the databases that are `free`, in a list, and counts it as the one that was used last. */
function takeBest(measured: Measured[], free: (one: ReadsDatabase) => boolean): string[] {
  const [best] = measured.filter(({ one }) => free(one)).sort(byRank);
  if (!best) return [];
  best.used = 1 + Math.max(...measured.map(({ used }) => used));
  return [best.one.name];
}

const byRank = (a: Measured, b: Measured) =>
  tierOf(a) - tierOf(b) || byTurn(a, b) || a.fill - b.fill || a.one.number - b.one.number;

const tierOf = ({ fill }: Measured) => (fill < ALARM_FILL ? 0 : fill < BUSY_FILL ? 1 : 2);

/** With space enough, days take turns, so that a search over several days works in parallel. */
function byTurn(a: Measured, b: Measured): number {
  return tierOf(a) === 0 ? a.used - b.used : 0;
}

/** Returns the error for a write for which no database has space. */
export function noSpaceError(): AppError {
  return new AppError("unavailable", "No read database accepts new reads.", { retryAfter: 60 });
}

/**
 * Returns whether a database may take a day: one that had it is fenced, because workers may still write to it. An open
 * fence is left by a copy that was given up.
 */
export async function freeDays(
  databases: ReadsDatabase[],
  days: number[],
): Promise<(one: ReadsDatabase, day: number) => boolean> {
  const asked = databases.map(
    async ({ name, database }) => [name, await listFences(database, days)] as const,
  );
  const fences = new Map(await Promise.all(asked));
  return ({ name }, day) => {
    const fence = fences.get(name)?.get(day);
    return !fence || (fence.state === "open" && fence.continued === 0);
  };
}
