// The guard of every route: who may use it (entities/access.ts), and that no other site made the request.

import type { AppContext } from "#app/context.ts";
import { noteRefusal } from "#app/domain/account.ts";
import { type Access, mayUse } from "#app/entities/access.ts";
import type { Actor } from "#app/entities/account.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { AppError } from "#app/lib/errors.ts";
import { callerOf, hasCookieSession } from "./session.ts";

/** The actor of a level: doors and public pages may have none. */
export type ActorOf<A extends Access> = A extends "public" | "local" | "door" ? Actor | null : Actor;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Passes or throws AppError: not_found for what exists on a local host only, unauthenticated, forbidden.
 * A refusal of somebody who is signed in is written to the audit log.
 */
export async function guard<A extends Access>(input: {
  app: AppContext;
  access: A;
  actor: Actor | null;
  request: Request;
}): Promise<ActorOf<A>> {
  const { app, access, actor, request } = input;
  if (access === "local" && !LOOPBACK.test(new URL(request.url).hostname))
    throw new AppError("not_found", "Not found.");
  if (!mayUse(access, actor)) {
    if (!actor) throw new AppError("unauthenticated", "Please sign in.");
    await noteRefusal(app, { actor, caller: callerOf(request), object: new URL(request.url).pathname });
    throw new AppError("forbidden", MESSAGES.accessDenied);
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
