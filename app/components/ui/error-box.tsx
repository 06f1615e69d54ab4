import { CircleAlert } from "lucide-react";
import { cx } from "./cx.ts";

type ErrorBoxProps = {
  message: string;
  /** The id of the request that failed. */
  reference?: string;
  className?: string;
};

/**
 * The problem with a form or a screen as a whole. Its live region is in the page before the message, so that screen
 * readers announce the message.
 */
export function ErrorBox({ message, reference = "", className = "empty:hidden" }: ErrorBoxProps) {
  return (
    <>
      <div role="alert" className={cx("scroll-mt-16", className)}>
        {message && (
          <p className="flex items-start gap-2 rounded-md bg-hit-soft px-3 py-2 font-medium wrap-anywhere text-hit">
            <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
            {message}
          </p>
        )}
      </div>
      {/* Outside of the live region, so that screen readers do not spell out the id. */}
      {message && reference && <p className="text-xs text-muted">Reference: {reference}</p>}
    </>
  );
}
