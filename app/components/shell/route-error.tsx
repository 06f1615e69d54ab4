import { isRouteErrorResponse, Link, useLocation, useNavigate, useRouteError } from "@remix-run/react";
import { Suspense, useEffect, useState } from "react";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import { textIn } from "#app/lib/json/parse.ts";
import { useFreshPage } from "./opening.ts";
import { Reference } from "./reference.tsx";

/** Lazy-loaded: shown only if the session has ended. */
const SessionLockScreen = lazyPart(
  async () => (await import("#app/components/accounts/session/lock-screen.tsx")).default,
);

/** Returns the title of the page that shows an error. */
export function errorTitle(error: unknown): string {
  const status = isRouteErrorResponse(error) ? error.status : undefined;
  return `${status === 401 ? "Signed out" : textsFor({ status }).title} · Odin`;
}

/**
 * Shown instead of a screen that failed. `isNested` means within the frame of the screens, which has the main landmark.
 */
export function RouteError({ isNested = false }: { isNested?: boolean }) {
  const error = useRouteError();
  const answer = isRouteErrorResponse(error) ? error : undefined;
  const isReloading = useFreshPage(answer === undefined);
  if (isReloading) return null;
  if (answer?.status === 401) {
    return (
      <Suspense>
        <SessionLockScreen />
      </Suspense>
    );
  }
  const message = textIn(answer?.data, "message");
  return <ErrorScreen status={answer?.status} message={message} isNested={isNested} />;
}

/** Reloads a failed screen with the code of its page. Works without scripts. */
export function TryAgain() {
  const { pathname, search } = useLocation();
  return (
    <Link to={pathname + search} reloadDocument className={buttonClass("primary")}>
      Try again
    </Link>
  );
}

/** Goes back to the screen from which the failed one was opened, if there is one. */
export function GoBack() {
  const navigate = useNavigate();
  const [isPossible, setPossible] = useState(false);
  // The router counts the screens since the page was loaded.
  useEffect(() => setPossible(history.state?.idx > 0), []);
  return isPossible && <Button onClick={() => navigate(-1)}>Go back</Button>;
}

type ErrorScreenProps = {
  /** The HTTP status; undefined for a failure of the page itself. */
  status?: number;
  /** The server's message for the user. */
  message?: string;
  isNested?: boolean;
};

type Texts = { title: string; line: string };

function textsFor({ status, message }: ErrorScreenProps): Texts {
  if (status === 403) {
    const line =
      message && message !== MESSAGES.accessDenied
        ? message
        : "Your account does not have access to this page.";
    return { title: MESSAGES.accessDenied, line };
  }
  if (status === 404) {
    return {
      title: "Page not found",
      line: message || "This page does not exist or was deleted.",
    };
  }
  if (status === 410)
    return { title: "No longer available", line: message || "This content has been purged." };
  return {
    title: MESSAGES.routerError,
    line:
      (status !== undefined && status < 500 && message) || "Your saved data is safe. Try again in a moment.",
  };
}

function ErrorScreen(props: ErrorScreenProps) {
  const { title, line } = textsFor(props);
  const Frame = props.isNested ? "div" : "main";
  const canRetry = props.status === undefined || props.status >= 500;
  return (
    <Frame
      {...(!props.isNested && { id: "content" })}
      className="m-auto flex w-full max-w-lg flex-col items-start gap-2 px-6 py-16"
    >
      {props.status && <p className="plate-text text-muted">{props.status}</p>}
      <h1 className="text-2xl font-semibold">{title}</h1>
      <p className="text-lg text-muted">{line}</p>
      <Reference />
      <div className="mt-4 flex flex-wrap gap-2">
        {canRetry && <TryAgain />}
        <GoBack />
        <Link to="/" reloadDocument className={buttonClass(canRetry ? "secondary" : "primary")}>
          Back to Odin
        </Link>
      </div>
    </Frame>
  );
}
