import { isoTime } from "#app/lib/time/dates.ts";
import { isTimeZone, type RangeEdge, timeOf } from "#app/lib/time/wall-clock.ts";

/** The hidden field with the zone of a form's times. */
export const ZONE_FIELD = "time_zone";

/**
 * Returns the instant of a `datetime-local` field of a form as ISO 8601, or "" if it is empty or invalid. In the hour
 * that clocks repeat in fall, a start is the first of the two and an end the second, so that a range includes both.
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
