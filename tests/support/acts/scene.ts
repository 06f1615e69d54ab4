import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import type { Env } from "#app/context.ts";
import worker from "../../../workers/app.ts";
import { bindings, type Client, client, newUser, newWorld, ORIGIN } from "../../factories.ts";

/** One request that does something, made so that it succeeds. */
export type Act = {
  who: Client;
  path: string;
  init: RequestInit;
  /** The acts that it writes to the audit log, in their order. */
  rows: string[];
  /** It names something of the agency's or the user's own, which a stranger cannot know: to them it does not exist. */
  own?: true;
  /** It looks at something and changes nothing; that somebody looked is written down all the same. */
  looks?: true;
  /** What it carries counts once, so that it is made anew for every try. */
  once?: true;
  /** Whether the address is another than the test's own, as for what exists on a local host only. */
  origin?: string;
};

/** Acts by METHOD and pattern, as the endpoint tables write them. */
export type Acts = Record<string, MakeAct>;
export type MakeAct = (scene: Scene) => Promise<Act>;

export type Scene = Awaited<ReturnType<typeof newScene>>;

/** Two agencies with somebody of every standing, signed in. */
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

/** Jobs that were sent. None of them runs, so that nothing changes but by the request that is looked at. */
export const sent: unknown[] = [];

const queue = {
  send: async (job: unknown) => void sent.push(job),
  sendBatch: async (jobs: Iterable<{ body: unknown }>) =>
    void sent.push(...[...jobs].map(({ body }) => body)),
} as unknown as Env["JOBS"];

/** A second sealing key, so that what the factories seal with the first one is there to be moved to it. */
const SEALING_KEYS = `${bindings.SEALING_KEYS},2:${btoa("another key that must not leak!!")}`;

/** Sends a request to the whole Worker as nobody. */
export async function atDoor(path: string, init: RequestInit = {}): Promise<Response> {
  const { status, text } = await ask({ headers: {} }, path, init);
  return new Response(text, { status });
}

/** Sends a request to the whole Worker and waits for what it still does after its answer. */
export async function ask(
  who: Pick<Client, "headers">,
  path: string,
  init: RequestInit = {},
  origin = ORIGIN,
): Promise<{ status: number; text: string; headers: Headers }> {
  const headers = { ...who.headers, ...(init.headers as Record<string, string>) };
  const request = new Request(new URL(path, origin), { ...init, headers });
  const env = { ...bindings, SEALING_KEYS, JOBS: queue, EXPORTS: queue, ALERTS: queue } as Env;
  const lifetime = createExecutionContext();
  const answer = await worker.fetch(request as Parameters<typeof worker.fetch>[0], env, lifetime);
  const text = await answer.text();
  await waitOnExecutionContext(lifetime);
  return { status: answer.status, text, headers: answer.headers };
}

/** Sends what has to succeed before the act itself, and gives what it answers. */
export async function told<T = Record<string, string>>(
  who: Client,
  path: string,
  init: RequestInit = { method: "POST" },
): Promise<T> {
  const { status, text } = await ask(who, path, init);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return JSON.parse(text) as T;
}

export function formInit(fields: Record<string, string | File>): RequestInit {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return { method: "POST", body };
}

export const POST: RequestInit = { method: "POST" };
export const DELETE: RequestInit = { method: "DELETE" };

let plates = 0;
/** A plate that nobody else has here. */
export const newPlate = () => `ZQ${String(++plates).padStart(5, "0")}`;
