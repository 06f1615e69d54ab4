import { cx } from "./cx.ts";
import { TONE_TEXT, type Tone } from "./tones.ts";

export type ProgressProps = {
  /** The accessible name. */
  label: string;
  /** Part of `max` done; undefined while unknown. */
  value?: number;
  max?: number;
  tone?: Tone;
  className?: string;
};

export function Progress({ label, value, max = 100, tone = "accent", className }: ProgressProps) {
  const isKnown = value !== undefined;
  const part = isKnown ? Math.min(1, Math.max(0, value / (max || 1))) : 0;
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      className={cx(
        "h-1.5 w-full overflow-hidden rounded-full bg-line forced-colors:border",
        TONE_TEXT[tone],
        className,
      )}
    >
      <div
        className={cx(
          "h-full rounded-full bg-current forced-colors:bg-[Highlight]",
          isKnown ? "origin-left transition-transform duration-(--duration-slow)" : "w-2/5 animate-slide",
        )}
        style={isKnown ? { transform: `scaleX(${part})` } : undefined}
      />
    </div>
  );
}
