import { cx } from "./cx.ts";

/** A spinning ring in the color of the surrounding text. The text beside it says what is loading. */
export function Spinner({ className }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cx(
        "inline-block size-4 shrink-0 animate-spin rounded-full border-2 border-current border-e-transparent",
        className,
      )}
    />
  );
}
