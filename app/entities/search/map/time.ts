import type { MapPoints } from "./points.ts";

export type TimeSpan = { from: number; to: number };

/** How many of the points that pass fall into each of `bins` equal parts of the span. */
export function histogram(
  points: MapPoints,
  { pass, span, bins }: { pass: Uint8Array; span: TimeSpan; bins: number },
) {
  const counts = new Uint32Array(bins);
  const width = span.to - span.from;
  for (let point = 0; point < points.timed; point++) {
    if (pass[points.rows[point] as number] !== 1) continue;
    const time = points.times[point] as number;
    if (time < span.from || time > span.to) continue;
    const bin = width <= 0 ? 0 : Math.min(bins - 1, Math.floor(((time - span.from) / width) * bins));
    counts[bin] = (counts[bin] as number) + 1;
  }
  return counts;
}

const SECOND = 1000;
const STEPS = [1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400].map((s) => s * SECOND);

/** What one press of an arrow moves: a round time, about a two-hundredth of the span. */
export function timeStep(span: TimeSpan): number {
  const wanted = (span.to - span.from) / 200;
  return STEPS.findLast((step) => step <= wanted) ?? SECOND;
}

export type Thumb = "from" | "to";

/** Moves one thumb; it never passes the other nor leaves the span. */
export function movedThumb(
  chosen: TimeSpan,
  thumb: Thumb,
  { at, span }: { at: number; span: TimeSpan },
): TimeSpan {
  return thumb === "from"
    ? { ...chosen, from: Math.min(Math.max(at, span.from), chosen.to) }
    : { ...chosen, to: Math.max(Math.min(at, span.to), chosen.from) };
}

/** Moves both by so much, keeping their distance, within the span. */
export function movedRange(chosen: TimeSpan, by: number, span: TimeSpan): TimeSpan {
  const held = Math.min(Math.max(by, span.from - chosen.from), span.to - chosen.to);
  return { from: chosen.from + held, to: chosen.to + held };
}

/** Where a key takes a thumb: arrows a step, Page ten, Home and End to the ends. Undefined for other keys. */
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

/** Ends that mean "all": the shared filter then keeps reads without a time too. */
export function filterOf(chosen: TimeSpan, span: TimeSpan): { from: number | null; to: number | null } {
  return {
    from: chosen.from <= span.from ? null : chosen.from,
    to: chosen.to >= span.to ? null : chosen.to,
  };
}

/** The span that a filter leaves. */
export function chosenSpan(filter: { from: number | null; to: number | null }, span: TimeSpan): TimeSpan {
  const from = Math.min(Math.max(filter.from ?? span.from, span.from), span.to);
  return { from, to: Math.max(Math.min(filter.to ?? span.to, span.to), from) };
}
