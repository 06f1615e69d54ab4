// The pool: one encrypted copy of every object, shared by all backups. One is enough, because an object's key is random
// and its bytes never change; only segments of hits are overwritten, together with their copy
// (store/alerts/segment-archive.ts). Purging an object removes its copy. Key rings are copied next to the pool, one copy each,
// so that no backup holds a key that was destroyed since.

import * as z from "zod/mini";
import { BACKED_UP, type ObjectLine } from "#app/entities/operations/backup.ts";
import { type SealingKeys, unseal } from "#app/lib/crypto/primitives.ts";
import { openStream, sealedSize, sealStream } from "#app/lib/crypto/sealed-bytes.ts";
import { streamOfSize } from "#app/lib/files/bodies.ts";
import { listPages } from "#app/lib/files/list-pages.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { logError } from "#app/lib/log.ts";
import { removeObjects } from "#app/store/files.ts";
import { BackupFault, faultOf } from "./backup-files.ts";

/** Buckets by binding name. */
export type Buckets = Record<string, R2Bucket>;
export type Pool = { backups: R2Bucket; keys: SealingKeys };

const PURPOSE = "backup pool";
/** Bytes. Smaller objects are encrypted in memory, larger ones as a stream. */
const AT_ONCE = 4 * 1024 * 1024;
/** Copies at a time: a Worker has six connections. */
export const POOL_CONCURRENCY = 5;

/** Returns the pool's key for an object of a bucket. */
export function poolKey(bucket: string, key: string): string {
  return `pool/${bucket}/${key}`;
}

/** Removes purged objects from the pool; call it after they have left their bucket. `bucket` is a binding name. */
export async function removeFromPool(
  backups: R2Bucket,
  bucket: string,
  keys: readonly string[],
): Promise<void> {
  await removeObjects(
    backups,
    keys.map((key) => poolKey(bucket, key)),
  );
}

/**
 * Returns the bucket with a `delete` that also removes objects from the pool, so that no purge can forget to. The pool
 * comes first, because an interrupted purge finds its work by the objects, and again last, for objects that a backup
 * copied in between.
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
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Returns the objects of a bucket after a key, in order, that backups include. `next` is null after the last. */
export async function listBackedUp(
  bucket: R2Bucket,
  input: { name: string; after: string; limit?: number },
): Promise<{ objects: R2Object[]; next: string | null }> {
  const { name, after, limit = 1000 } = input;
  for (const prefix of BACKED_UP[name] ?? []) {
    // The cursor is past this prefix.
    if (prefix !== "" && after > `${prefix}\u{10FFFF}`) continue;
    const startAfter = after > prefix ? after : undefined;
    const page = await bucket.list({ prefix, limit, ...(startAfter && { startAfter }) });
    const last = page.objects.at(-1)?.key;
    if (last !== undefined) return { objects: page.objects, next: last };
  }
  return { objects: [], next: null };
}

type Copied = { etag: string; keyVersion: string };

/** Returns the pool's copies from one key to another, both included, by key. */
export async function listPool(
  backups: R2Bucket,
  input: { bucket: string; after: string; until: string },
): Promise<Map<string, Copied>> {
  const { bucket, after, until } = input;
  const prefix = poolKey(bucket, "");
  const found = new Map<string, Copied>();
  let startAfter = after === "" ? undefined : `${prefix}${after}`;
  for (;;) {
    const options: R2ListOptions = {
      prefix,
      include: ["customMetadata"],
      ...(startAfter && { startAfter }),
    };
    const page = await backups.list(options);
    for (const { key, customMetadata } of page.objects) {
      const own = key.slice(prefix.length);
      if (own > until) return found;
      found.set(own, { etag: customMetadata?.etag ?? "", keyVersion: customMetadata?.key ?? "" });
    }
    if (!page.truncated) return found;
    startAfter = page.objects.at(-1)?.key;
  }
}

/** Copies an object into the pool, encrypted with the newest key. Returns null if it no longer exists. */
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

/** Restores an object from the pool. Returns false if the pool lacks it. Throws BackupFault if the copy was changed. */
export async function copyFromPool(
  { backups, keys }: Pool,
  input: { name: string; bucket: R2Bucket; key: string; size: number },
): Promise<boolean> {
  const opened = await openPooled({ backups, keys }, input);
  if (!opened) return false;
  const { object, source } = opened;
  const own: Record<string, string> = JSON.parse(object.customMetadata?.own ?? "{}");
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

/**
 * Reads a copy to its end. Returns false if the pool lacks it. Throws BackupFault if it was changed, or has another `size`;
 * null for any.
 */
export async function checkPooled(
  pool: Pool,
  input: { name: string; key: string; size: number | null },
): Promise<boolean> {
  const opened = await openPooled(pool, input);
  if (!opened) return false;
  let size = 0;
  try {
    const reader = opened.source.getReader();
    for (let step = await reader.read(); !step.done; step = await reader.read()) size += step.value.length;
  } catch (error) {
    throw faultOf(`The copy ${opened.object.key}`, error);
  }
  if (input.size !== null && size !== input.size)
    throw new BackupFault(`The copy ${opened.object.key} has ${size} bytes instead of ${input.size}.`);
  return true;
}

/** Returns the bytes of a small object's copy, or null if the pool lacks it or the copy was changed. */
export async function readCopy(
  pool: Pool,
  input: { name: string; key: string },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const opened = await openPooled(pool, input);
  if (!opened) return null;
  try {
    return new Uint8Array(await new Response(opened.source).arrayBuffer());
  } catch (error) {
    const fault = faultOf(`The copy ${opened.object.key}`, error);
    if (!(fault instanceof BackupFault)) throw fault;
    logError(fault.message);
    return null;
  }
}

/** Returns the keys below `root` from one to another, both included. */
export async function keysBetween(
  bucket: R2Bucket,
  { root = "", first, last }: { root?: string; first: string; last: string },
): Promise<Set<string>> {
  const found = new Set<string>();
  // R2 lists keys after a given key. A key without its last character sorts just before it, with few others in between.
  const startAfter = `${root}${first.slice(0, -1)}`;
  for await (const { objects } of listPages(bucket, { prefix: root, startAfter }))
    for (const { key } of objects) {
      const own = key.slice(root.length);
      if (own > last) return found;
      if (own >= first) found.add(own);
    }
  return found;
}

async function openPooled({ backups, keys }: Pool, { name, key }: { name: string; key: string }) {
  const object = await backups.get(poolKey(name, key));
  if (!object) return undefined;
  const file = { purpose: PURPOSE, name: object.key };
  return { object, source: openStream(keys, file, { source: object.body, size: object.size }) };
}

/** R2 needs the length of a stream. Small objects go through memory, which is simpler. */
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
  const { readable, writable } = streamOfSize(size);
  const ended = await Promise.allSettled([source.pipeTo(writable), bucket.put(key, readable, options)]);
  // If both failed, the source's error is the cause.
  for (const end of ended) if (end.status === "rejected") throw end.reason;
}

/**
 * Copies a key ring unchanged (it is encrypted already). Copies again if the ring changes meanwhile, because a key that
 * was destroyed between reading and writing must not survive in the copy. Returns false if there is no ring.
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

const Ring = z.object({ days: z.record(z.string(), z.string()), held: z.array(z.string()) });
type Ring = z.infer<typeof Ring>;

/** Returns a ring's keys; none if it is not a ring or no sealing key opens it. */
async function keysOf(keys: SealingKeys, input: { agencyId: string; text: string }): Promise<Ring> {
  const owner = { table: "read_keys", id: input.agencyId, field: "ring" };
  const ring = parseJson(await unseal(keys, owner, input.text).catch(() => ""));
  return Ring.safeParse(ring).data ?? { days: {}, held: [] };
}

/**
 * Returns whether a ring lacks a key that its copy has, has another key of the same day, or cannot be opened. Destroying a
 * key removes it from the copy first and no key of a day changes, so the ring was lost, and the copy has the last keys of
 * some reads.
 */
export async function isRingLost(
  pool: Pool & { rings: R2Bucket },
  input: { agencyId: string; source: string; target: string },
): Promise<boolean> {
  const { agencyId, source, target } = input;
  // The ring is read first: a key that is destroyed after that has left the copy before the copy is read.
  const ring = await pool.rings.get(source);
  const has = await keysOf(pool.keys, { agencyId, text: (await ring?.text()) ?? "" });
  const copy = await pool.backups.get(target);
  if (!copy) return false;
  const had = await keysOf(pool.keys, { agencyId, text: await copy.text() });
  const lacksDay = Object.entries(had.days).some(([day, key]) => has.days[day] !== key);
  return lacksDay || had.held.some((key) => !has.held.includes(key));
}
