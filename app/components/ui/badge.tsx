import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { TONES, type Tone } from "./tones.ts";

export type BadgeProps = { tone?: Tone; icon?: ReactNode; className?: string; children: ReactNode };

export function Badge({ tone = "neutral", icon, className, children }: BadgeProps) {
  return (
    <span
      className={cx(
        "inline-flex min-h-5 items-center gap-1 rounded-sm px-1.5 text-xs font-medium whitespace-nowrap [&_svg]:size-3.5",
        TONES[tone],
        className,
      )}
    >
      {icon}
      {children}
    </span>
  );
}
