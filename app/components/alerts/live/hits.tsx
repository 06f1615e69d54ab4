import { Link } from "@remix-run/react";
import { BellOff, Volume2, X } from "lucide-react";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { AlertImage } from "#app/components/alerts/image.tsx";
import { HitLines } from "#app/components/alerts/summary.tsx";
import { imageAlt, noticeText, plateText } from "#app/components/alerts/text.ts";
import { useSeconds } from "#app/components/alerts/time.tsx";
import { spelled, timeText } from "#app/components/search/sighting/text.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { useMessageDialog, usePageCover } from "#app/components/ui/dialogs/top-layer.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import type { ExpiryNotice, LiveAlert } from "#app/entities/alerts/hit.ts";
import { SECOND } from "#app/lib/time/dates.ts";

/** Hits shown at the same time, as far as they fit beside each other; the rest are only counted. */
const FITS = ["", "@max-4xl:hidden", "@max-[80rem]:hidden"];
const SHOWN_MS = 12 * SECOND;

export type HitToastsProps = {
  /** Newest first. */
  hits: readonly LiveAlert[];
  /** The latest arrivals, announced once to screen readers. */
  news: readonly LiveAlert[];
  /** An element of the navigation bar, which shows the hits. */
  anchor: RefObject<HTMLElement>;
  /** Set until the user has decided about sound. */
  onSound: ((on: boolean) => void) | undefined;
  onOpen: (id: string) => void;
  /** Opens the list in the navigation bar, which a dialog makes inert. */
  onShowAll: (() => void) | undefined;
  onDismiss: (ids: string[]) => void;
};

/**
 * New hits. They are part of the layout, below the navigation bar or at the top of an open dialog, because a message that
 * floats would cover controls. High-priority ones stay until dismissed; the others disappear by themselves, though not
 * while the session lock hides the page.
 */
export function HitToasts(props: HitToastsProps) {
  const { hits, news, anchor, onDismiss } = props;
  const dialog = useMessageDialog();
  const isHidden = usePageCover() !== undefined;
  const dock = useDock(anchor, dialog);
  const [held, setHeld] = useState(false);
  const latest = useRef(onDismiss);
  latest.current = onDismiss;
  const passing = hits.filter(({ priority }) => priority !== "high").map(({ id }) => id);
  const key = passing.join();

  // Elements that are removed or moved send no pointerleave or blur event.
  const isEmpty = hits.length === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the hits are gone or in another dialog
  useEffect(() => setHeld(false), [isEmpty, dialog]);

  useEffect(() => {
    if (key === "" || held || isHidden) return;
    const timer = setTimeout(() => latest.current(key.split(",")), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [key, held, isHidden]);

  return createPortal(
    <>
      <LiveRegion urgent>{announcement(news.filter(({ priority }) => priority === "high"))}</LiveRegion>
      <LiveRegion>{announcement(news.filter(({ priority }) => priority !== "high"))}</LiveRegion>
      {hits.length > 0 && (
        <Hits {...props} onShowAll={dialog ? undefined : props.onShowAll} onHold={setHeld} />
      )}
    </>,
    dock,
  );
}

/**
 * Returns the element that holds the hits: in the page's topmost dialog, because a modal dialog makes the page inert,
 * or else in the navigation bar, whose height the page follows.
 */
function useDock(anchor: RefObject<HTMLElement>, dialog: HTMLElement | undefined): HTMLElement {
  const [dock] = useState(() => document.createElement("div"));
  useLayoutEffect(() => {
    dock.dataset.hitDock = "";
    const place = dialog ?? anchor.current?.closest("header");
    place?.insertBefore(dock, dialog ? dialog.firstChild : null);
    return () => {
      dock.remove();
    };
  }, [dialog, dock, anchor]);
  return dock;
}

function Hits({
  hits,
  onSound,
  onOpen,
  onShowAll,
  onDismiss,
  onHold,
}: HitToastsProps & { onHold: (held: boolean) => void }) {
  const now = useSeconds(true);
  /** The pressed button may be removed without a blur event. */
  const acting = (act: () => void) => () => {
    onHold(false);
    act();
  };
  // High-priority hits first, so that none of them is hidden behind newer ones.
  const isHigh = ({ priority }: LiveAlert) => priority === "high";
  const shown = [...hits.filter(isHigh), ...hits.filter((hit) => !isHigh(hit))].slice(0, FITS.length);
  return (
    <section
      aria-label="New hits"
      className="@container max-h-[40dvh] overflow-auto border-t border-line bg-raised text-start text-base font-normal text-text"
      onPointerEnter={() => onHold(true)}
      onPointerLeave={() => onHold(false)}
      onFocus={() => onHold(true)}
      onBlur={() => onHold(false)}
    >
      <div className="flex items-stretch divide-x divide-line">
        {shown.map((hit, at) => (
          <div
            key={hit.id}
            className={cx(
              "flex min-w-0 flex-1 animate-rise items-start gap-3 border-s-4 py-2 ps-3 pe-1.5",
              hit.priority === "high" ? "border-s-hit" : "border-s-accent",
              FITS[at],
            )}
          >
            <HitImage hit={hit} />
            <div className="flex min-w-0 flex-1 flex-col gap-0.5">
              <HitLines hit={hit} now={now} />
            </div>
            <div className="flex shrink-0 items-center gap-1 @max-lg:flex-col-reverse">
              <Button size="sm" onClick={acting(() => onOpen(hit.id))}>
                Open<span className="sr-only"> the hit {plateText(hit)}</span>
              </Button>
              <IconButton
                size="sm"
                label="Dismiss"
                align="end"
                icon={<X />}
                onClick={acting(() => onDismiss([hit.id]))}
              />
            </div>
          </div>
        ))}
      </div>
      {(hits.length > 1 || onSound) && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line bg-surface px-3 py-1 text-sm">
          {onSound && (
            <>
              <span className="flex items-center gap-2">
                <Volume2 aria-hidden="true" className="size-4 shrink-0" />
                Play a sound?
              </span>
              <Button size="sm" onClick={acting(() => onSound(true))}>
                Turn on sound
              </Button>
              <Button size="sm" variant="ghost" onClick={acting(() => onSound(false))}>
                No sound
              </Button>
            </>
          )}
          {hits.length > 1 && (
            <span className="ms-auto flex flex-wrap items-center gap-1">
              <span className="me-2 text-muted">{hits.length} new hits</span>
              {onShowAll && (
                <Button size="sm" variant="ghost" onClick={acting(onShowAll)}>
                  Show all
                </Button>
              )}
              <Button size="sm" variant="ghost" onClick={acting(() => onDismiss(hits.map(({ id }) => id)))}>
                Dismiss all
              </Button>
            </span>
          )}
        </div>
      )}
    </section>
  );
}

function HitImage({ hit, decorative = false }: { hit: LiveAlert; decorative?: boolean }) {
  return (
    <AlertImage
      url={hit.image_url}
      alt={decorative ? "" : imageAlt("vehicle", hit)}
      className="h-14 w-24 shrink-0 @max-lg:h-11 @max-lg:w-16"
      missing={hit.images_pending ? "Image pending" : "No image"}
    />
  );
}

function announcement(hits: readonly LiveAlert[]): string {
  const [newest] = hits;
  if (!newest) return "";
  const at = timeText(newest.timestamp === null ? Number.NaN : Date.parse(newest.timestamp)).slice(11, 19);
  const plate = plateText({ ...newest, plate: spelled(newest.plate) });
  const facts = [plate, newest.reason, newest.match, newest.group, newest.camera, at];
  const text = `Hotlist hit, ${newest.priority} priority: ${facts.filter(Boolean).join(", ")}.`;
  return hits.length === 1 ? text : `${text} ${hits.length} new hits.`;
}

type HitListProps = { alerts: readonly LiveAlert[]; isOpen: boolean; onOpen: (id: string) => void };

/** The newest hits; unread ones are marked. */
export function HitList({ alerts, isOpen, onOpen }: HitListProps) {
  const now = useSeconds(isOpen);
  if (alerts.length === 0)
    return (
      <EmptyState icon={<BellOff />} title="No hits in the last 7 days" className="!py-8">
        Hits of your groups appear here within seconds.
      </EmptyState>
    );
  return (
    <ul className="max-h-[min(36rem,70dvh)] overflow-auto p-1">
      {alerts.map((alert) => (
        <li key={alert.id}>
          <button
            type="button"
            tabIndex={isOpen ? 0 : -1}
            className="flex w-full items-start gap-3 rounded-sm px-2 py-1.5 text-start text-sm hover:bg-hover"
            onClick={() => onOpen(alert.id)}
          >
            <span
              aria-hidden="true"
              className={cx("mt-2 size-2 shrink-0 rounded-full", alert.seen ? "bg-transparent" : "bg-hit")}
            />
            <HitImage hit={alert} decorative />
            <span className="flex min-w-0 flex-1 flex-col gap-0.5">
              {!alert.seen && <span className="sr-only">Unread. </span>}
              <HitLines hit={alert} now={now} />
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
