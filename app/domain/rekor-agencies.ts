// GET /api-keys-data serves two screens: the search form wants agencies to choose, the administrators' table wants keys.
// Both come from the tenant's own keys; of a key an administrator sees the last four characters, anybody else nothing.

import type { AppContext } from "#app/context.ts";
import { mayUse } from "#app/entities/access.ts";
import type { SessionActor } from "#app/entities/account.ts";
import { rekorKeysOf } from "./integrations.ts";
import { listSearchableAgencies } from "./search.ts";

/** The agencies whose Rekor reads may be searched, sorted by agency. */
export async function rekorAgencies(app: AppContext, actor: SessionActor) {
  return mayUse("admin", actor) ? rekorKeysOf(app, actor) : (await listSearchableAgencies(app, actor)).rekor;
}
