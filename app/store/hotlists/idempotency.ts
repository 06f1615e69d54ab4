// Saves that were done, by user and key. The row is written in the batch of the save: a second one with the same key
// breaks it as a whole, and is answered with what the first one said.

import { and, eq, lt } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { savedOnce } from "#app/store/schema/jobs.ts";

/** What the save with this key answered, or undefined where there was none. */
export async function findSaved(db: ControlDb, userId: string, key: string): Promise<unknown> {
  const row = await db.query.savedOnce.findFirst({
    where: and(eq(savedOnce.userId, userId), eq(savedOnce.key, key)),
  });
  return row?.answer;
}

/** Breaks the batch (`saved_once.user_id`) where the key was used before. */
export function insertSaved(
  db: ControlDb,
  saved: { userId: string; key: string; answer: unknown; at: number },
): Statement {
  return db.insert(savedOnce).values(saved);
}

export async function removeOldSaved(db: ControlDb, before: number): Promise<void> {
  await db.delete(savedOnce).where(lt(savedOnce.at, before));
}
