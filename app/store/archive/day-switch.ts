// The end of a move, or of its undo: the switch from one database to another, and the removal of the rows that no
// longer count.

import {
  BrokenCopy,
  type Copied,
  type CopyProgress,
  copyChanges,
  copyStage,
  type DayMove,
  listKeys,
  PUT_KEYS,
  START,
  spanOf,
} from "./day-copy.ts";
import { batchLocked, type LockedDay, setState } from "./day-lock.ts";
import type { ReadsDatabase } from "./placement.ts";

/** Rounds of a closed day: writers are stopped, so the first ones copy everything that is left. */
const LAST_ROUNDS = 20;

/**
 * Stops writes of the day in the former database, copies what is left, and opens the new one to writers; `continued` if
 * the day has a later part. Until the control database names the new one, no one uses it. If anything fails, the former
 * one takes writes again; throws BrokenCopy if the databases do not have the same number of reads.
 */
export async function closeDay(move: DayMove, progress: CopyProgress, continued: boolean): Promise<void> {
  const { day, from, to } = move;
  if ((await setState(from, move, "closed", ["copying"])) !== 1)
    throw new BrokenCopy(`the day ${day} is not being copied from ${from.name}`);
  try {
    await copyRest(move, progress);
    await batchLocked(to.database, move, [
      to.database
        .prepare("UPDATE day_fences SET state = 'open', continued = ? WHERE day = ? AND state = 'arriving'")
        .bind(continued ? 1 : 0, day),
    ]);
  } catch (error) {
    await reopenDay(move);
    throw error;
  }
}

/** Lets writers use the former database again, after the move was not completed. */
export async function reopenDay(move: DayMove): Promise<void> {
  await setState(move.from, move, "copying", ["closed"]);
}

async function copyRest(move: DayMove, progress: CopyProgress): Promise<void> {
  const { day, from, to } = move;
  for (let round = 0; (await copyChanges(move, progress)) > 0; round++)
    if (round === LAST_ROUNDS) throw new Error(`the reads of the day ${day} in ${from.name} keep changing`);
  const listed = await listKeys(from.database, day);
  const keys = listed.filter((key) => key.day !== null);
  await batchLocked(to.database, move, [to.database.prepare(PUT_KEYS).bind(JSON.stringify(keys))]);
  const ids = keys.map(({ id }) => id);
  const [here, there] = await Promise.all([
    countMidnights(from.database, ids),
    countMidnights(to.database, ids),
  ]);
  for (const key of keys) {
    if ((here.get(key.id) ?? 0) === (there.get(key.id) ?? 0)) continue;
    const stage: CopyProgress = { ...progress, key: key.id, stage: "midnights", after: [...START] };
    for (let last: Copied["last"] = stage.after; last; ) {
      stage.after = last;
      ({ last } = await copyStage(move, key, stage));
    }
  }
  const all = listed.map(({ id }) => id);
  const [former, copied] = await Promise.all([
    countReads(from.database, all, day),
    countReads(to.database, all, day),
  ]);
  if (all.some((id) => (former.get(id) ?? 0) !== (copied.get(id) ?? 0)))
    throw new BrokenCopy(`the copy of the day ${day} in ${to.name} is not complete`);
}

/** Returns the number of reads of a day in a database. */
export async function countDay(database: D1Database, day: number): Promise<number> {
  const keys = (await listKeys(database, day)).map(({ id }) => id);
  return [...(await countReads(database, keys, day)).values()].reduce((sum, count) => sum + count, 0);
}

/** Returns the reads of a day in a database, by key. */
async function countReads(database: D1Database, keys: number[], day: number): Promise<Map<number, number>> {
  const { results } = await database
    .prepare(
      `SELECT key_id, count(*) AS n FROM sealed_reads
      WHERE key_id IN (SELECT value FROM json_each(?)) AND captured_at BETWEEN ? AND ?
      GROUP BY key_id`,
    )
    .bind(JSON.stringify(keys), ...spanOf(day))
    .all<{ key_id: number; n: number }>();
  return new Map(results.map(({ key_id, n }) => [key_id, n]));
}

async function countMidnights(database: D1Database, keys: number[]): Promise<Map<number, number>> {
  const { results } = await database
    .prepare(
      `SELECT key_id, count(*) AS n FROM sealed_midnights
      WHERE key_id IN (SELECT value FROM json_each(?))
      GROUP BY key_id`,
    )
    .bind(JSON.stringify(keys))
    .all<{ key_id: number; n: number }>();
  return new Map(results.map(({ key_id, n }) => [key_id, n]));
}

/** Marks the rows of the former database as no longer the day's reads. Throws if the day is not closed there. */
export async function markMoved(from: ReadsDatabase, day: number): Promise<void> {
  const [marked] = await from.database.batch([
    from.database
      .prepare("UPDATE day_fences SET state = 'moved' WHERE day = ? AND state IN ('closed', 'moved')")
      .bind(day),
    from.database.prepare("DELETE FROM changed_reads WHERE day = ?").bind(day),
  ]);
  if (marked?.meta.changes !== 1)
    throw new Error(`${from.name} still takes reads of the day ${day}, which moved: its rows are kept`);
}

/** Marks rows of a day as copies that do not count, so that `removeDay` may delete them. */
export async function refuseCopies(move: DayMove): Promise<void> {
  await setState(move.to, move, "moved");
}

/** Marks a database from which an unfinished copy was removed as one that may take the day again. */
export async function allowAgain(move: DayMove): Promise<void> {
  await setState(move.to, move, "open", ["moved"]);
}

/**
 * Ends the copying from a database, after the control database has recorded that the copy is abandoned. In a restored
 * backup, the fence may even say that the day moved, because a backup reads one database after the other.
 */
export async function keepDay({ database }: ReadsDatabase, locked: LockedDay): Promise<void> {
  await batchLocked(database, locked, [
    database
      .prepare("UPDATE day_fences SET state = 'open' WHERE day = ? AND state <> 'arriving'")
      .bind(locked.day),
    database.prepare("DELETE FROM changed_reads WHERE day = ?").bind(locked.day),
  ]);
}

const REMOVED_AT_ONCE = 2000;

/** True where the day's rows do not count: a delayed worker must not delete the rows of the day's new place. */
const IS_MOVED = "EXISTS (SELECT 1 FROM day_fences WHERE day = ?1 AND state = 'moved')";

/** Deletes all rows of a day that is `moved` from a database, while `isLeft`. Returns whether none are left. */
export async function removeDay(database: D1Database, day: number, isLeft: () => boolean): Promise<boolean> {
  const steps = [
    database
      .prepare(
        `DELETE FROM sealed_reads WHERE ${IS_MOVED} AND id IN (
          SELECT id FROM sealed_reads
          WHERE key_id IN (SELECT id FROM read_keys WHERE day = ?1 OR day IS NULL)
            AND captured_at BETWEEN ?2 AND ?3
          LIMIT ${REMOVED_AT_ONCE})`,
      )
      .bind(day, ...spanOf(day)),
    removeSome(database, { day, table: "plate_runs", columns: "run, plate_tag" }),
    removeSome(database, { day, table: "sealed_midnights", columns: "pass_tag, captured_at" }),
  ];
  // Each statement covers the keys of all agencies. `isLeft` is called only while rows are left, so that every call
  // makes progress.
  for (const step of steps)
    while ((await step.run()).meta.changes >= REMOVED_AT_ONCE) if (!isLeft()) return false;
  await database.batch([
    database.prepare(`DELETE FROM read_keys WHERE day = ?1 AND ${IS_MOVED}`).bind(day),
    // Runs of held reads, whose keys have no day, are deleted once the database has no other read of the key.
    database.prepare(
      `DELETE FROM plate_runs
      WHERE key_id IN (SELECT id FROM read_keys WHERE day IS NULL)
        AND NOT EXISTS (SELECT 1 FROM sealed_reads WHERE key_id = plate_runs.key_id)`,
    ),
  ]);
  return true;
}

type Removal = { day: number; table: string; columns: string };

function removeSome(database: D1Database, { day, table, columns }: Removal): D1PreparedStatement {
  return database
    .prepare(
      `DELETE FROM ${table} WHERE ${IS_MOVED} AND (key_id, ${columns}) IN (
        SELECT key_id, ${columns} FROM ${table}
        WHERE key_id IN (SELECT id FROM read_keys WHERE day = ?1)
        LIMIT ${REMOVED_AT_ONCE})`,
    )
    .bind(day);
}

/** Returns whether a database has no read. */
export async function isEmpty({ database }: ReadsDatabase): Promise<boolean> {
  const row = await database
    .prepare("SELECT EXISTS (SELECT 1 FROM sealed_reads) OR EXISTS (SELECT 1 FROM reads) AS filled")
    .first<number>("filled");
  return row === 0;
}
