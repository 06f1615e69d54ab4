// Files as HTTP answers: the domain describes a file, and this module writes its headers.

import type { ServedFile } from "#app/entities/served-file.ts";
import { type BytePart, partOf } from "#app/lib/files/byte-range.ts";

/** Answers with a file, 206 for a part of one, or 204 if it has no content. */
export function fileAnswer(file: ServedFile): Response {
  const headers = new Headers({ "content-type": file.type, ...file.facts });
  const { size, part } = file;
  if (size !== undefined) headers.set("content-length", String(size));
  if (file.hash !== undefined) {
    headers.set("accept-ranges", "bytes");
    headers.set("etag", tagOf(file.hash));
  }
  if (part && size !== undefined)
    headers.set("content-range", `bytes ${part.offset}-${part.offset + size - 1}/${part.total}`);
  if (file.name !== undefined) headers.set("content-disposition", disposition(file.name, file.opensInTab));
  headers.set("cache-control", cacheControl(file));
  if (file.isolated) {
    headers.set("x-content-type-options", "nosniff");
    headers.set("content-security-policy", "default-src 'none'; sandbox");
  }
  const status = part ? 206 : file.content === null ? 204 : 200;
  return new Response(file.content, { status, headers });
}

const tagOf = (hash: string) => `"${hash}"`;

/**
 * Returns a function that returns the part of a file that a request names, so that an interrupted download can
 * continue. It returns undefined for the whole file, including when the caller has the beginning of another file
 * (If-Range).
 */
export function partAskedBy({ headers }: Request) {
  return ({ bytes, hash }: { bytes: number; hash: string }): BytePart | undefined => {
    const known = headers.get("if-range");
    return known === null || known === tagOf(hash) ? partOf(headers.get("range"), bytes) : undefined;
  };
}

/**
 * Answers with a file, compressed here if the caller accepts gzip: nothing between Odin and the browser compresses
 * types it does not know, and result columns shrink by half.
 */
export function compressedFileAnswer(
  file: ServedFile & { content: ReadableStream<Uint8Array> },
  { hasGzip }: { hasGzip: boolean },
): Response {
  const answer = fileAnswer(file);
  answer.headers.set("vary", "accept-encoding");
  if (!hasGzip) return answer;
  answer.headers.set("content-encoding", "gzip");
  const content = file.content.pipeThrough(new CompressionStream("gzip") as GzipStream);
  return new Response(content, { encodeBody: "manual", headers: answer.headers });
}

type GzipStream = ReadableWritablePair<Uint8Array, Uint8Array>;

function cacheControl({ keptMs, neverChanges }: ServedFile): string {
  if (keptMs === undefined) return "private, no-store";
  const age = `private, max-age=${Math.max(0, Math.floor(keptMs / 1000))}`;
  return neverChanges ? `${age}, immutable` : age;
}

/** Returns the Content-Disposition header, with the name in ASCII for old clients and in full (RFC 6266, RFC 8187). */
function disposition(name: string, opensInTab = false): string {
  const ascii = name.replace(/[^\w. -]/g, "_");
  const full = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  const kind = opensInTab ? "inline" : "attachment";
  return ascii === name
    ? `${kind}; filename="${ascii}"`
    : `${kind}; filename="${ascii}"; filename*=UTF-8''${full}`;
}

/** Answers with a file, or redirects to a substitute. */
export function fileOrRedirect(file: ServedFile | null, location: string): Response {
  return file ? fileAnswer(file) : new Response(null, { status: 302, headers: { location } });
}

/**
 * Returns whether the caller accepts gzip; false without the header. Cloudflare replaces the caller's header with its
 * own list, and decodes for callers that accept less, so only this header counts.
 */
export function acceptsGzip(request: Request): boolean {
  const accepted = request.headers.get("accept-encoding") ?? "";
  const weights = new Map(
    accepted.split(",").map((part) => {
      const [name = "", ...parameters] = part
        .toLowerCase()
        .split(";")
        .map((text) => text.trim());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return [name, weight === undefined ? 1 : Number(weight)] as const;
    }),
  );
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}
