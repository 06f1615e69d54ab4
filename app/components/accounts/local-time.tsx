import { useEffect, useState } from "react";
import { localTime } from "#app/lib/time/dates.ts";

/** An instant in the viewer's zone. The server does not know the zone: it writes UTC, and so does the first render. */
export function LocalTime({ at, short = false }: { at: number; short?: boolean }) {
  const [zone, setZone] = useState<string | undefined>("UTC");
  useEffect(() => setZone(undefined), []);
  const text = localTime(at, zone) ?? "";
  return (
    <time dateTime={new Date(at).toISOString()} className="whitespace-nowrap">
      {short ? text.slice(0, 16) : text}
    </time>
  );
}
