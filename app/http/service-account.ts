// Admits calls of service accounts: a bearer token, and for lookups the person it acts for. A browser never attaches
// such a token by itself, so that other sites cannot make these calls and their origin is not checked. Screens never
// admit them.

import type { AppContext } from "#app/context.ts";
import { resumeService, servedPerson, serviceActor } from "#app/domain/accounts/service-token.ts";
import { type Access, mayUse } from "#app/entities/accounts/access.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { serviceCall } from "#app/entities/accounts/service-scopes.ts";
import { AppError, isAppError } from "#app/lib/errors.ts";
import { auditRefusal, type RouteOptions } from "./access.ts";
import { callerOf, hasSessionCookie, serviceTokenOf } from "./session.ts";

const PERSON = "on_behalf_of";
/** The longest email address (RFC 5321). */
const LONGEST_NAME = 254;

type Sent = { query: URLSearchParams; body: unknown };

export type ServiceCaller = {
  /** The account itself. */
  actor: SessionActor;
  /**
   * Returns the person whom the query or the body names, or "" for the account itself. Removes the name from the body.
   * Throws AppError bad_request, audited.
   */
  personIn: (sent: Sent) => Promise<string>;
  /** Returns who makes the call: this person or, for "", the account itself. Throws AppError forbidden, audited. */
  actFor: (person: string) => Promise<SessionActor>;
};

/**
 * Returns the service account of a request, or undefined if the request has no such token or the route needs no user.
 * Throws AppError bad_request for a token next to a session cookie, and unauthenticated, forbidden and too_many.
 */
export async function admitService(input: {
  app: AppContext;
  request: Request;
  route: string;
  access: Access;
  options: RouteOptions;
}): Promise<ServiceCaller | undefined> {
  const { app, request, route, access, options } = input;
  const token = serviceTokenOf(request);
  if (token === undefined || mayUse(access, null)) return undefined;
  if (hasSessionCookie(request))
    throw new AppError("bad_request", "Send either a service account's token or a session cookie, not both.");
  const session = await resumeService(app, { token, caller: callerOf(request) });
  const call = serviceCall(route, session.scopes);
  const actor = serviceActor(session, call?.needs ?? "public");
  if (!call || !mayUse(access, actor) || !isForFullSessions(options)) {
    const details = { scopes: session.scopes };
    const error = new AppError("forbidden", "This service account has no permission for this call.", {
      details,
    });
    await auditRefusal({ app, actor, request }, error);
    throw error;
  }
  const auditing = async <T>(find: () => T | Promise<T>): Promise<T> => {
    try {
      return await find();
    } catch (error) {
      if (isAppError(error)) await auditRefusal({ app, actor, request }, error);
      throw error;
    }
  };
  return {
    actor,
    personIn: (sent) =>
      auditing(() => {
        const name = personNamed(sent);
        if (name === "" && (call.forPerson || asksForPlate(sent.query)))
          throw new AppError("bad_request", personRequired(sent), { details: { field: PERSON } });
        return name;
      }),
    actFor: (name) => auditing(() => (name === "" ? actor : servedPerson(app, session, { name, access }))),
  };
}

/** Calls whose body is not parsed here, such as exports, name the person in the query. */
function personRequired({ body }: { body: unknown }): string {
  const where = body === undefined ? "on_behalf_of in the query" : "on_behalf_of";
  return `Say in ${where} whom this call is for: the username or work email of a user of your agency.`;
}

/** Returns whether a call is for full sessions without a step-up; other calls are not for service accounts. */
function isForFullSessions({ stepUp = false, during = ["full"] }: RouteOptions): boolean {
  return !stepUp && during.includes("full");
}

/** A plate in the query makes any call a lookup: a filtered history of hits, or of the audit log. */
function asksForPlate(query: URLSearchParams): boolean {
  return (query.get("plate") ?? "").trim() !== "";
}

/** Returns the name in the query and the body, which must not differ, or "". Removes it from the body. */
function personNamed({ query, body }: Sent): string {
  const given = [...query.getAll(PERSON), ...takeFrom(body)];
  const names = new Set(given.map((name) => (typeof name === "string" ? name.trim() : undefined)));
  const [name = ""] = names;
  if (names.has(undefined) || names.size > 1 || name.length > LONGEST_NAME)
    throw new AppError("bad_request", `${PERSON} is one username or work email.`, {
      details: { field: PERSON },
    });
  return name;
}

function takeFrom(body: unknown): unknown[] {
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, PERSON)) return [];
  const value: unknown = Reflect.get(body, PERSON);
  Reflect.deleteProperty(body, PERSON);
  return [value];
}

/** Throws AppError bad_request if a user's call names a person to act for, as only service accounts can. */
export function refuseActingFor(sent: Sent): void {
  if (personNamed(sent) !== "")
    throw new AppError("bad_request", "Only a service account acts on behalf of a user.");
}
