import { Pause, Play, StepBack, StepForward } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { storedChoice } from "#app/components/ui/fields/stored-choice.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { at } from "#app/lib/at.ts";

/** Reads per second; "all" plays any number of reads in ALL_MS. */
const SPEEDS = [
  { value: "1", label: "1 read/s" },
  { value: "2", label: "2 reads/s" },
  { value: "5", label: "5 reads/s" },
  { value: "20", label: "20 reads/s" },
  { value: "all", label: "All in 20 s" },
] as const;
const ALL_MS = 20_000;
/** With more reads than this, playback takes ALL_MS unless the user chooses a speed. */
const FEW = 60;

const speedChoice = storedChoice(
  "odin-map-speed",
  (text) => SPEEDS.find(({ value }) => value === text)?.value ?? "",
);

export type PlaybackOptions = {
  /** The times of the reads, oldest first, each once. */
  times: ArrayLike<number>;
  from: number | null;
  to: number | null;
  /** Shows the reads up to a time; null shows all. */
  onTo: (to: number | null) => void;
};

/**
 * Playback, read by read: adds the next read to those on the map by moving the latest time, so that nothing that was
 * shown disappears. Ends with all reads shown.
 */
export function usePlayback({ times, from, to, onTo }: PlaybackOptions) {
  const [isPlaying, setPlaying] = useState(false);
  const chosen = speedChoice.use();
  const speed = chosen === "" ? (times.length > FEW ? "all" : "2") : chosen;
  const rate = speed === "all" ? times.length / ALL_MS : Number(speed) / 1000;
  const first = from === null ? 0 : countUntil(times, from - 1);
  const shown = to === null ? times.length : countUntil(times, to);
  const latest = useRef({ times, first, shown, rate, onTo });
  latest.current = { times, first, shown, rate, onTo };

  /** Shows this many of the reads. */
  function show(count: number) {
    const { times, onTo } = latest.current;
    latest.current.shown = count;
    onTo(count >= times.length ? null : at(times, count - 1));
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: show reads the latest values from a ref
  useEffect(() => {
    if (!isPlaying) return;
    let [last, progress] = [performance.now(), 0];
    let frame = requestAnimationFrame(function step(now) {
      const { times, shown, rate } = latest.current;
      progress += Math.max(0, Math.min(now - last, 1000)) * rate;
      last = now;
      const steps = Math.floor(progress);
      progress -= steps;
      if (steps > 0) show(Math.min(times.length, shown + steps));
      if (latest.current.shown >= times.length) setPlaying(false);
      else frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying]);

  return {
    isPlaying,
    speed,
    canPlay: times.length - first > 1,
    canStep: { back: shown > first + 1, on: shown < times.length },
    toggle: () => {
      if (!isPlaying && shown >= times.length) show(first + 1);
      setPlaying(!isPlaying);
    },
    step: (by: 1 | -1) => {
      setPlaying(false);
      show(Math.max(first + 1, shown + by));
    },
    stop: () => setPlaying(false),
  };
}

/** Returns how many of the sorted times are at or before a time. */
function countUntil(times: ArrayLike<number>, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(times, middle) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

type PlaybackButtonsProps = { play: ReturnType<typeof usePlayback> };

export function PlaybackButtons({ play }: PlaybackButtonsProps) {
  return (
    <div className="flex items-center gap-1">
      <Button
        size="sm"
        className="!min-h-11 !min-w-11 !px-0"
        aria-label={play.isPlaying ? "Pause" : "Play the reads in time order"}
        onClick={play.toggle}
        disabled={!play.canPlay}
      >
        {play.isPlaying ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />}
      </Button>
      <IconButton
        label="One read back"
        size="sm"
        icon={<StepBack />}
        disabled={!play.canStep.back}
        onClick={() => play.step(-1)}
      />
      <IconButton
        label="One read forward"
        size="sm"
        icon={<StepForward />}
        disabled={!play.canStep.on}
        onClick={() => play.step(1)}
      />
    </div>
  );
}

export function PlaybackSpeed({ play }: PlaybackButtonsProps) {
  return (
    <Select
      controlSize="sm"
      aria-label="Playback speed"
      className="!w-36"
      value={play.speed}
      onChange={({ currentTarget }) => {
        const picked = SPEEDS.find(({ value }) => value === currentTarget.value);
        if (picked) speedChoice.set(picked.value);
      }}
    >
      {SPEEDS.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  );
}
