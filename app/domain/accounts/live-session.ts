// Changes to a user's proofs of identity. A change in progress must not undo what has ended its session, such as an
// administrator's reset.

import type { AppContext } from "#app/context.ts";
import { AppError } from "#app/lib/errors.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";

/**
 * Runs a batch that renews, or requires, the actor's session. Throws AppError unauthenticated, with nothing written, if the
 * session has ended since the request was admitted.
 */
export async function inLiveSession(
  app: AppContext,
  statements: [Statement, ...Statement[]],
): Promise<unknown[]> {
  try {
    return await inOneStep(app.db, statements);
  } catch (error) {
    if (brokenConstraint(error) !== "sessions.token_hash") throw error;
    throw new AppError("unauthenticated", "Your session has ended. Sign in again.", { cause: error });
  }
}
