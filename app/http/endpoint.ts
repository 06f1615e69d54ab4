// Endpoints are declared as data: METHOD and URL, who may call, the schema of the body, one domain call.
// A file of routes/endpoints gives `endpoints(...)` a table and exports the loader and the action that come back.

import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import type * as z from "zod/mini";
import type { AppContext } from "#app/context.ts";
import { noteRefusal } from "#app/domain/account.ts";
import type { Access } from "#app/entities/access.ts";
import type { Actor } from "#app/entities/account.ts";
import { readBytes } from "#app/lib/bodies.ts";
import { AppError, ERROR_STATUS, isAppError } from "#app/lib/errors.ts";
import { parseJson } from "#app/lib/json.ts";
import { type ActorOf, guard, type RouteOptions, refuseCrossSite } from "./access.ts";
import { doorFailure, failure, json } from "./responses.ts";
import { callerOf } from "./session.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** No body is read here: there is none, or the handler reads it itself. */
export const none = Symbol("no body");

type Body = z.ZodMiniType | typeof none;

/** Names after ":" in a route's URL. */
type ParamsOf<Route extends string> = Route extends `${string}:${infer Name}/${infer Rest}`
  ? { [key in Name]: string } & ParamsOf<`/${Rest}`>
  : Route extends `${string}:${infer Name}`
    ? { [key in BeforeDot<Name>]: string }
    : unknown;

/** `:slug.csv` names `slug`. */
type BeforeDot<Name extends string> = Name extends `${infer Stem}.${string}` ? Stem : Name;

export type Call<Route extends string, A extends Access, B extends Body> = {
  app: AppContext;
  actor: ActorOf<A>;
  params: ParamsOf<Route>;
  query: URLSearchParams;
  body: B extends z.ZodMiniType ? z.infer<B> : undefined;
  request: Request;
};

export type Endpoint = {
  method: Method;
  path: string;
  access: Access;
  options: RouteOptions;
  matches: (pathname: string) => Record<string, string> | undefined;
  handle: (args: LoaderFunctionArgs, params: Record<string, string>) => Promise<Response>;
};

/** JSON bodies are small; what is larger is an upload and says so. */
const BODY_LIMIT = 256 * 1024;

/** Declares one endpoint. What the handler returns is answered as JSON unless it is a Response. */
export function endpoint<Route extends `${Method} /${string}`, A extends Access, B extends Body>(
  route: Route,
  access: A,
  body: B,
  handler: (call: Call<Route, A, B>) => unknown,
  options: RouteOptions = {},
): Endpoint {
  const [method, path] = route.split(" ") as [Method, string];
  return {
    method,
    path,
    access,
    options,
    matches: matcher(path),
    handle: async ({ context, request }, params) => {
      try {
        if (access !== "door") refuseCrossSite(request);
        const session = await context.session();
        const actor = await guard({ app: context.app, access, actor: session, request, options });
        const call = {
          app: context.app,
          actor,
          params,
          query: new URL(request.url).searchParams,
          body:
            body === none ? undefined : await takeBody({ app: context.app, actor, request, body, options }),
          request,
        };
        const answer = await noting({ app: context.app, actor, method, request }, () =>
          handler(call as unknown as Call<Route, A, B>),
        );
        return answer instanceof Response ? answer : json(answer ?? {});
      } catch (error) {
        if (error instanceof Response) return error;
        return (options.failure ?? (access === "door" ? doorFailure : failure))(error);
      }
    },
  };
}

/**
 * What the handler gives. That it refused an act of somebody signed in is written down (CJIS AU-2): what they named is
 * another agency's, or gone, or not for them. Acts whose own row says so are left alone, and so are failures of ours.
 */
async function noting(
  input: { app: AppContext; actor: Actor | null; method: Method; request: Request },
  handle: () => unknown,
): Promise<unknown> {
  const { app, actor, method, request } = input;
  try {
    return await handle();
  } catch (error) {
    if (actor && method !== "GET" && isAppError(error) && !error.audited && ERROR_STATUS[error.code] < 500) {
      const object = new URL(request.url).pathname;
      await noteRefusal(app, { actor, caller: callerOf(request), object, reason: error.message });
    }
    throw error;
  }
}

/** The checked body; that somebody signed in sent one which was refused is written down (CJIS AU-2). */
async function takeBody(input: {
  app: AppContext;
  actor: Actor | null;
  request: Request;
  body: z.ZodMiniType;
  options: RouteOptions;
}): Promise<unknown> {
  const { app, actor, request, body, options } = input;
  try {
    return await readBody(request, body, options.bodyLimit);
  } catch (error) {
    if (actor && isAppError(error)) {
      const object = new URL(request.url).pathname;
      await noteRefusal(app, { actor, caller: callerOf(request), object, reason: error.message });
    }
    throw error;
  }
}

/** A table of endpoints as the two functions that Remix wants of a route file. */
export function endpoints(...table: Endpoint[]) {
  async function dispatch(args: LoaderFunctionArgs | ActionFunctionArgs): Promise<Response> {
    const { pathname } = new URL(args.request.url);
    const here = table.flatMap((entry) => {
      const params = entry.matches(pathname);
      return params ? [{ entry, params }] : [];
    });
    const method = args.request.method === "HEAD" ? "GET" : args.request.method;
    const found = here.find(({ entry }) => entry.method === method);
    if (found) return found.entry.handle(args, found.params);
    const allow = here.map(({ entry }) => entry.method).join(", ");
    const message = "This address does not take that method.";
    return json(
      { msg: message, message, error: message },
      { status: here.length ? 405 : 404, headers: { allow } },
    );
  }
  return { loader: dispatch, action: dispatch, table };
}

function matcher(path: string): Endpoint["matches"] {
  const names: string[] = [];
  const pattern = path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:(\w+)/g, (_, name: string) => {
    names.push(name);
    return "([^/]+)";
  });
  const expression = new RegExp(`^${pattern}/?$`);
  return (pathname) => {
    const match = expression.exec(pathname);
    if (!match) return undefined;
    try {
      return Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(match[i + 1] as string)]));
    } catch {
      return undefined;
    }
  };
}

/** Reads and checks a JSON body. Throws AppError unsupported_media, too_large or bad_request with the first problem. */
async function readBody(request: Request, schema: z.ZodMiniType, limit = BODY_LIMIT): Promise<unknown> {
  const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new AppError("unsupported_media", "Send this as application/json.");
  const text = new TextDecoder().decode(await readBytes(request, limit));
  const value = parseJson(text);
  if (value === undefined) throw new AppError("bad_request", "The body is not JSON.");
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError("bad_request", issue?.message || "The body is not as documented.");
}
