// Backs up objects and key rings. A key ring is an agency's file of read keys, one key a day. The pool holds one copy
// of each object for all backups; purged objects leave it.

import pMap from "p-map";
import { BACKED_UP, type ObjectLine } from "#app/entities/operations/backup.ts";
import { listPages } from "#app/lib/files/list-pages.ts";
import {
  copyRing,
  copyToPool,
  isRingLost,
  listBackedUp,
  listPool,
  POOL_CONCURRENCY,
  poolKey,
  removeFromPool,
} from "#app/store/operations/backup-pool.ts";
import type { StoredPart } from "#app/store/operations/backup-runs.ts";
import { isHeadsAfter } from "#app/store/oversight/audit-chain.ts";
import { bucketsOf, poolOf } from "./backup-parts.ts";
import { lastParts, save, type Work, writePart } from "./backup-work.ts";

/** Objects compared with the pool per page, and restored per unit of a step. */
export const OBJECTS = 500;
/** Objects listed in a part, roughly: the manifest names all parts, and a Worker has 128 MB. */
const OBJECTS_A_PART = 10_000;

/** Prefix of key rings. */
export const RINGS = "read-keys/";

/**
 * Copies the key rings. A ring has one copy for all backups, overwritten each time. If a ring was lost, its copy keeps
 * the lost keys.
 */
export async function copyKeys(work: Work): Promise<void> {
  const { app } = work;
  const { keys, backups } = app;
  const lost: string[] = [];
  for await (const { objects } of listPages(keys, { prefix: RINGS }))
    await pMap(
      objects,
      async ({ key }) => {
        const ring = { source: key, target: poolKey("keys", key) };
        const agencyId = key.slice(RINGS.length);
        if (await isRingLost({ ...poolOf(app), rings: keys }, { ...ring, agencyId })) {
          lost.push(agencyId);
          await app.readKeys.addToCopy(agencyId);
        } else await copyRing(keys, backups, ring);
      },
      { concurrency: POOL_CONCURRENCY },
    );
  work.budget.spend();
  const message = `Keys of reads were lost (${lost.join(", ")}). Their copy in ${poolKey("keys", RINGS)} has them: restore it.`;
  await save(work, { phase: "objects", ...(lost.length > 0 && { message }) });
}

/** Copies every bucket page by page, within the step's budget. */
export async function copyObjects(work: Work): Promise<void> {
  const last = await lastParts(work);
  const buckets = bucketsOf(work.app);
  for (const name of Object.keys(BACKED_UP)) {
    const bucket = buckets[name];
    if (!bucket) throw new Error(`there is no bucket ${name}`);
    let part = last.get(`objects/${name}`);
    while (!part?.isLast) {
      if (!work.budget.isLeft()) return;
      part = await copyPart(work, { name, bucket, from: part });
    }
  }
  await save(work, { phase: "manifest" });
}

/**
 * Copies pages until a part is full or the step's budget is used up, and lists them in a part. A step that dies before that
 * leaves its copies in the pool, and the next one compares these pages again.
 */
async function copyPart(work: Work, { name, bucket, from }: PartInput): Promise<StoredPart> {
  const { run, budget } = work;
  const lines: string[] = [];
  let next: string | null = from?.after ?? "";
  let after = next;
  let isLost = false;
  do {
    budget.spend();
    const page = await copyPage(work, { name, bucket, after: next });
    for (const line of page.lines) lines.push(JSON.stringify(line));
    isLost ||= page.isLost;
    next = page.next;
    after = next ?? after;
  } while (next !== null && lines.length < OBJECTS_A_PART && budget.isLeft());
  const n = from ? from.n + 1 : 0;
  const part = await writePart(work, { section: "objects", name, n, lines, after, isLast: next === null });
  const missing = `${name} lacks objects that the backups have. Their copies are kept: more are missing than a purge would leave.`;
  await save(
    work,
    {
      bytes: run.bytes + part.bytes,
      objects: run.objects + part.rows,
      ...(isLost && { message: appended(run.message, missing) }),
    },
    [part],
  );
  return part;
}

/**
 * Audit heads that were stored while the backup was made prove rows written after its start. A restore lacks those
 * rows, and verification would report them as missing forever.
 */
async function withoutLaterHeads(
  { app, run }: Pick<Work, "app" | "run">,
  name: string,
  found: R2Object[],
): Promise<R2Object[]> {
  if (name !== "AUDITS") return found;
  const later = await Promise.all(found.map(({ key }) => isHeadsAfter(app.audits, key, run.startedAt)));
  return found.filter((_, at) => !later[at]);
}

type PartInput = { name: string; bucket: R2Bucket; from: StoredPart | undefined };
type PageInput = { name: string; bucket: R2Bucket; after: string; until?: string };
type Page = { lines: ObjectLine[]; next: string | null; isLost: boolean };

/** Sorts after every key. */
export const END = "\u{10FFFF}";
/**
 * Maximum number of copies without an object that an interrupted purge may leave. More such copies, or a bucket without
 * any object, mean that objects were lost, not purged.
 */
const MAX_STALE = 100;

/** Appends a message, so that a warning about images does not overwrite one about keys. */
const appended = (before: string, more: string) =>
  before.includes(more) ? before : `${before} ${more}`.trim();

/** Removes copies from the pool, unless their object was stored with its copy since the bucket was listed. */
async function removeStale(
  backups: R2Bucket,
  { name, bucket, stale }: { name: string; bucket: R2Bucket; stale: string[] },
): Promise<void> {
  const found = await pMap(stale, (key) => bucket.head(key), { concurrency: POOL_CONCURRENCY });
  const gone = stale.filter((_, n) => !found[n]);
  await removeFromPool(backups, name, gone);
}

type Copied = { name: string; bucket: R2Bucket; key: string; lines: Map<string, ObjectLine> };

/**
 * Copies an object again as long as it changes, and removes the copy of a purged one: the change or purge may have come
 * between reading the object and writing its copy.
 */
async function settleCopy({ app }: Pick<Work, "app">, { lines, ...copied }: Copied): Promise<void> {
  const { name, bucket, key } = copied;
  for (;;) {
    const object = await bucket.head(key);
    if (object && object.etag === lines.get(key)?.[2]) return;
    const line = object && (await copyToPool(poolOf(app), copied));
    if (line) {
      lines.set(key, line);
      continue;
    }
    lines.delete(key);
    await removeFromPool(app.backups, name, [key]);
    if (!object) return;
  }
}

/**
 * Copies the objects of a page that the pool lacks, up to the key `until` if there is one. Returns their lines, and the end of
 * the page; null after the last.
 */
export async function copyPage(
  work: Pick<Work, "app" | "run">,
  { name, bucket, after, until = END }: PageInput,
): Promise<Page> {
  const { app } = work;
  const page = await listBackedUp(bucket, { name, after, limit: OBJECTS });
  const found = page.objects.filter(({ key }) => key <= until);
  const next = found.length < page.objects.length ? null : page.next;
  const objects = await withoutLaterHeads(work, name, found);
  const copied = await listPool(app.backups, { bucket: name, after, until: next ?? until });
  const lines = new Map(objects.map(({ key, size, etag }): [string, ObjectLine] => [key, [key, size, etag]]));
  const isFound = new Set(found.map(({ key }) => key));
  const stale = [...copied.keys()].filter((key) => !isFound.has(key));
  const isLost = stale.length > MAX_STALE || (stale.length > 0 && after === "" && found.length === 0);
  if (!isLost) await removeStale(app.backups, { name, bucket, stale });
  const current = String(app.config.sealingKeys.current);
  const lacking = objects.filter(({ key, etag }) => {
    const copy = copied.get(key);
    return copy?.etag !== etag || copy.keyVersion !== current;
  });
  await pMap(
    lacking,
    async ({ key }) => {
      const line = await copyToPool(poolOf(app), { name, bucket, key });
      if (line) lines.set(key, line);
      else lines.delete(key);
    },
    { concurrency: POOL_CONCURRENCY },
  );
  if (lacking.length > 0) {
    const { objects: now } = await listBackedUp(bucket, { name, after });
    const etags = new Map(now.map(({ key, etag }) => [key, etag]));
    const suspects = lacking.map(({ key }) => key).filter((key) => etags.get(key) !== lines.get(key)?.[2]);
    await pMap(suspects, (key) => settleCopy(work, { name, bucket, key, lines }), {
      concurrency: POOL_CONCURRENCY,
    });
  }
  return { lines: [...lines.values()], next, isLost };
}
