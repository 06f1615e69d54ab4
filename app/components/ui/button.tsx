import { type ButtonHTMLAttributes, forwardRef, type ReactNode } from "react";
import { cx } from "./cx.ts";
import { Spinner } from "./spinner.tsx";

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger";
export type ButtonSize = "sm" | "md" | "lg";

const VARIANTS: Record<ButtonVariant, string> = {
  primary: "bg-accent text-on-accent border-transparent hover:not-disabled:bg-accent-strong",
  secondary: "bg-raised text-text border-line-strong hover:not-disabled:bg-hover",
  ghost: "text-text border-transparent hover:not-disabled:bg-hover",
  danger: "bg-hit text-on-hit border-transparent hover:not-disabled:bg-hit-strong",
};

const SIZES: Record<ButtonSize, string> = {
  sm: "min-h-control-sm px-2.5 text-sm",
  md: "min-h-control px-3.5 text-base",
  lg: "min-h-control-lg px-5 text-lg",
};

/** Returns the classes of a button, for links that look like one. Buttons are not printed. */
export function buttonClass(variant: ButtonVariant = "secondary", size: ButtonSize = "md"): string {
  return cx(
    "relative inline-flex items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap select-none print:hidden",
    "transition-colors disabled:opacity-50 aria-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0",
    VARIANTS[variant],
    SIZES[size],
  );
}

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Shows a spinner and ignores presses, but keeps the focus (a disabled button would lose it). */
  pending?: boolean;
  /** The label while pending; by default the children. */
  pendingLabel?: ReactNode;
  icon?: ReactNode;
};

export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  { variant, size, pending = false, pendingLabel, icon, className, children, onClick, type, ...rest },
  ref,
) {
  return (
    <button
      ref={ref}
      type={type ?? "button"}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      className={cx(buttonClass(variant, size), className)}
      onClick={(event) => {
        if (pending) event.preventDefault();
        else onClick?.(event);
      }}
      {...rest}
    >
      {pending ? <Spinner /> : icon}
      {pending && pendingLabel ? pendingLabel : children}
    </button>
  );
});
