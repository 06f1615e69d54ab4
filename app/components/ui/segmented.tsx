import { type ReactNode, useId } from "react";
import { cx } from "./cx.ts";

export type SegmentedOption<Value extends string> = {
  value: Value;
  label: ReactNode;
  /** Before the label; alone if `iconOnly`, the label then being its name. */
  icon?: ReactNode;
};

export type SegmentedProps<Value extends string> = {
  /** Names the group for screen readers. */
  label: string;
  options: readonly SegmentedOption<Value>[];
  /** None is chosen where undefined. */
  value: Value | undefined;
  /** Also called for a press on the chosen one, so that a range of "now minus a day" can be taken anew. */
  onSelect: (value: Value) => void;
  size?: "sm" | "md";
  iconOnly?: boolean;
  className?: string;
};

/** One of few, side by side: native radio buttons, so that arrows move and forms see it. */
export function Segmented<Value extends string>({
  label,
  options,
  value,
  onSelect,
  size = "md",
  iconOnly = false,
  className,
}: SegmentedProps<Value>) {
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={cx(
        "flex w-fit max-w-full flex-wrap gap-0.5 rounded-md border border-line bg-sunken p-0.5",
        className,
      )}
    >
      {options.map((option) => (
        <label
          key={option.value}
          title={iconOnly && typeof option.label === "string" ? option.label : undefined}
          className={cx(
            "relative inline-flex flex-1 cursor-pointer items-center justify-center gap-1.5 rounded-sm font-medium whitespace-nowrap text-muted [&_svg]:size-4",
            "transition-colors hover:text-text",
            "has-checked:bg-raised has-checked:text-text has-checked:shadow-sm has-checked:ring-1 has-checked:ring-line-strong",
            "has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-focus",
            size === "sm" ? "min-h-target px-2 text-xs" : "min-h-control-sm px-3 text-sm max-sm:px-1.5",
          )}
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            className="absolute inset-0 cursor-pointer appearance-none rounded-sm outline-none"
            onChange={() => onSelect(option.value)}
            onClick={() => option.value === value && onSelect(option.value)}
          />
          {option.icon}
          <span className={cx(iconOnly && "sr-only")}>{option.label}</span>
        </label>
      ))}
    </div>
  );
}
