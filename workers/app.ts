import { createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import { type Env, isBeingRestored } from "#app/context.ts";
import { BUILD_HEADER } from "#app/entities/operations/build-header.ts";
import type { Job } from "#app/entities/operations/job.ts";
import {
  addressOf,
  isFromCamera,
  isFromOtherSite,
  receive,
  refusedUnknown,
  refuseFromOtherSite,
} from "#app/http/incoming.ts";
import { createLoadContext } from "#app/http/load-context.ts";
import {
  closedDuringRestore,
  failure,
  methodRefusal,
  noSuchCall,
  pageFailure,
  webhookFailure,
  withSecurityHeaders,
} from "#app/http/responses.ts";
import { readableCode } from "#app/lib/crypto/primitives.ts";
import { logInfo, rayOf, traced } from "#app/lib/log.ts";
// @ts-expect-error: made by the build
import * as build from "../build/server/index.js";
import { endpointHandlers, screenMethods } from "./endpoint-handlers.ts";
import { takeBatch } from "./queue.ts";
import { routePatterns, withoutData } from "./route-patterns.ts";
import { runCron } from "./scheduled.ts";

const server: ServerBuild = build;
const handle = createRequestHandler(server, "production");
const patternOf = routePatterns(server.routes);
const handlerOf = endpointHandlers(server);
const methodsOf = screenMethods(server);
/** The patterns of requests that no route answers: the catch-all route, and no match at all. */
const UNKNOWN = ["/*", "unmatched"];

export default {
  fetch(request, env, lifetime) {
    // An id that the caller sends is not used: it could be anything, or the id of another request.
    const trace = {
      requestId: readableCode(),
      pattern: patternOf(addressOf(request).pathname),
      ray: rayOf(request),
    };
    return traced(trace, async () => {
      const started = Date.now();
      const answer = await answerOf(request, env, lifetime);
      const method = /^[A-Z]{3,7}$/.test(request.method) ? request.method : "other";
      logInfo("request", { method, status: answer.status, milliseconds: Date.now() - started });
      return answer;
    });
  },
  async queue(batch, env, lifetime) {
    const trace = { requestId: readableCode(), pattern: `queue ${batch.queue}` };
    await traced(trace, () => takeBatch(batch, env, lifetime));
  },
  async scheduled(event, env, lifetime) {
    const trace = { requestId: readableCode(), pattern: `cron ${event.cron}` };
    await traced(trace, () => runCron(event, env, lifetime));
  },
} satisfies ExportedHandler<Env, Job>;

async function answerOf(incoming: Request, env: Env, lifetime: ExecutionContext): Promise<Response> {
  try {
    return await answer(incoming, env, lifetime);
  } catch (error) {
    // Remix catches what its routes throw. Anything else is a deployment that cannot start, such as one without a
    // secret.
    return withSecurityHeaders(failure(error), "");
  }
}

async function answer(incoming: Request, env: Env, lifetime: ExecutionContext): Promise<Response> {
  const request = receive(incoming);
  if (request instanceof Response) return withSecurityHeaders(request, "");
  const isForeign = isFromOtherSite(request);
  const pattern = patternOf(new URL(request.url).pathname);
  const refused = isForeign ? undefined : refusedCall(request, pattern);
  if (refused) return withSecurityHeaders(refused, "");
  const closed = await closedAnswer(request, env);
  if (closed) return withSecurityHeaders(closed, "");
  const context = createLoadContext({ request, env, lifetime });
  if (isForeign) return withSecurityHeaders(await refuseFromOtherSite(context.app, request), "");
  const handleThis = handlerOf(pattern) ?? handle;
  const answered = withSecurityHeaders(await handleThis(request, context), context.nonce);
  if (context.isDataCall) answered.headers.set(BUILD_HEADER, server.assets.version);
  return answered;
}

/** Returns the answer to a call that no route accepts, or not with this method; undefined for other calls. */
function refusedCall(request: Request, pattern: string): Response | undefined {
  const route = withoutData(pattern);
  if (UNKNOWN.includes(route)) return refusedUnknown(request);
  const methods = methodsOf(route);
  // Only scripts request the data of screens.
  if (!methods) return route === pattern ? undefined : noSuchCall();
  return methods.includes(request.method) ? undefined : methodRefusal(methods);
}

/** Returns the refusal while a restore is unfinished or the database does not answer; otherwise undefined. */
async function closedAnswer(request: Request, env: Env): Promise<Response | undefined> {
  try {
    if (!(await isBeingRestored(env))) return undefined;
  } catch (error) {
    const url = new URL(request.url);
    // The health check reports the failure itself.
    if (url.pathname === "/health") return undefined;
    if (isFromCamera(url)) return webhookFailure(error);
    const page = pageFailure(request, error);
    if (page) return page;
    throw error;
  }
  return closedDuringRestore(request, { hasToken: Boolean(env.RESTORE_TOKEN) });
}
