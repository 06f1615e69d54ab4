// Saved answers by user and idempotency key. The row is written in the batch of the save. A second save with the same
// key fails as a whole and gets the first answer.

import { and, eq, lt } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { savedOnce } from "#app/store/schema/operations.ts";

/** Returns the answer saved under this key, or undefined if there is none. */
export async function findSaved(db: ControlDb, userId: string, key: string): Promise<unknown> {
  const row = await db.query.savedOnce.findFirst({
    where: and(eq(savedOnce.userId, userId), eq(savedOnce.key, key)),
  });
  return row?.answer;
}

/** Inserts the answer of a save. The batch fails on `saved_once.user_id` if the key was used before. */
export function insertSaved(
  db: ControlDb,
  saved: { userId: string; key: string; answer: unknown; at: number },
): Statement {
  return db.insert(savedOnce).values(saved);
}

/** Deletes the answers of all users, and the first arrivals of events, saved before `before` (epoch milliseconds). */
export async function removeOldSaved(db: ControlDb, before: number): Promise<void> {
  await db.delete(savedOnce).where(lt(savedOnce.at, before));
}
