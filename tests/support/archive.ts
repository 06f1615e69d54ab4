import { parseSealingKeys } from "#app/lib/crypto/primitives.ts";
import { createReadKeys } from "#app/store/archive/keys.ts";
import type { ReadStoreParts } from "#app/store/archive/reads.ts";
import { bindings } from "../factories.ts";

/** Returns the parts of an archive in these databases, whose agencies keep their reads for `days`. */
export function archiveParts(
  databases: (D1Database | undefined)[],
  { days = 400, clock = Date.now }: { days?: number; clock?: () => number } = {},
): ReadStoreParts {
  return {
    databases: databases as D1Database[],
    keys: createReadKeys(
      { keys: bindings.KEYS, backups: bindings.BACKUPS },
      parseSealingKeys(bindings.SEALING_KEYS),
    ),
    retentionDays: async (agencyIds) => new Map(agencyIds.map((id) => [id, days])),
    clock,
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
