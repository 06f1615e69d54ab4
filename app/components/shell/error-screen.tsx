import { Link, useLocation } from "@remix-run/react";
import { buttonClass } from "#app/components/ui/button.tsx";
import { MESSAGES } from "#app/entities/messages.ts";

export type ErrorScreenProps = {
  /** The HTTP status where there was an answer; undefined for a failure of the page itself. */
  status?: number;
  /** Words for the user that came with the answer. */
  message?: string;
  /** Stands beside the failure in the log. */
  errorId?: string;
};

type Words = { title: string; line: string };

function wordsFor({ status, message }: ErrorScreenProps): Words {
  if (status === 403) {
    const line =
      message && message !== MESSAGES.accessDenied ? message : "Your account may not open this page.";
    return { title: MESSAGES.accessDenied, line };
  }
  if (status === 404) {
    return {
      title: "Page not found",
      line: message || "There is nothing at this address, or it is no longer kept.",
    };
  }
  if (status === 410) return { title: "No longer kept", line: message || "What stood here has been purged." };
  return {
    title: MESSAGES.routerError,
    line:
      (status !== undefined && status < 500 && message) ||
      "Nothing that was saved is lost. Try again in a moment.",
  };
}

export function ErrorScreen(props: ErrorScreenProps) {
  const { title, line } = wordsFor(props);
  const { pathname, search } = useLocation();
  const canRetry = props.status === undefined || props.status >= 500;
  return (
    <main id="content" className="m-auto flex w-full max-w-lg flex-col items-start gap-2 px-6 py-16">
      {props.status && <p className="plate-text text-muted">{props.status}</p>}
      <h1 className="text-2xl font-semibold">{title}</h1>
      <p className="text-lg text-muted">{line}</p>
      {props.errorId && (
        <p className="text-sm text-muted">
          If it happens again, give this error id to your administrator:{" "}
          <code className="font-mono text-text select-all">{props.errorId}</code>
        </p>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        {canRetry && (
          <Link to={pathname + search} reloadDocument className={buttonClass("primary")}>
            Try again
          </Link>
        )}
        <Link to="/" reloadDocument className={buttonClass(canRetry ? "secondary" : "primary")}>
          Back to Odin
        </Link>
      </div>
    </main>
  );
}
