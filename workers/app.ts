import { createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import { type Env, isBeingRestored } from "#app/context.ts";
import type { Job } from "#app/entities/job.ts";
import { createLoadContext } from "#app/http/load-context.ts";
import { closedDuringRestore, withSecurityHeaders } from "#app/http/responses.ts";
// @ts-expect-error: made by the build
import * as build from "../build/server/index.js";
import { takeBatch } from "./queue.ts";
import { runCron } from "./scheduled.ts";

const handle = createRequestHandler(build as unknown as ServerBuild, "production");

export default {
  async fetch(request, env, lifetime) {
    const closed = isBeingRestored(env) ? closedDuringRestore(request) : undefined;
    if (closed) return withSecurityHeaders(closed, "");
    const context = createLoadContext({ request, env, lifetime });
    return withSecurityHeaders(await handle(request, context), context.nonce);
  },
  async queue(batch, env, lifetime) {
    await takeBatch(batch, env, lifetime);
  },
  async scheduled(event, env, lifetime) {
    await runCron(event, env, lifetime);
  },
} satisfies ExportedHandler<Env, Job>;
