// Idempotent saves. A save that is sent twice (a double click, a phone that lost the response) is done once: the form's
// key is written in the same batch, and the second request gets the first answer.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
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
  const before = await findSaved(app.db, userId, key);
  if (before !== undefined) return before as T;
  try {
    return await work((answer) => [insertSaved(app.db, { userId, key, answer, at: app.clock() })]);
  } catch (error) {
    if (!brokenConstraint(error)?.startsWith("saved_once.")) {
      // The first save may be what made this one fail. Then its answer is the right one.
      const meanwhile = await findSaved(app.db, userId, key);
      if (meanwhile === undefined) throw error;
      return meanwhile as T;
    }
    return (await findSaved(app.db, userId, key)) as T;
  }
}

/** Deletes keys older than a day. */
export async function forgetSaved(app: AppContext): Promise<void> {
  await removeOldSaved(app.db, app.clock() - DAY);
}
