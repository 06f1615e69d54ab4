// Endpoints are declared as data: METHOD and URL, access, the schema of the body, one domain call. A file of
// routes/endpoints passes its table to `endpoints(...)` and exports the loader and action that it returns.

import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import type * as z from "zod/mini";
import type { AppContext } from "#app/context.ts";
import type { ScimClient } from "#app/domain/accounts/scim-token.ts";
import { type Access, isForPrograms, type SessionAccess } from "#app/entities/accounts/access.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { at } from "#app/lib/at.ts";
import { AppError, ERROR_STATUS, isAppError } from "#app/lib/errors.ts";
import { readSentBytes } from "#app/lib/files/inflate.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { textProblem } from "#app/lib/text.ts";
import type { About, HandlerResult } from "./about.ts";
import {
  type ActorOf,
  arrivedSlowly,
  auditingRefusal,
  auditRefusal,
  guard,
  guardAgain,
  type RouteOptions,
  refuseCrossSite,
} from "./access.ts";
import { checkedJson, requireJson, utf8Of } from "./body.ts";
import { requireCleanFields, requireCleanText, requireSingleValues } from "./clean-text.ts";
import type { Tag } from "./openapi/tags.ts";
import { failure, json, methodRefusal, noSuchCall, webhookFailure, withRateLimits } from "./responses.ts";
import { admitService, refuseActingFor } from "./service-account.ts";
import { admitScim, scimFailure } from "./users/scim.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The body is not read before the handler, because there is none or it streams to storage. */
export const none = Symbol("no body");

/** Custom body reader: forms, files, large JSON. */
type Reader = (request: Request) => Promise<unknown>;

type Body = z.ZodMiniType | Reader | typeof none;

/** Names after ":" in a route's URL. */
type ParamsOf<Route extends string> = Route extends `${string}:${infer Name}/${infer Rest}`
  ? { [key in Name]: string } & ParamsOf<`/${Rest}`>
  : Route extends `${string}:${infer Name}`
    ? { [key in BeforeDot<Name>]: string }
    : unknown;

/** `:slug.csv` names `slug`, and `:id*` names `id`. */
type BeforeDot<Name extends string> = Name extends `${infer Stem}.${string}`
  ? Stem
  : Name extends `${infer Stem}*`
    ? Stem
    : Name;

/** The caller of an endpoint. The client of a SCIM call was admitted by its token. */
type CallerOf<A extends Access> = A extends SessionAccess ? ActorOf<A> : ScimClient;

export type Call<Route extends string, A extends Access, B extends Body> = {
  app: AppContext;
  actor: CallerOf<A>;
  params: ParamsOf<Route>;
  query: URLSearchParams;
  body: B extends z.ZodMiniType ? z.infer<B> : B extends Reader ? Awaited<ReturnType<B>> : undefined;
  request: Request;
};

/** A method, because the guard and the schema check its call, not the compiler. */
type Handler<C, S extends z.ZodMiniType | null> = {
  handle(call: C): HandlerResult<S> | Promise<HandlerResult<S>>;
};

/** A call whose parts have the types common to all endpoints. */
type CheckedCall = {
  app: AppContext;
  actor: Actor | ScimClient | null;
  params: unknown;
  query: URLSearchParams;
  body: unknown;
  request: Request;
};

export type Endpoint = {
  method: Method;
  path: string;
  access: Access;
  /** The schema of the JSON body, if it is parsed here. */
  body: z.ZodMiniType | undefined;
  about: About;
  options: RouteOptions;
  matches: (pathname: string) => Record<string, string> | undefined;
  handle: (args: LoaderFunctionArgs, params: Record<string, string>) => Promise<Response>;
};

/** JSON bodies are small, unless an endpoint says otherwise. Uploads have their own limits. */
const BODY_LIMIT = 256 * 1024;

/** How levels answer to a failure, if not as `failure` does. */
const FAILURES: Partial<Record<Access, (error: unknown) => Response>> = {
  webhook: webhookFailure,
  scim: scimFailure,
};

/**
 * Declares an endpoint. `:name*` at the end of its URL also matches slashes, except the one that may end any URL. The
 * handler's result is sent as JSON unless it is a Response. The description `about` becomes part of the OpenAPI
 * document.
 */
export function endpoint<
  Route extends `${Method} /${string}`,
  A extends Access,
  B extends Body,
  S extends z.ZodMiniType | null,
>(
  route: Route,
  access: A,
  body: B,
  about: About<S>,
  handler: (call: Call<Route, A, B>) => HandlerResult<S> | Promise<HandlerResult<S>>,
  options: RouteOptions = {},
): Endpoint {
  const [method, path] = route.split(" ") as [Method, string];
  const declared: Handler<CheckedCall, S> = { handle: handler };
  // Unlike A, this type can be narrowed.
  const level: Access = access;
  return {
    method,
    path,
    access,
    body: isSchema(body) ? body : undefined,
    about,
    options,
    matches: matcher(path),
    handle: async ({ context, request }, params) => {
      const { app } = context;
      try {
        // The bearer token of such a program belongs neither to a session nor to a service account.
        const isProgram = isForPrograms(access);
        const client = level === "scim" ? await admitScim(app, request) : undefined;
        const since = app.clock();
        const admit = () => admitService({ app, request, route, access, options });
        const service = isProgram ? undefined : await admit();
        if (!isProgram && !service) refuseCrossSite(request);
        const session = isProgram || service ? null : await context.session();
        const caller =
          level === "scim"
            ? null
            : (service?.actor ?? (await guard({ app, access: level, actor: session, request, options })));
        const query = new URL(request.url).searchParams;
        if (!isProgram) requireCleanAddress(params, options.foreignQuery ? new URLSearchParams() : query);
        const sender = { app, actor: caller, request };
        const sent = isSchema(body)
          ? await auditingBody(sender, () => readJson(request, options.bodyLimit))
          : undefined;
        if (!isProgram && !service) await auditingBody(sender, () => refuseActingFor({ query, body: sent }));
        const person = (await service?.personIn({ query, body: sent })) ?? "";
        let actor = service ? await service.actFor(person) : caller;
        const parsed = await auditingBody({ ...sender, actor }, () => bodyOf(body, { sent, request }));
        if (level !== "scim" && body !== none && actor && arrivedSlowly(app, since)) {
          const again = service && (await admit());
          actor = again
            ? await again.actFor(person)
            : await guardAgain({ app, access: level, actor, request, options });
        }
        const call = { app, actor: client ?? actor, params, query, body: parsed, request };
        const answer = await auditingRefusal({ app, actor, request }, () => declared.handle(call));
        return answer instanceof Response ? answer : json(answer ?? {});
      } catch (error) {
        if (error instanceof Response) return error;
        return (options.failure ?? FAILURES[access] ?? failure)(error);
      }
    },
  };
}

/**
 * Throws AppError not_found for a control character in a path parameter, because no name contains one, and bad_request
 * for one in the query, or for a parameter with two values.
 */
function requireCleanAddress(params: Record<string, string>, query: URLSearchParams): void {
  if (Object.values(params).some((value) => textProblem(value, { lines: false })))
    throw new AppError("not_found", "Not found.");
  requireCleanFields(query);
  requireSingleValues(query);
}

type Sender = { app: AppContext; actor: Actor | null; request: Request };

/**
 * Runs a check of a body. Writes an audit row if a signed-in user's body is refused (CJIS AU-2), but not if the body
 * breaks off.
 */
async function auditingBody<T>(sender: Sender, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    const isRefusal = isAppError(error) && ERROR_STATUS[error.code] < 500;
    if (sender.actor && isRefusal) await auditRefusal(sender, error);
    throw error;
  }
}

/**
 * Returns the loader and action of a table of endpoints, and its part of the OpenAPI document, which is a property of
 * the loader because Remix keeps no other export of a route on the server.
 */
export function endpoints(tag: Tag, ...table: Endpoint[]) {
  async function dispatch(args: LoaderFunctionArgs | ActionFunctionArgs): Promise<Response> {
    const { pathname } = new URL(args.request.url);
    const here = table.flatMap((entry) => {
      const params = entry.matches(pathname);
      return params ? [{ entry, params }] : [];
    });
    const method = args.request.method === "HEAD" ? "GET" : args.request.method;
    const { allowedOrigins } = args.context.app.config;
    const isShared = here.some(({ entry }) => entry.options.crossOrigin);
    if (isShared && method === "OPTIONS" && allowedOrigins.length > 0)
      return preflight(args.request, allowedOrigins);
    const found = here.find(({ entry }) => entry.method === method);
    if (found) {
      const answer = withRateLimits(
        await found.entry.handle(args, found.params),
        args.context.app.rateLimits,
      );
      return isShared ? shareable(answer, args.request, allowedOrigins) : answer;
    }
    if (here.length === 0) return noSuchCall();
    return methodRefusal(here.map(({ entry }) => entry.method));
  }
  return { loader: Object.assign(dispatch, { documented: { tag, table } }), action: dispatch };
}

function matcher(path: string): Endpoint["matches"] {
  const names: string[] = [];
  const pattern = path
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/:(\w+)(\*?)/g, (_, name: string, rest) => {
      names.push(name);
      return rest === "" ? "([^/]+)" : "(.+?)";
    });
  const expression = new RegExp(`^${pattern}/?$`);
  return (pathname) => {
    const match = expression.exec(pathname);
    if (!match) return undefined;
    try {
      return Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(at(match, i + 1))]));
    } catch {
      return undefined;
    }
  };
}

/** Returns a parsed JSON body of clean text. Throws AppError unsupported_media, too_large or bad_request. */
async function readJson(request: Request, limit = BODY_LIMIT): Promise<unknown> {
  requireJson(request);
  const value = parseJson(utf8Of(await readSentBytes(request, limit)));
  if (value === undefined) throw new AppError("bad_request", "The body is not JSON.");
  requireCleanText(value);
  return value;
}

function isSchema(body: Body): body is z.ZodMiniType {
  return body !== none && typeof body !== "function";
}

/** Returns the body of a call: parsed, read, or undefined. */
function bodyOf(body: Body, { sent, request }: { sent: unknown; request: Request }): unknown {
  if (isSchema(body)) return checkedJson(body, sent);
  return typeof body === "function" ? body(request) : undefined;
}

const PREFLIGHT_SECONDS = "600";

/**
 * Returns the answer with CORS headers, or unchanged if no origin is allowed. The session cookie is SameSite=Strict:
 * pages of the same site send it, others need a bearer token.
 */
function shareable(answer: Response, request: Request, allowed: readonly string[]): Response {
  if (allowed.length === 0) return answer;
  const headers = new Headers(answer.headers);
  headers.append("vary", "origin");
  // An <img> without CORS sends no origin. Only pages of the same site can send the cookie with it.
  headers.set("cross-origin-resource-policy", "same-site");
  const origin = request.headers.get("origin");
  if (origin !== null && allowed.includes(origin)) {
    headers.set("access-control-allow-origin", origin);
    headers.set("access-control-allow-credentials", "true");
  }
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}

/** Answers a browser's preflight request. */
function preflight(request: Request, allowed: readonly string[]): Response {
  const headers = {
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "authorization",
    "access-control-max-age": PREFLIGHT_SECONDS,
  };
  return shareable(new Response(null, { status: 204, headers }), request, allowed);
}
