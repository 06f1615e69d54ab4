// What HTTP adds to signing in and out: two body types, the cookie, the redirect. An API client that asks for a token
// gets it in the answer; a browser never does, since there a page's script could read it.

import type { AppContext } from "#app/context.ts";
import { signOut } from "#app/domain/account.ts";
import { type Actor, Credentials } from "#app/entities/account.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { readBytes } from "#app/lib/bodies.ts";
import { AppError, isAppError } from "#app/lib/errors.ts";
import { parseJson } from "#app/lib/json.ts";
import { json } from "./responses.ts";
import { authenticate, clearedSessionCookie, sessionCookie } from "./session.ts";

const AFTER_SIGN_IN = "/search";
const CREDENTIALS_LIMIT = 8 * 1024;

/** Answers POST /login: JSON with `redirect_url` and `msg`, or a redirect for the plain HTML form. */
export async function signInAtDoor(app: AppContext, request: Request): Promise<Response> {
  const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  const isForm = type === "application/x-www-form-urlencoded";
  if (!isForm && type !== "application/json")
    throw new AppError("unsupported_media", "Send this as application/json.");
  const text = new TextDecoder().decode(await readBytes(request, CREDENTIALS_LIMIT));
  const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text);
  const credentials = Credentials.safeParse(body);
  const wantsToken = !isForm && (body as { client?: unknown } | null)?.client === "api";
  try {
    if (!credentials.success) throw new AppError("unauthenticated", MESSAGES.loginFailed);
    if (wantsToken && request.headers.has("sec-fetch-mode")) {
      throw new AppError("forbidden", "A browser signs in with a cookie, not with a token.");
    }
    const kind = wantsToken ? "bearer" : "cookie";
    const { token } = await authenticate(app, { request, credentials: credentials.data, kind });
    if (wantsToken) return json({ msg: "Login successful", redirect_url: AFTER_SIGN_IN, token });
    const headers = { "set-cookie": sessionCookie(token) };
    if (isForm) return new Response(null, { status: 303, headers: { ...headers, location: AFTER_SIGN_IN } });
    return json({ msg: "Login successful", redirect_url: AFTER_SIGN_IN }, { headers });
  } catch (error) {
    if (isForm && isAppError(error))
      return new Response(null, { status: 303, headers: { location: "/?failed=1" } });
    throw error;
  }
}

/** Answers POST /logout: the session is over at once and the browser forgets the cookie. */
export async function signOutAtDoor(app: AppContext, actor: Actor): Promise<Response> {
  await signOut(app, actor);
  return json({ msg: "Logged out" }, { headers: { "set-cookie": clearedSessionCookie() } });
}
