// Result sets: a record in D1, columns and image locators in R2. Only the user who searched can read a set.

import { and, eq, gt, inArray, lte, ne, or, sql } from "drizzle-orm";
import {
  decodeLocators,
  offsetsRange,
  type RowLocators,
  textRange,
} from "#app/entities/search/image-locators.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import { FIRST_ROWS, type ResultSet } from "#app/entities/search/result-set.ts";
import { HOUR } from "#app/lib/time/dates.ts";
import { isOneOf } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { columnsKey, firstRowsKey, investigationKey, locatorsKey, removeObjects } from "#app/store/files.ts";
import { agencies } from "#app/store/schema/accounts.ts";
import { resultSets } from "#app/store/schema/search.ts";
import { endedSharing } from "./permission.ts";

/** Returns the parts of an agency's policy that a search applies. */
export async function findSearchPolicy(db: ControlDb, agencyId: string) {
  return db.query.agencies.findFirst({
    where: eq(agencies.id, agencyId),
    columns: {
      searchLimitDays: true,
      resultLifetimeMinutes: true,
      caseNumberRequired: true,
      purposeRequired: true,
      investigationsPerDay: true,
      recordRetentionDays: true,
      auditRetentionDays: true,
      timeZone: true,
    },
  });
}

/** Inserts the record of a search that starts; it can be read once it is finished. */
export function insertResultSet(
  db: ControlDb,
  set: Pick<ResultSet, "id" | "userId" | "agencyId" | "request" | "statuses" | "createdAt" | "expiresAt">,
): Statement {
  return db.insert(resultSets).values({ ...set, state: "running" });
}

/**
 * Inserts the record of a search that starts, if the previous statement of the batch changed a row: that is its audit
 * row.
 */
export function insertResultSetIfChanged(
  db: ControlDb,
  set: Pick<ResultSet, "id" | "userId" | "agencyId" | "request" | "statuses" | "createdAt" | "expiresAt">,
): Statement {
  const { id, userId, agencyId, request, statuses, createdAt, expiresAt } = set;
  return db.run(sql`
    INSERT INTO ${resultSets} (id, user_id, agency_id, state, request, statuses, created_at, expires_at)
    SELECT ${id}, ${userId}, ${agencyId}, 'running', ${JSON.stringify(request)}, ${JSON.stringify(statuses)},
      ${createdAt}, ${expiresAt}
    WHERE changes() > 0`);
}

/** Records how a search ended, unless an earlier attempt did. Run `insertAuditIfChanged` right after it. */
export function finishResultSet(
  db: ControlDb,
  set: Pick<ResultSet, "id" | "statuses" | "count" | "truncated" | "expiresAt"> & {
    state: "ready" | "cancelled" | "failed";
  },
): Statement {
  const { id, ...rest } = set;
  return db
    .update(resultSets)
    .set(rest)
    .where(and(eq(resultSets.id, id), inArray(resultSets.state, ["running", "purged"])));
}

/**
 * Returns a finished, unexpired set of this user; undefined for sets of other users. With `checksSharing`, `endedBy` has the
 * names of agencies that have ended their sharing since and of which it has reads.
 */
export async function findResultSet(
  db: ControlDb,
  input: { id: string; userId: string; now: number; checksSharing: boolean },
): Promise<{ set: ResultSet; endedBy: string[] } | undefined> {
  const row = await db.query.resultSets.findFirst({
    extras: { endedBy: (input.checksSharing ? endedSharing(input.now) : sql<string>`'[]'`).as("ended_by") },
    where: and(
      eq(resultSets.id, input.id),
      eq(resultSets.userId, input.userId),
      eq(resultSets.state, "ready"),
      gt(resultSets.expiresAt, input.now),
    ),
  });
  if (!row) return undefined;
  const { endedBy, ...set } = row;
  return { set: { ...set, request: set.request as SearchRequest }, endedBy: JSON.parse(endedBy) };
}

/** Returns whether the set was this user's and has expired. */
export async function wasPurged(
  db: ControlDb,
  input: { id: string; userId: string; now: number },
): Promise<boolean> {
  const row = await db.query.resultSets.findFirst({
    where: and(
      eq(resultSets.id, input.id),
      eq(resultSets.userId, input.userId),
      lte(resultSets.expiresAt, input.now),
    ),
    columns: { id: true },
  });
  return row !== undefined;
}

type ResultFiles = {
  id: string;
  /** The number of reads. */
  count: number;
  columns: () => Uint8Array;
  firstRows: () => Uint8Array;
  locators: () => Uint8Array;
};

/** Maximum number of reads of a set whose files are all in memory at the same time. */
const SMALL_SET = 10_000;

/**
 * Stores the files of a set: its columns, and what is not empty or the same. Each is built only when it is written, so
 * that large ones are never in memory at once.
 */
export async function putResultFiles(bucket: R2Bucket, set: ResultFiles): Promise<void> {
  const locators = set.count > 0 && bucket.put(locatorsKey(set.id), set.locators());
  if (set.count > SMALL_SET) await locators;
  await Promise.all([
    locators,
    set.count > FIRST_ROWS && bucket.put(firstRowsKey(set.id), set.firstRows()),
    bucket.put(columnsKey(set.id), set.columns()),
  ]);
}

/** Returns the columns of a set as a stream, or null if they were purged. */
export async function openColumns(bucket: R2Bucket, id: string): Promise<R2ObjectBody | null> {
  return bucket.get(columnsKey(id));
}

/** Returns the first rows of a set, encoded as columns; null if they were purged. */
export async function findFirstRows(
  bucket: R2Bucket,
  { id, count }: { id: string; count: number },
): Promise<Uint8Array | null> {
  const object = await bucket.get(count > FIRST_ROWS ? firstRowsKey(id) : columnsKey(id));
  return object && new Uint8Array(await object.arrayBuffer());
}

/** Bytes of a locators file that are read first: all of it in sets of up to some 500 reads. */
const LOCATORS_HEAD = 64 * 1024;

/** Returns the image locators of one row, from one or two small range reads; null if the set or the row does not exist. */
export async function findLocators(
  bucket: R2Bucket,
  set: { id: string; count: number; row: number },
): Promise<RowLocators | null> {
  if (set.row >= set.count) return null;
  const read = async (range: { offset: number; length: number }) => {
    const object = await bucket.get(locatorsKey(set.id), { range });
    return object && new Uint8Array(await object.arrayBuffer());
  };
  const offsets = offsetsRange(set.row);
  const isNear = offsets.offset + offsets.length <= LOCATORS_HEAD;
  const head = await read(isNear ? { offset: 0, length: LOCATORS_HEAD } : offsets);
  if (!head) return null;
  const range = textRange(isNear ? head.subarray(offsets.offset) : head, set.count);
  const end = range.offset + range.length;
  const text = isNear && end <= head.length ? head.subarray(range.offset, end) : await read(range);
  return text && decodeLocators(text);
}

/** Deletes all files of these result sets. Idempotent. Their rows stay: see `purgeResultSets`. */
export async function removeResultFiles(bucket: R2Bucket, ids: string[]): Promise<void> {
  await removeObjects(
    bucket,
    ids.flatMap((id) => [columnsKey(id), firstRowsKey(id), locatorsKey(id), investigationKey(id)]),
  );
}

/**
 * How long after its lifetime a set whose search still runs is left alone: the search stores its files and begins a new
 * lifetime when it ends. After this time the search was killed.
 */
const RUNNING_MS = HOUR;

/** Returns when a set may be purged; undefined if there is no such set or it is purged. */
export async function findPurgeTime(db: ControlDb, id: string): Promise<number | undefined> {
  const set = await db.query.resultSets.findFirst({
    where: and(eq(resultSets.id, id), ne(resultSets.state, "purged")),
    columns: { state: true, expiresAt: true },
  });
  return set && (set.state === "running" ? set.expiresAt + RUNNING_MS : set.expiresAt);
}

/** Returns the ids of expired sets that are not purged yet and whose search no longer runs, oldest first. */
export async function listExpiredResultSets(db: ControlDb, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: resultSets.id })
    .from(resultSets)
    .where(
      and(
        lte(resultSets.expiresAt, now),
        ne(resultSets.state, "purged"),
        or(ne(resultSets.state, "running"), lte(resultSets.expiresAt, now - RUNNING_MS)),
      ),
    )
    .orderBy(resultSets.expiresAt)
    .limit(limit);
  return rows.map((row) => row.id);
}

/** Clears the records of purged sets: query and results. The audit log still shows that there was a search. */
export function purgeResultSets(db: ControlDb, ids: string[], now: number): Statement {
  return db
    .update(resultSets)
    .set({
      state: "purged",
      request: {},
      statuses: [],
      count: 0,
      expiresAt: sql`min(${resultSets.expiresAt}, ${now})`,
    })
    .where(isOneOf(resultSets.id, ids));
}

/** Deletes records of sets purged long ago; until then their address answers "purged" instead of "unknown". */
export async function removePurgedResultSets(db: ControlDb, before: number): Promise<void> {
  await db.delete(resultSets).where(and(eq(resultSets.state, "purged"), lte(resultSets.expiresAt, before)));
}
