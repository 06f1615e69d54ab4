// Repairs or refuses requests that Remix would answer with a 500 and an error in the log, before it sees them.

import type { AppContext } from "#app/context.ts";
import { AppError } from "#app/lib/errors.ts";
import { auditRefusal, foreignRequest, isCrossSite } from "./access.ts";
import { failure, methodRefusal, noSuchCall } from "./responses.ts";
import { findActor, serviceTokenOf } from "./session.ts";

/** Remix answers other methods in its own format. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** These headers describe a body, which a GET does not have. */
const BODY_HEADERS = ["content-length", "content-type", "content-encoding", "transfer-encoding"];

/** Letters, digits and `-._~`, which mean the same when percent-encoded (RFC 3986 section 6.2.2.2). */
const ENCODED_NEEDLESSLY = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/**
 * Returns a request's URL with a path that encodes only the necessary characters, so that every check sees the same
 * path.
 */
export function addressOf(request: Request): URL {
  const url = new URL(request.url);
  if (url.pathname.includes("%")) url.pathname = url.pathname.replace(ENCODED_NEEDLESSLY, decodeURIComponent);
  return url;
}

/**
 * Returns the request in a form that Remix accepts, or the answer that refuses it. The body of a GET or HEAD has no
 * meaning (RFC 9110 section 9.3.1) and is dropped unread: Remix copies every request, and `new Request` throws for a
 * GET with a body.
 */
export function receive(request: Request): Request | Response {
  const url = addressOf(request);
  const isPlain = url.href === request.url;
  if (!METHODS.includes(request.method)) return methodRefusal(METHODS);
  // Remix logs every request in its older data format, which Odin does not use.
  if (url.searchParams.has("_data"))
    return failure(new AppError("bad_request", "The parameter _data is not known."));
  if (request.method === "GET" || request.method === "HEAD") {
    if (request.body === null && isPlain) return request;
    const headers = without(request.headers, BODY_HEADERS);
    return new Request(url, { method: request.method, headers, signal: request.signal });
  }
  const plain = isPlain ? request : new Request(url, request);
  const isWebhook = isFromCamera(url);
  const origin = request.headers.get("origin");
  if (origin === null) return plain;
  const headers = without(request.headers, isWebhook ? ["origin"] : []);
  // Remix itself compares Origin with the host and answers 500 if they differ, even for the `Origin: null` of a plain
  // form under our referrer policy. Setting the forwarded host to the origin's leaves the decision to our guard.
  const host = URL.parse(origin)?.host;
  if (!host && !isWebhook) headers.set("origin", "null");
  headers.set("x-forwarded-host", host || "null");
  return new Request(plain, { headers });
}

/** Cameras and vendors post from anywhere; checks for browsers do not apply. */
export const isFromCamera = ({ pathname }: URL) => pathname.startsWith("/ingest/");

/** Returns whether a request is a write from another site, which is refused whatever its route is. */
export function isFromOtherSite(request: Request): boolean {
  // A page of another site cannot send a service account's token, and the cookie sent with it does not count.
  const isService = serviceTokenOf(request) !== undefined;
  return !isFromCamera(new URL(request.url)) && !isService && isCrossSite(request);
}

/**
 * Returns the answer to a write from another site. If it has a user's session, writes an audit row (CJIS AU-2): someone
 * else's page tried to act as that user. The session does not count as used.
 */
export async function refuseFromOtherSite(app: AppContext, request: Request): Promise<Response> {
  const error = foreignRequest();
  await auditRefusal({ app, actor: await findActor(app, request, { keepAlive: false }), request }, error);
  return failure(error);
}

/** Returns the answer to a program's call that no route takes; undefined for browsers, which get a page. */
export function refusedUnknown(request: Request): Response | undefined {
  const { headers, method } = request;
  const isRead = method === "GET" || method === "HEAD";
  const isProgram = headers.has("authorization") || /\bjson\b/.test(headers.get("accept") ?? "");
  return isRead && !isProgram ? undefined : noSuchCall();
}

function without(headers: Headers, names: readonly string[]): Headers {
  const kept = new Headers(headers);
  for (const name of names) kept.delete(name);
  return kept;
}
