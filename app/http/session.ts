// Identifies the sender of a request. A browser sends an opaque token in a __Host- cookie, an API client in a bearer
// header. Both are looked up by hash, so that a revocation takes effect at the next request. Background polling does
// not extend a session.

import { Authenticator } from "remix-auth";
import { FormStrategy } from "remix-auth-form";
import type { AppContext } from "#app/context.ts";
import {
  actorOfSession,
  isSessionToken,
  type NewSession,
  resumeSession,
  type SignedIn,
  signIn,
} from "#app/domain/accounts/sign-in.ts";
import {
  type Caller,
  Credentials,
  KNOWN_DEVICE_MS,
  type SessionActor,
} from "#app/entities/accounts/actor.ts";
import type { RelyingParty } from "#app/entities/accounts/second-factor.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { AppError } from "#app/lib/errors.ts";
import { SECOND } from "#app/lib/time/dates.ts";

const COOKIE = "__Host-odin";
const DEVICE_COOKIE = "__Host-odin-device";
/** The header in which a program, which has no cookies, names its device. */
const DEVICE_HEADER = "odin-device";

/** Returns the address, the program and, if it has signed in before, the device that a request comes from. */
export function callerOf(request: Request): Caller {
  const device = cookieNamed(request, DEVICE_COOKIE) ?? request.headers.get(DEVICE_HEADER);
  return {
    ip: request.headers.get("cf-connecting-ip") ?? "local",
    userAgent: request.headers.get("user-agent") ?? "",
    ...(device && /^[\w-]{3,64}$/.test(device) && { device }),
  };
}

/** Returns the value of a cookie, or undefined if it is missing or empty. */
export function cookieNamed(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || undefined;
  }
  return undefined;
}

function cookieToken(request: Request): string | undefined {
  return cookieNamed(request, COOKIE);
}

function bearerToken(request: Request): string | undefined {
  return /^Bearer +([\w-]{16,})$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

/**
 * Returns the relying party of passkeys: the host that the browser shows and signs. PUBLIC_ORIGIN sets it, so that no
 * other hostname of the Worker takes part; without it, the request's host counts.
 */
export function relyingPartyOf(app: AppContext, request: Request): RelyingParty {
  const { hostname, origin } = new URL(app.config.publicOrigin || request.url);
  return { id: hostname, origin };
}

/**
 * Returns the service account's token of a request, or undefined if it has none. A token of the wrong length is
 * returned too, so that such a request never counts as one with a session.
 */
export function serviceTokenOf(request: Request): string | undefined {
  return /^Bearer +(odin_sa_.*)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

/** Returns whether a request carries the cookie of a session. */
export function hasSessionCookie(request: Request): boolean {
  return cookieToken(request) !== undefined;
}

/**
 * Returns the actor of a request, or null. A token is accepted only in the place it was issued for. A bearer token that
 * never was Odin's does not hide the cookie next to it: documented clients send whatever token they stored. The request
 * counts as use of the session unless it is a poll or `keepAlive` is false.
 */
export async function findActor(
  app: AppContext,
  request: Request,
  { keepAlive = true }: { keepAlive?: boolean } = {},
): Promise<SessionActor | null> {
  // A service account has no session: endpoints admit it themselves, and screens never do.
  if (serviceTokenOf(request) !== undefined) return null;
  const bearer = bearerToken(request);
  const cookie = cookieToken(request);
  const background = request.headers.get("odin-background") === "1";
  const resume = (token: string | undefined, kind: SessionActor["kind"]) =>
    token
      ? resumeSession(app, { token, kind, caller: callerOf(request), keepAlive: keepAlive && !background })
      : null;
  if (!bearer) return resume(cookie, "cookie");
  const actor = await resume(bearer, "bearer");
  if (actor || !cookie || (await isSessionToken(app, bearer))) return actor;
  return resume(cookie, "cookie");
}

/** Returns the actor of a session whose cookie was renewed during the request. */
export function actorOfCookie(app: AppContext, token: string, caller: Caller): Promise<SessionActor | null> {
  return resumeSession(app, { token, kind: "cookie", caller, keepAlive: false });
}

/** Returns the actor of a session as it is now, or null if it has ended. */
export function actorOfId(app: AppContext, sessionId: string, caller: Caller): Promise<SessionActor | null> {
  return actorOfSession(app, { sessionId, caller });
}

/**
 * Returns the session cookie. It has no Max-Age, so it ends with the browser; the server decides when the session ends.
 */
export function sessionCookie(token: string): string {
  return `${COOKIE}=${token}; Path=/; Secure; HttpOnly; SameSite=Strict`;
}

/** Returns the cookie of a known device, which signs no one in; see domain/accounts/devices.ts. */
function deviceCookie(token: string): string {
  const seconds = KNOWN_DEVICE_MS / SECOND;
  return `${DEVICE_COOKIE}=${token}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
}

/** Returns the session's cookie, followed by the device's if it has just become known. */
export function signedInCookies({ token, device }: NewSession): string[] {
  return device ? [sessionCookie(token), deviceCookie(device)] : [sessionCookie(token)];
}

/** Returns the Set-Cookie header that deletes the session cookie. */
export function clearedSessionCookie(): string {
  return `${COOKIE}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`;
}

/**
 * Signs in with remix-auth's form strategy; a JSON call is passed as the equivalent form. Throws AppError
 * unauthenticated, with the same message for every cause.
 */
export async function authenticate(
  app: AppContext,
  input: {
    request: Request;
    credentials: Credentials;
    notice: string | undefined;
    kind: "cookie" | "bearer";
  },
): Promise<SignedIn> {
  const { request, notice, kind } = input;
  const authenticator = new Authenticator<SignedIn>();
  const strategy = new FormStrategy<SignedIn>(({ form }) => {
    const credentials = Credentials.safeParse(Object.fromEntries(form));
    if (!credentials.success) throw new AppError("unauthenticated", MESSAGES.loginFailed);
    return signIn(app, { credentials: credentials.data, notice, caller: callerOf(request), kind });
  });
  authenticator.use(strategy, "password");
  const form = new Request(request.url, {
    method: "POST",
    body: new URLSearchParams(input.credentials),
  });
  return authenticator.authenticate("password", form);
}
