import { parseSealingKeys } from "#app/lib/crypto/primitives.ts";
import { createReadKeys } from "#app/store/archive/keys.ts";
import { createReadStore, type ReadStore } from "#app/store/archive/reads.ts";

export type SealedArchive = Record<"READS_0" | "READS_1" | "READS_2" | "READS_3", D1Database> &
  Record<"KEYS" | "BACKUPS", R2Bucket>;

const SEALING_KEYS = parseSealingKeys(`1:${btoa("0123456789abcdef0123456789abcdef")}`);

/** Returns the product's archive, for agencies that keep their reads for 91 days. */
export function benchArchive(env: SealedArchive, clock: () => number = Date.now): ReadStore {
  return createReadStore({
    databases: [env.READS_0, env.READS_1, env.READS_2, env.READS_3],
    keys: createReadKeys({ keys: env.KEYS, backups: env.BACKUPS }, SEALING_KEYS),
    retentionDays: async (agencyIds) => new Map(agencyIds.map((id) => [id, 91])),
    clock,
  });
}
