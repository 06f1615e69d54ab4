// How answers leave: JSON, errors in the caller's words, and the headers that every answer carries.

import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError, ERROR_STATUS, isAppError } from "#app/lib/errors.ts";

/** JSON that nobody keeps. */
export function json(value: unknown, init: ResponseInit = {}): Response {
  const headers = new Headers(init.headers);
  headers.set("content-type", "application/json; charset=utf-8");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  return new Response(JSON.stringify(value), { ...init, headers });
}

/** JSON that is written while it is sent, and that nobody keeps. */
export function jsonStream(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, {
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
  });
}

/**
 * The answer to a failure. Expected ones say why, under each of the names that the specification's calls read
 * (`msg`, `message`, `error`); a bug gives an opaque id that stands beside it in the log, and nothing else.
 */
export function failure(error: unknown): Response {
  if (!isAppError(error)) {
    const message = noteBug(error);
    return json({ msg: message, message, error: message }, { status: 500 });
  }
  const { message, code, retryAfter, details } = error as AppError;
  const headers: HeadersInit =
    retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(retryAfter)) };
  const body = { ...details, msg: message, message, error: message, code };
  return json(body, { status: ERROR_STATUS[code], headers });
}

export function plainText(text: string, init: ResponseInit = {}): Response {
  return new Response(text, { ...init, headers: { "content-type": "text/plain; charset=utf-8" } });
}

/** The answer to an uptime probe: 200 if all is well, otherwise 503. */
export function healthAnswer({ isWell, lines }: { isWell: boolean; lines: string[] }): Response {
  return plainText(`${lines.join("\n")}\n`, { status: isWell ? 200 : 503 });
}

/** The answer to a failure where what went wrong, in words, is the whole body. */
export function textFailure(error: unknown): Response {
  if (!isAppError(error)) return plainText(noteBug(error), { status: 500 });
  return plainText(error.message, { status: ERROR_STATUS[error.code] });
}

/** Seconds after which a camera or a vendor's agent may send again what could not be taken. */
const WEBHOOK_RETRY_SECONDS = 5;

/**
 * The answer of a webhook that failed. Whatever failed here (a database, a bucket), the sender still holds the
 * read: it is told to send it again, since some of them drop what was answered with a bare 500.
 */
export function webhookFailure(error: unknown): Response {
  if (isAppError(error)) return failure(error);
  return failure(new AppError("unavailable", noteBug(error), { retryAfter: WEBHOOK_RETRY_SECONDS }));
}

/** Logs a bug under a fresh id and gives the words for the user, who can name the id to an operator. */
export function noteBug(error: unknown): string {
  const id = randomToken(6);
  console.error(`error ${id}`, error);
  return `Something went wrong (error ${id}).`;
}

/** The answer to everybody but the restore itself, while a backup is brought back. */
export function closedDuringRestore(request: Request): Response | undefined {
  if (/^\/restore(\/|$)/.test(new URL(request.url).pathname)) return undefined;
  return failure(new AppError("unavailable", "Odin is being restored from a backup.", { retryAfter: 60 }));
}

/** Headers of every answer (ASVS 3.4): a strict content policy, no referrer to others, no framing, no sniffing, no caching. */
export function withSecurityHeaders(response: Response, nonce: string): Response {
  const headers = new Headers(response.headers);
  const isPage = (headers.get("content-type") ?? "").startsWith("text/html");
  if (!headers.has("content-security-policy")) {
    headers.set(
      "content-security-policy",
      isPage ? pagePolicy(nonce) : "default-src 'none'; frame-ancestors 'none'",
    );
  }
  headers.set("strict-transport-security", "max-age=63072000; includeSubDomains");
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "same-origin");
  headers.set("cross-origin-opener-policy", "same-origin");
  if (!headers.has("cross-origin-resource-policy"))
    headers.set("cross-origin-resource-policy", "same-origin");
  headers.set("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
  headers.set("x-frame-options", "DENY");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  // What one browser may keep is one session's: after a sign-out, the next person at it asks the server anew.
  if (headers.get("cache-control")?.startsWith("private")) headers.append("vary", "cookie");
  const { status, statusText, body } = response;
  // A body that was encoded by hand must not be encoded once more.
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
    // Positions of virtual rows and sliders are style attributes; no script can be smuggled through them.
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
