import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef } from "react";
import { timeText } from "#app/components/search/sighting/text.ts";
import {
  movedRange,
  movedThumb,
  type Thumb,
  type TimeSpan,
  timeAfterKey,
} from "#app/entities/search/map/time.ts";

export type TimeRailProps = {
  span: TimeSpan;
  chosen: TimeSpan;
  counts: Uint32Array;
  onChoose: (next: TimeSpan) => void;
  onGrab: () => void;
};

/** Two thumbs over a histogram of the reads, for pointer and keys. */
export function TimeRail({ span, chosen, counts, onChoose, onGrab }: TimeRailProps) {
  const drag = useRef<{ what: Thumb | "range"; start: number; chosen: TimeSpan } | null>(null);
  const waiting = useRef<{ frame: number; next: TimeSpan | null }>({ frame: 0, next: null });
  const width = Math.max(1, span.to - span.from);
  const share = (at: number) => ((at - span.from) / width) * 100;
  useEffect(() => () => cancelAnimationFrame(waiting.current.frame), []);

  function timeUnder(event: PointerEvent): number {
    const box = event.currentTarget.getBoundingClientRect();
    return span.from + ((event.clientX - box.left) / box.width) * width;
  }
  /** Limits updates to one per frame, however often the pointer moves. */
  function chooseNextFrame(next: TimeSpan) {
    const held = waiting.current;
    if (!held.next) {
      held.frame = requestAnimationFrame(() => {
        const latest = held.next;
        held.next = null;
        if (latest) onChoose(latest);
      });
    }
    held.next = next;
  }
  function onDown(event: PointerEvent) {
    if (event.button !== 0) return;
    const at = timeUnder(event);
    const grabbed = event.target instanceof HTMLElement ? thumbNamed(event.target.dataset.thumb) : undefined;
    const isFull = chosen.from <= span.from && chosen.to >= span.to;
    const isInside = at > chosen.from && at < chosen.to && !isFull;
    const nearest: Thumb = Math.abs(at - chosen.from) <= Math.abs(at - chosen.to) ? "from" : "to";
    const what = grabbed ?? (isInside ? "range" : nearest);
    drag.current = { what, start: at, chosen };
    event.currentTarget.setPointerCapture(event.pointerId);
    onGrab();
    if (!grabbed && what !== "range") onChoose(movedThumb(chosen, what, { at, span }));
  }
  function onMove(event: PointerEvent) {
    const held = drag.current;
    if (!held) return;
    const at = timeUnder(event);
    chooseNextFrame(
      held.what === "range"
        ? movedRange(held.chosen, at - held.start, span)
        : movedThumb(held.chosen, held.what, { at, span }),
    );
  }
  function onUp() {
    drag.current = null;
  }
  function onKey(event: KeyboardEvent, thumb: Thumb) {
    const at = timeAfterKey(event.key, chosen[thumb], span);
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    onGrab();
    onChoose(movedThumb(chosen, thumb, { at, span }));
  }

  return (
    <div
      data-time-rail
      className="relative mx-3 h-14 min-w-0 flex-1 cursor-pointer touch-none select-none"
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={onUp}
      onPointerCancel={onUp}
    >
      <Bars counts={counts} from={share(chosen.from)} to={share(chosen.to)} />
      <div className="absolute inset-x-0 bottom-2 h-1 rounded-full bg-line" />
      <div
        className="absolute bottom-2 h-1 rounded-full bg-accent"
        style={{ left: `${share(chosen.from)}%`, right: `${100 - share(chosen.to)}%` }}
      />
      {(["from", "to"] as const).map((thumb) => (
        <div
          key={thumb}
          role="slider"
          tabIndex={0}
          data-thumb={thumb}
          aria-label={thumb === "from" ? "Earliest time" : "Latest time"}
          aria-orientation="horizontal"
          aria-valuemin={Math.round((thumb === "from" ? span.from : chosen.from) / 1000)}
          aria-valuemax={Math.round((thumb === "from" ? chosen.to : span.to) / 1000)}
          aria-valuenow={Math.round(chosen[thumb] / 1000)}
          aria-valuetext={timeText(chosen[thumb])}
          className="absolute bottom-0 size-5 -translate-x-1/2 cursor-grab rounded-full border-2 border-accent bg-raised shadow-sm before:absolute before:-inset-3 before:content-[''] focus-visible:z-10 active:cursor-grabbing"
          style={{ left: `${share(chosen[thumb])}%` }}
          onKeyDown={(event) => onKey(event, thumb)}
        />
      ))}
    </div>
  );
}

function thumbNamed(name: string | undefined): Thumb | undefined {
  return name === "from" || name === "to" ? name : undefined;
}

/** The histogram of reads over time, with the chosen range highlighted. */
function Bars({ counts, from, to }: { counts: Uint32Array; from: number; to: number }) {
  const path = useMemo(() => {
    const most = Math.max(1, ...counts);
    return Array.from(counts, (count, i) => {
      if (count === 0) return "";
      const height = 4 + 36 * Math.sqrt(count / most);
      return `M${i} 40V${(40 - height).toFixed(1)}H${i + 0.82}V40Z`;
    }).join("");
  }, [counts]);
  const shape = (className: string, clip?: string) => (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${counts.length} 40`}
      preserveAspectRatio="none"
      className={`absolute inset-x-0 top-0 h-10 w-full ${className}`}
      style={clip ? { clipPath: clip } : undefined}
    >
      <path d={path} fill="currentColor" />
    </svg>
  );
  return (
    <>
      {shape("text-line-strong opacity-35")}
      {shape("text-accent", `inset(0 ${100 - to}% 0 ${from}%)`)}
    </>
  );
}
