// Copies the reads of a day from one database to another while they are searched and written, and switches over. Rows
// stay sealed; no key is needed. The order makes it safe:
//
// 1. `copying`: writers still write to the former database. Triggers there log reads that change; new reads have higher
//    ids. Both are copied again until little is left.
// 2. `closed`: writes of the day fail and wait, for a moment, while the last changes are copied and the reads counted.
// 3. The control database names the new database. Only now it is searched and written to.
// 4. `moved`: the former rows stay until every search that knew the former place has ended (day-switch.ts).
//
// Every transaction requires that the worker still has the lock of the day (day-lock.ts), so that one that was delayed can neither
// overwrite reads that writers have changed since, nor forget changes. A step may end anywhere: all can be repeated.

import { at } from "#app/lib/at.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { batchLocked, type LockedDay, setState } from "./day-lock.ts";
import { movedRow, type ReadsDatabase } from "./placement.ts";
import { COLUMNS } from "./rows.ts";

export type DayMove = LockedDay & { from: ReadsDatabase; to: ReadsDatabase };

/** How far the first copy of a day has come: all rows of keys before `key`, and those of the next key up to `after`. */
export type CopyProgress = {
  /** Reads with higher ids came later. */
  bound: number;
  key: number;
  stage: "runs" | "midnights" | "reads";
  after: [number, number];
  isDone: boolean;
};

const READS = 1000;
const OTHERS = 5000;
/** The place before the first row of a stage of the copy. */
export const START = [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER] as const;

const NAMES = ["id", ...COLUMNS, "revision"] as const;
const [ID, KEY_ID, PLATE_TAG, CAPTURED_AT] = (["id", "key_id", "plate_tag", "captured_at"] as const).map(
  (name) => NAMES.indexOf(name),
) as [number, number, number, number];
type Row = (string | number)[];
type Key = { id: number; agency_id: string; day: number | null };

const PUT_READS = `INSERT OR REPLACE INTO sealed_reads (${NAMES.join(", ")})
  SELECT ${NAMES.map((_, i) => `value ->> ${i}`).join(", ")} FROM json_each(?)`;
/** Counts the rows that are stored exactly as they were read. */
const COUNT_EQUAL = `SELECT count(*) AS equal
  FROM json_each(?) AS j
  CROSS JOIN sealed_reads AS r ON r.id = j.value ->> 0
  WHERE ${NAMES.map((name, i) => `r.${name} = j.value ->> ${i}`).join(" AND ")}`;
/** Adds keys that a database does not list yet: a JSON array of `{ id, agency_id, day }` is bound. */
export const PUT_KEYS = `INSERT OR IGNORE INTO read_keys (id, agency_id, day)
  SELECT value ->> 'id', value ->> 'agency_id', value ->> 'day' FROM json_each(?)`;
const PUT_RUNS = `INSERT OR IGNORE INTO plate_runs (key_id, run, plate_tag)
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`;
const PUT_MIDNIGHTS = `INSERT OR IGNORE INTO sealed_midnights (key_id, pass_tag, captured_at)
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`;
const REMOVE_READS = `DELETE FROM sealed_reads
  WHERE id IN (SELECT value FROM json_each(?)) AND captured_at BETWEEN ? AND ?`;

/** Returns the first and the last millisecond of a UTC day (days since the epoch). */
export const spanOf = (day: number) => [day * DAY, (day + 1) * DAY - 1] as const;

/**
 * Starts to log changes, and the copy in the new database. Returns the progress at the start. Throws if the day is no
 * longer in the former database.
 */
export async function beginCopy(move: DayMove): Promise<CopyProgress> {
  const { day, from } = move;
  const [begun, , newest] = await batchLocked<{ bound: number | null }>(from.database, move, [
    from.database
      .prepare("UPDATE day_fences SET state = 'copying' WHERE day = ? AND state IN ('open', 'copying')")
      .bind(day),
    from.database.prepare("DELETE FROM changed_reads WHERE day = ?").bind(day),
    from.database.prepare("SELECT max(id) AS bound FROM sealed_reads"),
  ]);
  if (begun?.meta.changes !== 1) throw new Error(`the day ${day} cannot be copied from ${from.name}`);
  await setState(move.to, move, "arriving");
  const bound = Math.max(0, newest?.results[0]?.bound ?? 0);
  return { bound, key: Number.MIN_SAFE_INTEGER, stage: "runs", after: [...START], isDone: false };
}

/** Continues a copy. Throws BrokenCopy if changes were not logged meanwhile. */
export async function resumeCopy(move: DayMove): Promise<void> {
  if ((await setState(move.from, move, "copying", ["copying"])) !== 1)
    throw new BrokenCopy(`the day ${move.day} is not being copied from ${move.from.name}`);
  // Again, because an earlier step may have ended after it opened the copy.
  await setState(move.to, move, "arriving");
}

/** Continues the copy while `isLeft`. Updates `progress`, and returns the number of reads copied. */
export async function copyDay(move: DayMove, progress: CopyProgress, isLeft: () => boolean): Promise<number> {
  const keys = (await listKeys(move.from.database, move.day)).filter(({ id }) => id >= progress.key);
  let copied = 0;
  for (const key of keys) {
    if (key.id !== progress.key) Object.assign(progress, { key: key.id, stage: "runs", after: [...START] });
    // Runs before reads: a read that came in between has a higher id, and is copied later with its runs.
    if (key.day === null) progress.stage = "reads";
    for (let isKeyDone = false; !isKeyDone; ) {
      if (!isLeft()) return copied;
      const { count, last } = await copyStage(move, key, progress);
      if (progress.stage === "reads") copied += count;
      if (last) progress.after = last;
      else if (progress.stage === "reads") isKeyDone = true;
      else {
        progress.stage = progress.stage === "runs" ? "midnights" : "reads";
        progress.after = [...START];
      }
    }
    Object.assign(progress, { key: key.id + 1, stage: "runs", after: [...START] });
  }
  progress.isDone = true;
  return copied;
}

/** Returns the keys of the day and of held reads that a database lists. */
export async function listKeys(database: D1Database, day: number): Promise<Key[]> {
  const { results } = await database
    .prepare("SELECT id, agency_id, day FROM read_keys WHERE day = ? OR day IS NULL ORDER BY id")
    .bind(day)
    .all<Key>();
  return results;
}

export type Copied = { count: number; last: [number, number] | undefined };

/** Copies the next rows of a key. `last` is undefined at the end of the stage. */
export async function copyStage(move: DayMove, key: Key, progress: CopyProgress): Promise<Copied> {
  const { day, from, to } = move;
  const { stage, after } = progress;
  const putKey = to.database.prepare(PUT_KEYS).bind(JSON.stringify([key]));
  if (stage === "reads") {
    const rows = await from.database
      .prepare(
        `SELECT ${NAMES.join(", ")} FROM sealed_reads
        WHERE key_id = ?1 AND captured_at BETWEEN ?2 AND ?3 AND (captured_at, id) > (?4, ?5)
        ORDER BY captured_at, id
        LIMIT ${READS}`,
      )
      .bind(key.id, ...spanOf(day), ...after)
      .raw<Row>();
    const runs = key.day === null ? await runsOf(from.database, rows) : [];
    if (rows.length > 0)
      await putReads(move, rows, [putKey, to.database.prepare(PUT_RUNS).bind(JSON.stringify(runs))]);
    const last = rows.length < READS ? undefined : at(rows, rows.length - 1);
    return { count: rows.length, last: last && [Number(last[CAPTURED_AT]), Number(last[ID])] };
  }
  const [table, columns, put] =
    stage === "runs"
      ? ["plate_runs", "run, plate_tag", PUT_RUNS]
      : ["sealed_midnights", "pass_tag, captured_at", PUT_MIDNIGHTS];
  const rows = await from.database
    .prepare(
      `SELECT key_id, ${columns} FROM ${table}
      WHERE key_id = ?1 AND (${columns}) > (?2, ?3)
      ORDER BY ${columns}
      LIMIT ${OTHERS}`,
    )
    .bind(key.id, ...after)
    .raw<[number, number, number]>();
  if (rows.length > 0)
    await batchLocked(to.database, move, [putKey, to.database.prepare(put).bind(JSON.stringify(rows))]);
  const last = rows.length < OTHERS ? undefined : at(rows, rows.length - 1);
  return { count: rows.length, last: last && [last[1], last[2]] };
}

/** D1 binds texts of up to two million bytes. */
const BOUND = 1_400_000;

/**
 * Writes copies of rows, with the ids that moved rows have, after other statements. Throws BrokenCopy, and writes
 * nothing that counts, if the rows in the new database differ from those that were read.
 */
async function putReads(move: DayMove, rows: Row[], before: D1PreparedStatement[]): Promise<void> {
  const { from, to } = move;
  const statements = [...before];
  let lines: string[] = [];
  let size = 0;
  const flush = () => {
    const json = `[${lines.join(",")}]`;
    for (const sql of [PUT_READS, COUNT_EQUAL]) statements.push(to.database.prepare(sql).bind(json));
    [lines, size] = [[], 0];
  };
  for (const row of rows) {
    // Digits, base64 and quotes: one byte per character.
    const line = JSON.stringify(row.with(ID, movedRow(from, Number(row[ID]))));
    if (lines.length > 0 && size + line.length > BOUND) flush();
    lines.push(line);
    size += line.length + 1;
  }
  if (lines.length > 0) flush();
  const answers = await batchLocked<{ equal?: number }>(to.database, move, statements);
  const equal = answers.reduce((sum, { results }) => sum + (results[0]?.equal ?? 0), 0);
  if (equal !== rows.length)
    throw new BrokenCopy(`${to.name} did not store the reads of the day ${move.day} as they are`);
}

/** Returns the runs of the plates of rows. */
async function runsOf(database: D1Database, rows: Row[]): Promise<[number, number, number][]> {
  if (rows.length === 0) return [];
  const keys = [...new Set(rows.map((row) => row[KEY_ID]))];
  const plates = rows.map((row) => [row[KEY_ID], row[PLATE_TAG]]);
  return database
    .prepare(
      `SELECT key_id, run, plate_tag FROM plate_runs
      WHERE key_id IN (SELECT value FROM json_each(?1))
        AND (key_id, plate_tag) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2))`,
    )
    .bind(JSON.stringify(keys), JSON.stringify(plates))
    .raw<[number, number, number]>();
}

/**
 * Copies reads that came, changed or were deleted since they were copied. Updates `progress`, and returns the number of
 * these reads; 0 if nothing has changed.
 */
export async function copyChanges(move: DayMove, progress: CopyProgress): Promise<number> {
  const { day, from, to } = move;
  const span = spanOf(day);
  const { results: logged } = await from.database
    .prepare(`SELECT seq, id FROM changed_reads WHERE day = ? ORDER BY seq LIMIT ${READS}`)
    .bind(day)
    .all<{ seq: number; id: number }>();
  const ids = JSON.stringify(logged.map(({ id }) => id));
  const names = NAMES.join(", ");
  const [changed, fresh, newest] = await from.database.batch<Record<string, string | number | null>>([
    from.database
      .prepare(
        `SELECT ${names} FROM sealed_reads
        WHERE id IN (SELECT value FROM json_each(?1)) AND captured_at BETWEEN ?2 AND ?3`,
      )
      .bind(ids, ...span),
    from.database
      .prepare(
        `SELECT ${names} FROM sealed_reads
        WHERE id > ?1 AND captured_at BETWEEN ?2 AND ?3
        ORDER BY id
        LIMIT ${READS}`,
      )
      .bind(progress.bound, ...span),
    from.database.prepare("SELECT max(id) AS id FROM sealed_reads"),
  ]);
  const rowOf = (row: Record<string, string | number | null>) => NAMES.map((name) => row[name] ?? "");
  const rows: Row[] = [...(changed?.results ?? []), ...(fresh?.results ?? [])].map(rowOf);
  const there = new Set((changed?.results ?? []).map(({ id }) => id));
  const gone = logged.filter(({ id }) => !there.has(id)).map(({ id }) => movedRow(from, id));
  const keys = (await listKeys(from.database, day)).filter(({ id }) =>
    rows.some((row) => row[KEY_ID] === id),
  );
  await putReads(move, rows, [
    to.database.prepare(REMOVE_READS).bind(JSON.stringify(gone), ...span),
    to.database.prepare(PUT_KEYS).bind(JSON.stringify(keys)),
    to.database.prepare(PUT_RUNS).bind(JSON.stringify(await runsOf(from.database, rows))),
  ]);
  // Deletes the log entries last, so that a failure loses no change. Reads that changed since the log was read have
  // higher numbers.
  await batchLocked(from.database, move, [
    from.database
      .prepare("DELETE FROM changed_reads WHERE day = ? AND seq <= ?")
      .bind(day, logged.at(-1)?.seq ?? 0),
  ]);
  const count = fresh?.results.length ?? 0;
  const end = count < READS ? newest?.results[0]?.id : fresh?.results.at(-1)?.id;
  progress.bound = Math.max(progress.bound, Number(end ?? 0));
  return logged.length + count;
}

/** The copy cannot be completed: the day has to be copied again from the start. */
export class BrokenCopy extends Error {}
