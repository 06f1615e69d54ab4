// Which encodings of a body a caller can read. Cloudflare puts its own list in the place of the caller's header, and
// unpacks for a caller who reads less: here the header is all there is to know.

/** Whether the caller reads gzip; one that names no encodings is taken to read none. */
export function acceptsGzip(request: Request): boolean {
  const accepted = request.headers.get("accept-encoding") ?? "";
  const weights = new Map(
    accepted.split(",").map((part) => {
      const [name = "", ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return [name, weight === undefined ? 1 : Number(weight)] as const;
    }),
  );
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}
