import { forwardRef, type InputHTMLAttributes, type ReactNode, useEffect, useRef } from "react";
import { cx } from "#app/components/ui/cx.ts";

export type CheckState = boolean | "mixed";

/** Returns the state of a box that represents several others: all, none, or mixed. */
export function checkStateOf(selected: number, total: number): CheckState {
  if (selected === 0 || total === 0) return false;
  return selected >= total ? true : "mixed";
}

export type CheckboxProps = Omit<InputHTMLAttributes<HTMLInputElement>, "checked" | "type" | "size"> & {
  checked?: CheckState;
  /** Shows the third state in an uncontrolled box, without changing what the form submits. */
  mixed?: boolean;
  onCheckedChange?: (checked: boolean) => void;
  /** Shown beside the box. Without it, set aria-label. */
  label?: ReactNode;
  hint?: ReactNode;
};

/** A native checkbox with a third state; a press on `mixed` checks it. The target is 24 px (44 on touch), the box 16. */
export const Checkbox = forwardRef<HTMLInputElement, CheckboxProps>(function Checkbox(
  { checked, mixed = checked === "mixed", onCheckedChange, onChange, label, hint, className, ...rest },
  ref,
) {
  const input = useRef<HTMLInputElement | null>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = mixed;
  });
  return (
    <label className={cx("check-label", label ? "" : "justify-center", className)}>
      <input
        ref={(node) => {
          input.current = node;
          if (typeof ref === "function") ref(node);
          else if (ref) ref.current = node;
        }}
        type="checkbox"
        className="check"
        checked={checked === undefined ? undefined : checked === true}
        onChange={(event) => {
          onChange?.(event);
          onCheckedChange?.(mixed ? true : event.currentTarget.checked);
        }}
        {...rest}
      />
      {label && (
        <span>
          {label}
          {hint && <span className="block text-xs text-muted">{hint}</span>}
        </span>
      )}
    </label>
  );
});
