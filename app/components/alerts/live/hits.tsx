import { Link } from "@remix-run/react";
import { BellOff, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { noticeText, orMissing, plateText } from "#app/components/alerts/text.ts";
import { AlertTime, ageText } from "#app/components/alerts/time.tsx";
import { useNow } from "#app/components/search/results/use-now.ts";
import { timeText } from "#app/components/search/sighting/text.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { useTopmost } from "#app/components/ui/dialogs/top-layer.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { popover } from "#app/components/ui/floating.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import type { ExpiryNotice, LiveAlert } from "#app/entities/alerts/hit.ts";
import { SECOND } from "#app/lib/time/dates.ts";

/** Most messages shown at the same time; further ones are only counted. */
const MOST = 3;
const SHOWN_MS = 12 * SECOND;

export type HitToastsProps = {
  /** Newest first. */
  hits: readonly LiveAlert[];
  /** The latest arrivals, announced once to screen readers. */
  news: readonly LiveAlert[];
  onOpen: (id: string) => void;
  onDismiss: (ids: string[]) => void;
};

/** New hits, below the navigation bar. High-priority ones stay until dismissed; the others disappear by themselves. */
export function HitToasts({ hits, news, onOpen, onDismiss }: HitToastsProps) {
  const dialog = useTopmost();
  const [held, setHeld] = useState(false);
  const latest = useRef(onDismiss);
  latest.current = onDismiss;
  const passing = hits.filter(({ priority }) => priority !== "high").map(({ id }) => id);
  const key = passing.join();

  useEffect(() => {
    if (key === "" || held) return;
    const timer = setTimeout(() => latest.current(key.split(",")), SHOWN_MS);
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
    // Shown again, so that it is above anything that opened after it.
    element.hidePopover();
    if (hits.length > 0) element.showPopover();
  }, [hits]);
  const shown = hits.slice(0, MOST);
  return (
    <>
      <LiveRegion urgent>{announcement(news.filter(({ priority }) => priority === "high"))}</LiveRegion>
      <LiveRegion>{announcement(news.filter(({ priority }) => priority !== "high"))}</LiveRegion>
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
              Open<span className="sr-only"> the hit {plateText(hit)}</span>
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
            <span className="me-auto">and {hits.length - MOST} more in the list of hits</span>
            <Button size="sm" variant="ghost" onClick={() => onDismiss(hits.map(({ id }) => id))}>
              Dismiss all
            </Button>
          </div>
        )}
      </section>
    </>
  );
}

function announcement(hits: readonly LiveAlert[]): string {
  const [newest] = hits;
  if (!newest) return "";
  const at = timeText(newest.timestamp === null ? Number.NaN : Date.parse(newest.timestamp)).slice(11, 19);
  const text = `Hotlist hit: ${plateText(newest)}, ${newest.group}, ${newest.camera}, ${at}.`;
  return hits.length === 1 ? text : `${text} ${hits.length} new hits.`;
}

type HitListProps = { alerts: readonly LiveAlert[]; isOpen: boolean; onOpen: (id: string) => void };

/** The newest hits; unread ones are marked. */
export function HitList({ alerts, isOpen, onOpen }: HitListProps) {
  const now = useNow();
  if (alerts.length === 0)
    return (
      <EmptyState icon={<BellOff />} title="No hits in the last 7 days" className="!py-8">
        Hits of your groups appear here within seconds.
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

type NoticeListProps = { notices: readonly ExpiryNotice[]; isOpen: boolean; onFollow: () => void };

/** Notices of expiring plates, each a link to its group. */
export function NoticeList({ notices, isOpen, onFollow }: NoticeListProps) {
  if (notices.length === 0) return null;
  return (
    <ul aria-label="Expiring plates" className="max-h-40 overflow-auto border-b border-line p-1">
      {notices.map((notice) => (
        <li key={notice.id}>
          <Link
            to={`/groups/${encodeURIComponent(notice.group_id)}`}
            tabIndex={isOpen ? 0 : -1}
            className="flex items-center gap-3 rounded-sm px-2 py-1.5 text-sm hover:bg-hover"
            onClick={onFollow}
          >
            <span
              aria-hidden="true"
              className={cx("size-2 shrink-0 rounded-full", notice.seen ? "bg-transparent" : "bg-warn")}
            />
            <span className="min-w-0 wrap-anywhere">
              {!notice.seen && <span className="sr-only">Unread. </span>}
              {noticeText(notice)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
