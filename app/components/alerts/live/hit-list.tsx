import { BellOff } from "lucide-react";
import { AlertTime, ageText } from "#app/components/alerts/time.tsx";
import { orMissing } from "#app/components/alerts/words.ts";
import { useNow } from "#app/components/search/results/use-now.ts";
import { cx } from "#app/components/ui/cx.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import type { LiveAlert } from "#app/entities/alerts/hit.ts";

export type HitListProps = { alerts: readonly LiveAlert[]; isOpen: boolean; onOpen: (id: string) => void };

/** The newest hits, those that nobody has looked at yet marked. */
export function HitList({ alerts, isOpen, onOpen }: HitListProps) {
  const now = useNow();
  if (alerts.length === 0)
    return (
      <EmptyState icon={<BellOff />} title="No hits in the last 7 days" className="!py-8">
        A hit of one of your groups shows up here within seconds.
      </EmptyState>
    );
  return (
    <ul className="max-h-[min(28rem,70dvh)] overflow-auto p-1">
      {alerts.map((alert) => (
        <li key={alert.id}>
          <button
            type="button"
            tabIndex={isOpen ? 0 : -1}
            className="flex w-full items-center gap-3 rounded-sm px-2 py-1.5 text-start hover:bg-hover"
            onClick={() => onOpen(alert.id)}
          >
            <span
              aria-hidden="true"
              className={cx("size-2 shrink-0 rounded-full", alert.seen ? "bg-transparent" : "bg-hit")}
            />
            <PlateChip text={alert.plate || orMissing("")} region={alert.state || undefined} size="sm" />
            <span className="min-w-0 flex-1">
              <span className="block truncate text-sm font-medium">
                {!alert.seen && <span className="sr-only">Unread. </span>}
                {alert.priority === "high" && <span className="text-hit">High: </span>}
                {alert.group}
              </span>
              <span className="block truncate text-xs text-muted">{orMissing(alert.camera)}</span>
            </span>
            <span className="text-end text-xs text-muted">
              <span className="block">
                <AlertTime iso={alert.timestamp} brief />
              </span>
              {now !== undefined && (
                <span className="block">{ageText(alert.timestamp ?? alert.arrived_at, now)}</span>
              )}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
