import type { AppLoadContext, EntryContext, HandleErrorFunction } from "@remix-run/cloudflare";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { isbot } from "isbot";
import { renderToReadableStream } from "react-dom/server";
import { NonceContext, RequestIdContext } from "#app/components/shell/document-contexts.ts";
import { isPlainPage } from "#app/components/shell/plain-page.ts";
import { PLAIN_PAGE_HEADERS } from "#app/http/plain-page.ts";
import { logError, requestId } from "#app/lib/log.ts";

const ABORT_MS = 10_000;

// The parameters are Remix's own.
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remix: EntryContext,
  context: AppLoadContext,
): Promise<Response> {
  let failed = false;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ABORT_MS);
  const stop = () => clearTimeout(timer);
  const body = await renderToReadableStream(
    <NonceContext.Provider value={context.nonce}>
      <RequestIdContext.Provider value={requestId()}>
        <RemixServer context={remix} url={request.url} abortDelay={ABORT_MS} nonce={context.nonce} />
      </RequestIdContext.Provider>
    </NonceContext.Provider>,
    {
      nonce: context.nonce,
      signal: AbortSignal.any([request.signal, late.signal]),
      onError(error) {
        failed = true;
        if (!request.signal.aborted) logError("a page could not be rendered", error);
      },
    },
  ).catch((error: unknown) => {
    stop();
    throw error;
  });
  // React reports an error if a complete page is aborted.
  body.allReady.then(stop, stop);
  if (isbot(request.headers.get("user-agent") ?? "")) await body.allReady;
  headers.set("content-type", "text/html; charset=utf-8");
  // Not in the route's headers: those would also apply to the page's data request, whose response names the user.
  if (status === 200 && !failed && isPlainPage(handlesOf(remix))) {
    for (const [name, value] of Object.entries(PLAIN_PAGE_HEADERS)) headers.set(name, value);
    // A cache would clear the next visitor's message too, which this page does not show.
    headers.delete("set-cookie");
  }
  return new Response(body, { headers, status: failed ? 500 : status });
}

function handlesOf({ staticHandlerContext, routeModules }: EntryContext): unknown[] {
  return staticHandlerContext.matches.map(({ route }) => routeModules[route.id]?.handle);
}

/**
 * Logs failures of loaders and actions in full; the page never shows them. An unknown URL is not a failure: the last
 * route handles most of them, but not a URL with a line break.
 */
export const handleError: HandleErrorFunction = (error, { request }) => {
  const isUnknown = isRouteErrorResponse(error) && error.status < 500;
  if (!isUnknown && !request.signal.aborted) logError("a loader or action failed", error);
};
