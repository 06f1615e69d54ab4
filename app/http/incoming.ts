// Requests that Remix would answer with a 500 and a line in the error log, whoever sends them, are put right or refused
// before it sees them.

import { AppError } from "#app/lib/errors.ts";
import { isCrossSite } from "./access.ts";
import { failure } from "./responses.ts";

/** Describes a body, which a GET does not have. */
const BODY_HEADERS = ["content-length", "content-type", "content-encoding", "transfer-encoding"];

/**
 * The request as Remix can take it, or the answer that refuses it. A body of a GET or HEAD has no meaning (RFC 9110
 * section 9.3.1) and is dropped unread: Remix copies every request, and `new Request` throws for a GET with a body.
 */
export function receive(request: Request): Request | Response {
  const url = new URL(request.url);
  // Remix logs each request with its older way of asking for data, which nothing of ours uses.
  if (url.searchParams.has("_data"))
    return failure(new AppError("bad_request", "The parameter _data is not known."));
  if (request.method === "GET" || request.method === "HEAD") {
    if (request.body === null) return request;
    const headers = without(request.headers, BODY_HEADERS);
    return new Request(request.url, { method: request.method, headers, signal: request.signal });
  }
  // Cameras and vendors post from wherever they are; nothing of a browser counts there.
  const isWebhook = url.pathname.startsWith("/ingest/");
  if (!isWebhook && isCrossSite(request))
    return failure(new AppError("forbidden", "This request came from another site and was refused."));
  const origin = request.headers.get("origin");
  if (origin === null) return request;
  const headers = without(request.headers, isWebhook ? ["origin"] : []);
  // Remix compares Origin with the host by itself and answers 500 where they differ, also for the `Origin: null` of a plain
  // form under our referrer policy. Naming the origin's host as the forwarded one leaves the decision to us.
  const host = URL.parse(origin)?.host;
  if (!host && !isWebhook) headers.set("origin", "null");
  headers.set("x-forwarded-host", host || "null");
  return new Request(request, { headers });
}

function without(headers: Headers, names: readonly string[]): Headers {
  const kept = new Headers(headers);
  for (const name of names) kept.delete(name);
  return kept;
}
