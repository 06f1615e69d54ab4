import { isoTime } from "#app/lib/time/dates.ts";
import { isTimeZone, type RangeEdge, timeOf } from "#app/lib/time/wall-clock.ts";

/** The hidden field that names the zone in which the times of a form are meant. */
export const ZONE_FIELD = "time_zone";

/**
 * Returns the instant that a `datetime-local` field of a form means, as ISO, or "" where it is empty or no time. In the
 * hour that clocks repeat, a start means the first of the two and an end the second, so that a range keeps both.
 */
export function instantOfField(
  fields: Record<string, string | undefined>,
  name: string,
  edge: RangeEdge,
): string {
  const zone = fields[ZONE_FIELD] ?? "";
  const at = isTimeZone(zone) ? timeOf(fields[name] ?? "", { zone, edge }) : undefined;
  return at === undefined ? "" : isoTime(at);
}
