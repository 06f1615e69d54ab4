// Pages that are the same for everyone, signed in or not. They have no script, no user and no theme, and caches may
// store them. A withdrawn page disappears from caches within these minutes.

const CACHE = "public, max-age=300";

/** The headers of such a page. It runs and sends nothing, so its policy allows neither. */
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
