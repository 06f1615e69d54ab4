import { useEffect, useRef, useState } from "react";
import { movedRange, type TimeSpan } from "#app/entities/search/map/time.ts";

/** Playback time of the whole span. */
const FILM_MS = 20_000;
/** If the whole span is chosen, playback uses a window of this share of it. */
const WINDOW = 0.08;

export type PlayOptions = { span: TimeSpan; chosen: TimeSpan; onFrame: (chosen: TimeSpan) => void };

/** Playback: moves the chosen times through the span, one step per frame, and stops at the end. */
export function usePlay({ span, chosen, onFrame }: PlayOptions) {
  const [isPlaying, setPlaying] = useState(false);
  const latest = useRef({ span, chosen, onFrame });
  latest.current = { span, chosen, onFrame };

  useEffect(() => {
    if (!isPlaying) return;
    let last: number | undefined;
    let at = latest.current.chosen;
    let frame = requestAnimationFrame(function step(now) {
      const { span, onFrame } = latest.current;
      const width = span.to - span.from;
      at = movedRange(at, (width * Math.min(100, now - (last ?? now))) / FILM_MS, span);
      last = now;
      onFrame(at);
      if (at.to >= span.to) setPlaying(false);
      else frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying]);

  function toggle() {
    if (isPlaying) return setPlaying(false);
    const { span, chosen, onFrame } = latest.current;
    const width = span.to - span.from;
    const length = chosen.to - chosen.from >= width ? width * WINDOW : chosen.to - chosen.from;
    const start = { from: span.from, to: span.from + length };
    const next = chosen.to >= span.to ? start : { from: chosen.from, to: chosen.from + length };
    latest.current.chosen = next;
    onFrame(next);
    setPlaying(true);
  }
  return { isPlaying, toggle, stop: () => setPlaying(false) };
}
