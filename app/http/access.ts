// The guard of every route: who may use it (entities/access.ts), that the session is worth it, that no other site made
// the request. A session that is not full reaches only what names its state; anything else is refused by default.

import type { AppContext } from "#app/context.ts";
import { noteRefusal } from "#app/domain/account.ts";
import { type Access, mayUse, type SessionState, STEP_UP_MS } from "#app/entities/access.ts";
import type { SessionActor } from "#app/entities/account.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { AppError } from "#app/lib/errors.ts";
import { callerOf, hasCookieSession } from "./session.ts";

/** The actor of a level: doors and public pages may have none. */
export type ActorOf<A extends Access> = A extends "public" | "local" | "door"
  ? SessionActor | null
  : SessionActor;

/** What a route says beside its level. */
export type RouteOptions = {
  /** A privileged function: password or second factor were given within the last ten minutes (CJIS IA-11). */
  stepUp?: boolean;
  /** States of a session that reach it; a full one alone where nothing is said. */
  during?: readonly SessionState[];
  /** Bytes that the JSON body may have, where it may be large. */
  bodyLimit?: number;
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
  const isOpen = access === "public" || access === "local" || access === "door";
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
 * Refuses requests that change something and were made by another site (OWASP CSRF: Fetch Metadata, then Origin).
 * A request that carries our cookie must say where it comes from; clients without one are no browser.
 */
export function refuseCrossSite(request: Request): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  const refused = new AppError("forbidden", "This request came from another site and was refused.");
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) {
    if (site !== "same-origin") throw refused;
    return;
  }
  const origin = request.headers.get("origin");
  if (origin !== null) {
    if (origin !== new URL(request.url).origin) throw refused;
    return;
  }
  if (hasCookieSession(request)) throw refused;
}
