// What an export is looked up in: the living result sets of a user, and where the images of many rows of a set are.
// The locators of rows that lie close together are read at once, since each read of R2 costs a journey.

import { and, desc, eq, gt, sql } from "drizzle-orm";
import { decodeLocators, type RowLocators } from "#app/entities/search/image-locators.ts";
import type { SourceStatus } from "#app/entities/search/query.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import type { ResultSet } from "#app/entities/search/result-set.ts";
import type { ControlDb } from "#app/store/database.ts";
import { locatorsKey } from "#app/store/files.ts";
import { resultSets } from "#app/store/schema/results.ts";

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
