import { isRouteErrorResponse, useRouteError } from "@remix-run/react";
import { lazy, Suspense } from "react";
import { ErrorScreen } from "./error-screen.tsx";

/** Fetched where a screen could not be, because the session had ended. */
const SessionLockScreen = lazy(() => import("#app/components/accounts/session/lock-screen.tsx"));

/** What stands in the place of a screen that failed. */
export function RouteError() {
  const error = useRouteError();
  const answer = isRouteErrorResponse(error) ? error : undefined;
  const text = typeof answer?.data === "string" ? answer.data : undefined;
  const errorId = /\(error ([\w-]+)\)/.exec(text ?? "")?.[1];
  if (answer?.status === 401) {
    return (
      <Suspense>
        <SessionLockScreen />
      </Suspense>
    );
  }
  return <ErrorScreen status={answer?.status} message={text} errorId={errorId} />;
}
