// The HTTP side of single sign-on: redirects to the provider and back, through remix-auth, and the cookie between
// them. The provider's site sends the browser back, so that cookie is SameSite=Lax. The session's cookie is
// SameSite=Strict and would not be sent along a redirect from another site; a page of our own takes the browser on.

import { Authenticator } from "remix-auth";
import { Strategy } from "remix-auth/strategy";
import type { AppContext } from "#app/context.ts";
import { endBySignOn } from "#app/domain/accounts/sign-on-logout.ts";
import {
  agencyOfEmail,
  beginSignOn,
  finishSignOn,
  type Refused,
  type SignedOn,
  signOnAgency,
} from "#app/domain/accounts/single-sign-on.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { WorkEmail } from "#app/entities/accounts/sign-on-settings.ts";
import { isSignOnFailure, SIGN_ON_MS } from "#app/entities/accounts/single-sign-on.ts";
import { isAppError } from "#app/lib/errors.ts";
import { readSentBytes } from "#app/lib/files/inflate.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { readForm } from "./forms.ts";
import { json } from "./responses.ts";
import { firstScreen } from "./return-path.ts";
import { callerOf, cookieNamed, sessionCookie } from "./session.ts";

const FLOW_COOKIE = "__Host-odin-sso";
const FORM_BYTES = 8 * 1024;
/** A logout token has some hundred characters. */
const LOGOUT_BYTES = 32 * 1024;

function flowCookie(flow: string): string {
  return `${FLOW_COOKIE}=${flow}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${SIGN_ON_MS / SECOND}`;
}
const clearedFlow = `${FLOW_COOKIE}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`;

/** Odin's own origin, from which the redirect URI is built; a request's Host is used for local installations only. */
export function originOf(app: AppContext, request: Request): string {
  return app.config.publicOrigin || new URL(request.url).origin;
}

type Answered = { flow: string; params: URLSearchParams };

/**
 * OpenID Connect as a strategy of remix-auth, which requires a class: without the provider's answer it redirects to the
 * provider, and with it the verify function finds the user.
 */
class OpenIdConnect extends Strategy<SignedOn | Refused, Answered> {
  override name = "single-sign-on";
  private begin: () => Promise<Response>;

  constructor(begin: () => Promise<Response>, verify: (answered: Answered) => Promise<SignedOn | Refused>) {
    super(verify);
    this.begin = begin;
  }

  override async authenticate(request: Request): Promise<SignedOn | Refused> {
    const { pathname, searchParams } = new URL(request.url);
    if (!pathname.endsWith("/callback")) throw await this.begin();
    return this.verify({ flow: cookieNamed(request, FLOW_COOKIE) ?? "", params: searchParams });
  }
}

type Asked = { app: AppContext; agencyId: string; request: Request };

/** Runs the strategy. Failures lead back to the sign-in page, which says what went wrong. */
async function authenticate(
  { app, agencyId, request }: Asked,
  session?: string,
): Promise<SignedOn | Refused | Response> {
  const caller = callerOf(request);
  const origin = originOf(app, request);
  const { searchParams } = new URL(request.url);
  const notice = searchParams.get("notice") ?? "";
  const authenticator = new Authenticator<SignedOn | Refused>();
  authenticator.use(
    new OpenIdConnect(
      async () => {
        const { url, flow } = await beginSignOn(app, {
          agencyId,
          origin,
          notice: /^[\w.-]{1,40}$/.test(notice) ? notice : "",
          ...(session !== undefined && { session }),
          again: searchParams.has("again"),
          caller,
        });
        return new Response(null, {
          status: 302,
          headers: { location: url, "set-cookie": flowCookie(flow) },
        });
      },
      ({ flow, params }) => finishSignOn(app, { agencyId, origin, flow, params, caller }),
    ),
  );
  try {
    return await authenticator.authenticate("single-sign-on", request);
  } catch (error) {
    if (error instanceof Response) return error;
    if (isSignOnFailure(error)) return backToSignIn(error.kind);
    if (isAppError(error) && error.code === "too_many") return backToSignIn("busy");
    throw error;
  }
}

/** Redirects to Odin's own sign-in page; its address contains no text from the provider. */
function backToSignIn(code: string): Response {
  return onwards(`/?sso=${code}`, "Single sign-on failed.", [clearedFlow]);
}

/**
 * GET /sso/{agency}: redirects to the agency's provider, after a confirmation unless a page of Odin led here. Otherwise a
 * link on any site could sign this browser in as a user whom the provider of another agency chooses (login CSRF), and
 * claim that the use notification was shown.
 */
export async function answerSignOn(asked: Asked): Promise<Response> {
  if (!isFromOdin(asked.request)) return confirmation(asked);
  const answer = await authenticate(asked);
  return answer instanceof Response ? answer : backToSignIn("expired");
}

/** Browsers without `Sec-Fetch-Site` send at least the referrer, which no other site can forge. */
function isFromOdin({ headers, url }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return URL.parse(headers.get("referer") ?? "")?.origin === new URL(url).origin;
}

/** Leads to the sign-in screen, which asks whether to continue. */
async function confirmation({ app, agencyId, request }: Asked): Promise<Response> {
  if (!(await signOnAgency(app, agencyId))) return backToSignIn("not-set-up");
  const again = new URL(request.url).searchParams.has("again") ? "&again=1" : "";
  return onwards(`/?agency=${encodeURIComponent(agencyId)}${again}`, "Odin's sign-in page follows.", []);
}

/** GET /sso/step-up: redirects to the provider of the actor's agency, which must ask the actor again. */
export async function answerStepUp(
  app: AppContext,
  actor: SessionActor,
  request: Request,
): Promise<Response> {
  const answer = await authenticate({ app, agencyId: actor.agencyId, request }, actor.sessionId);
  return answer instanceof Response ? answer : backToSignIn("expired");
}

/** GET /sso/{agency}/callback: the provider's answer. Opens or renews the session. */
export async function answerCallback(asked: Asked): Promise<Response> {
  const answer = await authenticate(asked);
  if (answer instanceof Response) return answer;
  if ("refused" in answer) return backToSignIn("refused");
  const cookies = [sessionCookie(answer.token), clearedFlow];
  if (answer.steppedUp)
    return page(
      "Confirmed",
      "You have confirmed your identity. Close this window and repeat the action.",
      cookies,
    );
  return onwards(firstScreen(asked.request, answer.state), "Signed in.", cookies);
}

/** POST /sso/find: takes a work email and leads to the provider of its domain. Works without scripts. */
export async function answerFind(app: AppContext, request: Request): Promise<Response> {
  const { fields } = await readForm(request, FORM_BYTES);
  const email = WorkEmail.safeParse(fields);
  const agency = email.success ? await agencyOfEmail(app, email.data.email) : undefined;
  if (agency === undefined) return backToSignIn("unknown");
  const notice = /^[\w.-]{1,40}$/.test(fields.notice ?? "") ? `?notice=${fields.notice}` : "";
  const again = fields.again === "1" ? `${notice === "" ? "?" : "&"}again=1` : "";
  // The content policy forbids a form that is redirected to another site.
  return onwards(
    `/sso/${encodeURIComponent(agency)}${notice}${again}`,
    "Your agency's sign-in page follows.",
    [],
  );
}

/** POST /sso/{agency}/logout: back-channel logout. The answers are those of its standard. */
export async function answerLogout({ app, agencyId, request }: Asked): Promise<Response> {
  const text = new TextDecoder().decode(await readSentBytes(request, LOGOUT_BYTES));
  const token = new URLSearchParams(text).get("logout_token") ?? "";
  try {
    await endBySignOn(app, { agencyId, token, caller: callerOf(request) });
    return json({});
  } catch (error) {
    if (!isSignOnFailure(error)) throw error;
    return json({ error: "invalid_request", error_description: error.message }, { status: 400 });
  }
}

/** Continues to a path of Odin. The browser requests it from Odin's own page, so it sends the session cookie. */
function onwards(to: string, words: string, cookies: string[]): Response {
  // A URL path has no quotes or angle brackets: they are percent-encoded.
  const path = to.replaceAll("&", "&amp;");
  const head = `<meta http-equiv="refresh" content="0; url=${path}">`;
  return page(words, `<a href="${path}">Continue</a>`, cookies, head);
}

/** A page of fixed words. `path` and `body` contain nothing from a request except an agency's encoded id and a path. */
function page(title: string, body: string, cookies: string[], head = ""): Response {
  const headers = new Headers({ "content-type": "text/html; charset=utf-8" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="icon" href="/favicon.svg" type="image/svg+xml">${head}<title>${title} · Odin</title></head><body><h1>${title}</h1><p>${body}</p></body></html>`;
  return new Response(html, { headers });
}
