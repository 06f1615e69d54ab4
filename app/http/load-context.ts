// What Remix hands to every loader and action of one request: the app, a nonce, and the session, looked up once.

import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { findActor } from "./session.ts";

export type LoadContext = {
  app: AppContext;
  /** Of this answer's content policy. */
  nonce: string;
  /** The actor, or null; however many loaders ask, the session is read once. */
  session: () => Promise<SessionActor | null>;
  /** A script of ours asks for a screen's data, at the address that Remix gives it: a page stands already. */
  isDataCall: boolean;
};

declare module "@remix-run/cloudflare" {
  interface AppLoadContext extends LoadContext {}
}

export function createLoadContext(input: {
  request: Request;
  env: Env;
  lifetime: { waitUntil(work: Promise<unknown>): void };
}): LoadContext {
  const app = createAppContext(input.env, input.lifetime);
  let actor: Promise<SessionActor | null> | undefined;
  return {
    app,
    nonce: randomToken(),
    isDataCall: new URL(input.request.url).pathname.endsWith(".data"),
    session: () => {
      actor ??= findActor(app, input.request);
      return actor;
    },
  };
}
