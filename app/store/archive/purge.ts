// Removes an agency's reads when their time is over, and destroys the keys of their days: afterwards no copy of the
// databases, of whatever moment, can be read. What a legal hold keeps is sealed anew with a key of its own first. Every
// step may be broken off: what is there still says what is to be done, and a key goes only when nothing needs it.

import type { HeldPlate } from "#app/entities/oversight/legal-hold.ts";
import { DAY, utcDay } from "#app/lib/time/dates.ts";
import type { ReadCipher } from "./cipher.ts";
import type { ReadKeys } from "./keys.ts";
import { COLUMNS, type NewRead, openRead, putRuns, type SealedRead, sealUnder } from "./rows.ts";

export type PurgeParts = { databases: D1Database[]; images: R2Bucket; keys: ReadKeys };
export type PurgeOrder = { agencyId: string; before: number; held: HeldPlate[] };

export type PurgedReads = {
  reads: number;
  images: number;
  /** Reads beyond their time that a legal hold keeps. */
  held: number;
};

/** Rows of one step: small enough for the image keys of one R2 call. */
const STEP = 400;
/**
 * Days of one run, the oldest ones: each asks D1 a few times, which answers a run a thousand times. So every run comes
 * to its end, destroys the keys of the days that it emptied, and leaves the other agencies their turn.
 */
const DAYS_A_RUN = 100;

type Row = { id: number; revision: number; captured_at: number; sealed: string };
type OpenRow = { row: Row; read: NewRead | null };

const MOVED = COLUMNS.filter((column) => column !== "captured_at");
/** Only while the new key stands in this database: somebody who found it unused may have destroyed it meanwhile. */
const MOVE = `UPDATE OR REPLACE sealed_reads SET ${MOVED.map((column, i) => `${column} = j.value ->> ${i + 2}`).join(", ")},
  revision = sealed_reads.revision + 1 FROM json_each(?) AS j
  WHERE sealed_reads.id = j.value ->> 0 AND sealed_reads.revision = j.value ->> 1
    AND EXISTS (SELECT 1 FROM read_keys WHERE id = j.value ->> 2)`;

/**
 * Removes what was captured before an instant and no hold keeps, of at most DAYS_A_RUN days. Keys stay; `destroyKeys`
 * takes those.
 */
export async function purgeReadsOf(parts: PurgeParts, order: PurgeOrder): Promise<PurgedReads> {
  const purged: PurgedReads = { reads: 0, images: 0, held: 0 };
  const ring = await parts.keys.of(order.agencyId, { fresh: true });
  for (const day of oldest(ring.days, (day) => day <= utcDay(order.before))) {
    const cipher = (await ring.ofDay(day)) as ReadCipher;
    await purgeKey(parts, { ...order, cipher, target: () => heldKey(parts, order.agencyId), purged });
  }
  await purgeHeld(parts, order, purged);
  return purged;
}

/** The oldest days that fit; of a purge and of the keys after it the same ones. */
function oldest(days: number[], fits: (day: number) => boolean): number[] {
  return days
    .filter(fits)
    .sort((a, b) => a - b)
    .slice(0, DAYS_A_RUN);
}

/** Keys whose reads are all gone, as they still stand in the databases. */
export type SpentKeys = { days: number[]; ids: number[] };

/**
 * Destroys the keys of days that are over, and what was found by them. Call after `purgeReadsOf`; when the certificate
 * stands, `forgetKeys` takes the last trace.
 */
export async function destroyKeys(parts: PurgeParts, order: PurgeOrder): Promise<SpentKeys> {
  const { agencyId, before } = order;
  const isOver = (day: number) => (day + 1) * DAY <= before;
  // Read before the ring: a key that stands in a database stood in the ring before.
  const listed = (
    await Promise.all(
      parts.databases.map(async (database) => {
        const { results } = await database
          .prepare("SELECT id, day FROM read_keys WHERE agency_id = ? AND day IS NOT NULL")
          .bind(agencyId)
          .all<{ id: number; day: number }>();
        return results;
      }),
    )
  ).flat();
  const ring = await parts.keys.of(agencyId, { fresh: true });
  const days: number[] = [];
  for (const day of oldest(ring.days, isOver)) {
    const cipher = (await ring.ofDay(day)) as ReadCipher;
    // A read that came late, perhaps of a plate that is held, since its day was purged: the next run sees it.
    if (await isEmpty(parts.databases, cipher)) days.push(day);
  }
  if (days.length > 0) await parts.keys.destroy(agencyId, { days });
  const spent = listed.filter(({ day }) => isOver(day) && (days.includes(day) || !ring.days.includes(day)));
  const ids = [...new Set(spent.map(({ id }) => id))];
  await eraseWords(parts.databases, ids);
  return { days: [...new Set([...days, ...spent.map(({ day }) => day)])].sort((a, b) => a - b), ids };
}

/** Takes keys off the lists of the databases. */
export async function forgetKeys(databases: D1Database[], ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  for (const database of databases)
    await database
      .prepare("DELETE FROM read_keys WHERE id IN (SELECT value FROM json_each(?))")
      .bind(JSON.stringify(ids))
      .run();
}

/** What stands under keys that are gone, reads too: nobody can open it any more. */
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

async function isEmpty(databases: D1Database[], cipher: ReadCipher): Promise<boolean> {
  const [database] = databasesOf(databases, cipher);
  const row = await database
    ?.prepare("SELECT 1 AS n FROM sealed_reads WHERE key_id = ? LIMIT 1")
    .bind(cipher.id)
    .first();
  return row === null;
}

type PurgeOfKey = PurgeOrder & {
  cipher: ReadCipher;
  /** The key that held reads are sealed with from now on. */
  target: () => Promise<ReadCipher>;
  purged: PurgedReads;
};

async function purgeKey(parts: PurgeParts, order: PurgeOfKey): Promise<void> {
  for (const database of databasesOf(parts.databases, order.cipher)) {
    for (;;) {
      const rows = await readRows(database, order);
      if (rows.length === 0) break;
      const kept = rows.filter(({ read }) => read && isHeld(order.held, read));
      const gone = rows.filter((row) => !kept.includes(row));
      const images = gone.flatMap(({ read }) => [read?.vehicleImageKey, read?.plateImageKey]);
      const keys = images.filter((key) => typeof key === "string");
      if (keys.length > 0) await parts.images.delete(keys);
      const target = kept.length > 0 ? await order.target() : null;
      const moved = target && (await sealUnder(target, readsOf(kept)));
      const statements = [
        database
          .prepare("DELETE FROM sealed_reads WHERE id IN (SELECT value FROM json_each(?))")
          .bind(JSON.stringify(gone.map(({ row }) => row.id))),
        ...(moved ? [putRuns(database, moved), database.prepare(MOVE).bind(movedRows(kept, moved))] : []),
      ];
      const answers = await database.batch(statements);
      if (moved && gone.length === 0 && answers.at(-1)?.meta.changes === 0)
        throw new Error(
          "held reads could not be moved: their new key was destroyed, or they change all the time",
        );
      order.purged.reads += gone.length;
      order.purged.images += keys.length;
    }
  }
}

/** A day's reads are all in one database, as `createReadStore` has them; held ones are where they were. */
function databasesOf(databases: D1Database[], { day }: ReadCipher): D1Database[] {
  if (day === null) return databases;
  const index = ((day % databases.length) + databases.length) % databases.length;
  return [databases[index] as D1Database];
}

/** The oldest rows of a key; a row that cannot be opened is past its time with the others, and nobody's. */
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

const readsOf = (rows: OpenRow[]) => rows.map(({ read }) => read as NewRead);

function movedRows(from: OpenRow[], to: SealedRead[]): string {
  return JSON.stringify(
    from.map(({ row }, i) => {
      const sealed = (to[i] as SealedRead).row.filter((_, n) => COLUMNS[n] !== "captured_at");
      return [row.id, row.revision, ...sealed];
    }),
  );
}

function isHeld(held: HeldPlate[], { plate, capturedAt }: NewRead): boolean {
  return held.some((hold) => hold.plate === plate && capturedAt >= hold.from && capturedAt <= hold.until);
}

/** The key of held reads, listed in every database so that reads may be moved to it. */
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

/** Where a hold was released, its reads go and the others get a new key: the old one opened what was released, too. */
async function purgeHeld(parts: PurgeParts, order: PurgeOrder, purged: PurgedReads): Promise<void> {
  const ciphers = await (await parts.keys.of(order.agencyId, { fresh: true })).held();
  const newest = ciphers.at(-1);
  if (!newest) return;
  const { kept, released } = await countHeld(parts, order, newest);
  const old = released === 0 ? ciphers.slice(0, -1) : ciphers;
  if (old.length === 0) {
    purged.held = kept;
    return;
  }
  // Listed again where it is the newest: whoever made it may have been broken off before it was.
  const another = released > 0 && (kept > 0 || ciphers.length > 1);
  const target = await heldKey(parts, order.agencyId, another);
  for (const cipher of old)
    await purgeKey(parts, {
      ...order,
      before: Number.MAX_SAFE_INTEGER,
      cipher,
      target: async () => target,
      purged,
    });
  const { kept: left } = old.includes(target) ? { kept: 0 } : await countHeld(parts, order, target);
  purged.held = left;
  const spent = left === 0 ? [...new Set([...old, target])] : old;
  const unused: number[] = [];
  for (const { id } of spent) if (await unlist(parts.databases, id)) unused.push(id);
  if (unused.length === 0) return;
  await parts.keys.destroy(order.agencyId, { held: unused });
  await eraseWords(parts.databases, unused);
}

/** How many reads under a key of held reads are held still, and how many no hold needs any more. */
async function countHeld(
  parts: PurgeParts,
  order: PurgeOrder,
  cipher: ReadCipher,
): Promise<{ kept: number; released: number }> {
  const count = { kept: 0, released: 0 };
  for (const database of parts.databases) {
    let after: [number, number] = [0, 0];
    for (;;) {
      const rows = await readRows(database, { cipher, before: Number.MAX_SAFE_INTEGER, after });
      for (const { read } of rows) count[read && isHeld(order.held, read) ? "kept" : "released"]++;
      const last = rows.at(-1)?.row;
      if (!last) break;
      after = [last.captured_at, last.id];
    }
  }
  return count;
}

/** Takes a key off the lists on condition that nothing stands under it; nothing can be moved to it from then on. */
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
