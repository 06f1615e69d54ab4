// The pool: one sealed copy of every object, shared by all backups, since an object's key is random and its bytes never
// change. An object that is purged from its bucket leaves the pool with it; copies of key rings stand beside them, so
// that a backup never holds the key of a day that was destroyed since.

import { BACKED_UP, type ObjectLine } from "#app/entities/operations/backup.ts";
import { type SealingKeys, unseal } from "#app/lib/crypto/primitives.ts";
import { openStream, sealedSize, sealStream } from "#app/lib/crypto/sealed-bytes.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { BackupFault, faultOf } from "./backup-files.ts";

/** Buckets by the names of their bindings. */
export type Buckets = Record<string, R2Bucket>;
export type Pool = { backups: R2Bucket; keys: SealingKeys };

const PURPOSE = "backup pool";
/** What is smaller is sealed in memory; what is larger passes through as a stream. */
const AT_ONCE = 4 * 1024 * 1024;
/** Copies at a time: a Worker has six connections. */
export const POOL_CONCURRENCY = 5;

/** Where the copy of an object is kept. */
export function poolKey(bucket: string, key: string): string {
  return `pool/${bucket}/${key}`;
}

/** Takes purged objects out of the pool; call it after they have left their bucket. `bucket` is a binding's name. */
export async function removeFromPool(
  backups: R2Bucket,
  bucket: string,
  keys: readonly string[],
): Promise<void> {
  for (let from = 0; from < keys.length; from += 1000)
    await backups.delete(keys.slice(from, from + 1000).map((key) => poolKey(bucket, key)));
}

/**
 * The same bucket, but what is deleted from it leaves the pool as well: so no purge can forget to. The pool is first, so
 * that a purge that dies is found again by its objects; and last, for what a backup copied in between.
 */
export function withPool(bucket: R2Bucket, pool: { backups: R2Bucket; name: string }): R2Bucket {
  const { backups, name } = pool;
  const isCopied = (key: string) => (BACKED_UP[name] ?? []).some((prefix) => key.startsWith(prefix));
  async function remove(keys: string | string[]): Promise<void> {
    const copied = (Array.isArray(keys) ? keys : [keys]).filter(isCopied);
    await removeFromPool(backups, name, copied);
    await bucket.delete(keys);
    await removeFromPool(backups, name, copied);
  }
  return new Proxy(bucket, {
    get(target, property) {
      if (property === "delete") return remove;
      const value = Reflect.get(target, property, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Objects of a bucket after a key, in order, as far as backups hold them. `next` is null after the last. */
export async function listBackedUp(
  bucket: R2Bucket,
  input: { name: string; after: string; limit?: number },
): Promise<{ objects: R2Object[]; next: string | null }> {
  const { name, after, limit = 1000 } = input;
  for (const prefix of BACKED_UP[name] ?? []) {
    // What lies before the place of the cursor was listed already.
    if (prefix !== "" && after > `${prefix}\u{10FFFF}`) continue;
    const startAfter = after > prefix ? after : undefined;
    const page = await bucket.list({ prefix, limit, ...(startAfter && { startAfter }) });
    const last = page.objects.at(-1)?.key;
    if (last !== undefined) return { objects: page.objects, next: last };
  }
  return { objects: [], next: null };
}

type Copied = { etag: string; keyVersion: string };

/** What the pool has from one key up to another, both included, by key. */
export async function listPool(
  backups: R2Bucket,
  input: { bucket: string; after: string; until: string },
): Promise<Map<string, Copied>> {
  const { bucket, after, until } = input;
  const prefix = poolKey(bucket, "");
  const found = new Map<string, Copied>();
  let startAfter = after === "" ? undefined : `${prefix}${after}`;
  for (;;) {
    const options = { prefix, include: ["customMetadata"], ...(startAfter && { startAfter }) };
    const page = await backups.list(options as R2ListOptions);
    for (const { key, customMetadata } of page.objects) {
      const own = key.slice(prefix.length);
      if (own > until) return found;
      found.set(own, { etag: customMetadata?.etag ?? "", keyVersion: customMetadata?.key ?? "" });
    }
    if (!page.truncated) return found;
    startAfter = page.objects.at(-1)?.key;
  }
}

/** Copies an object into the pool, sealed with the newest key; null where it has gone meanwhile. */
export async function copyToPool(
  { backups, keys }: Pool,
  input: { name: string; bucket: R2Bucket; key: string },
): Promise<ObjectLine | null> {
  const object = await input.bucket.get(input.key);
  if (!object) return null;
  const { key, size, etag } = object;
  const options: R2PutOptions = {
    ...(object.httpMetadata && { httpMetadata: object.httpMetadata }),
    customMetadata: {
      etag,
      key: String(keys.current),
      own: JSON.stringify(object.customMetadata ?? {}),
    },
  };
  const file = { purpose: PURPOSE, name: poolKey(input.name, key) };
  await putStream(backups, file.name, {
    source: sealStream(keys, file, { source: object.body, size }),
    size: sealedSize(size),
    options,
  });
  return [key, size, etag];
}

/** Puts an object back from the pool; false where the pool has it no more. Throws BackupFault where it was changed. */
export async function copyFromPool(
  { backups, keys }: Pool,
  input: { name: string; bucket: R2Bucket; key: string; size: number },
): Promise<boolean> {
  const opened = await openPooled({ backups, keys }, input);
  if (!opened) return false;
  const { object, source } = opened;
  const own = JSON.parse(object.customMetadata?.own ?? "{}") as Record<string, string>;
  try {
    await putStream(input.bucket, input.key, {
      source,
      size: input.size,
      options: { ...(object.httpMetadata && { httpMetadata: object.httpMetadata }), customMetadata: own },
    });
  } catch (error) {
    throw faultOf(`The copy ${object.key}`, error);
  }
  return true;
}

/** Reads a copy to its end and throws BackupFault where it was changed; false where the pool has it no more. */
export async function checkPooled(
  pool: Pool,
  input: { name: string; key: string; size: number },
): Promise<boolean> {
  const opened = await openPooled(pool, input);
  if (!opened) return false;
  let size = 0;
  try {
    for await (const frame of opened.source as unknown as AsyncIterable<Uint8Array>) size += frame.length;
  } catch (error) {
    throw faultOf(`The copy ${opened.object.key}`, error);
  }
  if (size !== input.size)
    throw new BackupFault(`The copy ${opened.object.key} has ${size} bytes and not ${input.size}.`);
  return true;
}

async function openPooled({ backups, keys }: Pool, { name, key }: { name: string; key: string }) {
  const object = await backups.get(poolKey(name, key));
  if (!object) return undefined;
  const file = { purpose: PURPOSE, name: object.key };
  return { object, source: openStream(keys, file, { source: object.body, size: object.size }) };
}

/** R2 wants to know how long a stream is; a small one is gathered, which saves the detour. */
async function putStream(
  bucket: R2Bucket,
  key: string,
  input: { source: ReadableStream<Uint8Array>; size: number; options: R2PutOptions },
): Promise<void> {
  const { source, size, options } = input;
  if (size <= AT_ONCE) {
    await bucket.put(key, await new Response(source).arrayBuffer(), options);
    return;
  }
  const { readable, writable } = new FixedLengthStream(size);
  const ended = await Promise.allSettled([source.pipeTo(writable), bucket.put(key, readable, options)]);
  // The source's failure first: it is why the bucket's came to be, where both failed.
  for (const end of ended) if (end.status === "rejected") throw end.reason;
}

/**
 * Copies a ring of keys as it is (it is sealed already). A ring that changes meanwhile is copied again: a day that was
 * destroyed between reading and writing must not live on in the copy.
 */
export async function copyRing(
  from: R2Bucket,
  to: R2Bucket,
  input: { source: string; target: string },
): Promise<boolean> {
  for (;;) {
    const object = await from.get(input.source);
    if (!object) return false;
    await to.put(input.target, await object.arrayBuffer(), {
      ...(object.httpMetadata && { httpMetadata: object.httpMetadata }),
    });
    if ((await from.head(input.source))?.etag === object.etag) return true;
  }
}

/** Days whose keys a ring has; none where it is no ring, or no sealing key opens it. */
async function daysOf(keys: SealingKeys, input: { agencyId: string; text: string }): Promise<number[]> {
  const owner = { table: "read_keys", id: input.agencyId, field: "ring" };
  const ring = parseJson(await unseal(keys, owner, input.text).catch(() => ""));
  return Object.keys((ring as { days?: object } | undefined)?.days ?? {}).map(Number);
}

/**
 * Whether a ring lacks a key that its copy has of `since` or later. Nothing destroys a key so young: the ring was lost
 * and begun anew, and its copy is the last there is.
 */
export async function isRingLost(
  pool: Pool & { rings: R2Bucket },
  input: { agencyId: string; source: string; target: string; since: number },
): Promise<boolean> {
  const { agencyId, source, target, since } = input;
  const [ring, copy] = await Promise.all([pool.rings.get(source), pool.backups.get(target)]);
  if (!copy) return false;
  const has = new Set(ring ? await daysOf(pool.keys, { agencyId, text: await ring.text() }) : []);
  const had = await daysOf(pool.keys, { agencyId, text: await copy.text() });
  return had.some((day) => day >= since && !has.has(day));
}
