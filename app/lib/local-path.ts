const ORIGIN = "https://this-site.invalid";

/**
 * Returns the path and query of a URL within this site; undefined for anything that a browser would resolve to
 * another site, such as `//host`, `/\host` or `/a/..//host`. For redirects to a URL in the request.
 */
export function localPath(text: string): string | undefined {
  if (!text.startsWith("/") || !URL.canParse(text, ORIGIN)) return undefined;
  const { origin, pathname, search } = new URL(text, ORIGIN);
  const path = pathname + search;
  return origin === ORIGIN && !path.startsWith("//") ? path : undefined;
}
