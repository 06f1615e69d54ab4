// Runs in workerd with real databases and buckets. Cameras post 100,000 reads and retry refused posts, cron polls Axon,
// and a queue duplicates, delays and partly accepts its batches, while a tenth of all calls fails and isolates die.
// Time is simulated in seconds; each call of /step simulates some of them, until no work is left.

import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import { fanOutAlerts, sweepAlerts } from "#app/domain/alerts/fan-out.ts";
import { sweepVendorImages } from "#app/domain/alerts/images.ts";
import { takeAxisEvent } from "#app/domain/ingest/axis.ts";
import { pollAxon } from "#app/domain/ingest/axon.ts";
import { takeRekorEvent } from "#app/domain/ingest/rekor.ts";
import type { Job } from "#app/entities/operations/job.ts";
import { readAxisPush, readRekorDocument } from "#app/http/webhook-body.ts";
import { base64 } from "#app/lib/crypto/encoding.ts";
import { type AppError, isAppError } from "#app/lib/errors.ts";
import type { Fault } from "../../../workers/vendors/faults.ts";
import { seeded, shuffled } from "../../support/faults.ts";
import { axonFaults, axonWindow, type VendorSide } from "./faults-axon.ts";
import { DEATHS, FAULTS, inIsolate } from "./faults-isolate.ts";
import { countOpen, type Judged, judgeSimulation, type Open } from "./faults-judge.ts";
import { type Post, requestOf } from "./faults-posts.ts";
import { type Device, type FaultWorld, makeWorld } from "./faults-world.ts";

type Action =
  | { kind: "post"; post: Post; doubles: number }
  | { kind: "message"; body: Job; attempts: number };

type Simulation = {
  world: FaultWorld;
  /** Axon's reads are checked within this window. */
  window: { from: number; to: number };
  random: () => number;
  /** The simulated second, and the actions due in each. */
  second: number;
  agenda: Map<number, Action[]>;
  start: number;
  /** The current cron run. */
  cron: Promise<unknown>;
  apnsKey: string;
  faults: Record<"D1" | "R2" | "Queue", number>;
  refused: number;
};

/** Reads arrive within ten minutes; retries and Axon's backlog must finish within another hour. */
const ARRIVAL_S = 600;
const LAST_S = 4200;
const AT_ONCE = 8;
const QUEUE_BATCH = 10;
const QUEUE_RETRIES = 5;

/** The result of the simulation. */
export type Outcome = Judged & {
  faults: Simulation["faults"];
  refused: number;
  second: number;
  states: Row[];
  delivered: Row[];
  devices: Device[];
};

type Row = Record<string, string>;

let simulation: Simulation;

const quiet = () => {};

async function newKey(): Promise<string> {
  const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  return base64(new Uint8Array((await crypto.subtle.exportKey("pkcs8", pair.privateKey)) as ArrayBuffer));
}

const now = () => simulation.start + simulation.second * 1000;

function plan(action: Action, inSeconds: number): void {
  const at = simulation.second + Math.max(0, Math.ceil(inSeconds));
  const due = simulation.agenda.get(at);
  if (due) due.push(action);
  else simulation.agenda.set(at, [action]);
}

function faulty(env: Env, work: (app: AppContext) => Promise<void>): Promise<void> {
  const put = (body: Job, inSeconds: number) => plan({ kind: "message", body, attempts: 0 }, inSeconds);
  const { random, apnsKey } = simulation;
  return inIsolate(
    { env: { ...env, APNS_KEY: apnsKey }, random, clock: now, put },
    work,
    (binding, failed) => {
      simulation.faults[binding] += failed;
    },
  );
}

async function post(env: Env, action: Action & { kind: "post" }): Promise<void> {
  const { secret, program } = action.post;
  try {
    await faulty(env, async (app) => {
      const secrets = [secret];
      const request = requestOf(action.post);
      if (program === "axis") await takeAxisEvent(app, { secrets, push: () => readAxisPush(request) });
      else await takeRekorEvent(app, { secrets, document: () => readRekorDocument(request) });
    });
  } catch (error) {
    const wait = isAppError(error) ? (error as AppError).retryAfter : 5;
    if (wait === undefined) throw error;
    simulation.refused += 1;
    return plan(action, wait + simulation.random() * 2);
  }
  // Some cameras send an accepted post again.
  if (action.doubles > 0) plan({ ...action, doubles: action.doubles - 1 }, simulation.random() * 60);
}

async function consume(env: Env, messages: (Action & { kind: "message" })[]): Promise<void> {
  const left = new Set(messages);
  await faulty(env, async (app) => {
    const failed = await fanOutAlerts(
      app,
      messages.map(({ body }) => body.id),
    );
    // The isolate dies between the pushes and their acknowledgement.
    if (simulation.random() < DEATHS) return;
    for (const message of messages) {
      if (failed.has(message.body.id)) simulation.refused += 1;
      else left.delete(message);
    }
  });
  for (const message of left) {
    const attempts = message.attempts + 1;
    if (attempts <= QUEUE_RETRIES) plan({ ...message, attempts }, Math.min(2 ** (attempts - 1), 600));
  }
}

/** Runs the jobs of one minute in sequence; a failure does not stop the next job. */
async function runCron(env: Env): Promise<void> {
  await faulty(env, async (app) => {
    for (const job of [sweepAlerts, pollAxon, sweepVendorImages]) await job(app).catch(quiet);
  });
}

async function simulateSecond(env: Env): Promise<void> {
  // Waits for cron, because idle seconds pass instantly and cron would otherwise seem to take minutes.
  if (!simulation.agenda.has(simulation.second)) await simulation.cron;
  for (
    let due = simulation.agenda.get(simulation.second);
    due;
    due = simulation.agenda.get(simulation.second)
  ) {
    simulation.agenda.delete(simulation.second);
    const messages = shuffled(
      due.filter((action) => action.kind === "message"),
      simulation.random,
    );
    const work: (() => Promise<void>)[] = due
      .filter((action) => action.kind === "post")
      .map((action) => () => post(env, action));
    for (let from = 0; from < messages.length; from += QUEUE_BATCH)
      work.push(() => consume(env, messages.slice(from, from + QUEUE_BATCH)));
    const waiting = shuffled(work, simulation.random).values();
    const hand = async () => {
      for (const one of waiting) await one();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, hand));
  }
  if (simulation.second % 60 === 59) {
    await simulation.cron;
    // Sometimes two runs overlap.
    const runs = simulation.random() < FAULTS ? 2 : 1;
    simulation.cron = Promise.all(Array.from({ length: runs }, () => runCron(env)));
  }
  simulation.second += 1;
}

async function start(
  env: Env,
  { reads, vendors }: { reads: number; vendors: VendorSide },
): Promise<{ faults: Fault[] }> {
  const random = seeded(20260620);
  // Apple's token is created once; at every simulated second it must be neither expired nor in the future.
  const begin = Date.now() - 35 * 60_000;
  const window = axonWindow(begin, ARRIVAL_S);
  const app = createAppContext(env, { waitUntil: quiet }, () => begin);
  simulation = {
    world: await makeWorld(app, { db: env.DB, reads, now: begin, vendors, window }),
    window,
    random,
    second: 0,
    agenda: new Map(),
    start: begin,
    cron: Promise.resolve(),
    apnsKey: await newKey(),
    faults: { D1: 0, R2: 0, Queue: 0 },
    refused: 0,
  };
  for (const post of simulation.world.posts) {
    const doubles = random() < FAULTS ? 1 + Math.floor(random() * 5) : 0;
    plan({ kind: "post", post, doubles }, random() * ARRIVAL_S);
  }
  const hit = simulation.world.devices.filter((_, i) => i % 10 === 0);
  const faults = hit.map(({ token: agencyId }, i): Fault => {
    const common = { program: "apns", agencyId } as const;
    if (i % 4 === 0) return { ...common, kind: "status", code: 429, retryAfter: 5, times: 20 };
    if (i % 4 === 1) return { ...common, kind: "status", code: 500 };
    if (i % 4 === 2) return { ...common, kind: "lostAnswer", times: 20 };
    return { ...common, kind: "status", code: 503, times: 30 };
  });
  return { faults: [...faults, ...axonFaults()] };
}

async function step(env: Env): Promise<{ isDone: boolean; second: number; open: Open }> {
  const until = Date.now() + 20_000;
  let isDone = false;
  while (Date.now() < until && simulation.second < LAST_S && !isDone) {
    await simulateSecond(env);
    if (simulation.agenda.size > 0 || simulation.second < ARRIVAL_S || simulation.second % 60 !== 59)
      continue;
    await simulation.cron;
    const open = Object.values(await countOpen(env.DB, simulation.window.to));
    isDone = simulation.agenda.size === 0 && open.every((count) => count === 0);
  }
  // Cron must finish before the call returns.
  await simulation.cron;
  const open = await countOpen(env.DB, simulation.window.to);
  return { isDone: isDone || simulation.second >= LAST_S, second: simulation.second, open };
}

async function judge(env: Env): Promise<Outcome> {
  const all = async (sql: string) => (await env.DB.prepare(sql).all<Row>()).results;
  const { world, window, faults, refused, second } = simulation;
  return {
    // Read before the cleanup, which deletes deliveries too.
    states: await all("SELECT channel, state, reason, count(*) AS count FROM deliveries GROUP BY 1, 2, 3"),
    delivered: await all(
      "SELECT alert_id, user_id FROM deliveries WHERE channel = 'apns' AND state = 'delivered'",
    ),
    ...(await judgeSimulation(env, { world, window, now: now() })),
    devices: world.devices,
    faults,
    refused,
    second,
  };
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    // Injected failures are counted; logging them would hide unexpected errors.
    console.warn = quiet;
    console.error = quiet;
    const { pathname, searchParams: params } = new URL(request.url);
    switch (pathname) {
      case "/start":
        return Response.json(
          await start(env, {
            reads: Number(params.get("reads")),
            vendors: {
              url: params.get("vendors") ?? "",
              secret: params.get("secret") ?? "",
              readsPerDay: Number(params.get("readsPerDay")),
            },
          }),
        );
      case "/step":
        return Response.json(await step(env));
      case "/judge":
        return Response.json(await judge(env));
      default:
        return new Response("not found", { status: 404 });
    }
  },
} satisfies ExportedHandler<Env>;
