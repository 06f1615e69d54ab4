import { parseSealingKeys } from "#app/lib/crypto/primitives.ts";
import { createReadKeys } from "#app/store/archive/keys.ts";
import { createPlaces, findReadsDatabases } from "#app/store/archive/placement.ts";
import { createReadStore, type ReadStore } from "#app/store/archive/reads.ts";
import { openControl } from "#app/store/database.ts";

export type SealedArchive = Record<"DB" | "READS_0" | "READS_1" | "READS_2" | "READS_3", D1Database> &
  Record<"KEYS" | "BACKUPS", R2Bucket>;

const SEALING_KEYS = parseSealingKeys(`1:${btoa("0123456789abcdef0123456789abcdef")}`);

/** Returns the product's archive, for agencies that keep their reads for 91 days. */
export function benchArchive(env: SealedArchive, clock: () => number = Date.now): ReadStore {
  return createReadStore({
    places: createPlaces({
      db: openControl(env.DB),
      databases: findReadsDatabases(env),
      limitBytes: 10_000_000_000,
      clock,
    }),
    keys: createReadKeys({ keys: env.KEYS, backups: env.BACKUPS }, SEALING_KEYS),
    retentionDays: async (agencyIds) => new Map(agencyIds.map((id) => [id, 91])),
    clock,
    answerMs: 60_000,
  });
}
