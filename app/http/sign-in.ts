// The HTTP side of signing in and out: two body types, cookies, the redirect. A program that asks for a token gets it
// in the answer. A page in a browser never does, because its scripts could read it.

import type { AppContext } from "#app/context.ts";
import { type SignedIn, signOut } from "#app/domain/accounts/sign-in.ts";
import { type Actor, Credentials, type SessionActor, USERNAME_MAX } from "#app/entities/accounts/actor.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { AppError, isAppError } from "#app/lib/errors.ts";
import { readSentBytes } from "#app/lib/files/inflate.ts";
import { fieldIn, parseJson } from "#app/lib/json/parse.ts";
import { beginning } from "#app/lib/text.ts";
import { requireMedia, urlEncodedOf, utf8Of } from "./body.ts";
import { requireCleanText } from "./clean-text.ts";
import { json } from "./responses.ts";
import { firstScreen } from "./return-path.ts";
import { authenticate, clearedSessionCookie, cookieNamed, findActor, signedInCookies } from "./session.ts";

const FORM = "application/x-www-form-urlencoded";
const CREDENTIALS_LIMIT = 8 * 1024;

/** Returns the version of the use notification that the client showed, or undefined. */
function noticeOf(body: unknown): string | undefined {
  const named = fieldIn(body, "notice");
  return typeof named === "string" && /^[\w.-]{1,40}$/.test(named) ? named : undefined;
}

/**
 * Returns whether a page in a browser made the request. Every browser sends Sec-Fetch-Site or, if it is old or the page
 * has no TLS, Origin with a POST. Node and Deno send only Sec-Fetch-Mode, which proves nothing.
 */
function isBrowserPage(request: Request): boolean {
  return request.headers.has("sec-fetch-site") || request.headers.has("origin");
}

/** Answers POST /login: JSON with `redirect_url` and `msg`, or a redirect for the plain HTML form. */
export async function answerSignIn(app: AppContext, request: Request): Promise<Response> {
  const isForm = requireMedia(request, [FORM, "application/json"], "Send this as application/json.") === FORM;
  const text = utf8Of(await readSentBytes(request, CREDENTIALS_LIMIT));
  const body = isForm ? Object.fromEntries(urlEncodedOf(text)) : parseJson(text);
  requireCleanText(body);
  const credentials = Credentials.safeParse(body);
  const wantsToken = !isForm && fieldIn(body, "client") === "api";
  try {
    if (!credentials.success) throw new AppError("unauthenticated", MESSAGES.loginFailed);
    if (wantsToken && isBrowserPage(request)) {
      throw new AppError("forbidden", "A browser signs in with a cookie, not with a token.");
    }
    const kind = wantsToken ? "bearer" : "cookie";
    const signedIn = await authenticate(app, {
      request,
      credentials: credentials.data,
      notice: noticeOf(body),
      kind,
    });
    const { token, state, device } = signedIn;
    const first = firstScreen(request, state);
    const answer = { msg: "Login successful", redirect_url: first };
    if (wantsToken) return json({ ...answer, token, device });
    await endReplacedSession(app, request);
    const headers = cookiesOf(signedIn);
    if (isForm) return seeOther(first, headers);
    return json(answer, { headers });
  } catch (error) {
    if (!isForm || !isAppError(error)) throw error;
    const headers = new Headers({ "set-cookie": typedNameCookie(fieldIn(body, "username")) });
    return seeOther(error.code === "too_many" ? "/?failed=address" : "/?failed=1", headers);
  }
}

/** Ends the session whose cookie the new one replaces, since no one could end it afterward (ASVS 5.0, 7.2.4). Audited. */
async function endReplacedSession(app: AppContext, request: Request): Promise<void> {
  const actor = await findActor(app, request, { keepAlive: false });
  if (actor?.kind === "cookie") await signOut(app, actor, { reason: "another sign-in in the same browser" });
}

// The username that was typed into a plain HTML form, for the page about the failed sign-in. In the address it would be
// logged.

const TYPED = "__Host-odin-typed";
const TYPED_SECONDS = 60;

function typedNameCookie(typed: unknown): string {
  const name = typeof typed === "string" ? beginning(typed, USERNAME_MAX) : "";
  return `${TYPED}=${encodeURIComponent(name)}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${TYPED_SECONDS}`;
}

/** Returns the username that was typed before the sign-in failed, or "". */
export function typedName(request: Request): string {
  try {
    return decodeURIComponent(cookieNamed(request, TYPED) ?? "").slice(0, USERNAME_MAX);
  } catch {
    return "";
  }
}

function seeOther(location: string, headers = new Headers()): Response {
  headers.set("location", location);
  return new Response(null, { status: 303, headers });
}

function cookiesOf(signedIn: SignedIn): Headers {
  const headers = new Headers();
  for (const cookie of signedInCookies(signedIn)) headers.append("set-cookie", cookie);
  return headers;
}

type Renewing = { actor: SessionActor; request: Request };

/**
 * Answers with a session that continues under a new token: in the cookie for a browser, in the answer for a client with
 * a bearer token.
 */
export function sessionRenewed(
  { actor: { kind }, request }: Renewing,
  renewed: SignedIn,
  more: Record<string, unknown> = {},
): Response {
  const answer = { msg: "Confirmed", redirect_url: firstScreen(request, renewed.state), ...more };
  if (kind === "bearer") return json({ ...answer, token: renewed.token, device: renewed.device });
  return json(answer, { headers: cookiesOf(renewed) });
}

/** Does the same for a session that set up a second factor. Only this answer contains the recovery codes. */
export function enrolled(call: Renewing, renewed: SignedIn & { recoveryCodes: string[] }): Response {
  return sessionRenewed(call, renewed, { recovery_codes: renewed.recoveryCodes });
}

/** Answers the end of a session: the browser deletes the cookie. */
export function sessionEnded(answer: object): Response {
  return json(answer, { headers: { "set-cookie": clearedSessionCookie() } });
}

/** Answers POST /logout: the session ends immediately and the browser deletes the cookie. */
export async function answerSignOut(app: AppContext, actor: Actor, request: Request): Promise<Response> {
  await signOut(app, actor);
  return signedOut(request);
}

/**
 * Answers POST /logout without a session: a session that has already ended counts as signed out. A plain HTML form is
 * redirected to the sign-in page.
 */
export function signedOut(request: Request): Response {
  if (isPlainForm(request))
    return seeOther("/?again=1", new Headers({ "set-cookie": clearedSessionCookie() }));
  return sessionEnded({ msg: "Logged out" });
}

/** Returns whether a browser sent a form and shows the answer. Programs may send forms too, but ask for no page. */
function isPlainForm({ headers }: Request): boolean {
  const isForm = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() === FORM;
  return isForm && (headers.get("accept") ?? "").includes("text/html");
}
