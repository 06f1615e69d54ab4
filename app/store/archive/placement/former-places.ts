// Upgrades installations that stored reads by UTC day modulo the number of their databases: it records where each day
// is.

import { sql } from "drizzle-orm";
import { at } from "#app/lib/at.ts";
import { AppError } from "#app/lib/errors.ts";
import { logError } from "#app/lib/log.ts";
import { DAY, isoTime, utcDay } from "#app/lib/time/dates.ts";
import type { ReadsDatabase } from "#app/store/archive/placement.ts";
import { type ControlDb, inOneStep } from "#app/store/database.ts";

/**
 * Records once where each day is in an installation that stored reads by UTC day modulo the number of its databases.
 * Days with reads are where their reads are. Days without reads, up to tomorrow, are where a worker of the former
 * version, which may still run, would store them. Throws AppError unavailable if no number of databases explains every
 * day that was found: a binding may be missing, and its days must not look empty.
 */
export async function recordFormerPlaces(
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
  logError(`ALARM: Odin cannot tell which database stores which day of reads. ${reason}`);
  return new AppError("unavailable", `Odin cannot tell which database stores which day. ${reason}`, {
    retryAfter: 60,
  });
}

/** Returns the days of which a database of the former version has reads, held ones included. */
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

/** Returns a statement that adds databases to the list of databases, unless they are in it. */
export function insertDatabases(databases: readonly ReadsDatabase[], now: number) {
  const names = JSON.stringify(databases.map(({ name }) => name));
  return sql`INSERT OR IGNORE INTO read_databases (name, state_at) SELECT value, ${now} FROM json_each(${names})`;
}
