// GET /api-keys-data serves two screens: the search form wants agencies to choose, the administrators' table wants keys.
// Both come from the tenant's own keys; of a key an administrator sees the last four characters, anybody else nothing.

import type { AppContext } from "#app/context.ts";
import { listSearchableAgencies } from "#app/domain/search/run.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { rekorKeysOf } from "./rekor-keys.ts";

/** The agencies whose Rekor reads may be searched, sorted by agency. */
export async function rekorAgencies(app: AppContext, actor: SessionActor) {
  return mayUse("admin", actor) ? rekorKeysOf(app, actor) : (await listSearchableAgencies(app, actor)).rekor;
}
