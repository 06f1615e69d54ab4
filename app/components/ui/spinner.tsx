import { cx } from "./cx.ts";

/** A turning ring in the colour of the text around it; the words beside it say what is waited for. */
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
