// GET /api-keys-data serves two screens: the search form gets agencies to choose from, the administrators' table gets
// keys. Both come from the tenant's own keys. Administrators see the last four characters of a key, others nothing.

import type { AppContext } from "#app/context.ts";
import { listSearchableAgencies } from "#app/domain/search/run.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { rekorKeysOf } from "./rekor-keys.ts";

/** Returns the agencies whose Rekor reads the actor may search, sorted by agency; for administrators, the keys. */
export async function rekorAgencies(app: AppContext, actor: SessionActor) {
  return mayUse("admin", actor) ? rekorKeysOf(app, actor) : (await listSearchableAgencies(app, actor)).rekor;
}
