// Destroys the keys of days whose retention is over and that have no read left: after that, no copy of the databases
// can be read. The keys of all agencies of a run are closed together, because closing takes queries in each database.

import { DAY, isDayOver, utcDay } from "#app/lib/time/dates.ts";
import type { AgencyKeys, ReadKeys } from "#app/store/archive/keys.ts";
import type { PurgeParts } from "./one-key.ts";
import { dayKey, eraseRows, type ListedKey, listDueKeys, oldest } from "./reads.ts";

/** An agency whose keys of days before an instant may be destroyed, and the keys that the databases listed for it. */
export type DueAgency = { agencyId: string; before: number; listed: ListedKey[] };

type DayKey = { day: number; id: number };

/** Keys of an agency that are to be destroyed. */
export type SpentKeys = {
  agencyId: string;
  /** The days of the keys, oldest first. */
  days: number[];
  /** The keys that are closed, with their days. */
  closed: DayKey[];
  /** Days that a database lists and the ring does not: destroyed before, or the ring was lost and its copy has the keys. */
  lost: number[];
  /** Ids of the keys, and the databases that list them. */
  ids: number[];
  databases: D1Database[];
};

type OnError = (error: unknown) => void;
type Ring = DueAgency & { keys: AgencyKeys };

/**
 * Closes the keys of days that are over in all databases, so that no database accepts another read under them: a read
 * that arrived between the last check and the destruction of the key would be lost. Returns those without reads, and
 * opens the others again. Call after the reads were purged, then `destroyKeys` for each agency. An agency whose ring
 * cannot be read is left out, and its error passed to `onError`.
 */
export async function closeSpentKeys(
  parts: PurgeParts,
  due: DueAgency[],
  onError: OnError,
): Promise<SpentKeys[]> {
  if (parts.isIncomplete) return [];
  const ended = (await readRings(parts, due, onError)).filter(hasEndedDay);
  if (ended.length === 0) return [];
  const ids = (await Promise.all(ended.map(endedKeys))).flat().map(({ id }) => id);
  const closing = { databases: parts.databases, at: Date.now() };
  const spent: SpentKeys[] = [];
  try {
    await changeClosed(closing, CLOSE, ids);
    spent.push(...(await findSpent(parts, { ended, closed: new Set(ids), onError })));
  } finally {
    // Cameras are refused as long as a key is closed.
    const kept = new Set(spent.flatMap(({ closed }) => closed.map(({ id }) => id)));
    await changeClosed(
      closing,
      OPEN,
      ids.filter((id) => !kept.has(id)),
    );
  }
  return spent;
}

/** Returns the closed keys that have no reads. */
async function findSpent(
  parts: PurgeParts,
  { ended, closed, onError }: { ended: Ring[]; closed: ReadonlySet<number>; onError: OnError },
): Promise<SpentKeys[]> {
  // Listed before the rings are read again: a key that a database lists was in its ring before.
  const days = ended.map(({ agencyId, before }) => ({ agencyId, untilDay: utcDay(before) }));
  const listed = (await Promise.all(parts.databases.map((database) => listDueKeys(database, days)))).flat();
  const rings = await readRings(parts, ended, onError);
  // A late read, perhaps of a held plate, may have arrived since the day was purged: the next run handles it.
  const used = await findUsed(listed.filter(({ id }) => closed.has(id)));
  const listedOf = Map.groupBy(listed, ({ agencyId }) => agencyId);
  return Promise.all(
    rings.map(async (ring) => {
      const empty = (await endedKeys(ring)).filter(({ id }) => closed.has(id) && !used.has(id));
      return spentOf(ring, empty, listedOf.get(ring.agencyId) ?? []);
    }),
  );
}

function spentOf({ agencyId, keys, before }: Ring, closed: DayKey[], listed: ListedKey[]): SpentKeys {
  const closedDays = new Set(closed.map(({ day }) => day));
  const isSpent = (day: number) =>
    isDayOver(day, before) && (closedDays.has(day) || !keys.days.includes(day));
  const spent = listed.flatMap(({ day, ...key }) => (day !== null && isSpent(day) ? [{ ...key, day }] : []));
  const days = new Set(spent.map(({ day }) => day));
  return {
    agencyId,
    days: [...new Set([...closedDays, ...days])].sort((a, b) => a - b),
    closed,
    lost: [...days].filter((day) => !closedDays.has(day)),
    ids: [...new Set(spent.map(({ id }) => id))],
    databases: [...new Set(spent.map(({ database }) => database))],
  };
}

/** Destroys these keys, and deletes all rows stored under them. Call `forgetKeys` after the certificate is stored. */
export async function destroyKeys(keys: ReadKeys, spent: SpentKeys): Promise<void> {
  const { agencyId, closed, lost, ids, databases } = spent;
  const days = closed.map(({ day }) => day);
  if (days.length + lost.length > 0) await keys.destroy(agencyId, { days, lost });
  await eraseRows(databases, ids);
}

/** Reads the rings of these agencies. */
async function readRings({ keys }: PurgeParts, due: DueAgency[], onError: OnError): Promise<Ring[]> {
  const read = due.map(async (agency) => ({
    ...agency,
    keys: await keys.of(agency.agencyId, { fresh: true }),
  }));
  const answers = await Promise.allSettled(read);
  for (const answer of answers) if (answer.status === "rejected") onError(answer.reason);
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
}

function hasEndedDay({ keys, listed, before }: Ring): boolean {
  return [...keys.days, ...listed.flatMap(({ day }) => day ?? [])].some((day) => isDayOver(day, before));
}

/** Returns the keys of the oldest days of a ring that are over. */
function endedKeys({ keys, before }: Ring): Promise<DayKey[]> {
  const days = oldest(keys.days, (day) => isDayOver(day, before));
  return Promise.all(days.map(async (day) => ({ day, id: (await dayKey(keys, day)).id })));
}

const CLOSE = `INSERT INTO closed_keys (id, closed_at)
  SELECT value, ?2 FROM json_each(?1) WHERE true
  ON CONFLICT (id) DO UPDATE SET closed_at = excluded.closed_at`;
/** Opens keys, unless another run has closed them since. */
const OPEN = "DELETE FROM closed_keys WHERE id IN (SELECT value FROM json_each(?1)) AND closed_at = ?2";

async function changeClosed(
  { databases, at }: { databases: D1Database[]; at: number },
  statement: string,
  ids: number[],
): Promise<void> {
  if (ids.length === 0) return;
  const json = JSON.stringify(ids);
  await Promise.all(databases.map((database) => database.prepare(statement).bind(json, at).run()));
}

/** Returns which of these keys have a read in a database that lists them. */
async function findUsed(listed: ListedKey[]): Promise<Set<number>> {
  const found = await Promise.all(
    [...Map.groupBy(listed, ({ database }) => database)].map(async ([database, keys]) => {
      const { results } = await database
        .prepare(
          `SELECT value AS id
          FROM json_each(?)
          WHERE EXISTS (SELECT 1 FROM sealed_reads WHERE key_id = value)`,
        )
        .bind(JSON.stringify(keys.map(({ id }) => id)))
        .all<{ id: number }>();
      return results.map(({ id }) => id);
    }),
  );
  return new Set(found.flat());
}

/**
 * Removes keys from the lists in the databases, unless a worker that knew a destroyed key has stored a read since its rows
 * were deleted: then the next run deletes that one.
 */
export async function forgetKeys({ ids, databases }: Pick<SpentKeys, "ids" | "databases">): Promise<void> {
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

/** Forgets keys that were closed a day ago: writers in other isolates know a destroyed key for a minute. */
export async function forgetClosedKeys(database: D1Database): Promise<void> {
  await database
    .prepare("DELETE FROM closed_keys WHERE closed_at < ?")
    .bind(Date.now() - DAY)
    .run();
}
