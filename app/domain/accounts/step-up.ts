// Recent proof of identity, for endpoints where the body decides whether the function is privileged. For all others,
// the endpoint table declares it.

import type { AppContext } from "#app/context.ts";
import { STEP_UP_MS } from "#app/entities/accounts/access.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { AppError } from "#app/lib/errors.ts";

/** Throws AppError step_up_required if the last proof of identity is ten minutes old or older (CJIS IA-11). */
export function requireRecentProof(app: AppContext, actor: SessionActor): void {
  if (actor.provedAt <= app.clock() - STEP_UP_MS)
    throw new AppError("step_up_required", "Please confirm that it is you.");
}
