import type { Span } from "#app/entities/oversight/transparency.ts";

const LENGTH = 100;

/**
 * A bar beside a number that stands in its table anyway. What lies between the two ends of a span is lighter. Drawn in
 * SVG: a style attribute would need a laxer content policy.
 */
export function StatisticsBar({ value, most }: { value: Span; most: number }) {
  const at = (count: number) => (most === 0 ? 0 : (count / most) * LENGTH);
  return (
    <svg
      viewBox={`0 0 ${LENGTH} 8`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="h-2 w-full min-w-16 rounded-sm bg-sunken print:border print:border-line"
    >
      <rect width={at(value.high)} height="8" className="fill-accent opacity-35" />
      <rect width={at(value.low)} height="8" className="fill-accent" />
    </svg>
  );
}
