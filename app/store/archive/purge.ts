// Removes an agency's reads when their retention ends, and destroys the keys of their days: after that no copy of the
// databases can be read. Reads under a legal hold are first sealed again with a separate key. A run may fail at any
// step: the remaining rows show what is left to do, and a key is destroyed only when no read needs it.

import type { HeldPlate } from "#app/entities/oversight/legal-hold.ts";
import { at } from "#app/lib/at.ts";
import { isDayOver, utcDay } from "#app/lib/time/dates.ts";
import type { ReadCipher } from "./cipher.ts";
import { COPIED_DAYS, isFenced, requireChangeable } from "./fences.ts";
import { objectsOf } from "./images.ts";
import type { AgencyKeys, ReadKeys } from "./keys.ts";
import { COLUMNS, type NewRead, openRead, putRuns, type SealedRead, sealUnder } from "./rows.ts";

export type PurgeParts = {
  databases: D1Database[];
  images: R2Bucket;
  keys: ReadKeys;
  /** Whether a database is missing here. It may have reads of any key, so no key is destroyed or replaced. */
  isIncomplete?: boolean;
};
export type PurgeOrder = {
  agencyId: string;
  before: number;
  /** Reads what is held, right before each step: a hold may be approved while a purge runs. */
  held: () => Promise<HeldPlate[]>;
};

export type PurgedReads = {
  reads: number;
  images: number;
  /** Reads past their retention that a legal hold keeps. */
  held: number;
};

/** A key that a database lists, which it does where reads were sealed with it. */
export type ListedKey = {
  id: number;
  agencyId: string;
  /** Null for a key of held reads. */
  day: number | null;
  /** Whether the day is being moved, and only a copy is here. */
  isCopy: boolean;
  database: D1Database;
};

/** A purge's steps that are left, and what it removed so far, also if it fails. */
export type PurgeRun = {
  left: number;
  purged: PurgedReads;
  /** The agency's keys, listed when the run began. Only to find reads: `destroyKeys` lists them again. */
  listed: ListedKey[];
};

/** Rows per step: few enough for the image keys of one R2 call. */
const STEP = 400;
/**
 * Days per run, oldest first. Each day takes a few D1 queries, and D1 allows a thousand per run. So every run finishes,
 * destroys the keys of the days that it emptied, and leaves time for the other agencies.
 */
const DAYS_A_RUN = 100;

type Row = { id: number; revision: number; captured_at: number; sealed: string };
type OpenRow = { row: Row; read: NewRead | null };

const MOVED = COLUMNS.filter((column) => column !== "captured_at");
/** Only while the new key is listed in this database: a concurrent run may have found it unused and destroyed it. */
const MOVE = `UPDATE OR REPLACE sealed_reads
  SET ${MOVED.map((column, i) => `${column} = j.value ->> ${i + 2}`).join(", ")},
    revision = sealed_reads.revision + 1
  FROM json_each(?) AS j
  WHERE sealed_reads.id = j.value ->> 0
    AND sealed_reads.revision = j.value ->> 1
    AND EXISTS (SELECT 1 FROM read_keys WHERE id = j.value ->> 2)`;

/**
 * Removes reads captured before `before` that no hold keeps, of at most DAYS_A_RUN days and in at most `run.left` steps.
 * Counts them in `run`. Keeps the keys; `destroyKeys` removes them.
 */
export async function purgeReadsOf(parts: PurgeParts, order: PurgeOrder, run: PurgeRun): Promise<void> {
  // A day that is being moved is left to the next run where it is only a copy. One that has moved since it was listed is
  // fenced there.
  const listed = run.listed.filter(({ isCopy }) => !isCopy);
  const ring = await parts.keys.of(order.agencyId, { fresh: true });
  for (const day of oldest(ring.days, (day) => day <= utcDay(order.before))) {
    const cipher = await dayKey(ring, day);
    const databases = databasesOf(listed, cipher);
    await purgeKey(parts, databases, {
      ...order,
      cipher,
      target: () => heldKey(parts, order.agencyId),
      run,
    });
  }
  await purgeHeld(parts, order, run);
}

/** An agency, and the last day that may have reads past its retention. */
type DueDays = { agencyId: string; untilDay: number };

/** Returns the keys of held reads and of due days that a database lists for these agencies. */
export async function listDueKeys(database: D1Database, due: DueDays[]): Promise<ListedKey[]> {
  const { results } = await database
    .prepare(
      `SELECT k.id, k.agency_id AS agencyId, k.day, k.day IN (${COPIED_DAYS}) AS copy
      FROM json_each(?) AS a
      CROSS JOIN read_keys AS k ON k.agency_id = a.value ->> 0
      WHERE k.day IS NULL OR k.day <= a.value ->> 1`,
    )
    .bind(JSON.stringify(due.map(({ agencyId, untilDay }) => [agencyId, untilDay])))
    .all<{ id: number; agencyId: string; day: number | null; copy: number | null }>();
  return results.map(({ copy, ...row }) => ({ ...row, isCopy: copy === 1, database }));
}

/** Returns the databases that list a key. */
function databasesOf(listed: ListedKey[], { id }: ReadCipher): D1Database[] {
  return listed.filter((key) => key.id === id).map(({ database }) => database);
}

/** Returns the oldest matching days; the same ones for a purge and for destroying its keys. */
function oldest(days: number[], matches: (day: number) => boolean): number[] {
  return days
    .filter(matches)
    .sort((a, b) => a - b)
    .slice(0, DAYS_A_RUN);
}

/** Destroyed keys, and the databases that still list them. */
export type SpentKeys = { days: number[]; ids: number[]; databases: D1Database[] };

/**
 * Destroys the keys of days whose retention is over, and deletes all rows stored under them. Call after `purgeReadsOf`;
 * call `forgetKeys` after the certificate is stored.
 */
export async function destroyKeys(
  parts: PurgeParts,
  order: PurgeOrder,
  run: Pick<PurgeRun, "listed">,
): Promise<SpentKeys> {
  const { agencyId, before } = order;
  const isOver = (day: number) => isDayOver(day, before);
  const known = [
    ...run.listed.flatMap(({ day }) => day ?? []),
    ...(await parts.keys.of(agencyId, { fresh: true })).days,
  ];
  if (parts.isIncomplete || !known.some(isOver)) return { days: [], ids: [], databases: [] };
  // Read before the ring: a key that is listed in a database was in the ring before.
  const due = [{ agencyId, untilDay: utcDay(before) }];
  const listed = (await Promise.all(parts.databases.map((database) => listDueKeys(database, due)))).flat();
  const ring = await parts.keys.of(agencyId, { fresh: true });
  const days: number[] = [];
  for (const day of oldest(ring.days, isOver)) {
    const cipher = await dayKey(ring, day);
    // A late read, perhaps of a held plate, may have arrived since the day was purged: the next run handles it.
    if (await isEmpty(databasesOf(listed, cipher), cipher)) days.push(day);
  }
  if (days.length > 0) await parts.keys.destroy(agencyId, { days });
  const ofDays = listed.flatMap(({ id, day, database }) => (day === null ? [] : [{ id, day, database }]));
  const spent = ofDays.filter(({ day }) => isOver(day) && (days.includes(day) || !ring.days.includes(day)));
  const ids = [...new Set(spent.map(({ id }) => id))];
  const databases = [...new Set(spent.map(({ database }) => database))];
  await eraseWords(databases, ids);
  return {
    days: [...new Set([...days, ...spent.map(({ day }) => day)])].sort((a, b) => a - b),
    ids,
    databases,
  };
}

/**
 * Removes keys from the lists in the databases, unless a worker that knew a destroyed key has stored a read since its rows
 * were deleted: then the next run deletes that one.
 */
export async function forgetKeys(databases: D1Database[], ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  for (const database of databases)
    await database
      .prepare(
        `DELETE FROM read_keys
        WHERE id IN (SELECT value FROM json_each(?))
          AND NOT EXISTS (SELECT 1 FROM sealed_reads WHERE key_id = read_keys.id)`,
      )
      .bind(JSON.stringify(ids))
      .run();
}

/** Deletes all rows of destroyed keys, including reads: no one can open them. */
async function eraseWords(databases: D1Database[], ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  const json = JSON.stringify(ids);
  for (const database of databases)
    for (const table of ["plate_runs", "sealed_midnights", "sealed_reads"])
      await database
        .prepare(`DELETE FROM ${table} WHERE key_id IN (SELECT value FROM json_each(?))`)
        .bind(json)
        .run();
}

/** Returns the key of a day that is in the ring. Throws if it is not. */
async function dayKey(ring: AgencyKeys, day: number): Promise<ReadCipher> {
  const cipher = await ring.ofDay(day);
  if (!cipher) throw new Error("a day of the key ring has no key");
  return cipher;
}

async function isEmpty(databases: D1Database[], { id }: ReadCipher): Promise<boolean> {
  const found = await Promise.all(
    databases.map((database) =>
      database.prepare("SELECT 1 AS n FROM sealed_reads WHERE key_id = ? LIMIT 1").bind(id).first(),
    ),
  );
  return found.every((row) => row === null);
}

type PurgeOfKey = PurgeOrder & {
  cipher: ReadCipher;
  /** Returns the key that seals held reads from now on. */
  target: () => Promise<ReadCipher>;
  run: PurgeRun;
};

async function purgeKey(parts: PurgeParts, databases: D1Database[], order: PurgeOfKey): Promise<void> {
  const { run } = order;
  for (const database of databases) {
    while (run.left > 0) {
      run.left--;
      const rows = await readRows(database, order);
      if (rows.length === 0) break;
      const held = await order.held();
      const kept = rows.filter(({ read }) => read && isHeld(held, read));
      const gone = rows.filter((row) => !kept.includes(row));
      const images = gone.flatMap(({ read }) => [read?.vehicleImageKey, read?.plateImageKey]);
      const keys = images.filter((key) => typeof key === "string");
      if (keys.length > 0) await parts.images.delete(objectsOf(keys));
      const target = kept.length > 0 ? await order.target() : null;
      const moved = target && (await sealUnder(target, readsOf(kept)));
      const statements = [
        requireChangeable(
          database,
          rows.map(({ row }) => utcDay(row.captured_at)),
        ),
        database
          .prepare("DELETE FROM sealed_reads WHERE id IN (SELECT value FROM json_each(?))")
          .bind(JSON.stringify(gone.map(({ row }) => row.id))),
        ...(moved ? [putRuns(database, moved), database.prepare(MOVE).bind(movedRows(kept, moved))] : []),
      ];
      const answers = await database.batch(statements).catch((error: unknown) => {
        if (isFenced(error)) return null;
        throw error;
      });
      // The day moved to another database meanwhile: the next run purges it there.
      if (!answers) break;
      if (moved && gone.length === 0 && answers.at(-1)?.meta.changes === 0)
        throw new Error("held reads could not be moved: their new key was destroyed, or they keep changing");
      run.purged.reads += gone.length;
      run.purged.images += keys.length;
      if (rows.length < STEP) break;
    }
  }
}

/** Returns the oldest rows of a key. A row that cannot be opened is purged with the others. */
async function readRows(
  database: D1Database,
  { cipher, before, after = [0, 0] }: { cipher: ReadCipher; before: number; after?: [number, number] },
): Promise<OpenRow[]> {
  const { results } = await database
    .prepare(
      `SELECT id, revision, captured_at, sealed FROM sealed_reads WHERE key_id = ?1 AND captured_at < ?2
        AND (captured_at, id) > (?3, ?4) ORDER BY captured_at, id LIMIT ${STEP}`,
    )
    .bind(cipher.id, before, ...after)
    .all<Row>();
  return Promise.all(
    results.map(async (row) => ({ row, read: await openRead(cipher, row).catch(() => null) })),
  );
}

const readsOf = (rows: OpenRow[]) => rows.flatMap(({ read }) => (read ? [read] : []));

function movedRows(from: OpenRow[], to: SealedRead[]): string {
  return JSON.stringify(
    from.map(({ row }, i) => {
      const sealed = at(to, i).row.filter((_, n) => COLUMNS[n] !== "captured_at");
      return [row.id, row.revision, ...sealed];
    }),
  );
}

function isHeld(held: HeldPlate[], { plate, capturedAt }: NewRead): boolean {
  return held.some((hold) => hold.plate === plate && capturedAt >= hold.from && capturedAt <= hold.until);
}

/** Returns the key of held reads, listed in every database so that reads can be moved to it. */
async function heldKey(
  { keys, databases }: PurgeParts,
  agencyId: string,
  another = false,
): Promise<ReadCipher> {
  const ring = await keys.of(agencyId, { fresh: true });
  const newest = (await ring.held()).at(-1);
  const key = !newest || another ? await keys.addHeld(agencyId) : newest;
  for (const database of databases)
    await database
      .prepare("INSERT OR IGNORE INTO read_keys (id, agency_id, day) VALUES (?, ?, NULL)")
      .bind(key.id, agencyId)
      .run();
  return key;
}

/**
 * Deletes reads of released holds and seals the remaining ones with a new key: the old key opens the released reads.
 */
async function purgeHeld(parts: PurgeParts, order: PurgeOrder, run: PurgeRun): Promise<void> {
  const { purged } = run;
  const ciphers = await (await parts.keys.of(order.agencyId, { fresh: true })).held();
  const newest = ciphers.at(-1);
  if (!newest) return;
  // Read once for all that follows: the key that the remaining reads need depends on what was released.
  const held = await order.held();
  if (parts.isIncomplete || run.left <= 0) {
    for (const cipher of ciphers) purged.held += (await countHeld(parts, held, cipher)).kept;
    return;
  }
  const { kept, released } = await countHeld(parts, held, newest);
  const old = released === 0 ? ciphers.slice(0, -1) : ciphers;
  if (old.length === 0) {
    purged.held = kept;
    return;
  }
  // Listed again if it is the newest: the run that created it may have failed before listing it.
  const another = released > 0 && (kept > 0 || ciphers.length > 1);
  const target = await heldKey(parts, order.agencyId, another);
  for (const cipher of old)
    await purgeKey(parts, parts.databases, {
      ...order,
      before: Number.MAX_SAFE_INTEGER,
      held: async () => held,
      cipher,
      target: async () => target,
      run,
    });
  const { kept: left } = old.includes(target) ? { kept: 0 } : await countHeld(parts, held, target);
  purged.held = left;
  const spent = left === 0 ? [...new Set([...old, target])] : old;
  const unused: number[] = [];
  for (const { id } of spent) if (await unlist(parts.databases, id)) unused.push(id);
  if (unused.length === 0) return;
  await parts.keys.destroy(order.agencyId, { held: unused });
  await eraseWords(parts.databases, unused);
}

/** Counts the reads under a key of held reads: those still held, and those released. */
async function countHeld(
  parts: PurgeParts,
  held: HeldPlate[],
  cipher: ReadCipher,
): Promise<{ kept: number; released: number }> {
  const count = { kept: 0, released: 0 };
  for (const database of parts.databases) {
    let after: [number, number] = [0, 0];
    for (;;) {
      const rows = await readRows(database, { cipher, before: Number.MAX_SAFE_INTEGER, after });
      for (const { read } of rows) count[read && isHeld(held, read) ? "kept" : "released"]++;
      const last = rows.at(-1)?.row;
      if (!last) break;
      after = [last.captured_at, last.id];
    }
  }
  return count;
}

/**
 * Removes a key from the lists if no read uses it; no read can be moved to it after that. Returns whether it was
 * unused.
 */
async function unlist(databases: D1Database[], id: number): Promise<boolean> {
  let unused = true;
  for (const database of databases) {
    const [, left] = await database.batch<{ n: number }>([
      database
        .prepare(
          "DELETE FROM read_keys WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM sealed_reads WHERE key_id = ?1)",
        )
        .bind(id),
      database.prepare("SELECT count(*) AS n FROM read_keys WHERE id = ?").bind(id),
    ]);
    unused &&= left?.results[0]?.n === 0;
  }
  return unused;
}
