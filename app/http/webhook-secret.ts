// Reads the secret of a webhook from headers, which platforms do not log, for senders whose address contains none.

import { isAppError } from "#app/lib/errors.ts";
import { failure, webhookFailure } from "./responses.ts";

const SECRET_MAX = 200;

/** Returns the token of a bearer authorization, or "". */
export function bearerToken(request: Request): string {
  return /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
}

/**
 * Returns the secrets in a request's headers: a bearer token, the password of basic authentication, `X-Webhook-Secret`.
 */
export function headerSecrets(request: Request): string[] {
  const [scheme = "", credentials = ""] = (request.headers.get("authorization") ?? "").trim().split(/\s+/, 2);
  const offered = [
    request.headers.get("x-webhook-secret")?.trim(),
    scheme.toLowerCase() === "bearer" ? credentials : undefined,
    scheme.toLowerCase() === "basic" ? passwordOf(credentials) : undefined,
  ];
  return offered
    .filter((secret) => secret !== undefined)
    .filter((secret) => secret !== "" && secret.length <= SECRET_MAX);
}

function passwordOf(credentials: string): string | undefined {
  try {
    const text = atob(credentials);
    return text.includes(":") ? text.slice(text.indexOf(":") + 1) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the answer of `webhookFailure`, with a Basic challenge on 401: some senders send credentials only after one.
 */
export function challengingFailure(error: unknown): Response {
  if (!isAppError(error) || error.code !== "unauthenticated") return webhookFailure(error);
  const answer = failure(error);
  answer.headers.set("www-authenticate", 'Basic realm="Odin webhook", charset="UTF-8"');
  return answer;
}
