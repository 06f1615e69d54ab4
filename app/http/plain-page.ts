// Pages that are the same for everybody, whoever is signed in: they hold no script, know no user and no theme, and may be
// kept by caches between here and the reader. A page that was withdrawn is gone from them within these minutes.

const CACHE = "public, max-age=300";

/** The headers of such a page. With nothing to run and nothing to send, its policy allows neither. */
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

/** Lets caches keep an answer that is the same for everybody. */
export function forEverybody(response: Response): Response {
  response.headers.set("cache-control", CACHE);
  return response;
}
