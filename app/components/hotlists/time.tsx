import { useEffect, useState } from "react";
import { Badge } from "#app/components/ui/badge.tsx";
import { expiryState } from "#app/entities/hotlists/entry.ts";
import { localTime } from "#app/lib/time/dates.ts";

/** A time in the viewer's zone; the server, which does not know it, writes the time of Connecticut. */
export function LocalTime({ iso, day = false }: { iso: string; day?: boolean }) {
  const [zone, setZone] = useState<string | undefined>("America/New_York");
  useEffect(() => setZone(undefined), []);
  const text = localTime(Date.parse(iso), zone) ?? "";
  return (
    <time dateTime={iso} title={text} className="whitespace-nowrap">
      {day ? text.slice(0, 10) : text.slice(0, 16)}
    </time>
  );
}

/** When an entry ends; loud only when that is near or over. */
export function Expiry({ iso, now }: { iso: string | null; now: number }) {
  if (iso === null) return <span className="text-muted">Never</span>;
  const state = expiryState(Date.parse(iso), now);
  return (
    <span className="inline-flex items-center gap-1.5">
      <LocalTime iso={iso} day />
      {state === "near" && <Badge tone="warn">Soon</Badge>}
      {state === "expired" && <Badge tone="hit">Expired</Badge>}
    </span>
  );
}
