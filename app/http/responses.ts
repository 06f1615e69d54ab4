// Builds answers: JSON, errors, and the headers of every answer.

import { AppError, ERROR_STATUS, isAppError, RETRY_SECONDS } from "#app/lib/errors.ts";
import { logError, requestId } from "#app/lib/log.ts";
import { type RateLimit, rateLimitFields } from "#app/lib/rate-limit.ts";
import { asksForPage, unavailablePage } from "./plain-page.ts";

/** Returns a JSON answer that no cache stores. */
export function json(value: unknown, init: ResponseInit = {}): Response {
  return jsonText(JSON.stringify(value), init);
}

function jsonText(text: string, init: ResponseInit = {}): Response {
  const headers = new Headers(init.headers);
  headers.set("content-type", "application/json; charset=utf-8");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  return new Response(text, { ...init, headers });
}

/** Returns JSON text with its version as the ETag, or 304 if the caller has this version. */
export function versionedJson(
  request: Request,
  { text, version }: { text: string; version: string },
): Response {
  const etag = `W/"${version}"`;
  const headers = { etag, "cache-control": "private, no-cache" };
  if (hasVersion(request, etag)) return new Response(null, { status: 304, headers });
  return jsonText(text, { headers });
}

/** Returns whether the caller has the version of an ETag: the weak comparison of `If-None-Match` (RFC 9110, 13.1.2). */
export function hasVersion(request: Request, etag: string): boolean {
  const known = request.headers.get("if-none-match")?.split(",").map(opaqueTag) ?? [];
  return known.includes("*") || known.includes(opaqueTag(etag));
}

function opaqueTag(etag: string): string {
  return etag.trim().replace(/^W\//, "");
}

/** Returns a streamed JSON answer that no cache stores. */
export function jsonStream(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, {
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
  });
}

/**
 * Returns the answer to a failure. For an expected failure it contains the reason, in each field that the
 * specification's clients read (`msg`, `message`, `error`). For a bug it contains a fixed message. Both contain the
 * request id that is in the log. `facts` are headers of an expected failure.
 */
export function failure(error: unknown, facts: Record<string, string> = {}): Response {
  if (!isAppError(error)) return json(refusalBody(noteBug(error)), { status: 500 });
  const { message, code, details } = error;
  const headers = { ...facts, ...refusalHeaders(error) };
  return json({ ...details, ...refusalBody(message), code }, { status: ERROR_STATUS[code], headers });
}

/** Returns the headers of the answer to an expected failure: when to try again, and which encodings are accepted. */
export function refusalHeaders({ retryAfter, details }: AppError): Record<string, string> {
  const encodings = details?.accept_encoding;
  return {
    ...(retryAfter !== undefined && { "retry-after": String(Math.ceil(retryAfter)) }),
    ...(typeof encodings === "string" && { "accept-encoding": encodings }),
  };
}

/** Returns the fields that every JSON answer to a failure has. */
export function refusalBody(message: string) {
  const id = requestId();
  return { msg: message, message, error: message, ...(id !== "" && { request_id: id }) };
}

/** Returns the answer to a call of an address that does not exist. */
export function noSuchCall(): Response {
  return failure(new AppError("not_found", "There is no such call."));
}

/** Returns 405 with the allowed methods in `Allow`. */
export function methodRefusal(allow: readonly string[]): Response {
  const methods = new Set(allow.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])));
  const init = { status: 405, headers: { allow: [...methods].join(", ") } };
  return json(refusalBody("This address does not take that method."), init);
}

/** Adds the header fields of the limits that a request was counted against. */
export function withRateLimits(answer: Response, limits: ReadonlyMap<string, RateLimit>): Response {
  if (limits.size === 0) return answer;
  const { policy, limit } = rateLimitFields([...limits.values()]);
  answer.headers.set("ratelimit-policy", policy);
  answer.headers.set("ratelimit", limit);
  return answer;
}

/** Returns an answer of type text/plain in UTF-8. */
export function plainText(text: string, init: ResponseInit = {}): Response {
  const headers = new Headers(init.headers);
  headers.set("content-type", "text/plain; charset=utf-8");
  return new Response(text, { ...init, headers });
}

/** Answers an uptime probe: 200 if all is well, otherwise 503. */
export function healthAnswer({ isWell, lines }: { isWell: boolean; lines: string[] }): Response {
  return plainText(`${lines.join("\n")}\n`, { status: isWell ? 200 : 503 });
}

/** Returns the answer to a failure with the message as the whole body; only the header has the request id. */
export function textFailure(error: unknown): Response {
  if (!isAppError(error)) return plainText(noteBug(error), { status: 500 });
  return plainText(error.message, { status: ERROR_STATUS[error.code], headers: refusalHeaders(error) });
}

/**
 * Returns the answer to a failure of a webhook. The sender still has the read, so the answer tells it to retry; some
 * senders drop a read after a bare 500.
 */
export function webhookFailure(error: unknown): Response {
  if (isAppError(error)) return failure(error);
  return failure(new AppError("unavailable", noteBug(error), { retryAfter: RETRY_SECONDS }));
}

/** Returns the answer to a browser's request for a page while the database does not answer; undefined for other requests. */
export function pageFailure(request: Request, error: unknown): Response | undefined {
  if (!asksForPage(request)) return undefined;
  noteBug(error);
  return unavailablePage("Its database does not answer.", { retryAfter: RETRY_SECONDS });
}

/** Logs a bug. Returns the text for the user, who also gets the request id under which it is in the log. */
export function noteBug(error: unknown): string {
  logError("bug", error);
  return "Something went wrong.";
}

const RESTORE_RETRY_SECONDS = 60;
const RESTORING = "Odin is being restored from a backup.";
const UNFINISHED =
  "The restore of a backup has not finished. Odin stays closed until an operator sets RESTORE_TOKEN and finishes or clears it.";

/** Returns the answer to every request except those of the restore, while a restore is running or unfinished. */
export function closedDuringRestore(
  request: Request,
  { hasToken }: { hasToken: boolean },
): Response | undefined {
  const { pathname } = new URL(request.url);
  if (hasToken && /^\/restore(\/|$)/.test(pathname)) return undefined;
  const reason = hasToken ? RESTORING : UNFINISHED;
  const retryAfter = RESTORE_RETRY_SECONDS;
  const refusal = new AppError("unavailable", reason, { retryAfter });
  if (pathname === "/health") return textFailure(refusal);
  return asksForPage(request) ? unavailablePage(reason, { retryAfter }) : failure(refusal);
}

/**
 * Adds the headers of every answer: the request id, the time, and (ASVS 3.4) a strict content policy, no referrer to other
 * sites, no framing, no sniffing, no caching.
 */
export function withSecurityHeaders(response: Response, nonce: string): Response {
  const headers = new Headers(response.headers);
  const isPage = (headers.get("content-type") ?? "").startsWith("text/html");
  if (!headers.has("content-security-policy")) {
    headers.set(
      "content-security-policy",
      isPage ? pagePolicy(nonce) : "default-src 'none'; frame-ancestors 'none'",
    );
  }
  const id = requestId();
  if (id !== "") headers.set("x-request-id", id);
  // Browsers compute ages from this header. Cloudflare sets its own.
  if (!headers.has("date")) headers.set("date", new Date().toUTCString());
  headers.set("strict-transport-security", "max-age=63072000; includeSubDomains");
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "same-origin");
  headers.set("cross-origin-opener-policy", "same-origin");
  if (!headers.has("cross-origin-resource-policy"))
    headers.set("cross-origin-resource-policy", "same-origin");
  headers.set("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
  headers.set("x-frame-options", "DENY");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  // A client's cache belongs to one session, however its token is sent: after a sign-out, the next user's requests
  // reach the server.
  if (headers.get("cache-control")?.startsWith("private")) headers.append("vary", "cookie, authorization");
  const { status, statusText, body } = response;
  // An encoded body must not be encoded again.
  return new Response(body, {
    status,
    statusText,
    headers,
    encodeBody: headers.has("content-encoding") ? "manual" : "automatic",
  });
}

function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    // Positions of virtual rows and sliders are style attributes, which cannot contain scripts.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
