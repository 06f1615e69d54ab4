// What Remix passes to every loader and action of a request: the app, a nonce, and the session, looked up once.

import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { findActor } from "./session.ts";

export type LoadContext = {
  app: AppContext;
  /** The nonce of this answer's content security policy. */
  nonce: string;
  /** Returns the actor or null. The session is read once, however many loaders ask. */
  session: () => Promise<SessionActor | null>;
  /** Whether a script requests a screen's data at Remix's address for it, so that a page is already shown. */
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
