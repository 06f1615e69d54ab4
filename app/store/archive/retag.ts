// Retags reads that lack a mark (tags.ts), in steps that each commit on their own: a run may end anywhere, and the next
// one continues with what is left. Searches look for former tags too while any such read of a key is left, so that they
// stay complete. Remove this file when no installation has such reads.

import { foldConfused } from "#app/entities/search/look-alikes.ts";
import { at } from "#app/lib/at.ts";
import { DAY, utcDay } from "#app/lib/time/dates.ts";
import type { ReadCipher } from "./cipher.ts";
import { COPIED_DAYS, isFenced, requireChangeable } from "./fences.ts";
import type { ReadKeys } from "./keys.ts";
import { COLUMNS, type NewRead, openRead, putRuns, sealUnder } from "./rows.ts";
import { MARK, tagQuery } from "./tags.ts";
import { runsOf } from "./words.ts";

/** Has a row if some reads have former tags. */
export const ANY_FORMER =
  "SELECT 1 FROM sealed_reads INDEXED BY sealed_reads_unmarked WHERE low >= 0 LIMIT 1";

export type FormerKey = { id: number; unfolded: 0 | 1 };
/** Returns those of the keys that have reads with former tags, and whether some of these have no mark. */
export const FORMER_KEYS = `SELECT k.value AS id,
    EXISTS (SELECT 1 FROM sealed_reads INDEXED BY sealed_reads_former WHERE key_id = k.value AND high >= 0) AS unfolded
  FROM json_each(?) AS k
  WHERE EXISTS (SELECT 1 FROM sealed_reads INDEXED BY sealed_reads_unmarked WHERE key_id = k.value AND low >= 0)`;

const STEP = 1000;
/** Queries for the reads of one key in a step. */
const QUERIES_A_KEY = 4;
const FORMER = `SELECT s.id, s.key_id, s.revision, s.captured_at, s.sealed, s.plate_tag, s.high, k.agency_id, k.day
  FROM sealed_reads AS s INDEXED BY sealed_reads_unmarked
  LEFT JOIN read_keys AS k ON k.id = s.key_id
  WHERE s.low >= 0
    AND s.key_id NOT IN (SELECT value FROM json_each(?))
    AND s.captured_at / ${DAY} NOT IN (${COPIED_DAYS})
  ORDER BY s.key_id
  LIMIT ${STEP}`;
/** Leaves reads alone that were amended or moved to another key since: they have their new tags already. */
const UPDATE = `UPDATE sealed_reads
  SET plate_tag = j.value ->> 3, low = j.value ->> 4, high = j.value ->> 5
  FROM json_each(?) AS j
  WHERE sealed_reads.id = j.value ->> 0
    AND sealed_reads.key_id = j.value ->> 1
    AND sealed_reads.revision = j.value ->> 2`;
/** Deletes runs by their primary key, once no read of the plate has former tags. */
const DELETE_RUNS = `DELETE FROM plate_runs
  WHERE (key_id, run, plate_tag) IN (
    SELECT j.value ->> 0, run.value, j.value ->> 1
    FROM json_each(?) AS j
    CROSS JOIN json_each(j.value ->> 2) AS run
    WHERE NOT EXISTS (
      SELECT 1
      FROM sealed_reads AS r INDEXED BY sealed_reads_plate
      WHERE r.key_id = j.value ->> 0 AND r.plate_tag = j.value ->> 1))`;

type Row = {
  id: number;
  key_id: number;
  revision: number;
  captured_at: number;
  sealed: string;
  plate_tag: number;
  high: number;
  /** Null if the key is not listed: its reads are about to be erased. */
  agency_id: string | null;
  day: number | null;
};

/** The reads and queries that remain in a run. A step may exceed them a little. */
export type RetagBudget = { reads: number; queries: number };

/**
 * Retags reads of one database until the budget is used up. Returns the number of retagged reads. Reads whose key is
 * gone are skipped: no one can open them, and the purge erases them. Days that are being copied here are skipped too:
 * the runs of reads that are still to come must stay.
 */
export async function retagReads(database: D1Database, keys: ReadKeys, budget: RetagBudget): Promise<number> {
  const gone = new Set<number>();
  const isLeft = () => budget.reads > 0 && budget.queries > 0;
  let done = 0;
  while (isLeft()) {
    budget.queries -= 1;
    const { results } = await database
      .prepare(FORMER)
      .bind(JSON.stringify([...gone]))
      .all<Row>();
    if (results.length === 0) break;
    for (const [keyId, rows] of Map.groupBy(results, (row) => row.key_id)) {
      if (!isLeft()) break;
      const cipher = await cipherOf(keys, at(rows, 0));
      if (!cipher) {
        gone.add(keyId);
        continue;
      }
      const tagged = await retagRows(database, cipher, rows);
      budget.queries -= QUERIES_A_KEY;
      budget.reads -= tagged;
      done += tagged;
    }
  }
  return done;
}

/** Returns how many reads still have former tags. */
export async function countFormerTags(databases: D1Database[]): Promise<number> {
  const counts = await Promise.all(
    databases.map((database) =>
      database
        .prepare("SELECT count(*) AS n FROM sealed_reads INDEXED BY sealed_reads_unmarked WHERE low >= 0")
        .first<number>("n"),
    ),
  );
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

async function cipherOf(keys: ReadKeys, row: Row): Promise<ReadCipher | undefined> {
  if (row.agency_id === null) return undefined;
  const ring = await keys.of(row.agency_id, { fresh: true });
  const ciphers = row.day === null ? await ring.held() : [await ring.ofDay(row.day)];
  return ciphers.find((cipher) => cipher?.id === row.key_id) ?? undefined;
}

const COLUMN = {
  plateTag: COLUMNS.indexOf("plate_tag"),
  low: COLUMNS.indexOf("low"),
  high: COLUMNS.indexOf("high"),
};

async function retagRows(database: D1Database, cipher: ReadCipher, rows: Row[]): Promise<number> {
  const opened = await Promise.all(rows.map((row) => openRead(cipher, row).catch(() => null)));
  const reads = opened.flatMap((read, i) => (read ? [{ read, row: at(rows, i) }] : []));
  const sealed = await sealUnder(
    cipher,
    reads.map(({ read }) => read),
  );
  const values = reads.map(({ row: { id, revision } }, i) => {
    const { row } = at(sealed, i);
    return [id, cipher.id, revision, row[COLUMN.plateTag], row[COLUMN.low], row[COLUMN.high]];
  });
  // A read that its own key does not open is damaged. It is marked too, because nothing can find it either way.
  const damaged = rows
    .filter((_, i) => !at(opened, i))
    .map(({ id, revision, plate_tag }) => [id, cipher.id, revision, plate_tag, MARK, MARK]);
  const statements = [
    requireChangeable(
      database,
      rows.map((row) => utcDay(row.captured_at)),
    ),
    database.prepare(UPDATE).bind(JSON.stringify([...values, ...damaged])),
    putRuns(database, sealed, "EXISTS"),
    database.prepare(DELETE_RUNS).bind(JSON.stringify(await formerRuns(cipher, reads))),
  ];
  try {
    await database.batch(statements);
  } catch (error) {
    // A day moved to another database meanwhile, where its reads are tagged later.
    if (!isFenced(error)) throw error;
    return 0;
  }
  return rows.length;
}

/** Returns the key, the former plate tag and the former runs of each plate. */
async function formerRuns(cipher: ReadCipher, reads: { read: NewRead; row: Row }[]): Promise<unknown[]> {
  const plates = new Map(
    reads.map(({ read: { plate }, row: { plate_tag, high } }) => [
      plate_tag,
      runsOf(high < 0 ? foldConfused(plate) : plate),
    ]),
  );
  const runs = [...new Set([...plates.values()].flat())];
  const [tags] = await tagQuery([cipher], { runs, runTags: "former", features: [], texts: [] });
  const tagOf = new Map(runs.map((run, i) => [run, tags?.runs[i]]));
  return [...plates].map(([tag, own]) => [cipher.id, tag, own.map((run) => tagOf.get(run))]);
}
