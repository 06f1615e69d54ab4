// Removes an agency's reads when their retention ends, and destroys the keys of their days: after that no copy of the
// databases can be read. Reads under a legal hold are first sealed again with a separate key. A run may fail at any
// step: the remaining rows show what is left to do, and a key is destroyed only when no read needs it.

import type { Held } from "#app/entities/oversight/legal-hold.ts";
import { DAY, isDayOver, utcDay } from "#app/lib/time/dates.ts";
import type { ReadCipher } from "./cipher.ts";
import { COPIED_DAYS } from "./fences.ts";
import type { AgencyKeys } from "./keys.ts";
import { holdName, type PurgeParts, purgeKey, type StepRun, type Target } from "./purge-key.ts";

export type PurgeOrder = {
  agencyId: string;
  before: number;
  /** Reads what is held, right before each step: a hold may be approved while a purge runs. */
  held: () => Promise<Held>;
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

export type PurgeRun = StepRun & {
  /** The agency's keys, listed when the run began. Only to find reads: `destroyKeys` lists them again. */
  listed: ListedKey[];
};

/**
 * Days per run, oldest first. Each day takes a few D1 queries, and D1 allows a thousand per run. So every run finishes,
 * destroys the keys of the days that it emptied, and leaves time for the other agencies.
 */
const DAYS_A_RUN = 100;

/**
 * Removes reads captured before `before` that no hold keeps, of at most DAYS_A_RUN days and in at most `run.left` steps.
 * Counts them in `run`. Keeps the keys; `destroyKeys` removes them.
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
  const closed = await closeKeys(parts, agencyId, isOver);
  // Read before the ring: a key that is listed in a database was in the ring before.
  const due = [{ agencyId, untilDay: utcDay(before) }];
  const listed = (await Promise.all(parts.databases.map((database) => listDueKeys(database, due)))).flat();
  const ring = await parts.keys.of(agencyId, { fresh: true });
  const days: number[] = [];
  for (const day of oldest(ring.days, isOver)) {
    const cipher = await dayKey(ring, day);
    // A late read, perhaps of a held plate, may have arrived since the day was purged: the next run handles it.
    if (!closed.ids.has(cipher.id) || !(await isEmpty(databasesOf(listed, cipher), cipher))) continue;
    days.push(day);
    closed.ids.delete(cipher.id);
  }
  await openKeys(parts, closed);
  const ofDays = listed.flatMap(({ id, day, database }) => (day === null ? [] : [{ id, day, database }]));
  const spent = ofDays.filter(({ day }) => isOver(day) && (days.includes(day) || !ring.days.includes(day)));
  // Days that the ring has no key of: their keys were destroyed, or the ring was lost and its copy still has them.
  const lost = [...new Set(spent.map(({ day }) => day))].filter((day) => !days.includes(day));
  if (days.length + lost.length > 0) await parts.keys.destroy(agencyId, { days, lost });
  const ids = [...new Set(spent.map(({ id }) => id))];
  const databases = [...new Set(spent.map(({ database }) => database))];
  await eraseWords(databases, ids);
  return {
    days: [...new Set([...days, ...spent.map(({ day }) => day)])].sort((a, b) => a - b),
    ids,
    databases,
  };
}

type Closed = { ids: Set<number>; at: number };

/**
 * Closes the keys of days that are over, so that no database takes another read under them: one that arrived between the last
 * look and the destruction of the key would be lost.
 */
async function closeKeys(
  { keys, databases }: PurgeParts,
  agencyId: string,
  isOver: (day: number) => boolean,
): Promise<Closed> {
  const ring = await keys.of(agencyId, { fresh: true });
  const ciphers = await Promise.all(oldest(ring.days, isOver).map((day) => dayKey(ring, day)));
  const closed = { ids: new Set(ciphers.map(({ id }) => id)), at: Date.now() };
  await changeClosed(
    databases,
    closed,
    `INSERT INTO closed_keys (id, closed_at)
    SELECT value, ?2 FROM json_each(?1) WHERE true
    ON CONFLICT (id) DO UPDATE SET closed_at = excluded.closed_at`,
  );
  return closed;
}

/** Opens keys that are kept, unless another run has closed them since: cameras are refused as long as they are closed. */
function openKeys({ databases }: PurgeParts, closed: Closed): Promise<void> {
  return changeClosed(
    databases,
    closed,
    "DELETE FROM closed_keys WHERE id IN (SELECT value FROM json_each(?1)) AND closed_at = ?2",
  );
}

async function changeClosed(databases: D1Database[], { ids, at }: Closed, statement: string): Promise<void> {
  if (ids.size === 0) return;
  const json = JSON.stringify([...ids]);
  for (const database of databases) await database.prepare(statement).bind(json, at).run();
}

/** Forgets keys that were closed a day ago: isolates know a destroyed key for a minute. */
export async function forgetClosedKeys(database: D1Database): Promise<void> {
  await database
    .prepare("DELETE FROM closed_keys WHERE closed_at < ?")
    .bind(Date.now() - DAY)
    .run();
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
 * Deletes reads of released holds and seals the remaining ones with a new key: the old key opens the released reads. The
 * ring names the holds that reads under its newest key were sealed for, so that nothing is read if all of them still are in
 * force. What is left after `run.left` steps is under an older key, where the next run continues.
 */
async function sealHeldAgain(
  parts: PurgeParts,
  order: PurgeOrder,
  { ring, run }: { ring: AgencyKeys; run: PurgeRun },
): Promise<void> {
  const { agencyId } = order;
  const ciphers = await ring.held();
  // The holds are read once here, because which key the remaining reads need depends on the released ones.
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
  await eraseWords(parts.databases, unused);
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
