import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { AlertTime } from "#app/components/alerts/time.tsx";
import { orMissing, plateWords } from "#app/components/alerts/words.ts";
import { timeText } from "#app/components/search/sighting/text.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { useTopmost } from "#app/components/ui/dialogs/top-layer.ts";
import { popover } from "#app/components/ui/floating.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import type { LiveAlert } from "#app/entities/alerts/hit.ts";
import { SECOND } from "#app/lib/time/dates.ts";

/** Messages that stand at once; of more only their number is told. */
const MOST = 3;
const STAYS_MS = 12 * SECOND;

export type HitToastsProps = {
  /** Newest first. */
  hits: readonly LiveAlert[];
  /** What arrived last: it is said once, whatever is put away afterwards. */
  news: readonly LiveAlert[];
  onOpen: (id: string) => void;
  onDismiss: (ids: string[]) => void;
};

/** Hits as they arrive, beneath the bar. A high priority stays until it is put away; the others leave by themselves. */
export function HitToasts({ hits, news, onOpen, onDismiss }: HitToastsProps) {
  const dialog = useTopmost();
  const [held, setHeld] = useState(false);
  const latest = useRef(onDismiss);
  latest.current = onDismiss;
  const passing = hits.filter(({ priority }) => priority !== "high").map(({ id }) => id);
  const key = passing.join();

  useEffect(() => {
    if (key === "" || held) return;
    const timer = setTimeout(() => latest.current(key.split(",")), STAYS_MS);
    return () => clearTimeout(timer);
  }, [key, held]);

  return createPortal(
    <Hits hits={hits} news={news} onOpen={onOpen} onDismiss={onDismiss} onHold={setHeld} />,
    dialog ?? document.body,
  );
}

type HitsProps = HitToastsProps & { onHold: (held: boolean) => void };

function Hits({ hits, news, onOpen, onDismiss, onHold }: HitsProps) {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = region.current;
    if (!element) return;
    // Shown anew, so that it lies above what was opened after it.
    element.hidePopover();
    if (hits.length > 0) element.showPopover();
  }, [hits]);
  const shown = hits.slice(0, MOST);
  return (
    <>
      <LiveRegion urgent>{spoken(news.filter(({ priority }) => priority === "high"))}</LiveRegion>
      <LiveRegion>{spoken(news.filter(({ priority }) => priority !== "high"))}</LiveRegion>
      <section
        ref={region}
        aria-label="New hits"
        className="floating end-4 top-[calc(var(--spacing-bar)+0.5rem)] w-96 flex-col gap-2 overflow-visible bg-transparent text-text open:flex max-sm:end-2"
        onPointerEnter={() => onHold(true)}
        onPointerLeave={() => onHold(false)}
        onFocus={() => onHold(true)}
        onBlur={() => onHold(false)}
        {...popover("manual")}
      >
        {shown.map((hit) => (
          <div
            key={hit.id}
            className={cx(
              "sheet flex animate-rise items-start gap-3 border-s-4 py-2.5 ps-3 pe-1.5",
              hit.priority === "high" ? "border-s-hit" : "border-s-accent",
            )}
          >
            <div className="flex min-w-0 flex-1 flex-col gap-1">
              <p className="flex flex-wrap items-center gap-2">
                <span className="sr-only">Hotlist hit </span>
                <PlateChip text={hit.plate || orMissing("")} region={hit.state || undefined} size="sm" />
                {hit.priority === "high" && <Badge tone="hit">High</Badge>}
                <span className="text-sm text-muted">
                  <AlertTime iso={hit.timestamp} brief />
                </span>
              </p>
              <p className="truncate font-medium">{hit.group}</p>
              <p className="truncate text-sm text-muted">{orMissing(hit.camera)}</p>
            </div>
            <Button size="sm" onClick={() => onOpen(hit.id)}>
              Open<span className="sr-only"> the hit {plateWords(hit)}</span>
            </Button>
            <IconButton
              size="sm"
              label="Dismiss"
              align="end"
              icon={<X />}
              onClick={() => {
                onHold(false);
                onDismiss([hit.id]);
              }}
            />
          </div>
        ))}
        {hits.length > MOST && (
          <div className="sheet flex items-center gap-2 py-1 ps-3 pe-1.5 text-sm text-muted">
            <span className="me-auto">and {hits.length - MOST} more, in the list of the bell</span>
            <Button size="sm" variant="ghost" onClick={() => onDismiss(hits.map(({ id }) => id))}>
              Dismiss all
            </Button>
          </div>
        )}
      </section>
    </>
  );
}

function spoken(hits: readonly LiveAlert[]): string {
  const [newest] = hits;
  if (!newest) return "";
  const at = timeText(newest.timestamp === null ? Number.NaN : Date.parse(newest.timestamp)).slice(11, 19);
  const words = `Hotlist hit: ${plateWords(newest)}, ${newest.group}, ${newest.camera}, ${at}.`;
  return hits.length === 1 ? words : `${words} ${hits.length} new hits.`;
}
