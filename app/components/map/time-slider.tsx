import { Clock, Pause, Play, RotateCcw } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { numberText, readsText, timeText } from "#app/components/search/sighting/text.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Input } from "#app/components/ui/fields/input.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import type { MapPoints } from "#app/entities/search/map/points.ts";
import {
  chosenSpan,
  filterOf,
  histogram,
  movedRange,
  movedThumb,
  type Thumb,
  type TimeSpan,
  timeAfterKey,
} from "#app/entities/search/map/time.ts";
import { instantsAt, wallClock } from "#app/lib/time/wall-clock.ts";
import { usePlay } from "./use-play.ts";

const BINS = 160;

export type TimeSliderProps = {
  points: MapPoints;
  /** One byte per row: 1 if it passes the shared filter, ignoring its times. */
  passAnyTime: Uint8Array;
  span: TimeSpan;
  from: number | null;
  to: number | null;
  /** The number of reads on the map. */
  shown: number;
  onChange: (times: { from: number | null; to: number | null }) => void;
};

/** Sets the times of the shared filter: two thumbs over a histogram, two fields, and playback. */
export function TimeSlider({ points, passAnyTime, span, from, to, shown, onChange }: TimeSliderProps) {
  const chosen = chosenSpan({ from, to }, span);
  const choose = (next: TimeSpan) => onChange(filterOf(next, span));
  const play = usePlay({ span, chosen, onFrame: choose });
  const counts = useMemo(
    () => histogram(points, { pass: passAnyTime, span, bins: BINS }),
    [points, passAnyTime, span],
  );
  const words = useSettled(
    `${readsText(shown)} on the map, from ${timeText(chosen.from)} to ${timeText(chosen.to)}`,
    play.isPlaying,
  );
  const isAll = from === null && to === null;
  const exact = useId();
  const [isExact, setIsExact] = useState(false);

  return (
    // Sticky on phones: below a 600 px map it would be off screen, and dragging the map does not scroll.
    <section
      aria-label="Time of the reads"
      className="border-t border-line bg-raised px-4 pt-3 pb-3 max-sm:sticky max-sm:bottom-0 max-sm:z-2 max-sm:shadow-lg"
    >
      <div className="flex items-center gap-3">
        <Button
          size="sm"
          className="!min-h-11 !min-w-11 !px-0"
          aria-label={play.isPlaying ? "Pause" : "Play the reads in time order"}
          onClick={play.toggle}
          disabled={span.to <= span.from}
        >
          {play.isPlaying ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />}
        </Button>
        <Track span={span} chosen={chosen} counts={counts} onChoose={choose} onGrab={play.stop} />
      </div>
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-2 sm:ps-14">
        <span
          id={exact}
          className={cx("flex-wrap items-center gap-x-3 gap-y-2 sm:flex", isExact ? "flex" : "max-sm:hidden")}
        >
          <TimeField
            name="From"
            at={chosen.from}
            onPick={(at) => choose(movedThumb(chosen, "from", { at, span }))}
          />
          <TimeField
            name="To"
            at={chosen.to}
            onPick={(at) => choose(movedThumb(chosen, "to", { at, span }))}
          />
        </span>
        <Button
          size="sm"
          variant="ghost"
          icon={<Clock />}
          className="sm:hidden"
          aria-expanded={isExact}
          aria-controls={exact}
          onClick={() => setIsExact(!isExact)}
        >
          Exact times
        </Button>
        <Button
          size="sm"
          variant="ghost"
          icon={<RotateCcw />}
          disabled={isAll}
          onClick={() => onChange({ from: null, to: null })}
        >
          All times
        </Button>
        <p className="ms-auto text-sm text-muted">
          <strong className="font-semibold text-text">{numberText(shown)}</strong> of{" "}
          {readsText(points.count)} <span className="max-sm:sr-only">on the map</span>
        </p>
      </div>
      <LiveRegion>{words}</LiveRegion>
    </section>
  );
}

/** Returns a text only after it has not changed for a while, so that screen readers announce it once. */
function useSettled(text: string, isMoving: boolean): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    if (isMoving) return;
    const wait = setTimeout(() => setSettled(text), 700);
    return () => clearTimeout(wait);
  }, [text, isMoving]);
  return settled;
}

type TrackProps = {
  span: TimeSpan;
  chosen: TimeSpan;
  counts: Uint32Array;
  onChoose: (next: TimeSpan) => void;
  onGrab: () => void;
};

function Track({ span, chosen, counts, onChoose, onGrab }: TrackProps) {
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
      viewBox={`0 0 ${BINS} 40`}
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

type TimeFieldProps = { name: "From" | "To"; at: number; onPick: (at: number) => void };

/** Keeps the typed text until it is a valid time. */
function TimeField({ name, at, onPick }: TimeFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const text = wallClock(at);
  useEffect(() => {
    if (input.current && document.activeElement !== input.current) input.current.value = text;
  }, [text]);
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside the Input component
    <label className="inline-flex items-center gap-2 text-sm">
      <span className="text-muted max-sm:w-10">{name}</span>
      <Input
        ref={input}
        controlSize="sm"
        type="datetime-local"
        step={1}
        className="!w-56"
        defaultValue={text}
        onChange={({ currentTarget }) => {
          const instants = instantsAt(currentTarget.value) ?? [];
          const instant = name === "From" ? instants[0] : instants.at(-1);
          if (instant !== undefined) onPick(instant);
        }}
        onBlur={({ currentTarget }) => {
          currentTarget.value = text;
        }}
      />
    </label>
  );
}
