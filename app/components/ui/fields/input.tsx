import {
  type ClipboardEvent,
  forwardRef,
  type InputHTMLAttributes,
  type TextareaHTMLAttributes,
  useEffect,
  useState,
} from "react";
import { cx } from "#app/components/ui/cx.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { useHydrating } from "#app/components/ui/hydration.ts";

export type ControlSize = "sm" | "md" | "lg";

/** On touch screens text of 16 px: Safari on iPhones zooms the page into a field with smaller text. */
export const CONTROL_SIZES: Record<ControlSize, string> = {
  sm: "min-h-control-sm px-2 text-sm coarse:text-lg",
  md: "min-h-control px-2.5 text-base coarse:text-lg",
  lg: "min-h-control-lg px-3 text-lg",
};

/** The classes of a native file field. */
export const FILE_INPUT =
  "control w-full min-w-0 p-1.5 text-sm font-normal file:me-3 file:rounded-sm file:border-0 file:bg-sunken file:px-2 file:py-1 file:font-medium file:text-text";

export type InputProps = InputHTMLAttributes<HTMLInputElement> & {
  controlSize?: ControlSize;
  /** Styled as a plate: monospace, upper case, slashed zero. */
  plate?: boolean;
};

export const Input = forwardRef<HTMLInputElement, InputProps>(function Input(
  { controlSize = "md", plate = false, className, type = "text", ...rest },
  ref,
) {
  return (
    <input
      ref={ref}
      type={type}
      className={cx(
        "control w-full min-w-0",
        CONTROL_SIZES[controlSize],
        plate && "plate-text placeholder:font-normal placeholder:normal-case",
        className,
      )}
      {...(plate && {
        autoCapitalize: "characters",
        autoComplete: "off",
        autoCorrect: "off",
        spellCheck: false,
        onPaste: refuseSeveral,
      })}
      {...rest}
    />
  );
});

/** Refuses several lines or table cells: the browser would join them to one plate that does not exist. */
function refuseSeveral(event: ClipboardEvent<HTMLInputElement>): void {
  const pasted = event.clipboardData.getData("text").split(/[\r\n\t]+/);
  const count = pasted.filter((text) => text.trim() !== "").length;
  if (count < 2) return;
  event.preventDefault();
  notify.error("Paste one plate at a time.", { description: `The copied text has ${count} lines or cells.` });
}

/** The minimum height by `rows`, which a text area that grows with its text ignores. Includes padding and borders. */
const ROWS: Record<number, string> = {
  2: "min-h-[calc(2lh+var(--spacing)*3+2px)]",
  3: "min-h-[calc(3lh+var(--spacing)*3+2px)]",
  4: "min-h-[calc(4lh+var(--spacing)*3+2px)]",
};

export const Textarea = forwardRef<HTMLTextAreaElement, TextareaHTMLAttributes<HTMLTextAreaElement>>(
  function Textarea({ className, rows = 3, defaultValue, ...rest }, ref) {
    const hydrating = useHydrating();
    const [initial, setInitial] = useState(() => (hydrating && typedText(rest.id)) || defaultValue);
    useEffect(() => setInitial(defaultValue), [defaultValue]);
    return (
      <textarea
        ref={ref}
        rows={rows}
        defaultValue={initial}
        className={cx(
          "control field-sizing-content w-full px-2.5 py-1.5 text-base coarse:text-lg",
          ROWS[rows] ?? "min-h-control",
          className,
        )}
        {...rest}
      />
    );
  },
);

/**
 * Returns what was typed into a text area before hydration. React overwrites it with the initial value if they differ.
 */
function typedText(id: string | undefined): string | undefined {
  if (id === undefined || typeof document === "undefined") return undefined;
  const element = document.getElementById(id);
  return element instanceof HTMLTextAreaElement ? element.value : undefined;
}
