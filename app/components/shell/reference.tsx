import { isRouteErrorResponse, useLocation, useRouteError } from "@remix-run/react";
import { useContext } from "react";
import { textIn } from "#app/lib/json/parse.ts";
import { RequestIdContext } from "./document-contexts.ts";

/**
 * The id of the request that failed, on an error page, by which an operator finds it in the log. Renders nothing if the
 * id is unknown or nothing failed. `ofPage` means that the screen itself shows that a part of it failed.
 */
export function Reference({ ofPage = false }: { ofPage?: boolean }) {
  const error = useRouteError();
  const { key } = useLocation();
  const document = useContext(RequestIdContext);
  const answered = isRouteErrorResponse(error) ? textIn(error.data, "request_id") : "";
  // After a navigation within the page, the document's own request is not the failed one.
  const isOfDocument = key === "default" && (ofPage || error !== undefined);
  const id = answered || (isOfDocument ? document : "");
  if (id === "") return null;
  return (
    <p className="text-sm text-muted">
      Reference: <code className="font-mono text-text select-all">{id}</code>
    </p>
  );
}
