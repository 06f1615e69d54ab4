// Time zones of times that callers send. A time without a zone is in the agency's zone (docs/api.md, Conventions).

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { hasNoZone } from "#app/lib/time/wall-clock.ts";
import { findTimeZone } from "#app/store/users/agencies.ts";

/** Returns the IANA zone for these texts: the zone of the actor's agency if any of them has no zone, otherwise UTC. */
export async function zoneFor(
  app: AppContext,
  actor: Pick<Actor, "agencyId">,
  texts: readonly string[],
): Promise<string> {
  if (!texts.some(hasNoZone)) return "UTC";
  return (await findTimeZone(app.db, actor.agencyId)) ?? "UTC";
}
