// The keys that seal reads: 32 random bytes for each agency and UTC day, and keys for reads under legal holds. R2
// stores one ring per agency, encrypted with the operator's keys, so that neither D1 nor R2 alone can be read. A key
// that is removed from its ring is gone: no copy of D1 can be read without it.

import * as z from "zod/mini";
import { at } from "#app/lib/at.ts";
import { base64, fromBase64 } from "#app/lib/crypto/encoding.ts";
import { type SealedFor, type SealingKeys, seal, unseal } from "#app/lib/crypto/primitives.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { createReadCipher, type ReadCipher } from "./cipher.ts";

const Ring = z.object({
  /** Keys by UTC day, base64. */
  days: z.record(z.string(), z.string()),
  /** Keys of held reads, newest last. */
  held: z.array(z.string()),
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
};

export type ReadKeys = {
  /** Returns an agency's keys, at most a minute old, or current if `fresh`. */
  of(agencyId: string, options?: { fresh?: boolean }): Promise<AgencyKeys>;
  /** Returns the keys with one for each of the days; creates missing ones. */
  forDays(agencyId: string, days: number[]): Promise<AgencyKeys>;
  /** Creates another key for held reads. */
  addHeld(agencyId: string): Promise<ReadCipher>;
  /** Removes keys for good, from the ring and from its copy in the backups. */
  destroy(agencyId: string, gone: { days?: number[]; held?: number[] }): Promise<void>;
  /** Encrypts at most `most` rings again with the operator's newest key. */
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

/** Returns the rings in these buckets. Its functions throw if a bucket fails or no sealing key opens a ring. */
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
      await new Promise((resolve) => setTimeout(resolve, 20 * attempt * Math.random()));
    }
    throw new Error("the key ring was changed concurrently each time");
  }

  function keysOf(agencyId: string, known: Known): AgencyKeys {
    const cipher = (key: string, day: number | null) => {
      const made = known.ciphers.get(key) ?? createReadCipher(fromBase64(key), { agencyId, day });
      known.ciphers.set(key, made);
      return made;
    };
    const { days, held } = known.ring;
    return {
      agencyId,
      days: Object.keys(days).map(Number),
      ofDay: async (day) => (days[day] === undefined ? null : cipher(days[day], day)),
      held: () => Promise.all(held.map((key) => cipher(key, null))),
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
    async addHeld(agencyId) {
      const known = await update(agencyId, (ring) => ({ ...ring, held: [...ring.held, newKey()] }));
      const ciphers = await keysOf(agencyId, known).held();
      return at(ciphers, ciphers.length - 1);
    },
    async destroy(agencyId, { days = [], held = [] }) {
      const before = await load(agencyId, 0);
      const ciphers = await keysOf(agencyId, before).held();
      const gone = new Set(before.ring.held.filter((_, i) => held.includes(at(ciphers, i).id)));
      const rest = (ring: Ring): Ring => ({
        days: Object.fromEntries(Object.entries(ring.days).filter(([day]) => !days.includes(Number(day)))),
        held: ring.held.filter((key) => !gone.has(key)),
      });
      // The backup's copy first: if a later step fails, the ring still shows that there is something to do.
      await overwriteCopy(agencyId, rest(before.ring));
      await update(agencyId, rest);
      await overwriteCopy(agencyId);
    },
    async rotate(most) {
      const done: { resealed: string[]; remaining: number; unreadable: number } = {
        resealed: [],
        remaining: 0,
        unreadable: 0,
      };
      for await (const agencyId of listRings(buckets.keys)) {
        const object = await buckets.keys.get(ringKey(agencyId));
        const text = (await object?.text()) ?? "";
        if (!object || text.startsWith(`v${sealingKeys.current}.`)) continue;
        const ring = await unseal(sealingKeys, ownerOf(agencyId), text).catch(() => null);
        if (ring === null) done.unreadable++;
        else if (done.resealed.length >= most) done.remaining++;
        else {
          const to = await seal(sealingKeys, ownerOf(agencyId), ring);
          const put = await buckets.keys.put(ringKey(agencyId), to, { onlyIf: { etagMatches: object.etag } });
          // A concurrent change has sealed it with the newest key too.
          if (!put) continue;
          done.resealed.push(agencyId);
          await overwriteCopy(agencyId);
        }
      }
      return done;
    },
  };

  /** Updates a backup's copy of a ring, if there is one, to the current ring or to the planned one. */
  async function overwriteCopy(agencyId: string, planned?: Ring): Promise<void> {
    if (!(await buckets.backups.head(copyKey(agencyId)))) return;
    if (planned) {
      const text = await seal(sealingKeys, ownerOf(agencyId), JSON.stringify(planned));
      await buckets.backups.put(copyKey(agencyId), text);
      return;
    }
    // Repeats while the ring changes, so that the copy is never older than the ring.
    for (let etag: string | undefined; ; ) {
      const ring = await buckets.keys.get(ringKey(agencyId));
      if (!ring || ring.etag === etag) return;
      etag = ring.etag;
      await buckets.backups.put(copyKey(agencyId), await ring.text());
    }
  }
}

async function openRing(sealingKeys: SealingKeys, agencyId: string, text: string): Promise<Ring> {
  return Ring.parse(JSON.parse(await unseal(sealingKeys, ownerOf(agencyId), text)));
}

function newKey(): string {
  return base64(crypto.getRandomValues(new Uint8Array(32)));
}

async function* listRings(keys: R2Bucket): AsyncGenerator<string> {
  let cursor: string | undefined;
  do {
    const listed = await keys.list({ prefix: PREFIX, cursor });
    for (const { key } of listed.objects) yield key.slice(PREFIX.length);
    cursor = listed.truncated ? listed.cursor : undefined;
  } while (cursor !== undefined);
}
