// Suggestions for the reason of a plate.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { MAX_REASONS, suggestedReasons } from "#app/entities/hotlists/reasons.ts";
import { listCommonReasons } from "#app/store/hotlists/reasons.ts";

/** Returns reasons to suggest: those that the actor's agency uses most, then common ones. */
export async function listReasons(app: AppContext, actor: Pick<Actor, "agencyId">): Promise<string[]> {
  const { agencyId } = actor;
  return suggestedReasons(await listCommonReasons(app.db, { agencyId, limit: MAX_REASONS }));
}
