import { createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import { type Env, isBeingRestored } from "#app/context.ts";
import type { Job } from "#app/entities/operations/job.ts";
import { receive } from "#app/http/incoming.ts";
import { createLoadContext } from "#app/http/load-context.ts";
import { closedDuringRestore, withSecurityHeaders } from "#app/http/responses.ts";
// @ts-expect-error: made by the build
import * as build from "../build/server/index.js";
import { takeBatch } from "./queue.ts";
import { requestLine, routePatterns } from "./request-log.ts";
import { runCron } from "./scheduled.ts";

const server: ServerBuild = build;
const handle = createRequestHandler(server, "production");
const patternOf = routePatterns(server.routes);

export default {
  async fetch(request, env, lifetime) {
    const started = Date.now();
    const answer = await answerOf(request, env, lifetime);
    const pattern = patternOf(new URL(request.url).pathname);
    const { method } = request;
    // biome-ignore lint/suspicious/noConsole: it is the log.
    console.log(requestLine({ pattern, method, status: answer.status, milliseconds: Date.now() - started }));
    return answer;
  },
  async queue(batch, env, lifetime) {
    await takeBatch(batch, env, lifetime);
  },
  async scheduled(event, env, lifetime) {
    await runCron(event, env, lifetime);
  },
} satisfies ExportedHandler<Env, Job>;

async function answerOf(incoming: Request, env: Env, lifetime: ExecutionContext): Promise<Response> {
  const request = receive(incoming);
  if (request instanceof Response) return withSecurityHeaders(request, "");
  const closed = isBeingRestored(env) ? closedDuringRestore(request) : undefined;
  if (closed) return withSecurityHeaders(closed, "");
  const context = createLoadContext({ request, env, lifetime });
  return withSecurityHeaders(await handle(request, context), context.nonce);
}
