// The keys that seal reads: 32 random bytes for each agency and UTC day, and keys for reads under legal holds. R2
// stores one ring per agency, encrypted with the operator's keys, so that neither D1 nor R2 alone can be read. A key
// that is removed from its ring is also removed from bundles of rings: no copy of D1 can be read without it.

import { at } from "#app/lib/at.ts";
import { base64, fromBase64 } from "#app/lib/crypto/encoding.ts";
import type { SealingKeys } from "#app/lib/crypto/primitives.ts";
import { logError } from "#app/lib/log.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import { deleteBundle, writeBundles } from "#app/store/archive/rings/bundles.ts";
import {
  type Buckets,
  createRings,
  type Known,
  type Ring,
  type RingRotation,
  rotateRings,
} from "#app/store/archive/rings/storage.ts";
import { createReadCipher, type ReadCipher } from "./cipher.ts";

/** The keys of one agency at the time when its ring was read. */
export type AgencyKeys = {
  agencyId: string;
  days: number[];
  /** Returns the key of a day, or null if it has none. */
  ofDay(day: number): Promise<ReadCipher | null>;
  /** Returns the keys of held reads, newest last. */
  held(): Promise<ReadCipher[]>;
  /** Names of the legal holds whose reads the newest hold key encrypts, some perhaps released; null if not known. */
  heldFor: string[] | null;
};

export type ReadKeys = {
  /** Loads the keys of many agencies together, so that `of` has them. If that fails, `of` loads each of them. */
  loadMany(agencyIds: string[]): Promise<void>;
  /** Returns an agency's keys, at most ten minutes old, or current if `fresh`. */
  of(agencyId: string, options?: { fresh?: boolean }): Promise<AgencyKeys>;
  /** Returns the keys with one for each of the days; creates missing ones. */
  forDays(agencyId: string, days: number[]): Promise<AgencyKeys>;
  /**
   * Returns the newest key of held reads, noted as one for reads of these holds too. Creates one if there is none, or
   * if `another` is set.
   */
  holding(agencyId: string, holds: string[], another?: boolean): Promise<ReadCipher>;
  /**
   * Removes keys for good, from the ring and from its copy in the backups. `lost` are days that the ring has no key of, but
   * its copy may.
   */
  destroy(agencyId: string, gone: { days?: number[]; held?: number[]; lost?: number[] }): Promise<void>;
  /** Adds the keys of a ring that was lost and started again to its copy in the backups, which keeps its own. */
  addToCopy(agencyId: string): Promise<void>;
  /** Writes the bundles of rings that have changed. Returns their number. */
  bundle(): Promise<number>;
  /** Encrypts at most `most` rings again with the operator's newest key, and copies whose ring was lost. */
  rotate(most: number): Promise<RingRotation>;
};

/** How long writers use a ring that was read. */
const KEEP_TO_WRITE = MINUTE;
/** How long searches use it. They ask the databases for newer keys, and find no reads of a destroyed key. */
const KEEP_TO_READ = 10 * MINUTE;

/** Returns the keys in these buckets. Its functions throw if a bucket fails, and an error that `isRingUnreadable`. */
export function createReadKeys(buckets: Buckets, sealingKeys: SealingKeys): ReadKeys {
  const { load, loadBundles, update, updateCopy } = createRings(buckets, sealingKeys);

  return {
    loadMany: (agencyIds) =>
      // Too old for writers, which need the newest keys.
      loadBundles(agencyIds, { maxAge: KEEP_TO_READ, age: KEEP_TO_WRITE }).catch((error: unknown) =>
        logError("the bundles of key rings could not be read", error),
      ),
    of: async (agencyId, { fresh = false } = {}) =>
      keysOf(agencyId, await load(agencyId, fresh ? 0 : KEEP_TO_READ)),
    async forDays(agencyId, days) {
      const lacks = ({ days: had }: Ring) => days.filter((day) => had[day] === undefined);
      const known = await load(agencyId, KEEP_TO_WRITE);
      if (lacks(known.ring).length === 0) return keysOf(agencyId, known);
      const made = await update(agencyId, (ring) => {
        const fresh = lacks(ring).map((day) => [day, newKey()] as const);
        return fresh.length === 0 ? null : { ...ring, days: { ...ring.days, ...Object.fromEntries(fresh) } };
      });
      return keysOf(agencyId, made);
    },
    async holding(agencyId, holds, another = false) {
      const known = await update(agencyId, (ring) => {
        if (another || ring.held.length === 0)
          return { ...ring, held: [...ring.held, newKey()], heldFor: [...new Set(holds)] };
        // An earlier version did not store the holds whose reads this key encrypts.
        if (!ring.heldFor || holds.every((hold) => ring.heldFor?.includes(hold))) return null;
        return { ...ring, heldFor: [...new Set([...ring.heldFor, ...holds])] };
      });
      const ciphers = await keysOf(agencyId, known).held();
      return at(ciphers, ciphers.length - 1);
    },
    async destroy(agencyId, { days = [], held = [], lost = [] }) {
      const before = await load(agencyId, 0);
      const ciphers = await keysOf(agencyId, before).held();
      const gone = new Set(before.ring.held.filter((_, i) => held.includes(at(ciphers, i).id)));
      const without = (ring: Ring, ofDays: number[]): Ring => ({
        days: Object.fromEntries(Object.entries(ring.days).filter(([day]) => !ofDays.includes(Number(day)))),
        held: ring.held.filter((key) => !gone.has(key)),
        // `heldFor` describes the newest key.
        heldFor: gone.has(ring.held.at(-1) ?? "") ? undefined : ring.heldFor,
      });
      const rest = {
        ofRing: (ring: Ring) => without(ring, days),
        ofCopy: (ring: Ring) => without(ring, [...days, ...lost]),
      };
      // The backup's copy first: if a later step fails, the ring still shows that there is something to do.
      await updateCopy(agencyId, rest);
      if (days.length + gone.size > 0) {
        await update(agencyId, rest.ofRing);
        await deleteBundle(buckets.keys, agencyId);
      }
      await updateCopy(agencyId, rest);
    },
    bundle: () => writeBundles(buckets.keys),
    addToCopy: (agencyId) => updateCopy(agencyId),
    rotate: (most) => rotateRings(buckets, { sealingKeys, most }),
  };
}

function keysOf(agencyId: string, known: Known): AgencyKeys {
  const cipher = async (key: string, day: number | null) => {
    const made = known.ciphers.get(key) ?? (await createReadCipher(fromBase64(key), { agencyId, day }));
    known.ciphers.set(key, made);
    return made;
  };
  const { days, held, heldFor = null } = known.ring;
  return {
    agencyId,
    days: Object.keys(days).map(Number),
    ofDay: async (day) => (days[day] === undefined ? null : cipher(days[day], day)),
    held: () => Promise.all(held.map((key) => cipher(key, null))),
    heldFor,
  };
}

function newKey(): string {
  return base64(crypto.getRandomValues(new Uint8Array(32)));
}

/** Query plan: for each day, the agencies' keys by read_keys_agency, and for each unknown one a range of sealed_reads_time. */
const LOST_DAYS = `SELECT d.value AS day
  FROM json_each(?1) AS d
  WHERE EXISTS (
    SELECT 1
    FROM json_each(?2) AS a
    CROSS JOIN read_keys AS k ON k.agency_id = a.value ->> 0 AND (k.day IS NULL OR k.day = d.value)
    CROSS JOIN sealed_reads AS s INDEXED BY sealed_reads_time ON s.key_id = k.id
    WHERE k.id NOT IN (SELECT value FROM json_each(?3))
      AND s.captured_at >= max(d.value * ${DAY}, iif(k.day IS NULL, ?4, a.value ->> 1))
      AND s.captured_at <= min((d.value + 1) * ${DAY} - 1, ?5))`;

/**
 * Returns those of the days with reads in [from, to] under keys that a database lists, but that are not `known`: they were
 * lost. `shown` are agencies, with the oldest time of their reads that may be shown unless a hold keeps them.
 */
export async function listLostDays(
  database: D1Database,
  input: {
    days: Iterable<number>;
    shown: (readonly [agencyId: string, since: number])[];
    known: number[];
    from: number;
    to: number;
  },
): Promise<number[]> {
  const { days, shown, known, from, to } = input;
  const { results } = await database
    .prepare(LOST_DAYS)
    .bind(JSON.stringify([...days]), JSON.stringify(shown), JSON.stringify(known), from, to)
    .all<{ day: number }>();
  return results.map(({ day }) => day);
}
