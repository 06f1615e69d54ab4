// Fences: rows in a database of reads about days that moved, or continue, elsewhere. A worker knows the place of a day
// from its own cache, which may be outdated. That is safe, because every transaction that writes names its days in one
// of these statements, and the whole transaction fails if a day is fenced. The worker then asks for the place again.

import { brokenConstraint } from "#app/store/constraints.ts";

/** For transactions that may store new passes. */
const NEW = `UPDATE day_fences
  SET stop = NULL
  WHERE day IN (SELECT value FROM json_each(?))
    AND (continued = 1 OR state IN ('closed', 'moved', 'arriving'))`;
/** For transactions that only change or delete reads, which a day's earlier parts accept. */
const CHANGE = `UPDATE day_fences
  SET stop = NULL
  WHERE day IN (SELECT value FROM json_each(?)) AND state IN ('closed', 'moved', 'arriving')`;

/** Returns a statement that makes its transaction fail if the database does not take new passes of these days. */
export function requireOpen(database: D1Database, days: Iterable<number>): D1PreparedStatement {
  return database.prepare(NEW).bind(JSON.stringify([...new Set(days)]));
}

/** Returns a statement that makes its transaction fail if reads of these days must not be changed here. */
export function requireChangeable(database: D1Database, days: Iterable<number>): D1PreparedStatement {
  return database.prepare(CHANGE).bind(JSON.stringify([...new Set(days)]));
}

/** Returns whether a transaction failed because a day is fenced, or rows were looked for where they no longer count. */
export function isFenced(error: unknown): boolean {
  return error instanceof DayLeft || brokenConstraint(error) === "day_fences.stop";
}

class DayLeft extends Error {}

/**
 * Runs a query for rows of days that an earlier part should have. Throws an error that `isFenced` if one of the days left
 * the database: its rows are elsewhere, and missing ones would be stored a second time.
 */
export async function lookIn<Row>(
  database: D1Database,
  days: Iterable<number>,
  query: D1PreparedStatement,
): Promise<Row[]> {
  const [left, found] = await database.batch<Row>([
    database
      .prepare(`${COPIED_DAYS} AND day IN (SELECT value FROM json_each(?)) LIMIT 1`)
      .bind(JSON.stringify([...new Set(days)])),
    query,
  ]);
  if (left?.results.length !== 0) throw new DayLeft("a day of reads was moved to another database");
  return found?.results ?? [];
}

/** Returns whether a write failed because the database has reached its size limit. */
export function isFull(error: unknown): boolean {
  return (
    error instanceof Error && /maximum DB size|database or disk is full|SQLITE_FULL/i.test(error.message)
  );
}

/** Fences days against new passes, before they are stored in another database. */
export async function continueElsewhere(database: D1Database, days: number[]): Promise<void> {
  await database
    .prepare(
      `INSERT INTO day_fences (day, state, continued)
      SELECT value, 'open', 1 FROM json_each(?) WHERE true
      ON CONFLICT (day) DO UPDATE SET continued = 1`,
    )
    .bind(JSON.stringify(days))
    .run();
}

type Fence = { state: "open" | "copying" | "closed" | "moved" | "arriving"; continued: number };

/** Returns the fences of days in a database, by day. */
export async function listFences(database: D1Database, days: number[]): Promise<Map<number, Fence>> {
  const { results } = await database
    .prepare("SELECT day, state, continued FROM day_fences WHERE day IN (SELECT value FROM json_each(?))")
    .bind(JSON.stringify(days))
    .all<Fence & { day: number }>();
  return new Map(results.map((fence) => [fence.day, fence]));
}

/** SQL for the days whose reads in a database are copies that do not count yet, or no longer count. */
export const COPIED_DAYS = "SELECT day FROM day_fences WHERE state IN ('closed', 'moved', 'arriving')";
