import { useEffect, useState } from "react";
import { zoneName } from "#app/lib/time/wall-clock.ts";
import { ZONE_FIELD } from "./wall-times.ts";

/** Names and sends the zone of a form's times: the agency's, until scripts set the viewer's own. */
export function TimeZoneField({ zone }: { zone: string }) {
  const [shown, setShown] = useState(zone);
  useEffect(() => setShown(Intl.DateTimeFormat().resolvedOptions().timeZone || zone), [zone]);
  return (
    <p className="text-xs text-muted">
      <input type="hidden" name={ZONE_FIELD} value={shown} />
      Times are in {zoneName(shown)}.
    </p>
  );
}
