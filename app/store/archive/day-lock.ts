// Lets one worker at a time move a day. A lease in the control database names the worker, but a worker that was delayed
// does not notice that its lease has ended. So each step of a move first writes its own number into the day's fence in
// both databases, and every transaction of the move fails where the fence has another worker's number.

import { isFenced } from "./fences.ts";
import type { ReadsDatabase } from "./placement.ts";

/** A day, and the number of the worker that may move it. */
export type LockedDay = { day: number; holder: number };

class LockLost extends Error {}

/** Returns whether a step of a move failed because another worker has taken the day over. */
export function isLockLost(error: unknown): boolean {
  return error instanceof LockLost || isFenced(error);
}

/** Returns a number for a worker that wants to lock a day. */
export function newLockHolder(): number {
  return 1 + (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0);
}

/** Returns the number of the last worker that moved a day in a database, or null if it has no fence. */
export async function findLockHolder(database: D1Database, day: number): Promise<number | null> {
  return database
    .prepare("SELECT closings AS holder FROM day_fences WHERE day = ?")
    .bind(day)
    .first<number>("holder");
}

/** A null holder equals none, so that a fence that was created meanwhile is not taken over. */
const LOCK_DAY = `INSERT INTO day_fences (day, state, closings) VALUES (?1, 'open', ?3)
  ON CONFLICT (day) DO UPDATE
  SET closings = ?3, state = CASE state WHEN 'closed' THEN 'copying' ELSE state END
  WHERE closings = ?2`;

/**
 * Makes `holder` the only worker that may move a day in a database. A day that its last holder closed is open to writers
 * again. Throws an error that `isLockLost` if another worker took the day since `before` was read.
 */
export async function lockDay(
  database: D1Database,
  { day, holder, before }: LockedDay & { before: number | null },
): Promise<void> {
  const { meta } = await database.prepare(LOCK_DAY).bind(day, before, holder).run();
  if (meta.changes !== 1) throw new LockLost("another worker moves this day");
}

/** Runs a transaction of a move under its lock. Throws an error that `isLockLost`, and changes nothing, if another worker took the day. */
export async function batchLocked<Row>(
  database: D1Database,
  { day, holder }: LockedDay,
  statements: D1PreparedStatement[],
): Promise<D1Result<Row>[]> {
  const [, ...answers] = await database.batch<Row>([
    database
      .prepare(
        `INSERT INTO day_fences (day, state, stop)
        SELECT ?1, 'open', NULL
        WHERE NOT EXISTS (SELECT 1 FROM day_fences WHERE day = ?1 AND closings = ?2)`,
      )
      .bind(day, holder),
    ...statements,
  ]);
  return answers;
}

type State = "open" | "copying" | "closed" | "moved" | "arriving";

/** Changes the fence of a day, if it has one of the states. Returns the number of changed fences. */
export async function setState(
  { database }: ReadsDatabase,
  locked: LockedDay,
  state: State,
  from: State[] = ["open", "copying", "closed", "moved", "arriving"],
): Promise<number> {
  const [set] = await batchLocked(database, locked, [
    database
      .prepare(
        "UPDATE day_fences SET state = ?2 WHERE day = ?1 AND state IN (SELECT value FROM json_each(?3))",
      )
      .bind(locked.day, state, JSON.stringify(from)),
  ]);
  return set?.meta.changes ?? 0;
}
