import { type ButtonHTMLAttributes, forwardRef, type ReactNode } from "react";
import { type ButtonVariant, buttonClass } from "./button.tsx";
import { cx } from "./cx.ts";
import type { Placement } from "./floating.ts";
import { Spinner } from "./spinner.tsx";
import { Tooltip } from "./tooltip.tsx";

export type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "aria-label" | "children"> &
  Placement & {
    /** Its name for screen readers and the hint on hover. */
    label: string;
    icon: ReactNode;
    /** The key that does the same, shown in the hint. */
    shortcut?: string;
    variant?: ButtonVariant;
    size?: "sm" | "md";
    pending?: boolean;
  };

export const IconButton = forwardRef<HTMLButtonElement, IconButtonProps>(function IconButton(
  {
    label,
    icon,
    shortcut,
    variant = "ghost",
    size = "md",
    pending = false,
    side,
    align,
    className,
    disabled = false,
    ...rest
  },
  ref,
) {
  const tip = shortcut ? (
    <>
      {label} <kbd className="ms-1 font-mono text-muted">{shortcut}</kbd>
    </>
  ) : (
    label
  );
  return (
    <Tooltip tip={tip} describes={false} side={side} align={align}>
      <button
        ref={ref}
        type="button"
        aria-label={label}
        aria-keyshortcuts={shortcut}
        aria-busy={pending || undefined}
        disabled={disabled || pending}
        className={cx(
          buttonClass(variant, "md"),
          "!px-0",
          size === "sm" ? "size-control-sm min-h-0" : "size-control",
          className,
        )}
        {...rest}
      >
        {pending ? <Spinner /> : icon}
      </button>
    </Tooltip>
  );
});
