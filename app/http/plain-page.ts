// Pages that are the same for everyone, signed in or not. They have no script, no user and no theme, and caches may
// store them. A withdrawn page disappears from caches within these minutes. No cache stores the page that Odin is not
// available.

import { requestId } from "#app/lib/log.ts";

const CACHE = "public, max-age=300";

/** The headers of such a page. It runs no scripts and sends nothing, so its policy allows neither. */
export const PLAIN_PAGE_HEADERS = {
  "cache-control": CACHE,
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
};

/** Returns the answer, with the header that lets caches store it, because it is the same for everyone. */
export function withPublicCaching(response: Response): Response {
  response.headers.set("cache-control", CACHE);
  return response;
}

/** Returns whether a browser requests a page, rather than a script or a program requesting data. */
export function asksForPage({ method, headers }: Request): boolean {
  const isRead = method === "GET" || method === "HEAD";
  return isRead && !headers.has("authorization") && (headers.get("accept") ?? "").includes("text/html");
}

/** Returns 503 as a page, for a time in which Odin cannot render its own. `reason` is one of Odin's own sentences. */
export function unavailablePage(reason: string, { retryAfter }: { retryAfter: number }): Response {
  const id = requestId();
  const lines = [reason, "Try again in a minute.", ...(id === "" ? [] : [`Reference: ${id}`])];
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Odin is not available</title>
</head>
<body>
<h1>Odin is not available at the moment.</h1>
${lines.map((line) => `<p>${line}</p>`).join("\n")}
</body>
</html>
`;
  const headers = {
    ...PLAIN_PAGE_HEADERS,
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
    "retry-after": String(retryAfter),
  };
  return new Response(html, { status: 503, headers });
}
