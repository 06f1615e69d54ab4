// The keys that seal reads: 32 random bytes for each agency and UTC day, and keys for reads under legal holds. R2
// stores one ring per agency, encrypted with the operator's keys, so that neither D1 nor R2 alone can be read. A key
// that is removed from its ring is gone: no copy of D1 can be read without it.

import * as z from "zod/mini";
import { at } from "#app/lib/at.ts";
import { base64, fromBase64 } from "#app/lib/crypto/encoding.ts";
import { type SealedFor, type SealingKeys, seal, unseal } from "#app/lib/crypto/primitives.ts";
import { listPages } from "#app/lib/files/list-pages.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import { sleep } from "#app/lib/waiting.ts";
import { createReadCipher, type ReadCipher } from "./cipher.ts";

const Ring = z.object({
  /** Keys by UTC day, base64. */
  days: z.record(z.string(), z.string()),
  /** Keys of held reads, newest last. */
  held: z.array(z.string()),
  /** Names of the legal holds whose reads the newest hold key encrypts. Missing in rings of earlier versions. */
  heldFor: z.optional(z.array(z.string())),
});
type Ring = z.infer<typeof Ring>;

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
  /** Returns an agency's keys, at most a minute old, or current if `fresh`. */
  of(agencyId: string, options?: { fresh?: boolean }): Promise<AgencyKeys>;
  /** Returns the keys with one for each of the days; creates missing ones. */
  forDays(agencyId: string, days: number[]): Promise<AgencyKeys>;
  /**
   * Returns the newest key of held reads, noted as one for reads of these holds too. Creates it if there is none, or if
   * `another` is wanted.
   */
  holding(agencyId: string, holds: string[], another?: boolean): Promise<ReadCipher>;
  /**
   * Removes keys for good, from the ring and from its copy in the backups. `lost` are days that the ring has no key of, but
   * its copy may.
   */
  destroy(agencyId: string, gone: { days?: number[]; held?: number[]; lost?: number[] }): Promise<void>;
  /** Adds the keys of a ring that was lost and started again to its copy in the backups, which keeps its own. */
  addToCopy(agencyId: string): Promise<void>;
  /** Encrypts at most `most` rings again with the operator's newest key, and copies whose ring was lost. */
  rotate(most: number): Promise<{ resealed: string[]; remaining: number; unreadable: number }>;
};

type Buckets = { keys: R2Bucket; backups: R2Bucket };
type Known = { ring: Ring; etag: string | null; readAt: number; ciphers: Map<string, Promise<ReadCipher>> };

const PREFIX = "read-keys/";
const ringKey = (agencyId: string) => `${PREFIX}${agencyId}`;
/** Where a backup keeps its copy of a ring. */
const copyKey = (agencyId: string) => `pool/keys/${ringKey(agencyId)}`;
const ownerOf = (agencyId: string): SealedFor => ({ table: "read_keys", id: agencyId, field: "ring" });

const ATTEMPTS = 10;
const KEEP = MINUTE;

/** Rings known to this isolate, per bucket. Uses real time, regardless of the archive's clock. */
const caches = new WeakMap<R2Bucket, Map<string, Known>>();

/** The error for a ring that none of the operator's keys opens. */
class RingUnreadable extends Error {
  override readonly name = "RingUnreadable";
}

/** Returns whether a thrown value is a RingUnreadable, from either of the two copies of this module in the bundle. */
export function isRingUnreadable(error: unknown): boolean {
  return error instanceof Error && error.name === "RingUnreadable";
}

/** Returns the rings in these buckets. Its functions throw if a bucket fails, and an error that `isRingUnreadable`. */
export function createReadKeys(buckets: Buckets, sealingKeys: SealingKeys): ReadKeys {
  const cache = caches.get(buckets.keys) ?? new Map<string, Known>();
  caches.set(buckets.keys, cache);

  async function load(agencyId: string, maxAge: number): Promise<Known> {
    const before = cache.get(agencyId);
    if (before && Date.now() - before.readAt < maxAge) return before;
    const readAt = Date.now();
    const object = await buckets.keys.get(ringKey(agencyId));
    const ring = object ? await openRing(sealingKeys, agencyId, await object.text()) : { days: {}, held: [] };
    return remember(agencyId, { ring, etag: object?.etag ?? null, readAt });
  }

  function remember(agencyId: string, read: Omit<Known, "ciphers">): Known {
    const wanted = new Set([...Object.values(read.ring.days), ...read.ring.held]);
    const ciphers = new Map([...(cache.get(agencyId)?.ciphers ?? [])].filter(([key]) => wanted.has(key)));
    const known = { ...read, ciphers };
    cache.set(agencyId, known);
    return known;
  }

  const isNewest = (sealed: string) => sealed.startsWith(`v${sealingKeys.current}.`);

  /** Changes the current ring. `change` returns null if there is nothing to do. */
  async function update(agencyId: string, change: (ring: Ring) => Ring | null): Promise<Known> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const known = await load(agencyId, 0);
      const ring = change(known.ring);
      if (!ring) return known;
      const text = await seal(sealingKeys, ownerOf(agencyId), JSON.stringify(ring));
      const onlyIf = known.etag === null ? { etagDoesNotMatch: "*" } : { etagMatches: known.etag };
      const put = await buckets.keys.put(ringKey(agencyId), text, { onlyIf });
      if (put) return remember(agencyId, { ring, etag: put.etag, readAt: Date.now() });
      await sleep(20 * attempt * Math.random());
    }
    throw new Error("the key ring was changed concurrently each time");
  }

  function keysOf(agencyId: string, known: Known): AgencyKeys {
    const cipher = (key: string, day: number | null) => {
      const made = known.ciphers.get(key) ?? createReadCipher(fromBase64(key), { agencyId, day });
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

  return {
    of: async (agencyId, { fresh = false } = {}) => keysOf(agencyId, await load(agencyId, fresh ? 0 : KEEP)),
    async forDays(agencyId, days) {
      const lacks = ({ days: had }: Ring) => days.filter((day) => had[day] === undefined);
      const known = await load(agencyId, KEEP);
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
      if (days.length + gone.size > 0) await update(agencyId, rest.ofRing);
      await updateCopy(agencyId, rest);
    },
    addToCopy: (agencyId) => updateCopy(agencyId),
    async rotate(most) {
      const done: { resealed: string[]; remaining: number; unreadable: number } = {
        resealed: [],
        remaining: 0,
        unreadable: 0,
      };
      for (const agencyId of await listRings(buckets)) {
        const [object, copy] = await Promise.all([
          buckets.keys.get(ringKey(agencyId)),
          buckets.backups.get(copyKey(agencyId)),
        ]);
        const [ring, copied] = await Promise.all([object, copy].map((one) => openedIfOld(agencyId, one)));
        const isLost = ring === null || (!object && copied === null);
        if (isLost) done.unreadable++;
        // A copy that no key opens is replaced if there is a ring.
        if (!ring && !copied && (isLost || copied === undefined)) continue;
        if (done.resealed.length >= most) {
          done.remaining++;
          continue;
        }
        if (object && ring) {
          const to = await seal(sealingKeys, ownerOf(agencyId), ring);
          const put = await buckets.keys.put(ringKey(agencyId), to, { onlyIf: { etagMatches: object.etag } });
          // A concurrent change has sealed it with the newest key too.
          if (!put) continue;
        }
        done.resealed.push(agencyId);
        await updateCopy(agencyId);
      }
      return done;
    },
  };

  /**
   * Returns a ring's text if an older key of the operator encrypted it; undefined if there is no object or the newest
   * key encrypted it, null if no key opens it.
   */
  async function openedIfOld(
    agencyId: string,
    object: R2ObjectBody | null | undefined,
  ): Promise<string | null | undefined> {
    const text = await object?.text();
    if (text === undefined || isNewest(text)) return undefined;
    return unseal(sealingKeys, ownerOf(agencyId), text).catch(() => null);
  }

  /**
   * Updates a backup's copy of a ring, if there is one, to the current ring without what is destroyed. Keys that only the
   * copy has stay until they are destroyed: they are the last ones of a ring that was lost.
   */
  async function updateCopy(agencyId: string, rest: Rest = ALL): Promise<void> {
    // Repeats while the copy or the ring changes, so that the copy is never older than the ring.
    for (;;) {
      // The copy first: a key that is destroyed after that would be in the ring, but then the copy has changed.
      const copy = await buckets.backups.get(copyKey(agencyId));
      if (!copy) return;
      const object = await buckets.keys.get(ringKey(agencyId));
      const [own, text] = [await copy.text(), (await object?.text()) ?? ""];
      const had = await openRing(sealingKeys, agencyId, own).catch(() => null);
      const ring = object && (await openRing(sealingKeys, agencyId, text).catch(() => null));
      // Without a ring, a copy that no key opens is left to the operator. Otherwise it is of no use.
      if (!ring && !had) return;
      const next = united(rest.ofRing(ring ?? NO_KEYS), rest.ofCopy(had ?? NO_KEYS));
      const json = JSON.stringify(next);
      // Each encryption differs, so a sealed text with the same keys is kept if the newest key encrypted it.
      const same = [
        { keys: ring, sealed: text },
        { keys: had, sealed: own },
      ].find(({ keys, sealed }) => isNewest(sealed) && JSON.stringify(keys) === json);
      const to = same?.sealed ?? (await seal(sealingKeys, ownerOf(agencyId), json));
      const onlyIf = { etagMatches: copy.etag };
      if (to !== own && !(await buckets.backups.put(copyKey(agencyId), to, { onlyIf }))) continue;
      if ((await buckets.keys.head(ringKey(agencyId)))?.etag === object?.etag) return;
    }
  }
}

/** Returns the keys that stay in a ring, and those that stay in its copy. */
type Rest = Record<"ofRing" | "ofCopy", (ring: Ring) => Ring>;
const ALL: Rest = { ofRing: (ring) => ring, ofCopy: (ring) => ring };
const NO_KEYS: Ring = { days: {}, held: [] };

/**
 * Returns a ring with the keys that only its copy has. If both have a key of the same day, the copy's is used, because
 * it exists nowhere else.
 */
function united(ring: Ring, copy: Ring): Ring {
  return {
    days: { ...ring.days, ...copy.days },
    held: [...copy.held.filter((key) => !ring.held.includes(key)), ...ring.held],
    heldFor: ring.held.length > 0 ? ring.heldFor : copy.heldFor,
  };
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

async function openRing(sealingKeys: SealingKeys, agencyId: string, text: string): Promise<Ring> {
  try {
    return Ring.parse(JSON.parse(await unseal(sealingKeys, ownerOf(agencyId), text)));
  } catch (cause) {
    throw new RingUnreadable("no sealing key opens this ring of keys", { cause });
  }
}

function newKey(): string {
  return base64(crypto.getRandomValues(new Uint8Array(32)));
}

/** Returns the agencies that have a ring, or a copy of one. */
async function listRings({ keys, backups }: Buckets): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { bucket, prefix } of [
    { bucket: keys, prefix: ringKey("") },
    { bucket: backups, prefix: copyKey("") },
  ])
    for await (const { objects } of listPages(bucket, { prefix }))
      for (const { key } of objects) found.add(key.slice(prefix.length));
  return found;
}
