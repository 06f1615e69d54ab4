/**
 * Serves the built product under Deno, with storage from wrangler's platform proxy, on a port that the system
 * chooses; prints the port when it answers. Settings come from the environment, as for `npm start`.
 */
import { createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import { createLoadContext } from "#app/http/load-context.ts";
import { withSecurityHeaders } from "#app/http/responses.ts";
// @ts-expect-error: created by the build
import * as build from "../../build/server/index.js";
import { readSettings } from "../../workers/local/settings.ts";
import { migrateStorage, openStorage, seedStorage } from "../../workers/local/storage.ts";

/** The part of Deno's API that is used here. */
declare const Deno: {
  serve(
    options: { hostname: string; port: number; onListen: (address: { port: number }) => void },
    handler: (request: Request) => Promise<Response>,
  ): unknown;
};

const settings = readSettings();
const { env } = await openStorage(settings);
await migrateStorage(env);
await seedStorage(settings, env);

const handle = createRequestHandler(build as unknown as ServerBuild, "production");

Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(`listening on ${port}`) },
  async (request) => {
    const context = createLoadContext({ request, env, lifetime: { waitUntil: () => {} } });
    return withSecurityHeaders(await handle(request, context), context.nonce);
  },
);
