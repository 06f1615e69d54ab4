// Removes an agency's reads when their retention ends. Reads under a legal hold are first sealed again with a separate
// key. A run may fail at any step: the remaining rows show what is left to do. spent-keys.ts then destroys the keys
// of days without reads.

import type { Held } from "#app/entities/oversight/legal-hold.ts";
import { utcDay } from "#app/lib/time/dates.ts";
import type { ReadCipher } from "#app/store/archive/cipher.ts";
import { COPIED_DAYS } from "#app/store/archive/fences.ts";
import type { AgencyKeys } from "#app/store/archive/keys.ts";
import { holdName, type PurgeParts, purgeKey, type StepRun, type Target } from "./one-key.ts";

export type PurgeOrder = {
  agencyId: string;
  before: number;
  /** Reads what is held, right before each step: a hold may be approved while a purge runs. */
  held: () => Promise<Held>;
};

/** A key that a database lists because reads there were sealed with it. */
export type ListedKey = {
  id: number;
  agencyId: string;
  /** Null for a key of held reads. */
  day: number | null;
  /** Whether the day is being moved, and only a copy is here. */
  isCopy: boolean;
  database: D1Database;
};

export type PurgeRun = StepRun & {
  /** The agency's keys, listed when the run began. Only to find reads: `closeSpentKeys` lists them again. */
  listed: ListedKey[];
};

/**
 * Days per run, oldest first. Each day takes a few D1 queries, and D1 allows a thousand per run. So every run finishes,
 * destroys the keys of the days that it emptied, and leaves time for the other agencies.
 */
const DAYS_A_RUN = 100;

/**
 * Removes reads captured before `before` that no hold keeps, of at most DAYS_A_RUN days and in at most `run.left` steps.
 * Counts them in `run`. Keeps the keys.
 */
export async function purgeReadsOf(parts: PurgeParts, order: PurgeOrder, run: PurgeRun): Promise<void> {
  // A day that is being moved is left to the next run where it is only a copy. One that has moved since it was listed is
  // fenced there.
  const listed = run.listed.filter(({ isCopy }) => !isCopy);
  const ring = await parts.keys.of(order.agencyId, { fresh: true });
  const target = heldTarget(parts, order.agencyId);
  for (const day of oldest(ring.days, (day) => day <= utcDay(order.before))) {
    const cipher = await dayKey(ring, day);
    await purgeKey(parts, databasesOf(listed, cipher), { ...order, cipher, target, run });
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
export function oldest(days: number[], matches: (day: number) => boolean): number[] {
  return days
    .filter(matches)
    .sort((a, b) => a - b)
    .slice(0, DAYS_A_RUN);
}

/** Deletes all rows of destroyed keys, including reads: no one can open them. */
export async function eraseRows(databases: D1Database[], ids: number[]): Promise<void> {
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
export async function dayKey(ring: AgencyKeys, day: number): Promise<ReadCipher> {
  const cipher = await ring.ofDay(day);
  if (!cipher) throw new Error("a day of the key ring has no key");
  return cipher;
}

/**
 * Returns a function that returns the key for held reads and lists it in every database, so that reads can be moved to
 * it. It asks the ring again only for holds that are not noted with the key.
 */
function heldTarget({ keys, databases }: PurgeParts, agencyId: string): Target {
  let key: ReadCipher | undefined;
  const noted = new Set<string>();
  return async (holds, another = false) => {
    const names = holds.map(holdName);
    if (key && names.every((name) => noted.has(name))) return key;
    for (const name of names) noted.add(name);
    // Passes all holds: another run may have created a newer key, which lacks them.
    const next = await keys.holding(agencyId, [...noted], another);
    if (next.id !== key?.id)
      for (const database of databases)
        await database
          .prepare("INSERT OR IGNORE INTO read_keys (id, agency_id, day) VALUES (?, ?, NULL)")
          .bind(next.id, agencyId)
          .run();
    key = next;
    return next;
  };
}

/** Purges the reads of released holds, and counts those that are kept. */
async function purgeHeld(parts: PurgeParts, order: PurgeOrder, run: PurgeRun): Promise<void> {
  const { agencyId } = order;
  const ring = await parts.keys.of(agencyId, { fresh: true });
  if ((await ring.held()).length === 0) return;
  if (!parts.isIncomplete && run.left > 0) await sealHeldAgain(parts, order, { ring, run });
  const left = await (await parts.keys.of(agencyId, { fresh: true })).held();
  run.purged.held = await countReads(parts.databases, left);
}

/** Queries per database, besides the steps, of sealing held reads again, and those of a step. */
const QUERIES_OF_SEALING = 8;
const QUERIES_A_STEP = 4;

/**
 * Deletes reads of released holds and seals the remaining ones with a new key: the old key opens the released reads.
 * The ring names the holds that reads under its newest key were sealed for, so that nothing is read if all of them are
 * still in force. What is left after `run.left` steps is under an older key, where the next run continues.
 */
async function sealHeldAgain(
  parts: PurgeParts,
  order: PurgeOrder,
  { ring, run }: { ring: AgencyKeys; run: PurgeRun },
): Promise<void> {
  const { agencyId } = order;
  const ciphers = await ring.held();
  // The holds are read once here, because the key that the remaining reads need depends on the released holds.
  const held = (await order.held()).plates;
  const inForce = new Set(held.map(holdName));
  const isReleased = !ring.heldFor?.every((name) => inForce.has(name));
  const old = isReleased ? ciphers : ciphers.slice(0, -1);
  if (old.length === 0) return;
  // Listed again if it is the newest: the run that created it may have failed before listing it.
  const target = heldTarget(parts, agencyId);
  let newest = await target([], isReleased && held.length > 0);
  // In every database, because a restored one may lack the key in its list.
  for (const cipher of old)
    await purgeKey(parts, parts.databases, {
      before: Number.MAX_SAFE_INTEGER,
      held: async () => {
        const now = await order.held();
        return { ...now, plates: [...held, ...now.plates] };
      },
      cipher,
      // If all were released, there is no other key until another hold is approved.
      target: async (holds) => {
        newest = await target(
          holds,
          old.some(({ id }) => id === newest.id),
        );
        return newest;
      },
      run,
    });
  run.left = Math.max(
    0,
    run.left - Math.ceil((QUERIES_OF_SEALING * parts.databases.length) / QUERIES_A_STEP),
  );
  const isUnused = (await countReads(parts.databases, [newest])) === 0;
  const spent = new Set((isUnused ? [...old, newest] : old).map(({ id }) => id));
  const unused: number[] = [];
  for (const id of spent) if (await unlist(parts.databases, id)) unused.push(id);
  if (unused.length === 0) return;
  await parts.keys.destroy(agencyId, { held: unused });
  await eraseRows(parts.databases, unused);
}

/** Counts the reads under these keys. */
async function countReads(databases: D1Database[], ciphers: ReadCipher[]): Promise<number> {
  const ids = JSON.stringify(ciphers.map(({ id }) => id));
  const counts = await Promise.all(
    databases.map((database) =>
      database
        .prepare("SELECT count(*) AS n FROM sealed_reads WHERE key_id IN (SELECT value FROM json_each(?))")
        .bind(ids)
        .first<number>("n"),
    ),
  );
  return counts.reduce<number>((sum, n) => sum + (n ?? 0), 0);
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
      database.prepare("SELECT EXISTS (SELECT 1 FROM sealed_reads WHERE key_id = ?) AS n").bind(id),
    ]);
    unused &&= left?.results[0]?.n === 0;
  }
  return unused;
}
