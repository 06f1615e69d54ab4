// Runs in workerd beside real databases and buckets: a hundred thousand reads, told by cameras that send again what was
// refused or asked of Axon by cron; alerts told by a queue that doubles, delays and half takes its batches; while a tenth
// of all calls fails and isolates die. Seconds are simulated; a piece of them is played a call, until nothing is left.

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
import { countOpen, type Judged, judgePlay, type Open } from "./faults-judge.ts";
import { type Post, requestOf } from "./faults-posts.ts";
import { type Device, type FaultWorld, makeWorld } from "./faults-world.ts";

type Action =
  | { kind: "post"; post: Post; doubles: number }
  | { kind: "message"; body: Job; attempts: number };

type Play = {
  world: FaultWorld;
  /** The instants between which Axon's reads are judged. */
  window: { from: number; to: number };
  random: () => number;
  /** The second that is played, and what is due in each. */
  second: number;
  agenda: Map<number, Action[]>;
  start: number;
  /** The run of cron that is under way. */
  cron: Promise<unknown>;
  apnsKey: string;
  faults: Record<"D1" | "R2" | "Queue", number>;
  refused: number;
};

/** Reads arrive within ten minutes; an hour later at most all that failed meanwhile, and Axon's backlog, has an end. */
const ARRIVAL_S = 600;
const LAST_S = 4200;
const AT_ONCE = 8;
const QUEUE_BATCH = 10;
const QUEUE_RETRIES = 5;

/** What is told of the play when it is over. */
export type Outcome = Judged & {
  faults: Play["faults"];
  refused: number;
  second: number;
  states: Row[];
  delivered: Row[];
  devices: Device[];
};

type Row = Record<string, string>;

let play: Play;

const quiet = () => {};

async function newKey(): Promise<string> {
  const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  return base64(new Uint8Array((await crypto.subtle.exportKey("pkcs8", pair.privateKey)) as ArrayBuffer));
}

const now = () => play.start + play.second * 1000;

function plan(action: Action, inSeconds: number): void {
  const at = play.second + Math.max(0, Math.ceil(inSeconds));
  const due = play.agenda.get(at);
  if (due) due.push(action);
  else play.agenda.set(at, [action]);
}

function faulty(env: Env, work: (app: AppContext) => Promise<void>): Promise<void> {
  const put = (body: Job, inSeconds: number) => plan({ kind: "message", body, attempts: 0 }, inSeconds);
  const { random, apnsKey } = play;
  return inIsolate(
    { env: { ...env, APNS_KEY: apnsKey }, random, clock: now, put },
    work,
    (binding, failed) => {
      play.faults[binding] += failed;
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
    play.refused += 1;
    return plan(action, wait + play.random() * 2);
  }
  // Taken, and told again all the same.
  if (action.doubles > 0) plan({ ...action, doubles: action.doubles - 1 }, play.random() * 60);
}

async function consume(env: Env, messages: (Action & { kind: "message" })[]): Promise<void> {
  const left = new Set(messages);
  await faulty(env, async (app) => {
    const failed = await fanOutAlerts(
      app,
      messages.map(({ body }) => body.id),
    );
    // Between the pushes and their acknowledgement.
    if (play.random() < DEATHS) return;
    for (const message of messages) {
      if (failed.has(message.body.id)) play.refused += 1;
      else left.delete(message);
    }
  });
  for (const message of left) {
    const attempts = message.attempts + 1;
    if (attempts <= QUEUE_RETRIES) plan({ ...message, attempts }, Math.min(2 ** (attempts - 1), 600));
  }
}

/** A minute's run: one job after the other, and none kept from its turn by another's failure. */
async function runCron(env: Env): Promise<void> {
  await faulty(env, async (app) => {
    for (const job of [sweepAlerts, pollAxon, sweepVendorImages]) await job(app).catch(quiet);
  });
}

async function playSecond(env: Env): Promise<void> {
  // Seconds in which nothing is due take no time here; cron's work is not to last a minute for that.
  if (!play.agenda.has(play.second)) await play.cron;
  for (let due = play.agenda.get(play.second); due; due = play.agenda.get(play.second)) {
    play.agenda.delete(play.second);
    const messages = shuffled(
      due.filter((action) => action.kind === "message"),
      play.random,
    );
    const work: (() => Promise<void>)[] = due
      .filter((action) => action.kind === "post")
      .map((action) => () => post(env, action));
    for (let from = 0; from < messages.length; from += QUEUE_BATCH)
      work.push(() => consume(env, messages.slice(from, from + QUEUE_BATCH)));
    const waiting = shuffled(work, play.random).values();
    const hand = async () => {
      for (const one of waiting) await one();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, hand));
  }
  if (play.second % 60 === 59) {
    await play.cron;
    // Now and then two of them meet.
    const runs = play.random() < FAULTS ? 2 : 1;
    play.cron = Promise.all(Array.from({ length: runs }, () => runCron(env)));
  }
  play.second += 1;
}

async function start(
  env: Env,
  { reads, vendors }: { reads: number; vendors: VendorSide },
): Promise<{ faults: Fault[] }> {
  const random = seeded(20260620);
  // Apple's token is made once and must be neither too old nor of the future, whatever the simulated seconds do.
  const begin = Date.now() - 35 * 60_000;
  const window = axonWindow(begin, ARRIVAL_S);
  const app = createAppContext(env, { waitUntil: quiet }, () => begin);
  play = {
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
  for (const post of play.world.posts) {
    const doubles = random() < FAULTS ? 1 + Math.floor(random() * 5) : 0;
    plan({ kind: "post", post, doubles }, random() * ARRIVAL_S);
  }
  const hit = play.world.devices.filter((_, i) => i % 10 === 0);
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
  while (Date.now() < until && play.second < LAST_S && !isDone) {
    await playSecond(env);
    if (play.agenda.size > 0 || play.second < ARRIVAL_S || play.second % 60 !== 59) continue;
    await play.cron;
    const open = Object.values(await countOpen(env.DB, play.window.to));
    isDone = play.agenda.size === 0 && open.every((count) => count === 0);
  }
  // What is under way belongs to this call.
  await play.cron;
  const open = await countOpen(env.DB, play.window.to);
  return { isDone: isDone || play.second >= LAST_S, second: play.second, open };
}

async function judge(env: Env): Promise<Outcome> {
  const all = async (sql: string) => (await env.DB.prepare(sql).all<Row>()).results;
  const { world, window, faults, refused, second } = play;
  return {
    // The upkeep takes deliveries, too: who was told is asked before it.
    states: await all("SELECT channel, state, reason, count(*) AS count FROM deliveries GROUP BY 1, 2, 3"),
    delivered: await all(
      "SELECT alert_id, user_id FROM deliveries WHERE channel = 'apns' AND state = 'delivered'",
    ),
    ...(await judgePlay(env, { world, window, now: now() })),
    devices: world.devices,
    faults,
    refused,
    second,
  };
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    // What fails is counted; thousands of lines about it would only hide what was not expected.
    console.warn = quiet;
    console.error = quiet;
    const { pathname, searchParams: asked } = new URL(request.url);
    switch (pathname) {
      case "/start":
        return Response.json(
          await start(env, {
            reads: Number(asked.get("reads")),
            vendors: {
              url: asked.get("vendors") ?? "",
              secret: asked.get("secret") ?? "",
              readsPerDay: Number(asked.get("readsPerDay")),
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
