// Asks databases of reads for their size, and does not wait for one that does not answer.

import { SECOND } from "#app/lib/time/dates.ts";
import { withDeadline } from "#app/lib/waiting.ts";

/** How long a database may take to report its size before it counts as unavailable. */
const ANSWER_MS = 3 * SECOND;

/** Returns the bytes of a database, or Infinity if it does not answer. */
export async function sizeOf(database: D1Database): Promise<number> {
  return measure(database).catch(() => Number.POSITIVE_INFINITY);
}

/** Returns the bytes of a database. Throws if it does not answer, or lacks the tables of reads: no day may begin there. */
export async function measure(database: D1Database): Promise<number> {
  const { meta } = await within(ANSWER_MS, database.prepare("SELECT 1 AS n FROM day_fences LIMIT 1").all());
  return meta.size_after;
}

/** Waits for a call to a database. Throws Error after `ms`. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return withDeadline(ms, work, `a database did not answer within ${ms} ms`);
}
