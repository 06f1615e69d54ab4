import { Badge } from "#app/components/ui/badge.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { expiryState } from "#app/entities/hotlists/entry.ts";

/** When an entry expires; a badge marks an end that is near or past. */
export function Expiry({ iso, now }: { iso: string | null; now: number }) {
  if (iso === null) return <span className="text-muted">Never</span>;
  const state = expiryState(Date.parse(iso), now);
  return (
    <span className="inline-flex items-center gap-1.5">
      <LocalTime at={iso} day />
      {state === "near" && <Badge tone="warn">Soon</Badge>}
      {state === "expired" && <Badge tone="hit">Expired</Badge>}
    </span>
  );
}
