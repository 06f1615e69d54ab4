import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef } from "react";
import { timeText } from "#app/components/search/sighting/text.ts";
import {
  type Drag,
  draggedPart,
  draggedRange,
  grabbedPart,
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
  const drag = useRef<(Drag & { pointer: number }) | null>(null);
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
    // One drag at a time: a second finger would otherwise take over the held thumb.
    if (event.button !== 0 || (drag.current && drag.current.pointer !== event.pointerId)) return;
    const at = timeUnder(event);
    const thumb = event.target instanceof HTMLElement ? thumbNamed(event.target.dataset.thumb) : undefined;
    const what = grabbedPart(at, { thumb, chosen, span });
    drag.current = { what, start: at, chosen, pointer: event.pointerId };
    event.currentTarget.setPointerCapture(event.pointerId);
    onGrab();
    if (!thumb && (what === "from" || what === "to")) onChoose(movedThumb(chosen, what, { at, span }));
  }
  function onMove(event: PointerEvent) {
    const held = drag.current;
    if (held?.pointer !== event.pointerId) return;
    const now = { at: timeUnder(event), chosen, span };
    held.what = draggedPart(held, now);
    chooseNextFrame(draggedRange(held, now));
  }
  function onUp(event: PointerEvent) {
    if (drag.current?.pointer === event.pointerId) drag.current = null;
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
      onLostPointerCapture={onUp}
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
