// Chooses the database of a new day, and of the next part of a day that outgrew its database.

import { sql } from "drizzle-orm";
import { AppError } from "#app/lib/errors.ts";
import { continueElsewhere, findFence, isFull } from "#app/store/archive/fences.ts";
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

/** Returns what chooses among these databases. */
export function createChoice(input: {
  db: ControlDb;
  databases: readonly ReadsDatabase[];
  limitBytes: number;
  clock: () => number;
  parts: Parts;
}) {
  const { db, databases, limitBytes, clock, parts } = input;
  const byName = new Map(databases.map((one) => [one.name, one]));

  /** Writes a part's row for the best of the databases, unless another worker was faster. */
  async function place(input: { day: number; part: number; ranked: ReadsDatabase[]; after?: string }) {
    const { day, part, ranked, after = "" } = input;
    const [best] = ranked;
    if (!best) throw nowhere();
    // Two conditions: the previous part is still in the database that was fenced, and no other part of the day uses, used
    // or will use this one (a day has one fence per database). Query plan: the database and the day's parts by primary key.
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

  async function rank(except: readonly string[]): Promise<ReadsDatabase[]> {
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
    return measured
      .filter(({ fill }) => fill < FULL_FILL)
      .sort((a, b) => tierOf(a) - tierOf(b) || byTurn(a, b) || a.fill - b.fill || a.one.number - b.one.number)
      .map(({ one }) => one);
  }

  async function continueDay({ day, part, name, place: former }: PlacedPart): Promise<void> {
    parts.forget(day);
    const last = (await parts.readParts(sql`day = ${day}`)).at(-1);
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
    rank,
    continueDay,
    begin: async (day: number) => place({ day, part: 0, ranked: await rank([]) }),
  };
}

type Measured = { fill: number; used: number };

const tierOf = ({ fill }: Measured) => (fill < ALARM_FILL ? 0 : fill < BUSY_FILL ? 1 : 2);

/** With space enough, days take turns, so that a search over several days works in parallel. */
function byTurn(a: Measured, b: Measured): number {
  return tierOf(a) === 0 ? a.used - b.used : 0;
}

/** Returns the error of a write that finds no database. */
export function nowhere(): AppError {
  return new AppError("unavailable", "No read database accepts new reads.", { retryAfter: 60 });
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
