import type { MapPoints } from "./points.ts";

export type TimeSpan = { from: number; to: number };

/** Returns the number of passing points in each of `bins` equal parts of the span. */
export function histogram(
  points: MapPoints,
  { pass, span, bins }: { pass: Uint8Array; span: TimeSpan; bins: number },
) {
  const counts = new Uint32Array(bins);
  const width = span.to - span.from;
  for (let point = 0; point < points.timed; point++) {
    if (pass[points.rows[point] ?? 0] !== 1) continue;
    const time = points.times[point] ?? 0;
    if (time < span.from || time > span.to) continue;
    const bin = width <= 0 ? 0 : Math.min(bins - 1, Math.floor(((time - span.from) / width) * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

/** Returns the times of the passing points, oldest first, each once: the steps of playback. */
export function stepTimes(points: MapPoints, pass: Uint8Array): Float64Array {
  const times = new Float64Array(points.timed);
  let length = 0;
  for (let point = 0; point < points.timed; point++) {
    const time = points.times[point] ?? 0;
    if (pass[points.rows[point] ?? 0] !== 1 || (length > 0 && times[length - 1] === time)) continue;
    times[length++] = time;
  }
  return times.slice(0, length);
}

const SECOND = 1000;
const STEPS = [1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400].map((s) => s * SECOND);

/** Returns the time that one arrow key press moves: a round time, about a two-hundredth of the span. */
export function timeStep(span: TimeSpan): number {
  const wanted = (span.to - span.from) / 200;
  return STEPS.findLast((step) => step <= wanted) ?? SECOND;
}

export type Thumb = "from" | "to";

/** Returns the range after moving one thumb, which stays within the span and does not pass the other. */
export function movedThumb(
  chosen: TimeSpan,
  thumb: Thumb,
  { at, span }: { at: number; span: TimeSpan },
): TimeSpan {
  return thumb === "from"
    ? { ...chosen, from: Math.min(Math.max(at, span.from), chosen.to) }
    : { ...chosen, to: Math.max(Math.min(at, span.to), chosen.from) };
}

/** Returns the range after moving both thumbs by `by`, keeping their distance, within the span. */
export function movedRange(chosen: TimeSpan, by: number, span: TimeSpan): TimeSpan {
  const held = Math.min(Math.max(by, span.from - chosen.from), span.to - chosen.to);
  return { from: chosen.from + held, to: chosen.to + held };
}

/** What a pointer moves; "either" while both thumbs are at the same time and the pointer has not moved yet. */
type Dragged = Thumb | "range" | "either";
/** A drag: what it moves, the time under the pointer and the range when it began. */
export type Drag = { what: Dragged; start: number; chosen: TimeSpan };

/** Returns what a pointer moves that is pressed at a time: on a thumb, or beside them. */
export function grabbedPart(
  at: number,
  { thumb, chosen, span }: { thumb: Thumb | undefined; chosen: TimeSpan; span: TimeSpan },
): Dragged {
  if (thumb) return chosen.from === chosen.to ? "either" : thumb;
  const isFull = chosen.from <= span.from && chosen.to >= span.to;
  if (at > chosen.from && at < chosen.to && !isFull) return "range";
  return at - chosen.from <= chosen.to - at ? "from" : "to";
}

/**
 * Returns what a drag moves once its pointer is at a time: if both thumbs are at the same time, the one that can move
 * there.
 */
export function draggedPart(
  drag: Drag,
  { at, chosen, span }: { at: number; chosen: TimeSpan; span: TimeSpan },
) {
  if (drag.what !== "either") return drag.what;
  const thumb = at < drag.start ? "from" : "to";
  return movedThumb(chosen, thumb, { at, span })[thumb] === chosen[thumb] ? "either" : thumb;
}

/**
 * Returns the range after a drag to a time. `chosen` and `span` are the current ones: reads that arrived since the drag
 * began may have moved the thumb that the drag does not hold.
 */
export function draggedRange(
  drag: Drag,
  { at, chosen, span }: { at: number; chosen: TimeSpan; span: TimeSpan },
): TimeSpan {
  if (drag.what === "either") return chosen;
  if (drag.what === "range") return movedRange(drag.chosen, at - drag.start, span);
  return movedThumb(chosen, drag.what, { at, span });
}

/**
 * Returns a thumb's time after a key: arrows one step, Page keys ten, Home and End the ends. Undefined for other keys.
 */
export function timeAfterKey(key: string, at: number, span: TimeSpan): number | undefined {
  const step = timeStep(span);
  const onGrid = (value: number) => Math.round(value / step) * step;
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return Math.min(onGrid(at - step), at - SECOND);
    case "ArrowRight":
    case "ArrowUp":
      return Math.max(onGrid(at + step), at + SECOND);
    case "PageDown":
      return onGrid(at - 10 * step);
    case "PageUp":
      return onGrid(at + 10 * step);
    case "Home":
      return span.from;
    case "End":
      return span.to;
    default:
      return undefined;
  }
}

/** Returns the filter of a range. Ends that reach the span's ends become null, which keeps reads without a time. */
export function filterOf(chosen: TimeSpan, span: TimeSpan): { from: number | null; to: number | null } {
  return {
    from: chosen.from <= span.from ? null : chosen.from,
    to: chosen.to >= span.to ? null : chosen.to,
  };
}

/** Returns the range within the span that a filter keeps. */
export function chosenSpan(filter: { from: number | null; to: number | null }, span: TimeSpan): TimeSpan {
  const from = Math.min(Math.max(filter.from ?? span.from, span.from), span.to);
  return { from, to: Math.max(Math.min(filter.to ?? span.to, span.to), from) };
}
