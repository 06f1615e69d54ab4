// Idempotent saves. A save that is sent twice (a double click, a lost answer) is done once: the form's key is written
// in the same batch, and the second request gets the first answer. The key counts only for the same content: without
// scripts, a page that the user goes back to still has the key of its first save. Only a hash of both is stored, from
// which no one can guess a secret in the content without the key.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { logWarning } from "#app/lib/log.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { findSaved, insertSaved, removeOldSaved } from "#app/store/operations/idempotency.ts";

/** What a save contains: `what` is saved, from which fields and files. */
type Content = {
  what: string;
  fields: unknown;
  files?: readonly ({ name: string; bytes: Uint8Array<ArrayBuffer> } | null)[];
};

type Save = { actor: Actor; key: string | undefined; content: Content };

/**
 * Does `work` unless the same content was already saved under this key. `work` includes the statements of `noted` in its
 * batch. Without a key, it is always done.
 */
export async function onlyOnce<T>(
  app: AppContext,
  { work, ...save }: Save & { work: (noted: (answer: T) => Statement[]) => Promise<T> },
): Promise<T> {
  if (!save.key) return work(() => []);
  const { userId } = save.actor;
  const key = await storedKey(save.key, save.content);
  // The content says what is saved, so the answer has its type.
  const findAnswer = async () => (await findSaved(app.db, userId, key)) as T | undefined;
  const before = await findAnswer();
  if (before !== undefined) return before;
  try {
    return await work((answer) => [insertSaved(app.db, { userId, key, answer, at: app.clock() })]);
  } catch (error) {
    // If this save failed because the first one was written, its answer is that of the first.
    const first = await findAnswer();
    if (first === undefined) throw error;
    return first;
  }
}

/**
 * Does the same for a save whose first answer contains a secret that is not stored. Throws AppError conflict with the
 * message `again` if it was already saved.
 */
export async function secretOnce<T>(
  app: AppContext,
  { work, again, ...save }: Save & { again: string; work: (noted: Statement[]) => Promise<T> },
): Promise<T> {
  let made: T | undefined;
  await onlyOnce(app, {
    ...save,
    work: async (noted) => {
      made = await work(noted(true));
      return true;
    },
  });
  if (made === undefined) throw new AppError("conflict", again);
  return made;
}

/** Stored answers to saves that write in several places. An answer is stored after its save is done. */
export const keptAnswers = {
  /** Returns the answer to a save, or undefined. */
  async find(app: AppContext, { actor, key, content }: Save): Promise<unknown> {
    return key && findSaved(app.db, actor.userId, await storedKey(key, content));
  },

  /** If this fails, the only effect is that the save is not recognized when it is sent again. */
  async keep(app: AppContext, { actor, key, content }: Save, answer: unknown): Promise<void> {
    if (!key) return;
    const saved = { userId: actor.userId, key: await storedKey(key, content), answer, at: app.clock() };
    await inOneStep(app.db, [insertSaved(app.db, saved)]).catch((error: unknown) =>
      logWarning("the answer to a save could not be kept", error),
    );
  },
};

async function storedKey(key: string, { what, fields, files = [] }: Content): Promise<string> {
  const hashes = await Promise.all(files.map(async (file) => file && [file.name, await sha256(file.bytes)]));
  return sha256(JSON.stringify([key, what, fields, hashes]));
}

/** Deletes keys older than a day. */
export async function forgetSaved(app: AppContext): Promise<void> {
  await removeOldSaved(app.db, app.clock() - DAY);
}
