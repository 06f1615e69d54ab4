import { isRouteErrorResponse, type MetaFunction, useRevalidator, useRouteError } from "@remix-run/react";
import { CircleAlert, TriangleAlert } from "lucide-react";
import { Reference } from "#app/components/shell/reference.tsx";
import { errorTitle, GoBack, RouteError, TryAgain } from "#app/components/shell/route-error.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";

/** Shown by a screen whose loader answered without its data. `message` is the specification's text. */
export function LoadFailure({ message }: { message: string }) {
  const { revalidate, state } = useRevalidator();
  return (
    <div role="alert" className="m-auto">
      <EmptyState
        icon={<CircleAlert />}
        title={message}
        isPage
        actions={
          <Button pending={state === "loading"} pendingLabel="Trying…" onClick={revalidate}>
            Try again
          </Button>
        }
      >
        Your saved data is safe. Try again in a moment.
        <Reference ofPage />
      </EmptyState>
    </div>
  );
}

/** Returns the titles of a screen with its own error boundary: its name, unless the user may not see it. */
export function screenTitle(name: string): MetaFunction {
  return ({ error }) => [{ title: isRefusal(error) ? errorTitle(error) : `${name} · Odin` }];
}

/** Returns whether the user may not see a screen, or it does not exist. */
function isRefusal(error: unknown): boolean {
  return isRouteErrorResponse(error) && error.status < 500;
}

/** The error boundary of a screen: shown if its loader failed, or if the user may not see the screen. */
export function LoadErrorBoundary({ message }: { message: string }) {
  if (isRefusal(useRouteError())) return <RouteError isNested />;
  return (
    <EmptyState
      icon={<TriangleAlert />}
      title={message}
      isPage
      actions={
        <>
          <TryAgain />
          <GoBack />
        </>
      }
    >
      Saved data is not affected. Try again in a moment.
      <Reference />
    </EmptyState>
  );
}
