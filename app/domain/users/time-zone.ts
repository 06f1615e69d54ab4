// Time zones of the times in requests. A time without a zone is in the agency's zone (docs/api.md, Conventions).

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { hasNoZone, type RangeEdge, timeOf } from "#app/lib/time/wall-clock.ts";
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

/** Returns ranges with their times as ISO 8601 in UTC, so that stored times name their zone and have one form. */
export async function rangesInUtc<Range extends { start_time: string; end_time: string }>(
  app: AppContext,
  actor: Pick<Actor, "agencyId">,
  ranges: readonly Range[],
): Promise<Range[]> {
  const texts = ranges.flatMap(({ start_time, end_time }) => [start_time, end_time]);
  const zone = await zoneFor(app, actor, texts);
  const inUtc = (text: string, edge: RangeEdge) => {
    const at = timeOf(text, { zone, edge });
    return at === undefined ? text : isoTime(at);
  };
  return ranges.map((range) => ({
    ...range,
    start_time: inUtc(range.start_time, "start"),
    end_time: inUtc(range.end_time, "end"),
  }));
}
