// The guard of every route: who may use it (entities/accounts/access.ts), that the session is worth it, that no other site made
// the request. A session that is not full reaches only what names its state; anything else is refused by default.

import type { AppContext } from "#app/context.ts";
import { noteRefusal } from "#app/domain/accounts/sign-in.ts";
import { type Access, mayUse, type SessionState, STEP_UP_MS } from "#app/entities/accounts/access.ts";
import type { Actor, SessionActor } from "#app/entities/accounts/actor.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { AppError, ERROR_STATUS, isAppError } from "#app/lib/errors.ts";
import { callerOf } from "./session.ts";

/** The actor of a level: webhooks and public pages may have none. */
export type ActorOf<A extends Access> = A extends "public" | "local" | "webhook"
  ? SessionActor | null
  : SessionActor;

/** What a route says beside its level. */
export type RouteOptions = {
  /** A privileged function: password or second factor were given within the last ten minutes (CJIS IA-11). */
  stepUp?: boolean;
  /** States of a session that reach it; a full one alone where nothing is said. */
  during?: readonly SessionState[];
  /** Pages of the origins in ALLOWED_ORIGINS may use the answer. */
  crossOrigin?: boolean;
  /** How a failure is answered where that is not as JSON. */
  failure?: (error: unknown) => Response;
};

const FULL_ONLY: readonly SessionState[] = ["full"];

const UNFINISHED: Record<SessionState, string> = {
  full: "You are signed in already.",
  "must-change-password": "Change your password first.",
  "must-enrol-second-factor": "Set up a second factor first.",
  "awaiting-second-factor": "Give your second factor first.",
};

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Passes or throws AppError: not_found for what exists on a local host only, unauthenticated, forbidden,
 * step_up_required.
 * A refusal of somebody who is signed in is written to the audit log.
 */
export async function guard<A extends Access>(input: {
  app: AppContext;
  access: A;
  actor: SessionActor | null;
  request: Request;
  options?: RouteOptions;
}): Promise<ActorOf<A>> {
  const { app, access, actor, request, options = {} } = input;
  if (access === "local" && !LOOPBACK.test(new URL(request.url).hostname))
    throw new AppError("not_found", "Not found.");
  const isOpen = access === "public" || access === "local" || access === "webhook";
  if (isOpen) return actor as ActorOf<A>;
  if (!actor) throw new AppError("unauthenticated", "Please sign in.");
  const refused = async (error: AppError, reason?: string) => {
    const object = new URL(request.url).pathname;
    await noteRefusal(app, { actor, caller: callerOf(request), object, ...(reason && { reason }) });
    return error;
  };
  if (!(options.during ?? FULL_ONLY).includes(actor.sessionState)) {
    const error = new AppError("forbidden", UNFINISHED[actor.sessionState]);
    throw await refused(error, `session is ${actor.sessionState}`);
  }
  if (!mayUse(access, actor)) throw await refused(new AppError("forbidden", MESSAGES.accessDenied));
  const isFresh = actor.provedAt > app.clock() - STEP_UP_MS;
  if (options.stepUp && actor.sessionState === "full" && !isFresh) {
    const error = new AppError("step_up_required", "Please confirm that it is you.");
    throw await refused(error, "step-up required");
  }
  return actor as ActorOf<A>;
}

/**
 * Refuses requests that change something and come from another site. Throws AppError forbidden.
 * The rule is that of Go's net/http CrossOriginProtection: Sec-Fetch-Site decides where it is sent, since no page can
 * set it; otherwise Origin. Every browser sends one of them with a write, so a request with neither is from a program.
 */
export function refuseCrossSite(request: Request): void {
  if (isCrossSite(request))
    throw new AppError("forbidden", "This request came from another site and was refused.");
}

/** Whether a request that changes something was made by another site. */
export function isCrossSite(request: Request): boolean {
  if (["GET", "HEAD", "OPTIONS"].includes(request.method)) return false;
  const site = request.headers.get("sec-fetch-site");
  if (site) return site !== "same-origin" && site !== "none";
  const origin = request.headers.get("origin");
  return Boolean(origin) && origin !== new URL(request.url).origin;
}

type Asked = { app: AppContext; actor: Actor | null; request: Request };

/** Writes to the audit log that a signed-in user's request was refused, and why (CJIS AU-2). */
export async function auditRefusal({ app, actor, request }: Asked, error: AppError): Promise<void> {
  if (!actor) return;
  const object = new URL(request.url).pathname;
  await noteRefusal(app, { actor, caller: callerOf(request), object, reason: error.message });
}

/**
 * Runs an act and returns what it returns. Where it is refused, the audit log says so (CJIS AU-2): it named something of
 * another agency, something that is gone, or something the user may not change. Reading is left alone, and so are acts
 * whose own audit row says that they were refused, and failures of the server.
 */
export async function auditingRefusal<T>(asked: Asked, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isRefusal = isAppError(error) && !error.audited && ERROR_STATUS[error.code] < 500;
    if (isRefusal && asked.request.method !== "GET") await auditRefusal(asked, error);
    throw error;
  }
}
