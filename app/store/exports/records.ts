// Reads what an export needs from result sets: a user's live sets, and the image locators of many rows of a set.
// Locators of nearby rows are read together, because each R2 read is a network round trip.

import { and, desc, eq, gt, sql } from "drizzle-orm";
import { decodeLocators, type RowLocators } from "#app/entities/search/image-locators.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import type { ResultSet } from "#app/entities/search/result-set.ts";
import { at } from "#app/lib/at.ts";
import type { ControlDb } from "#app/store/database.ts";
import { locatorsKey } from "#app/store/files.ts";
import { resultSets } from "#app/store/schema/search.ts";
import { endedSharing } from "#app/store/search/permission.ts";

/**
 * Returns a user's live result sets with results, newest search first, and of each search the set with most reads
 * first; without sets that have reads of agencies that have ended their sharing.
 */
export async function listLivingResultSets(
  db: ControlDb,
  input: { userId: string; now: number; limit: number; offset: number },
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
        sql`${endedSharing(input.now)} = '[]'`,
      ),
    )
    .orderBy(desc(resultSets.createdAt), desc(resultSets.count), desc(resultSets.id))
    .limit(input.limit)
    .offset(input.offset);
  return rows.map((row) => ({ ...row, request: row.request as SearchRequest }));
}

/** Largest gap in bytes between locators that are read together. */
const NEAR = 64 * 1024;
const MAX_AT_ONCE = 1024 * 1024;

/**
 * Returns the locators of many rows of a set, in the order of `rows`, which must be ascending; null if the set is
 * gone.
 */
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
    const start = from(at(rows, first));
    let last = first;
    while (last + 1 < rows.length) {
      const next = at(rows, last + 1);
      const isFar = from(next) - from(at(rows, last) + 1) > NEAR;
      if (isFar || from(next + 1) - start > MAX_AT_ONCE) break;
      last++;
    }
    const length = from(at(rows, last) + 1) - start;
    const part = await bucket.get(locatorsKey(id), { range: { offset: body + start, length } });
    if (!part) return null;
    const bytes = new Uint8Array(await part.arrayBuffer());
    for (; first <= last; first++) {
      const row = at(rows, first);
      found.push(decodeLocators(bytes.subarray(from(row) - start, from(row + 1) - start)));
    }
  }
  return found;
}
