// The access guard of every route. It checks the user's role (entities/accounts/access.ts), the state of the session,
// and that no other site made the request. Sessions that are not fully signed in reach only routes that name their
// state; everything else is refused by default.

import type { AppContext } from "#app/context.ts";
import { noteRefusal } from "#app/domain/accounts/sign-in.ts";
import {
  isOpen,
  mayUse,
  type OpenAccess,
  type SessionAccess,
  type SessionState,
  STEP_UP_MS,
} from "#app/entities/accounts/access.ts";
import type { Actor, SessionActor } from "#app/entities/accounts/actor.ts";
import { missingPermission } from "#app/entities/accounts/missing-permission.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { AppError, ERROR_STATUS, isAppError } from "#app/lib/errors.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { actorOfId, callerOf } from "./session.ts";

/** The actor for an access level. Webhooks and public pages may have none. */
export type ActorOf<A extends SessionAccess> = A extends OpenAccess ? SessionActor | null : SessionActor;

/** Options of a route. */
export type RouteOptions = {
  /** A privileged function: requires a password or second factor given within the last ten minutes (CJIS IA-11). */
  stepUp?: boolean;
  /** Session states that may use it; by default only a full session. */
  during?: readonly SessionState[];
  /** How to answer a caller without a session, if not with 401. */
  withoutSession?: (request: Request) => Response;
  /** Maximum size of a JSON body in bytes; 256 KiB by default. */
  bodyLimit?: number;
  /** Whether pages of the origins in ALLOWED_ORIGINS may read the answer. */
  crossOrigin?: boolean;
  /** Whether another site writes the query, so that parameters that the handler does not read may contain anything. */
  foreignQuery?: boolean;
  /** How to answer a failure, if not as JSON. */
  failure?: (error: unknown) => Response;
};

const FULL_ONLY: readonly SessionState[] = ["full"];

const UNFINISHED: Record<SessionState, string> = {
  full: "You are signed in already.",
  "must-change-password": "Change your password first.",
  "must-enrol-second-factor": "Set up a second factor first.",
  "awaiting-second-factor": "Confirm your second factor first.",
};

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the actor or throws AppError: not_found for routes of a local host only, unauthenticated (or the route's own
 * answer), forbidden, step_up_required. Writes an audit row if a signed-in user is refused.
 */
export async function guard<A extends SessionAccess>(input: {
  app: AppContext;
  access: A;
  actor: SessionActor | null;
  request: Request;
  options?: RouteOptions;
}): Promise<ActorOf<A>> {
  const { app, access, actor, request, options = {} } = input;
  if (access === "local" && !LOOPBACK.test(new URL(request.url).hostname))
    throw new AppError("not_found", "Not found.");
  if (isOpen(access)) return actor as ActorOf<A>;
  if (!actor) throw options.withoutSession?.(request) ?? new AppError("unauthenticated", "Please sign in.");
  const refused = async (error: AppError, reason?: string) => {
    const object = new URL(request.url).pathname;
    await noteRefusal(app, { actor, caller: callerOf(request), object, ...(reason && { reason }) });
    return error;
  };
  if (!(options.during ?? FULL_ONLY).includes(actor.sessionState)) {
    const error = new AppError("forbidden", UNFINISHED[actor.sessionState]);
    throw await refused(error, `session is ${actor.sessionState}`);
  }
  if (!mayUse(access, actor)) {
    const details = missingPermission(access);
    throw await refused(new AppError("forbidden", MESSAGES.accessDenied, { details }));
  }
  const isFresh = actor.provedAt > app.clock() - STEP_UP_MS;
  if (options.stepUp && actor.sessionState === "full" && !isFresh) {
    const error = new AppError("step_up_required", "Please confirm that it is you.");
    throw await refused(error, "step-up required");
  }
  return actor as ActorOf<A>;
}

/** If a body took longer, its sender's session or rights may have ended meanwhile. */
const SLOW_BODY_MS = SECOND;

/** Returns whether so much time has passed since a request was admitted that it must be admitted again. */
export function arrivedSlowly(app: AppContext, since: number): boolean {
  return app.clock() - since > SLOW_BODY_MS;
}

/**
 * Does the same as `guard` with the session as it is now, after a slow body: a user who was disabled, signed out or
 * lost a right meanwhile is refused. Writes an audit row of the refusal.
 */
export async function guardAgain<A extends SessionAccess>(input: {
  app: AppContext;
  access: A;
  actor: SessionActor;
  request: Request;
  options?: RouteOptions;
}): Promise<ActorOf<A>> {
  const { app, actor, request } = input;
  const now = await actorOfId(app, actor.sessionId, callerOf(request));
  if (now) return guard({ ...input, actor: now });
  const error = new AppError("unauthenticated", "Your session ended while this was being sent.");
  await auditRefusal({ app, actor, request }, error);
  throw error;
}

/**
 * Refuses writes from another site. Throws AppError forbidden. The rule is that of Go's net/http CrossOriginProtection:
 * Sec-Fetch-Site decides, since no page can set it; without it, Origin decides. Every browser sends one of them with a
 * write, so a request with neither comes from a program.
 */
export function refuseCrossSite(request: Request): void {
  if (isCrossSite(request)) throw foreignRequest();
}

export const foreignRequest = () =>
  new AppError("forbidden", "This request came from another site and was refused.");

/** Returns whether a request is a write from another site. */
export function isCrossSite(request: Request): boolean {
  if (["GET", "HEAD", "OPTIONS"].includes(request.method)) return false;
  const site = request.headers.get("sec-fetch-site");
  if (site) return site !== "same-origin" && site !== "none";
  const origin = request.headers.get("origin");
  return Boolean(origin) && origin !== new URL(request.url).origin;
}

type Asked = { app: AppContext; actor: Actor | null; request: Request };

/** Writes an audit row that a signed-in user's request was refused, and why (CJIS AU-2). */
export async function auditRefusal({ app, actor, request }: Asked, error: AppError): Promise<void> {
  if (!actor) return;
  const object = new URL(request.url).pathname;
  await noteRefusal(app, { actor, caller: callerOf(request), object, reason: error.message });
}

/**
 * Runs an act and returns its result. If the act is refused, writes an audit row (CJIS AU-2): it named something of
 * another agency, something deleted, or something that the user may not change. Writes none for reads (unless the user
 * may not read what they can see), for acts that audit their own refusals, and for server errors.
 */
export async function auditingRefusal<T>(asked: Asked, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isRefusal = isAppError(error) && !error.audited && ERROR_STATUS[error.code] < 500;
    const isRead = ["GET", "HEAD"].includes(asked.request.method);
    if (isRefusal && (!isRead || error.code === "forbidden")) await auditRefusal(asked, error);
    throw error;
  }
}
