// Answers that other origins may use: those of ALLOWED_ORIGINS, and only where an endpoint says so.

const PREFLIGHT_SECONDS = "600";

/**
 * An answer with what a browser needs to hand it to a page of another origin. Where no origin is allowed it is returned as
 * it is. The session cookie is SameSite=Strict: pages of the same site send it, others need a bearer token.
 */
export function shareable(answer: Response, request: Request, allowed: readonly string[]): Response {
  if (allowed.length === 0) return answer;
  const headers = new Headers(answer.headers);
  headers.append("vary", "origin");
  // An <img> without CORS sends no origin; only pages of the same site can send the cookie with it.
  headers.set("cross-origin-resource-policy", "same-site");
  const origin = request.headers.get("origin");
  if (origin !== null && allowed.includes(origin)) {
    headers.set("access-control-allow-origin", origin);
    headers.set("access-control-allow-credentials", "true");
  }
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}

/** The answer to a browser that asks whether it may send a bearer token along. */
export function preflight(request: Request, allowed: readonly string[]): Response {
  const headers = {
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "authorization",
    "access-control-max-age": PREFLIGHT_SECONDS,
  };
  return shareable(new Response(null, { status: 204, headers }), request, allowed);
}
