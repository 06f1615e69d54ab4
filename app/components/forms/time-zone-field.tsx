import { useEffect, useRef } from "react";
import { ZONE_FIELD } from "./wall-times.ts";

/** Sends the zone of a form's times: the agency's, until scripts set the viewer's own. */
export function TimeZoneField({ zone }: { zone: string }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current) field.current.value = Intl.DateTimeFormat().resolvedOptions().timeZone || zone;
  }, [zone]);
  return <input ref={field} type="hidden" name={ZONE_FIELD} defaultValue={zone} />;
}
