import type { Held, HeldPlate } from "#app/entities/oversight/legal-hold.ts";
import { at } from "#app/lib/at.ts";
import { parseSealingKeys } from "#app/lib/crypto/primitives.ts";
import { utcDay } from "#app/lib/time/dates.ts";
import type { TakenEvent } from "#app/store/archive/events.ts";
import { listFences } from "#app/store/archive/fences.ts";
import { createReadKeys } from "#app/store/archive/keys.ts";
import { createPlaces, findReadsDatabases } from "#app/store/archive/placement.ts";
import type { PurgeParts } from "#app/store/archive/purge/one-key.ts";
import type { PurgeRun } from "#app/store/archive/purge/reads.ts";
import { listDueKeys } from "#app/store/archive/purge/reads.ts";
import { closeSpentKeys, destroyKeys, type SpentKeys } from "#app/store/archive/purge/spent-keys.ts";
import type { NewRead, ReadStore, ReadStoreParts } from "#app/store/archive/reads.ts";
import { openControl } from "#app/store/database.ts";
import { bindings } from "../factories.ts";

/**
 * Returns the parts of an archive in these databases, READS_0 and so on, whose agencies keep their reads for `days`.
 * Archives with different databases need control databases of their own.
 */
export function archiveParts(
  databases: (D1Database | undefined)[],
  {
    days = 400,
    clock = Date.now,
    control = bindings.DB,
  }: { days?: number; clock?: () => number; control?: D1Database } = {},
): ReadStoreParts & { databases: D1Database[] } {
  const named = Object.fromEntries(databases.map((database, n) => [`READS_${n}`, database]));
  return {
    databases: databases as D1Database[],
    places: createPlaces({
      db: openControl(control),
      databases: findReadsDatabases(named),
      limitBytes: 10_000_000_000,
      clock,
    }),
    keys: createReadKeys(
      { keys: bindings.KEYS, backups: bindings.BACKUPS },
      parseSealingKeys(bindings.SEALING_KEYS),
    ),
    retentionDays: async (agencyIds) => new Map(agencyIds.map((id) => [id, days])),
    clock,
    answerMs: 10_000,
  };
}

/** Empties the tables of reads. */
export async function emptyArchive(databases: (D1Database | undefined)[]): Promise<void> {
  for (const database of databases)
    await database?.batch(
      ["sealed_reads", "plate_runs", "sealed_midnights", "read_keys", "closed_keys"].map((table) =>
        database.prepare(`DELETE FROM ${table}`),
      ),
    );
}

/** Stores one event. */
export async function takeEvent(store: ReadStore, read: NewRead): Promise<TakenEvent> {
  return at(await store.takeEvents([read]), 0);
}

/** Returns the number of reads in these databases. */
export async function countReads(databases: (D1Database | undefined)[]): Promise<number> {
  const counts = await Promise.all(
    databases.map((database) =>
      database?.prepare("SELECT count(*) AS n FROM sealed_reads").first<number>("n"),
    ),
  );
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

/** The fields of a read that most tests do not look at. */
export const PLAIN_READ = {
  plateState: "CT",
  make: "",
  color: "",
  bodyType: "",
  confidence: null,
  direction: "",
  latitude: null,
  longitude: null,
  vehicleImageKey: null,
  plateImageKey: null,
} as const;

/** Returns a function that returns these plates as held, for a purge whose steps have no end. */
export function heldAlways(plates: HeldPlate[] = []): () => Promise<Held> {
  return async () => ({ plates, until: Number.MAX_SAFE_INTEGER });
}

/** Returns a purge of an agency that has removed nothing yet and may take `left` steps. */
export async function newRun(
  { databases }: { databases: D1Database[] },
  { agencyId, before }: { agencyId: string; before: number },
  left = 1_000,
): Promise<PurgeRun> {
  const due = [{ agencyId, untilDay: utcDay(before) }];
  const listed = await Promise.all(databases.map((database) => listDueKeys(database, due)));
  return { left, purged: { reads: 0, images: 0, held: 0 }, listed: listed.flat() };
}

/** Destroys the spent keys of a purge's agency, as after `purgeReadsOf`. Returns them, for `forgetKeys`. */
export async function destroySpentKeys(
  parts: PurgeParts,
  { agencyId, before }: { agencyId: string; before: number },
  { listed }: Pick<PurgeRun, "listed">,
): Promise<Pick<SpentKeys, "days" | "ids" | "databases">> {
  const [spent] = await closeSpentKeys(parts, [{ agencyId, before, listed }], (error) => {
    throw error;
  });
  if (spent) await destroyKeys(parts.keys, spent);
  return spent ?? { days: [], ids: [], databases: [] };
}

/** Returns the fence of a day in a database, if it has one. */
export async function findFence(database: D1Database, day: number) {
  return (await listFences(database, [day])).get(day);
}
