// The control database's rows about the databases of reads: states, sizes, and the moves of days between them.

import { sql } from "drizzle-orm";
import type { StorageState } from "#app/entities/operations/storage.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";

export type DatabaseRow = {
  name: string;
  state: StorageState;
  stateAt: number;
  bytes: number | null;
  reads: number | null;
  measuredAt: number | null;
  readsCountedAt: number | null;
  movedReads: number;
  note: string;
  /** Parts of days in the database, and parts that left it but still have rows there, or are being copied to it. */
  days: number;
  leaving: number;
  arriving: number;
};

/** Returns the known databases of reads. */
export async function listStorage(db: ControlDb): Promise<DatabaseRow[]> {
  return db.all<DatabaseRow>(sql`
    SELECT name, state, state_at AS stateAt, bytes, reads, measured_at AS measuredAt,
      reads_counted_at AS readsCountedAt, moved_reads AS movedReads, note,
      (SELECT count(*) FROM read_places WHERE database = name) AS days,
      (SELECT count(*) FROM read_places WHERE left_in = name) AS leaving,
      (SELECT count(*) FROM read_places WHERE move_to = name) AS arriving
    FROM read_databases
    ORDER BY name`);
}

/** Returns a statement that changes a database's state, if it has another one. */
export function updateStorageState(
  db: ControlDb,
  input: { name: string; state: StorageState; at: number },
): Statement {
  const { name, state, at } = input;
  return db.run(sql`
    UPDATE read_databases
    SET state = ${state}, state_at = ${at}, moved_reads = 0, reads_counted_at = NULL, note = ''
    WHERE name = ${name} AND state <> ${state}`);
}

/** Stores the size of a database, also as the one at the end of the day. `reads` is null if they were not counted. */
export function updateStorageSize(
  db: ControlDb,
  input: { name: string; at: number; day: number; bytes: number; reads: number | null },
): [Statement, Statement] {
  const { name, at, day, bytes, reads } = input;
  return [
    db.run(sql`
      UPDATE read_databases
      SET bytes = ${bytes},
        measured_at = ${at},
        reads = coalesce(${reads}, reads),
        reads_counted_at = CASE WHEN ${reads} IS NULL THEN reads_counted_at ELSE ${at} END
      WHERE name = ${name}`),
    db.run(sql`
      INSERT INTO read_sizes (database, day, bytes)
      VALUES (${name}, ${day}, ${bytes})
      ON CONFLICT (database, day) DO UPDATE SET bytes = excluded.bytes`),
  ];
}

/** Counts the reads of a database, by an index: a second for some million reads. */
export async function countStoredReads(database: D1Database): Promise<number | null> {
  return database
    .prepare("SELECT count(*) AS n FROM sealed_reads INDEXED BY sealed_reads_pass")
    .first<number>("n");
}

export type SizeRow = { database: string; day: number; bytes: number };

/** Returns the sizes of the databases since a day. */
export async function listStorageSizes(db: ControlDb, sinceDay: number): Promise<SizeRow[]> {
  return db.all<SizeRow>(sql`
    SELECT database, day, bytes
    FROM read_sizes
    WHERE day >= ${sinceDay}
    ORDER BY day`);
}

/** Removes sizes before a day. */
export async function removeStorageSizes(db: ControlDb, beforeDay: number): Promise<void> {
  await db.run(sql`DELETE FROM read_sizes WHERE day < ${beforeDay}`);
}

/** A part of a day that is moving, has moved, or has to move. */
export type MovingPart = {
  day: number;
  part: number;
  database: string;
  moveTo: string | null;
  /** JSON of the copy's progress. */
  progress: string | null;
  leftIn: string | null;
};

const PART = sql.raw(`day, part, database, move_to AS moveTo, progress, left_in AS leftIn`);

/**
 * Returns parts with work to do, at most `most`: those that left rows behind before `leftBefore`, those that are
 * moving, and those of draining databases, oldest first.
 */
export async function listMovingParts(
  db: ControlDb,
  { leftBefore, most }: { leftBefore: number; most: number },
): Promise<MovingPart[]> {
  // Query plan: all rows of read_places and read_databases, which have one for each part of a day and one per database.
  const moving = sql`
    SELECT ${PART}
    FROM read_places
    WHERE left_at <= ${leftBefore}
      OR left_in IS NULL
        AND (
          move_to IS NOT NULL
          OR database IN (SELECT name FROM read_databases WHERE state = 'draining')
        )
    ORDER BY left_in IS NULL, move_to IS NULL, day, part
    LIMIT ${most}`;
  return db.all<MovingPart>(moving);
}

/** Returns the databases that have, had or will have a part of a day, and its number of parts. */
export async function listDatabasesOfDay(
  db: ControlDb,
  day: number,
): Promise<{ names: string[]; parts: number }> {
  const rows = await db.all<Pick<MovingPart, "database" | "moveTo" | "leftIn">>(
    sql`SELECT database, move_to AS moveTo, left_in AS leftIn FROM read_places WHERE day = ${day}`,
  );
  const names = rows.flatMap(({ database, moveTo, leftIn }) => [database, moveTo, leftIn]);
  return { names: [...new Set(names.filter((name) => name !== null))], parts: rows.length };
}

/** The progress of a copy that is being given up: its rows are deleted before anything else happens to the part. */
export const UNDOING = "undo";

/** A part, and the lease under which it is moved: changes fail without it. */
export type LeasedPart = Pick<MovingPart, "day" | "part" | "database"> & { lease: number };

const isLeased = ({ day, part, database, lease }: LeasedPart) => sql`
  day = ${day}
    AND part = ${part}
    AND database = ${database}
    AND left_in IS NULL
    AND EXISTS (SELECT 1 FROM read_databases WHERE name = ${database} AND leased_until = ${lease})`;

/**
 * Names the database that a part moves to, or confirms it. Returns the part; undefined if it moved, is moving elsewhere,
 * is being undone, or if another part of the day has been in that database.
 */
export async function beginMove(
  db: ControlDb,
  part: LeasedPart,
  target: string,
): Promise<MovingPart | undefined> {
  // Query plan: the day's parts and the database by primary key.
  const beginning = sql`
    UPDATE read_places
    SET move_to = ${target}
    WHERE ${isLeased(part)}
      AND coalesce(move_to, ${target}) = ${target}
      AND progress IS NOT ${UNDOING}
      AND NOT EXISTS (
        SELECT 1
        FROM read_places AS other
        WHERE other.day = ${part.day}
          AND other.part <> ${part.part}
          AND ${target} IN (other.database, other.move_to, other.left_in)
      )
    RETURNING ${PART}`;
  const [begun] = await db.all<MovingPart>(beginning);
  return begun;
}

/** Stores the progress of a copy, unless the move ended or is being undone. */
export async function updateProgress(db: ControlDb, part: LeasedPart, progress: string): Promise<void> {
  await db.run(sql`
    UPDATE read_places
    SET progress = ${progress}
    WHERE ${isLeased(part)} AND move_to IS NOT NULL AND progress IS NOT ${UNDOING}`);
}

/** Stores that a move is undone: it cannot be completed from now on. Returns the part, or undefined if the move ended. */
export async function beginUndo(db: ControlDb, part: LeasedPart): Promise<MovingPart | undefined> {
  const [undone] = await db.all<MovingPart>(sql`
    UPDATE read_places
    SET progress = ${UNDOING}
    WHERE ${isLeased(part)} AND move_to IS NOT NULL
    RETURNING ${PART}`);
  return undone;
}

/** Stores that a move was undone. */
export async function endUndo(db: ControlDb, part: LeasedPart): Promise<void> {
  await db.run(sql`
    UPDATE read_places
    SET move_to = NULL, progress = NULL
    WHERE ${isLeased(part)} AND progress = ${UNDOING}`);
}

/**
 * Completes a move: the part is in its new database from now on. Returns false if the day has more parts by now, or if
 * the move is being undone.
 */
export async function completeMove(
  db: ControlDb,
  part: LeasedPart,
  { target, at, parts }: { target: string; at: number; parts: number },
): Promise<boolean> {
  const { meta } = await db.run(sql`
    UPDATE read_places
    SET database = ${target}, move_to = NULL, progress = NULL, left_in = ${part.database}, left_at = ${at}
    WHERE ${isLeased(part)}
      AND move_to = ${target}
      AND progress IS NOT ${UNDOING}
      AND (SELECT count(*) FROM read_places WHERE day = ${part.day}) = ${parts}`);
  return meta.changes > 0;
}

/** Stores that the former rows of a part are deleted. */
export async function forgetFormerPlace(
  db: ControlDb,
  { day, part, leftIn }: Pick<MovingPart, "day" | "part" | "leftIn">,
): Promise<void> {
  await db.run(sql`
    UPDATE read_places
    SET left_in = NULL, left_at = NULL
    WHERE day = ${day} AND part = ${part} AND left_in = ${leftIn}`);
}

/** SQL that selects a backup that is reading the databases, one after the other. */
export const BACKUP_READS = sql.raw(`SELECT 1 AS n
  FROM backup_runs
  WHERE kind = 'backup' AND state = 'running' AND phase IN ('plan', 'rows')`);

/** Takes the lease of a database's moves. Returns its number, or null if another worker has it or a backup reads. */
export async function leaseStorage(
  db: ControlDb,
  { name, now, until }: { name: string; now: number; until: number },
): Promise<number | null> {
  const [leased] = await db.all<{ lease: number }>(sql`
    UPDATE read_databases
    SET leased_until = ${until}
    WHERE name = ${name} AND leased_until <= ${now} AND NOT EXISTS (${BACKUP_READS})
    RETURNING leased_until AS lease`);
  return leased?.lease ?? null;
}

/** Returns the lease, if it is still held; adds to the reads moved, and stores what the drain waits for. */
export async function releaseStorage(
  db: ControlDb,
  input: { name: string; lease: number; moved: number; note: string },
): Promise<void> {
  await db.run(sql`
    UPDATE read_databases
    SET leased_until = 0, moved_reads = moved_reads + ${input.moved}, note = ${input.note}
    WHERE name = ${input.name} AND leased_until = ${input.lease}`);
}

/** Returns whether a backup is reading the databases, and stores that drains wait for it. */
export async function isBackupReading(db: ControlDb): Promise<boolean> {
  const { meta } = await db.run(sql`
    UPDATE read_databases
    SET note = 'Waits until the backup has read the databases.'
    WHERE state = 'draining' AND EXISTS (${BACKUP_READS})`);
  return meta.changes > 0 || (await db.all(BACKUP_READS)).length > 0;
}

/** Ends the leases of workers that did not return them in time. Returns whether a day may still be moved by another one. */
export async function isMoving(db: ControlDb, now: number): Promise<boolean> {
  const leased = await db.all<{ until: number }>(sql`
    UPDATE read_databases
    SET leased_until = CASE WHEN leased_until > ${now} THEN leased_until ELSE 0 END
    WHERE leased_until > 0
    RETURNING leased_until AS until`);
  return leased.some(({ until }) => until > 0);
}

/**
 * Returns statements for a restored installation. A backup reads one database after the other, so that the copy of a day
 * that was being moved may lack changes: it is undone. Databases without reads that were not bound again are removed.
 */
export function settleStorage(db: ControlDb, bound: string[]): Statement[] {
  return [
    db.run(sql`UPDATE read_places SET progress = ${UNDOING} WHERE move_to IS NOT NULL`),
    db.run(sql`
      UPDATE read_databases
      SET state = 'removed', note = ''
      WHERE name NOT IN (SELECT value FROM json_each(${JSON.stringify(bound)}))
        AND NOT EXISTS (
          SELECT 1
          FROM read_places
          WHERE read_databases.name IN (database, move_to, left_in)
        )`),
    db.run(sql`UPDATE read_databases SET leased_until = 0`),
  ];
}
