import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { TONE_TEXT, type Tone } from "./tones.ts";

export type StatusDotProps = {
  tone: Tone;
  /** Each state has its own shape, because color must not be the only sign. */
  shape?: "full" | "ring" | "half" | "cross";
  pulsing?: boolean;
  /** The state in words, beside the dot or for screen readers only. */
  label: ReactNode;
  hideLabel?: boolean;
  className?: string;
};

const SHAPES = {
  full: <circle cx="5" cy="5" r="4" fill="currentColor" />,
  ring: <circle cx="5" cy="5" r="3.25" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  half: (
    <>
      <circle cx="5" cy="5" r="3.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M5 1.5a3.5 3.5 0 0 1 0 7z" fill="currentColor" />
    </>
  ),
  cross: <path d="M2 2l6 6M8 2l-6 6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />,
};

export function StatusDot({
  tone,
  shape = "full",
  pulsing = false,
  label,
  hideLabel = false,
  className,
}: StatusDotProps) {
  return (
    <span className={cx("inline-flex items-center gap-1.5", className)}>
      <svg
        viewBox="0 0 10 10"
        aria-hidden="true"
        className={cx("size-2.5 shrink-0", TONE_TEXT[tone], pulsing && "animate-pulse")}
      >
        {SHAPES[shape]}
      </svg>
      <span className={hideLabel ? "sr-only" : undefined}>{label}</span>
    </span>
  );
}
