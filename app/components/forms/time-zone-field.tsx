import { useEffect, useState } from "react";
import { isoTime } from "#app/lib/time/dates.ts";
import { isTimeZone, type RangeEdge, timeOf, viewerZone, zoneName } from "#app/lib/time/wall-clock.ts";

/** The hidden field with the zone of a form's times. */
export const ZONE_FIELD = "time_zone";

/**
 * Returns the instant of a `datetime-local` field of a form as ISO 8601, or "" if it is empty. Unreadable text is
 * returned unchanged with its zone, for the server to refuse. In the hour that clocks repeat in fall, a start is the
 * first of the two and an end the second, so that a range includes both. An end without seconds is the last instant of
 * its minute.
 */
export function instantOfField(
  fields: Record<string, string | undefined>,
  name: string,
  edge: RangeEdge,
): string {
  const zone = fields[ZONE_FIELD] ?? "";
  const typed = fields[name] ?? "";
  const text = edge === "end" && /T\d\d:\d\d$/.test(typed) ? `${typed}:59.999` : typed;
  const at = isTimeZone(zone) ? timeOf(text, { zone, edge }) : undefined;
  if (at !== undefined) return isoTime(at);
  return typed && `${typed} ${zone}`;
}

/** Names and sends the zone of a form's times: the agency's, until scripts set the viewer's own. */
export function TimeZoneField({ zone }: { zone: string }) {
  const [shown, setShown] = useState(zone);
  useEffect(() => setShown(viewerZone()), []);
  return (
    <p className="text-xs text-muted">
      <input type="hidden" name={ZONE_FIELD} value={shown} />
      Times are in {zoneName(shown)}.
    </p>
  );
}
