import { isRouteErrorResponse, useLocation, useRevalidator, useRouteError } from "@remix-run/react";
import { CircleAlert } from "lucide-react";
import { useContext } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { RequestIdContext } from "./document-contexts.ts";

/** Shown if the data of a screen cannot be loaded. The message is the specification's. */
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

/**
 * The id of the request that failed, on an error page, by which an operator finds it in the log. Renders nothing if the
 * id is unknown or nothing failed. `ofPage`: the screen itself says that a part of it failed.
 */
export function Reference({ ofPage = false }: { ofPage?: boolean }) {
  const error = useRouteError();
  const { key } = useLocation();
  const document = useContext(RequestIdContext);
  const answered = isRouteErrorResponse(error) ? textOf(error.data, "request_id") : "";
  // After a navigation within the page, the document's own request is not the one that failed.
  const isOfDocument = key === "default" && (ofPage || error !== undefined);
  const id = answered || (isOfDocument ? document : "");
  if (id === "") return null;
  return (
    <p className="text-sm text-muted">
      Reference: <code className="font-mono text-text select-all">{id}</code>
    </p>
  );
}

/** Returns a text field of an answer to a failure, or an empty text. */
export function textOf(data: unknown, field: "message" | "request_id"): string {
  const value: unknown = typeof data === "object" && data !== null ? Reflect.get(data, field) : undefined;
  return typeof value === "string" ? value : "";
}
