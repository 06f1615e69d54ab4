import { CircleAlert } from "lucide-react";
import { type ReactNode, useId } from "react";
import { cx } from "#app/components/ui/cx.ts";

/** Attributes of the control in a field that associate label, hint and error with it. */
type FieldControl = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
  "aria-required": true | undefined;
};

export type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  required?: boolean;
  /** Shows the label to screen readers only. */
  hideLabel?: boolean;
  /** At the right of the label: a counter, a link. */
  aside?: ReactNode;
  id?: string;
  className?: string;
  children: (control: FieldControl) => ReactNode;
};

export function Field({
  label,
  hint,
  error,
  required = false,
  hideLabel = false,
  aside,
  id,
  className,
  children,
}: FieldProps) {
  const generatedId = useId();
  const controlId = id ?? generatedId;
  const hintId = `${controlId}-hint`;
  const errorId = `${controlId}-error`;
  const described = cx(hint ? hintId : "", error ? errorId : "") || undefined;
  return (
    <div className={cx("flex min-w-0 flex-col gap-1", className)}>
      <div className={cx("flex items-baseline justify-between gap-2", hideLabel && !aside && "sr-only")}>
        <label htmlFor={controlId} className={cx("text-sm font-medium", hideLabel && "sr-only")}>
          {label}
          {required && (
            <span aria-hidden="true" className="ms-0.5 text-hit">
              *
            </span>
          )}
        </label>
        {aside && <span className="text-xs text-muted">{aside}</span>}
      </div>
      {children({
        id: controlId,
        "aria-describedby": described,
        "aria-invalid": error ? true : undefined,
        "aria-required": required || undefined,
      })}
      {hint && (
        <p id={hintId} className="text-xs text-muted">
          {hint}
        </p>
      )}
      <div aria-live="polite" className="empty:-mt-1">
        {error && (
          <p id={errorId} className="flex items-start gap-1 text-xs font-medium wrap-anywhere text-hit">
            <CircleAlert aria-hidden="true" className="mt-px size-3.5 shrink-0" />
            {error}
          </p>
        )}
      </div>
    </div>
  );
}
