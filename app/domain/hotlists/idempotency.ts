// Idempotent saves. A save that is sent twice (a double click, a phone that lost the response) is done once: the form's
// key is written in the same batch, and the second request gets the first answer.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { DAY } from "#app/lib/time/dates.ts";
import type { Statement } from "#app/store/database.ts";
import { findSaved, insertSaved, removeOldSaved } from "#app/store/hotlists/idempotency.ts";

/**
 * Does `work` unless it was already done under this key. `work` includes the statements of `noted` in its batch.
 * Without a key, it is always done.
 */
export async function onlyOnce<T>(
  app: AppContext,
  input: { actor: Actor; key: string | undefined; work: (noted: (answer: T) => Statement[]) => Promise<T> },
): Promise<T> {
  const { actor, key, work } = input;
  if (!key) return work(() => []);
  const userId = actor.userId;
  // A key belongs to one form, so the answer saved under it has this form's type.
  const findAnswer = async () => (await findSaved(app.db, userId, key)) as T | undefined;
  const before = await findAnswer();
  if (before !== undefined) return before;
  try {
    return await work((answer) => [insertSaved(app.db, { userId, key, answer, at: app.clock() })]);
  } catch (error) {
    // The first save may be what made this one fail. Then its answer is the right one.
    const first = await findAnswer();
    if (first === undefined) throw error;
    return first;
  }
}

/** Deletes keys older than a day. */
export async function forgetSaved(app: AppContext): Promise<void> {
  await removeOldSaved(app.db, app.clock() - DAY);
}
