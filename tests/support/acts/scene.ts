import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import type { Env } from "#app/context.ts";
import worker from "../../../workers/app.ts";
import { bindings, type Client, client, newUser, newWorld, ORIGIN } from "../../factories.ts";

/** One request of an endpoint that must succeed. */
export type Act = {
  who: Client;
  path: string;
  init: RequestInit;
  /** The audit actions that it writes, in order. */
  rows: string[];
  /** It refers to data of the agency or the user, which does not exist for anyone else. */
  own?: true;
  /** It changes nothing, but is written to the audit log. */
  looks?: true;
  /** Its content can be used only once, so that every attempt needs a new one. */
  once?: true;
  /** The origin, if it is not the test's own, for endpoints that exist only on a local host. */
  origin?: string;
};

/** Acts by METHOD and pattern, as the endpoint tables write them. */
export type Acts = Record<string, MakeAct>;
export type MakeAct = (scene: Scene) => Promise<Act>;

export type Scene = Awaited<ReturnType<typeof newScene>>;

/** Creates two agencies with a signed-in user of every role. */
export async function newScene() {
  const world = await newWorld();
  const strange = await newUser(world.theirs.id, { role: "admin", hotlistAdmin: true, hotlistViewer: true });
  const { users } = world;
  const [officer, colleague, viewer, hotadmin, admin, owner, stranger] = await Promise.all(
    [users.officer, users.colleague, users.viewer, users.hotadmin, users.admin, users.owner, strange].map(
      client,
    ),
  );
  return { world, officer, colleague, viewer, hotadmin, admin, owner, stranger } as {
    world: typeof world;
  } & Record<"officer" | "colleague" | "viewer" | "hotadmin" | "admin" | "owner" | "stranger", Client>;
}

/** Jobs that were sent. They do not run, so that only the tested request changes anything. */
export const sent: unknown[] = [];

const queue = {
  send: async (job: unknown) => void sent.push(job),
  sendBatch: async (jobs: Iterable<{ body: unknown }>) =>
    void sent.push(...[...jobs].map(({ body }) => body)),
} as unknown as Env["JOBS"];

/** Adds a second sealing key, so that secrets that the factories seal with the first one can be rotated. */
const SEALING_KEYS = `${bindings.SEALING_KEYS},2:${btoa("another key that must not leak!!")}`;

/** Sends a request to the whole Worker without signing in. */
export async function askAnonymously(path: string, init: RequestInit = {}): Promise<Response> {
  const { status, text } = await ask({ headers: {} }, path, init);
  return new Response(text, { status });
}

/** Sends a request to the whole Worker and waits for the work that continues after its response. */
export async function ask(
  who: Pick<Client, "headers">,
  path: string,
  init: RequestInit = {},
  origin = ORIGIN,
): Promise<{ status: number; text: string; headers: Headers }> {
  const headers = { ...who.headers, ...(init.headers as Record<string, string>) };
  const request = new Request(new URL(path, origin), { ...init, headers });
  const env = {
    ...bindings,
    SEALING_KEYS,
    JOBS: queue,
    EXPORTS: queue,
    ALERTS: queue,
    WEBHOOKS: queue,
  } as Env;
  const lifetime = createExecutionContext();
  const answer = await worker.fetch(request as Parameters<typeof worker.fetch>[0], env, lifetime);
  const text = await answer.text();
  await waitOnExecutionContext(lifetime);
  return { status: answer.status, text, headers: answer.headers };
}

/** Sends a request that must succeed before the act itself. Returns its JSON answer. */
export async function told<T = Record<string, string>>(
  who: Client,
  path: string,
  init: RequestInit = { method: "POST" },
): Promise<T> {
  const { status, text } = await ask(who, path, init);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return JSON.parse(text) as T;
}

export const POST: RequestInit = { method: "POST" };
export const DELETE: RequestInit = { method: "DELETE" };

let plates = 0;
/** Returns a plate that no other act uses. */
export const newPlate = () => `ZQ${String(++plates).padStart(5, "0")}`;
