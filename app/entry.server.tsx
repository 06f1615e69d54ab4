import type { AppLoadContext, EntryContext, HandleErrorFunction } from "@remix-run/cloudflare";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { isbot } from "isbot";
import { renderToReadableStream } from "react-dom/server";
import { NonceContext } from "#app/components/shell/nonce.ts";
import { isPlainPage } from "#app/components/shell/plain-page.ts";
import { PLAIN_PAGE_HEADERS } from "#app/http/plain-page.ts";

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
  const body = await renderToReadableStream(
    <NonceContext.Provider value={context.nonce}>
      <RemixServer context={remix} url={request.url} abortDelay={ABORT_MS} nonce={context.nonce} />
    </NonceContext.Provider>,
    {
      nonce: context.nonce,
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(ABORT_MS)]),
      onError(error) {
        failed = true;
        if (!request.signal.aborted) console.error(error);
      },
    },
  );
  if (isbot(request.headers.get("user-agent") ?? "")) await body.allReady;
  headers.set("content-type", "text/html; charset=utf-8");
  // Here and not in the route's own headers: those would also count for the data of the page, which names its reader.
  if (status === 200 && !failed && isPlainPage(handlesOf(remix)))
    for (const [name, value] of Object.entries(PLAIN_PAGE_HEADERS)) headers.set(name, value);
  return new Response(body, { headers, status: failed ? 500 : status });
}

function handlesOf({ staticHandlerContext, routeModules }: EntryContext): unknown[] {
  return staticHandlerContext.matches.map(({ route }) => routeModules[route.id]?.handle);
}

/**
 * Failures of loaders and actions: the log gets them whole, the page never. An address that no route fits is no failure;
 * the last route takes most of them, but not one with a line break in it.
 */
export const handleError: HandleErrorFunction = (error, { request }) => {
  const isUnknown = isRouteErrorResponse(error) && error.status < 500;
  if (!isUnknown && !request.signal.aborted) console.error(error);
};
