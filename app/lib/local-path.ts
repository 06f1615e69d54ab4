const ORIGIN = "https://this-site.invalid";

/**
 * The path and query of an address within this site; undefined for whatever a browser would take elsewhere, such as
 * `//host`, `/\host` or `/a/..//host`. For redirects to an address that the request names.
 */
export function localPath(text: string): string | undefined {
  if (!text.startsWith("/") || !URL.canParse(text, ORIGIN)) return undefined;
  const { origin, pathname, search } = new URL(text, ORIGIN);
  const path = pathname + search;
  return origin === ORIGIN && !path.startsWith("//") ? path : undefined;
}
