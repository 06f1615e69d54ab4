// Answers for pages of other origins: those of ALLOWED_ORIGINS, and only from endpoints that declare it.

const PREFLIGHT_SECONDS = "600";

/**
 * Returns the answer with CORS headers, or unchanged if no origin is allowed. The session cookie is SameSite=Strict:
 * pages of the same site send it, others need a bearer token.
 */
export function shareable(answer: Response, request: Request, allowed: readonly string[]): Response {
  if (allowed.length === 0) return answer;
  const headers = new Headers(answer.headers);
  headers.append("vary", "origin");
  // An <img> without CORS sends no origin. Only pages of the same site can send the cookie with it.
  headers.set("cross-origin-resource-policy", "same-site");
  const origin = request.headers.get("origin");
  if (origin !== null && allowed.includes(origin)) {
    headers.set("access-control-allow-origin", origin);
    headers.set("access-control-allow-credentials", "true");
  }
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}

/** Answers a browser's preflight request. */
export function preflight(request: Request, allowed: readonly string[]): Response {
  const headers = {
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "authorization",
    "access-control-max-age": PREFLIGHT_SECONDS,
  };
  return shareable(new Response(null, { status: 204, headers }), request, allowed);
}
