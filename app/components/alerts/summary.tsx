import { orMissing } from "#app/components/search/sighting/text.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import type { LiveAlert } from "#app/entities/alerts/hit.ts";
import { PRIORITIES, type Priority } from "#app/entities/hotlists/entry.ts";
import { AlertTime, ageText } from "./time.tsx";

/** The word HIT, in a color that is used for hits only. */
export function HitMark() {
  return (
    <span className="inline-flex min-h-5 items-center rounded-sm bg-hit px-1.5 text-xs font-bold tracking-wide text-on-hit">
      HIT
    </span>
  );
}

export function PriorityBadge({ priority }: { priority: Priority }) {
  const label = PRIORITIES.find(({ value }) => value === priority)?.label;
  return <Badge tone={priority === "high" ? "hit" : "neutral"}>{label} priority</Badge>;
}

/** What an officer must know about a new hit, without its image: three lines of a message or a list. */
export function HitLines({ hit, now }: { hit: LiveAlert; now: number | undefined }) {
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <HitMark />
        <PlateChip
          text={hit.plate || orMissing("")}
          region={hit.state || undefined}
          size="sm"
          className="max-w-full"
        />
        <PriorityBadge priority={hit.priority} />
        <span className="text-sm">{hit.match}</span>
      </span>
      <span title={hit.reason} className="line-clamp-2 font-semibold wrap-anywhere">
        {orMissing(hit.reason)}
      </span>
      <span className="block text-sm text-muted wrap-anywhere">
        {hit.group} · {hit.camera || "camera unknown"} · <HitAge hit={hit} now={now} />
      </span>
    </>
  );
}

/** How long ago the plate was read. Scripts count the seconds; before they run, the time is shown. */
export function HitAge({
  hit,
  now,
}: {
  hit: { timestamp: string | null; arrived_at?: string };
  now: number | undefined;
}) {
  const since = hit.timestamp ?? hit.arrived_at;
  if (now === undefined || since === undefined) return <AlertTime iso={hit.timestamp} />;
  return <span className="whitespace-nowrap tabular-nums">{ageText(since, now)} ago</span>;
}
