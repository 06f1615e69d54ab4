import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { cx } from "#app/components/ui/cx.ts";
import { useHydrating } from "#app/components/ui/hydration.ts";

type SegmentedOption<Value extends string> = {
  value: Value;
  label: ReactNode;
  /** Shown before the label. With `iconOnly` it is shown alone, and the label is its accessible name. */
  icon?: ReactNode;
};

export type SegmentedProps<Value extends string> = {
  /** Names the group for screen readers. */
  label: string;
  options: readonly SegmentedOption<Value>[];
  /** Undefined if none is chosen. */
  value: Value | undefined;
  /**
   * The field's name in a form. The buttons then keep the user's choice, even from before hydration, and follow a
   * changed `value`.
   */
  name?: string;
  /** The form that the buttons belong to, if it is not the one around them. */
  form?: string;
  /** Whether to call `onSelect` with a choice made before hydration. */
  tellsEarlyChoice?: boolean;
  /** Also called for a press on the chosen option, so that a range such as "last 24 hours" can start from now again. */
  onSelect: (value: Value) => void;
  size?: "sm" | "md";
  iconOnly?: boolean;
  className?: string;
};

/** A choice of one of a few options, as native radio buttons: arrow keys and forms work with it. */
export function Segmented<Value extends string>({
  label,
  options,
  value,
  name,
  form,
  tellsEarlyChoice = false,
  onSelect,
  size = "md",
  iconOnly = false,
  className,
}: SegmentedProps<Value>) {
  const generatedName = useId();
  const hydrating = useHydrating();
  const [initial] = useState(() => (hydrating && name && pressed(name)) || value);
  const group = useRef<HTMLDivElement>(null);
  const selected = useRef(value);
  const latest = useRef({ initial, options, tellsEarlyChoice, onSelect });
  latest.current = { initial, options, tellsEarlyChoice, onSelect };

  useEffect(() => {
    const { initial, options, tellsEarlyChoice, onSelect } = latest.current;
    const chosen = options.find(({ value }) => value === initial);
    if (tellsEarlyChoice && chosen && chosen.value !== selected.current) onSelect(chosen.value);
  }, []);

  useEffect(() => {
    if (name === undefined || selected.current === value) return;
    selected.current = value;
    for (const radio of group.current?.querySelectorAll<HTMLInputElement>("input[type=radio]") ?? [])
      radio.checked = radio.value === value;
  }, [name, value]);

  return (
    <div
      ref={group}
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
            name={name ?? generatedName}
            form={form}
            value={option.value}
            {...(name === undefined
              ? {
                  checked: option.value === value,
                  onChange: () => onSelect(option.value),
                  onClick: () => option.value === value && onSelect(option.value),
                }
              : { defaultChecked: option.value === initial, onClick: () => onSelect(option.value) })}
            className="absolute inset-0 cursor-pointer appearance-none rounded-sm outline-none"
          />
          {option.icon}
          <span className={cx(iconOnly && "sr-only")}>{option.label}</span>
        </label>
      ))}
    </div>
  );
}

/** Returns the choice made before hydration, which React would reset to the initial one. */
function pressed(name: string): string | undefined {
  if (typeof document === "undefined") return undefined;
  return document.querySelector<HTMLInputElement>(`input[type=radio][name="${name}"]:checked`)?.value;
}
