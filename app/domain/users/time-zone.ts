// Times that callers send. One without a zone is in the zone of the agency (docs/api.md, Conventions).

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { hasNoZone } from "#app/lib/time/wall-clock.ts";
import { findTimeZone } from "#app/store/users/agencies.ts";

/** Returns the IANA zone in which these texts are meant: that of the actor's agency where one of them names none. */
export async function zoneFor(
  app: AppContext,
  actor: Pick<Actor, "agencyId">,
  texts: readonly string[],
): Promise<string> {
  if (!texts.some(hasNoZone)) return "UTC";
  return (await findTimeZone(app.db, actor.agencyId)) ?? "UTC";
}
