import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { TONES, type Tone } from "./tones.ts";

export type BadgeProps = {
  tone?: Tone;
  icon?: ReactNode;
  /** Whether the badge shows a name, which may be long and without spaces. */
  named?: boolean;
  className?: string;
  children: ReactNode;
};

export function Badge({ tone = "neutral", icon, named = false, className, children }: BadgeProps) {
  return (
    <span
      className={cx(
        "inline-flex min-h-5 items-center gap-1 rounded-sm px-1.5 text-xs font-medium [&_svg]:size-3.5",
        named ? "py-0.5 wrap-anywhere" : "whitespace-nowrap",
        TONES[tone],
        className,
      )}
    >
      {icon}
      {children}
    </span>
  );
}
