// Exports: a record in D1, and in R2 the file and, until it is made, what it is made of. A file is written in parts as
// it grows; what is not finished is taken back whole, and the record knows the upload, so that a sweep can do it too.

import { and, desc, eq, gt, inArray, lt, lte, or, sql } from "drizzle-orm";
import type { Export, ExportInput } from "#app/entities/export.ts";
import { decodeLocators, type RowLocators } from "#app/entities/image-locators.ts";
import type { ResultSet } from "#app/entities/result-set.ts";
import type { SearchRequest, SourceStatus } from "#app/entities/search.ts";
import { createDigest } from "#app/lib/digest.ts";
import type { ControlDb, Statement } from "./database.ts";
import { exportFileKey, exportInputKey, locatorsKey } from "./files.ts";
import { exports, resultSets } from "./schema.ts";

/** Who asked, for the audit row of an export that ends after its request did. */
export type Requester = { username: string; sessionId: string; ip: string; userAgent: string };

export function insertExport(db: ControlDb, one: Export, requester: Requester): Statement {
  return db.insert(exports).values({ ...one, requester, heartbeatAt: one.createdAt });
}

type Row = typeof exports.$inferSelect;

function exportOf(row: Row): Export {
  const { requester: _, uploadId: __, heartbeatAt: ___, ...one } = row;
  return one;
}

/** One of this user's exports; another's id is as unknown as none. */
export async function findExport(
  db: ControlDb,
  input: { id: string; userId: string; now: number },
): Promise<Export | undefined> {
  const row = await db.query.exports.findFirst({
    where: and(eq(exports.id, input.id), eq(exports.userId, input.userId), gt(exports.expiresAt, input.now)),
  });
  return row && exportOf(row);
}

/** A user's living exports, newest first. */
export async function listExports(db: ControlDb, input: { userId: string; now: number }): Promise<Export[]> {
  const rows = await db
    .select()
    .from(exports)
    .where(and(eq(exports.userId, input.userId), gt(exports.expiresAt, input.now)))
    .orderBy(desc(exports.createdAt))
    .limit(200);
  return rows.map(exportOf);
}

/**
 * Takes a queued export for this run, or one whose run has been silent since `silentSince`; undefined where there is
 * nothing to do.
 */
export async function claimExport(
  db: ControlDb,
  input: { id: string; now: number; silentSince: number },
): Promise<{ export: Export; requester: Requester; uploadId: string | null } | undefined> {
  const [row] = await db
    .update(exports)
    .set({ state: "running", heartbeatAt: input.now, done: 0 })
    .where(
      and(
        eq(exports.id, input.id),
        or(
          eq(exports.state, "queued"),
          and(eq(exports.state, "running"), lt(exports.heartbeatAt, input.silentSince)),
        ),
      ),
    )
    .returning();
  return row && { export: exportOf(row), requester: row.requester as Requester, uploadId: row.uploadId };
}

/** Notes how far an export is; false where it is no longer to be made. */
export async function noteProgress(
  db: ControlDb,
  input: { id: string; done: number; now: number },
): Promise<boolean> {
  const rows = await db
    .update(exports)
    .set({ done: input.done, heartbeatAt: input.now })
    .where(and(eq(exports.id, input.id), eq(exports.state, "running")))
    .returning({ id: exports.id });
  return rows.length > 0;
}

export async function noteUpload(db: ControlDb, id: string, uploadId: string): Promise<void> {
  await db.update(exports).set({ uploadId }).where(eq(exports.id, id));
}

/** Ends a running export; what is cancelled meanwhile stays cancelled. */
export function finishExport(
  db: ControlDb,
  one: Pick<Export, "id" | "state" | "done" | "missing" | "bytes" | "sha256" | "message" | "finishedAt">,
): Statement {
  const { id, ...rest } = one;
  return db
    .update(exports)
    .set({ ...rest, uploadId: null })
    .where(and(eq(exports.id, id), inArray(exports.state, ["queued", "running"])));
}

export function removeExport(db: ControlDb, id: string): Statement {
  return db.delete(exports).where(eq(exports.id, id));
}

/** Exports whose time is over, and those that have been silent for so long that nobody makes them any more. */
export async function listLapsedExports(
  db: ControlDb,
  input: { now: number; silentSince: number; limit: number },
): Promise<{ id: string; uploadId: string | null; isExpired: boolean }[]> {
  const rows = await db
    .select({ id: exports.id, uploadId: exports.uploadId, expiresAt: exports.expiresAt })
    .from(exports)
    .where(
      or(
        lte(exports.expiresAt, input.now),
        and(inArray(exports.state, ["queued", "running"]), lt(exports.heartbeatAt, input.silentSince)),
      ),
    )
    .limit(input.limit);
  return rows.map(({ id, uploadId, expiresAt }) => ({ id, uploadId, isExpired: expiresAt <= input.now }));
}

/** This user's living result sets, newest first. */
export async function listLivingResultSets(
  db: ControlDb,
  input: { userId: string; now: number; limit: number },
): Promise<ResultSet[]> {
  const rows = await db
    .select()
    .from(resultSets)
    .where(
      and(
        eq(resultSets.userId, input.userId),
        eq(resultSets.state, "ready"),
        gt(resultSets.expiresAt, input.now),
        sql`${resultSets.count} > 0`,
      ),
    )
    .orderBy(desc(resultSets.createdAt))
    .limit(input.limit);
  return rows.map((row) => ({
    ...row,
    request: row.request as SearchRequest,
    statuses: row.statuses as SourceStatus[],
  }));
}

/** Texts that lie this close together are read at once. */
const NEAR = 64 * 1024;
const MOST_AT_ONCE = 1024 * 1024;

/** Locators of many rows of a set, in the order of `rows`, which must rise; null where the set is gone. */
export async function findLocatorsOf(
  bucket: R2Bucket,
  set: { id: string; count: number; rows: readonly number[] },
): Promise<RowLocators[] | null> {
  const { id, count, rows } = set;
  const head = await bucket.get(locatorsKey(id), { range: { offset: 4, length: (count + 1) * 4 } });
  if (!head) return null;
  const offsets = new DataView(await head.arrayBuffer());
  const from = (row: number) => offsets.getUint32(row * 4, true);
  const body = 4 + (count + 1) * 4;
  const found: RowLocators[] = [];
  for (let first = 0; first < rows.length; ) {
    const start = from(rows[first] as number);
    let last = first;
    while (last + 1 < rows.length) {
      const next = rows[last + 1] as number;
      const isFar = from(next) - from((rows[last] as number) + 1) > NEAR;
      if (isFar || from(next + 1) - start > MOST_AT_ONCE) break;
      last++;
    }
    const length = from((rows[last] as number) + 1) - start;
    const part = await bucket.get(locatorsKey(id), { range: { offset: body + start, length } });
    if (!part) return null;
    const bytes = new Uint8Array(await part.arrayBuffer());
    for (; first <= last; first++) {
      const row = rows[first] as number;
      found.push(decodeLocators(bytes.subarray(from(row) - start, from(row + 1) - start)));
    }
  }
  return found;
}

export async function putExportInput(bucket: R2Bucket, id: string, input: ExportInput): Promise<void> {
  await bucket.put(exportInputKey(id), JSON.stringify(input));
}

export async function findExportInput(bucket: R2Bucket, id: string): Promise<ExportInput | undefined> {
  const object = await bucket.get(exportInputKey(id));
  return object ? ((await object.json()) as ExportInput) : undefined;
}

export async function removeExportInput(bucket: R2Bucket, id: string): Promise<void> {
  await bucket.delete(exportInputKey(id));
}

export async function openExportFile(bucket: R2Bucket, id: string): Promise<R2ObjectBody | null> {
  return bucket.get(exportFileKey(id));
}

/** Takes back an unfinished upload; one that is finished or gone is what was wanted. */
export async function abortUpload(
  bucket: R2Bucket,
  { id, uploadId }: { id: string; uploadId: string },
): Promise<void> {
  await bucket
    .resumeMultipartUpload(exportFileKey(id), uploadId)
    .abort()
    .catch(() => {});
}

/** Removes everything that R2 has of an export, an unfinished upload among it. */
export async function removeExportFiles(
  bucket: R2Bucket,
  one: { id: string; uploadId: string | null },
): Promise<void> {
  if (one.uploadId) await abortUpload(bucket, { id: one.id, uploadId: one.uploadId });
  await bucket.delete([exportFileKey(one.id), exportInputKey(one.id)]);
}

/** R2 wants parts of at least 5 MiB, all of one size but the last. */
const PART = 5 * 1024 * 1024;

export type ExportFile = {
  /** Takes bytes; they may be used again at once. */
  write: (bytes: Uint8Array) => void;
  /** Sends what is full on its way; called between records, so that no more than a few parts ever wait. */
  settle: () => Promise<void>;
  finish: () => Promise<{ bytes: number; sha256: string }>;
  /** Leaves nothing behind. */
  abort: () => Promise<void>;
};

/** A file that grows in R2. Small ones are put at once; `onUpload` hears of an upload in parts before it begins. */
export function createExportFile(
  bucket: R2Bucket,
  input: { id: string; type: string; onUpload: (uploadId: string) => Promise<void> },
): ExportFile {
  const key = exportFileKey(input.id);
  const options = { httpMetadata: { contentType: input.type } };
  const digest = createDigest();
  const full: Uint8Array<ArrayBuffer>[] = [];
  const parts: R2UploadedPart[] = [];
  /** Buffers whose part has left: garbage of this size would be most of an export's memory. */
  const spare: Uint8Array<ArrayBuffer>[] = [];
  let upload: R2MultipartUpload | undefined;
  let part = new Uint8Array(PART);
  let [filled, bytes] = [0, 0];

  async function send(data: Uint8Array<ArrayBuffer>): Promise<void> {
    if (!upload) {
      upload = await bucket.createMultipartUpload(key, options);
      await input.onUpload(upload.uploadId);
    }
    const [sent] = await Promise.all([upload.uploadPart(parts.length + 1, data), digest.update(data)]);
    parts.push(sent);
  }

  async function settle(): Promise<void> {
    for (let data = full.shift(); data; data = full.shift()) {
      await send(data);
      spare.push(data);
    }
  }

  return {
    write(more) {
      bytes += more.length;
      for (let at = 0; at < more.length; ) {
        const taken = Math.min(PART - filled, more.length - at);
        part.set(more.subarray(at, at + taken), filled);
        filled += taken;
        at += taken;
        if (filled < PART) continue;
        full.push(part);
        part = spare.pop() ?? new Uint8Array(PART);
        filled = 0;
      }
    },
    settle,
    async finish() {
      await settle();
      const rest = part.subarray(0, filled);
      if (upload) {
        if (filled > 0) await send(rest);
        await upload.complete(parts);
      } else {
        await digest.update(rest);
        await bucket.put(key, rest, options);
      }
      return { bytes, sha256: await digest.hex() };
    },
    async abort() {
      // The parts that are on their way belong to the upload and go with it.
      if (upload) await upload.abort();
      await bucket.delete(key);
    },
  };
}
