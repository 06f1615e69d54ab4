import { CircleAlert } from "lucide-react";

/**
 * What is wrong with a form or a screen as a whole. Its live region is in the page before the message, so that screen
 * readers announce the message.
 */
export function ErrorBox({ message, className = "empty:hidden" }: { message: string; className?: string }) {
  return (
    <div role="alert" className={className}>
      {message && (
        <p className="flex items-start gap-2 rounded-md bg-hit-soft px-3 py-2 font-medium text-hit">
          <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          {message}
        </p>
      )}
    </div>
  );
}
