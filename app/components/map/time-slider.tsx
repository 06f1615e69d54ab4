import { Clock, RotateCcw } from "lucide-react";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { filterTime } from "#app/components/search/results/filter.ts";
import { timeText } from "#app/components/search/sighting/text.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { TimeInput } from "#app/components/ui/fields/time-input.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { useDebouncedText } from "#app/components/ui/use-debounced-text.ts";
import type { MapPoints } from "#app/entities/search/map/points.ts";
import { chosenSpan, filterOf, histogram, movedThumb, type TimeSpan } from "#app/entities/search/map/time.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import { fieldTime } from "#app/lib/time/wall-clock.ts";
import { PlaybackButtons, PlaybackSpeed, usePlayback } from "./playback.tsx";
import { TimeRail } from "./time-rail.tsx";

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
  /** The times of the reads that playback adds one by one, oldest first. */
  steps: ArrayLike<number>;
  /** Describes the latest read of the playback; undefined while all are shown. */
  playing: string | undefined;
  onChange: (times: { from: number | null; to: number | null }) => void;
};

/** Sets the times of the shared filter: two thumbs over a histogram, two fields, and playback. */
export function TimeSlider(props: TimeSliderProps) {
  const { points, passAnyTime, span, from, to, shown, steps, playing, onChange } = props;
  const chosen = chosenSpan({ from, to }, span);
  const choose = (next: TimeSpan) => onChange(filterOf(next, span));
  const play = usePlayback({ times: steps, from, to, onTo: (to) => onChange({ from, to }) });
  const counts = useMemo(
    () => histogram(points, { pass: passAnyTime, span, bins: BINS }),
    [points, passAnyTime, span],
  );
  const range = `${counted(shown, "read")} on the map, from ${timeText(chosen.from)} to ${timeText(chosen.to)}`;
  const words = useDebouncedText(
    playing ? `${playing}. ${counted(shown, "read")} on the map` : range,
    play.isPlaying,
  );
  const isAll = from === null && to === null;
  const exact = useId();
  const [isExact, setIsExact] = useState(false);

  return (
    // Sticky: below a 600 px map it may be off screen, and neither dragging the map nor the wheel scrolls.
    <section
      aria-label="Time of the reads"
      className="sticky bottom-0 z-2 border-t border-line bg-raised px-4 pt-1 pb-0.5 max-sm:px-2 max-sm:py-1.5 max-sm:shadow-lg"
    >
      <div className="flex items-center gap-3 max-sm:gap-1">
        <PlaybackButtons play={play} />
        <TimeRail span={span} chosen={chosen} counts={counts} onChoose={choose} onGrab={play.stop} />
        <IconButton
          label="Speed and exact times"
          size="sm"
          icon={<Clock />}
          align="end"
          className="sm:hidden"
          aria-expanded={isExact}
          aria-controls={exact}
          onClick={() => setIsExact(!isExact)}
        />
      </div>
      <div
        id={exact}
        className={cx(
          "mt-1 flex-wrap items-baseline gap-x-3 gap-y-2 sm:flex",
          isExact ? "flex" : "max-sm:hidden",
        )}
      >
        <PlaybackSpeed play={play} />
        <TimeField
          name="From"
          at={chosen.from}
          onPick={(at) => choose(movedThumb(chosen, "from", { at, span }))}
        />
        <TimeField name="To" at={chosen.to} onPick={(at) => choose(movedThumb(chosen, "to", { at, span }))} />
        <Button
          size="sm"
          variant="ghost"
          icon={<RotateCcw />}
          disabled={isAll}
          onClick={() => onChange({ from: null, to: null })}
        >
          All times
        </Button>
        <p className="flex min-w-52 flex-1 flex-wrap justify-end gap-x-3 text-sm text-muted">
          {playing && <span className="text-end tabular-nums wrap-anywhere max-sm:hidden">{playing}</span>}
          <span className="whitespace-nowrap">
            <strong className="font-semibold text-text">{numberText(shown)}</strong> of{" "}
            {counted(points.count, "read")} on the map
          </span>
        </p>
      </div>
      {playing && (
        <p className="line-clamp-2 min-h-9 text-sm wrap-anywhere text-muted tabular-nums sm:hidden">
          {playing}
        </p>
      )}
      <LiveRegion>{words}</LiveRegion>
    </section>
  );
}

type TimeFieldProps = { name: "From" | "To"; at: number; onPick: (at: number) => void };

/** Keeps the typed text until it is a valid time. */
function TimeField({ name, at, onPick }: TimeFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const text = fieldTime(at);
  useEffect(() => {
    if (input.current && document.activeElement !== input.current) input.current.value = text;
  }, [text]);
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside the Input component
    <label className="inline-flex items-baseline gap-2 text-sm">
      <span className="text-muted max-sm:w-10">{name}</span>
      <TimeInput
        input={input}
        at={at}
        controlSize="sm"
        step={1}
        // As wide as Firefox needs for a time with seconds.
        className="!w-64"
        defaultValue={text}
        onChange={({ currentTarget }) => {
          const picked = filterTime(currentTarget.value, name === "From" ? "start" : "end");
          if (picked !== undefined) onPick(picked);
        }}
        onBlur={({ currentTarget }) => {
          currentTarget.value = text;
        }}
      />
    </label>
  );
}
