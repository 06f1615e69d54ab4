import { ChevronDown } from "lucide-react";
import { forwardRef, type SelectHTMLAttributes } from "react";
import { cx } from "#app/components/ui/cx.ts";
import { CONTROL_SIZES, type ControlSize } from "./input.tsx";

export type SelectProps = SelectHTMLAttributes<HTMLSelectElement> & { controlSize?: ControlSize };

/** A styled native select, which phones, keyboards and screen readers support. */
export const Select = forwardRef<HTMLSelectElement, SelectProps>(function Select(
  { controlSize = "md", className, children, ...rest },
  ref,
) {
  return (
    <span className={cx("relative inline-flex w-full min-w-0", className)}>
      <select
        ref={ref}
        className={cx("control w-full min-w-0 appearance-none truncate !pe-8", CONTROL_SIZES[controlSize])}
        {...rest}
      >
        {children}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute end-2.5 top-1/2 size-4 -translate-y-1/2 text-muted"
      />
    </span>
  );
});
