// Where rings of keys are stored: one object per agency in R2, and its copy in the backups, both encrypted with the
// operator's keys. Writes are conditional, so that concurrent changes do not lose keys.

import * as z from "zod/mini";
import { type SealedFor, type SealingKeys, seal, unseal } from "#app/lib/crypto/primitives.ts";
import { listPages } from "#app/lib/files/list-pages.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { sleep } from "#app/lib/waiting.ts";
import type { ReadCipher } from "#app/store/archive/cipher.ts";
import { FEW_RINGS, readBundles, ringKey } from "./bundles.ts";

const Ring = z.object({
  /** Keys by UTC day, base64. */
  days: z.record(z.string(), z.string()),
  /** Keys of held reads, newest last. */
  held: z.array(z.string()),
  /** Names of the legal holds whose reads the newest hold key encrypts. Missing in rings of earlier versions. */
  heldFor: z.optional(z.array(z.string())),
});
export type Ring = z.infer<typeof Ring>;

/**
 * Result of a rotation: the agencies whose ring it encrypted again, and how many rings are left or cannot be opened.
 */
export type RingRotation = { resealed: string[]; remaining: number; unreadable: number };

export type Buckets = { keys: R2Bucket; backups: R2Bucket };
export type Known = {
  ring: Ring;
  etag: string | null;
  readAt: number;
  ciphers: Map<string, ReadCipher>;
};

/** Where a backup keeps its copy of a ring. */
const copyKey = (agencyId: string) => `pool/keys/${ringKey(agencyId)}`;
const ownerOf = (agencyId: string): SealedFor => ({ table: "read_keys", id: agencyId, field: "ring" });

const ATTEMPTS = 10;
/** Maximum number of failed writes in one change of a ring. */
const MOST_FAILURES = 3;

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

const isNewest = (sealingKeys: SealingKeys, sealed: string) => sealed.startsWith(`v${sealingKeys.current}.`);

/** Returns the rings in these buckets. Its functions throw if a bucket fails, and an error that `isRingUnreadable`. */
export function createRings(buckets: Buckets, sealingKeys: SealingKeys) {
  const cache = caches.get(buckets.keys) ?? new Map<string, Known>();
  caches.set(buckets.keys, cache);

  /** Returns a ring, at most `maxAge` milliseconds old. */
  async function load(agencyId: string, maxAge: number): Promise<Known> {
    const before = cache.get(agencyId);
    if (before && Date.now() - before.readAt < maxAge) return before;
    const readAt = Date.now();
    const object = await buckets.keys.get(ringKey(agencyId));
    const ring = object ? await openRing(sealingKeys, agencyId, await object.text()) : { days: {}, held: [] };
    return remember(agencyId, { ring, etag: object?.etag ?? null, readAt });
  }

  /**
   * Loads the rings of many agencies from bundles, except those that are known and at most `maxAge` milliseconds old. They
   * count as `age` old, and some may lack new keys; `load` gets those that no bundle has.
   */
  async function loadBundles(
    agencyIds: string[],
    { maxAge, age }: { maxAge: number; age: number },
  ): Promise<void> {
    const isNeeded = (id: string) => Date.now() - (cache.get(id)?.readAt ?? 0) >= maxAge;
    const needed = agencyIds.filter(isNeeded);
    if (needed.length <= FEW_RINGS) return;
    const readAt = Date.now() - age;
    const bundled = await readBundles(buckets.keys, needed);
    await Promise.all(
      needed.map(async (agencyId) => {
        const found = bundled.get(agencyId);
        const ring = found && (await openRing(sealingKeys, agencyId, found.sealed).catch(() => undefined));
        // Another call may have loaded a newer one meanwhile.
        if (ring && isNeeded(agencyId)) remember(agencyId, { ring, etag: found.etag, readAt });
      }),
    );
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
    const put = conditionalPuts();
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const known = await load(agencyId, 0);
      const ring = change(known.ring);
      if (!ring) return known;
      const text = await seal(sealingKeys, ownerOf(agencyId), JSON.stringify(ring));
      const onlyIf = known.etag === null ? { etagDoesNotMatch: "*" } : { etagMatches: known.etag };
      const stored = await put(buckets.keys, ringKey(agencyId), { text, onlyIf });
      if (stored) return remember(agencyId, { ring, etag: stored.etag, readAt: Date.now() });
      await sleep(20 * attempt * Math.random());
    }
    throw new Error("the key ring was changed concurrently each time");
  }

  /**
   * Updates a backup's copy of a ring, if there is one, to the current ring without what is destroyed. Keys that only the
   * copy has stay until they are destroyed: they are the last ones of a ring that was lost.
   */
  async function updateCopy(agencyId: string, rest: Rest = ALL): Promise<void> {
    const put = conditionalPuts();
    // Repeats while the copy or the ring changes, so that the copy is never older than the ring.
    for (;;) {
      // The copy first: a key that is destroyed after that would be in the ring, but then the copy has changed.
      const copy = await buckets.backups.get(copyKey(agencyId));
      if (!copy) return;
      const object = await buckets.keys.get(ringKey(agencyId));
      const [own, text] = [await copy.text(), (await object?.text()) ?? ""];
      const had = await openRing(sealingKeys, agencyId, own).catch(() => null);
      const ring = object && (await openRing(sealingKeys, agencyId, text).catch(() => null));
      // Without a ring, a copy that no key opens is left to the operator. Any other such copy is useless.
      if (!ring && !had) return;
      const next = united(rest.ofRing(ring ?? NO_KEYS), rest.ofCopy(had ?? NO_KEYS));
      const json = JSON.stringify(next);
      // Each encryption differs, so a sealed text with the same keys is kept if the newest key encrypted it.
      const same = [
        { keys: ring, sealed: text },
        { keys: had, sealed: own },
      ].find(({ keys, sealed }) => isNewest(sealingKeys, sealed) && JSON.stringify(keys) === json);
      const to = same?.sealed ?? (await seal(sealingKeys, ownerOf(agencyId), json));
      const onlyIf = { etagMatches: copy.etag };
      if (to !== own && !(await put(buckets.backups, copyKey(agencyId), { text: to, onlyIf }))) continue;
      if ((await buckets.keys.head(ringKey(agencyId)))?.etag === object?.etag) return;
    }
  }

  return { load, loadBundles, update, updateCopy };
}

/**
 * Returns a function that stores an object on a condition. Returns null if the condition is not met, or the write failed
 * and the object should be read again: R2 takes one write a second to an object, and refuses those of other isolates (429).
 */
function conditionalPuts() {
  let failures = 0;
  return async (
    bucket: R2Bucket,
    key: string,
    { text, onlyIf }: { text: string; onlyIf: R2Conditional },
  ): Promise<R2Object | null> => {
    try {
      return await bucket.put(key, text, { onlyIf });
    } catch (error) {
      if (++failures > MOST_FAILURES) throw error;
      await sleep(SECOND * (1 + Math.random()));
      return null;
    }
  };
}

/** Encrypts at most `most` rings again with the operator's newest key, and copies whose ring was lost. */
export async function rotateRings(
  buckets: Buckets,
  { sealingKeys, most }: { sealingKeys: SealingKeys; most: number },
): Promise<RingRotation> {
  const { updateCopy } = createRings(buckets, sealingKeys);
  const done: RingRotation = { resealed: [], remaining: 0, unreadable: 0 };
  for (const agencyId of await listRings(buckets)) {
    const [object, copy] = await Promise.all([
      buckets.keys.get(ringKey(agencyId)),
      buckets.backups.get(copyKey(agencyId)),
    ]);
    const [ring, copied] = await Promise.all(
      [object, copy].map((one) => openedIfOld(sealingKeys, agencyId, one)),
    );
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
}

/**
 * Returns a ring's text if an older key of the operator encrypted it; undefined if there is no object or the newest
 * key encrypted it, null if no key opens it.
 */
async function openedIfOld(
  sealingKeys: SealingKeys,
  agencyId: string,
  object: R2ObjectBody | null | undefined,
): Promise<string | null | undefined> {
  const text = await object?.text();
  if (text === undefined || isNewest(sealingKeys, text)) return undefined;
  return unseal(sealingKeys, ownerOf(agencyId), text).catch(() => null);
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

async function openRing(sealingKeys: SealingKeys, agencyId: string, text: string): Promise<Ring> {
  try {
    return Ring.parse(JSON.parse(await unseal(sealingKeys, ownerOf(agencyId), text)));
  } catch (cause) {
    throw new RingUnreadable("no sealing key opens this ring of keys", { cause });
  }
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
