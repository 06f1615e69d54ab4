// Reads the rows that say which parts a day has, and where. Writers get them from a cache of the isolate.

import { sql } from "drizzle-orm";
import type { PlacedPart, ReadsDatabase } from "#app/store/archive/placement.ts";
import { type ControlDb, inOneStep, rowsOf } from "#app/store/database.ts";
import { noSpaceError } from "./choice.ts";
import { insertDatabases, recordFormerPlaces } from "./former-places.ts";

type PartRow = { day: number; part: number; database: string };

/** The parts that this isolate knows, by control database and day. */
const caches = new WeakMap<D1Database, Map<number, PlacedPart[]>>();

export type Parts = ReturnType<typeof createParts>;

/** Returns the parts of days in these databases. */
export function createParts(input: {
  db: ControlDb;
  databases: readonly ReadsDatabase[];
  clock: () => number;
}) {
  const { db, databases, clock } = input;
  const byName = new Map(databases.map((one) => [one.name, one]));
  const client: D1Database = db.$client;
  const cache = caches.get(client) ?? new Map<number, PlacedPart[]>();
  caches.set(client, cache);

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

  /** Returns the parts of each day, possibly from the cache. `begin` places days that have none. */
  async function forWriting(
    wanted: Iterable<number>,
    begin: (days: number[]) => Promise<void>,
  ): Promise<Map<number, PlacedPart[]>> {
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
      if (isPlaced) throw noSpaceError();
      await begin(missing.filter((day) => !found.has(day)));
    }
    return found;
  }

  async function noteDatabases(): Promise<void> {
    // First records the days of a former version: a list of databases means that this was done.
    await readParts(sql`false`);
    await db.run(insertDatabases(databases, clock()));
  }

  return { readParts, forWriting, noteDatabases, forget: (day: number) => cache.delete(day) };
}
