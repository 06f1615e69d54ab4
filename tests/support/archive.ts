import { parseSealingKeys } from "#app/lib/crypto/primitives.ts";
import { utcDay } from "#app/lib/time/dates.ts";
import { createReadKeys } from "#app/store/archive/keys.ts";
import { createPlaces, findReadsDatabases } from "#app/store/archive/placement.ts";
import type { PurgeRun } from "#app/store/archive/purge.ts";
import { listDueKeys } from "#app/store/archive/purge.ts";
import type { ReadStoreParts } from "#app/store/archive/reads.ts";
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
      ["sealed_reads", "plate_runs", "sealed_midnights", "read_keys"].map((table) =>
        database.prepare(`DELETE FROM ${table}`),
      ),
    );
}

/** What the reads of a test have in common that looks at none of it. */
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
