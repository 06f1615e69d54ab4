// Runs in workerd beside real databases: a hundred thousand reads told by senders that send again what was refused,
// alerts told by a queue that doubles, delays and half takes its batches, and cron; while a tenth of all calls fails
// and isolates die. Seconds are simulated; a piece of them is played a call, until nothing is left to do.

import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import { fanOutAlert, sweepAlerts } from "#app/domain/alert-fan-out.ts";
import { takeRekorEvent } from "#app/domain/live-reads.ts";
import { takeAxisEvent } from "#app/domain/reads.ts";
import type { Job } from "#app/entities/job.ts";
import { base64 } from "#app/lib/encoding.ts";
import { type AppError, isAppError } from "#app/lib/errors.ts";
import type { Fault } from "../../../workers/vendors/faults.ts";
import { faultyD1, seeded, shuffled } from "../../support/faults.ts";
import { type Event, type FaultWorld, makeWorld, REKOR_EVERY } from "./faults-world.ts";

type Action =
  | { kind: "event"; event: Event; doubles: number }
  | { kind: "message"; body: Job; attempts: number };

type Play = {
  reads: number;
  world: FaultWorld;
  random: () => number;
  /** The second that is played, and what is due in each. */
  second: number;
  agenda: Map<number, Action[]>;
  start: number;
  apnsKey: string;
  faults: number;
  refused: number;
};

const FAULTS = 0.1;
const DEATHS = 0.01;
/** Reads arrive within ten minutes; half an hour later at most everything must have an end. */
const ARRIVAL_S = 600;
const LAST_S = 2400;
const AT_ONCE = 8;
const QUEUE_BATCH = 10;
const QUEUE_RETRIES = 5;

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

/** A queue that fails before, after and halfway, and hands out late, in any order and up to five times. */
function faultyQueue(): Queue<Job> {
  const { random } = play;
  const put = (body: Job, delay = 0) => {
    const copies = random() < FAULTS ? 1 + Math.floor(random() * 5) : 1;
    for (let copy = 0; copy < copies; copy++)
      plan({ kind: "message", body, attempts: 0 }, delay + random() * 3);
  };
  const failing = (work: (share: number) => void) => {
    const drawn = random();
    if (drawn >= FAULTS) return work(1);
    play.faults += 1;
    if (drawn < FAULTS / 3) throw new Error("injected: the queue is down");
    work(drawn < (2 * FAULTS) / 3 ? 0.5 : 1);
    throw new Error("injected: the queue's answer was lost");
  };
  return {
    send: async (body: Job, options: QueueSendOptions = {}) => failing(() => put(body, options.delaySeconds)),
    sendBatch: async (batch: Iterable<{ body: Job }>) =>
      failing((share) => {
        const all = [...batch];
        for (const { body } of all.slice(0, Math.ceil(all.length * share))) put(body);
      }),
  } as unknown as Queue<Job>;
}

/** Does a piece of work as an isolate of its own, whose databases fail and which may die in the middle. */
async function inIsolate(env: Env, work: (app: AppContext) => Promise<void>): Promise<void> {
  const { random } = play;
  const databases = Object.entries(env).filter(([name]) => /^(DB|READS_\d+)$/.test(name));
  const faulty = databases.map(([name, real]) => ({
    name,
    d1: faultyD1(real as D1Database, { random, rate: FAULTS, deaths: DEATHS, late: FAULTS / 3 }),
  }));
  const over = Object.fromEntries(faulty.map(({ name, d1 }) => [name, d1.database]));
  const later: Promise<unknown>[] = [];
  const lifetime = { waitUntil: (promise: Promise<unknown>) => void later.push(promise) };
  const context = { ...env, ...over, APNS_KEY: play.apnsKey, ALERTS: faultyQueue() } as Env;
  try {
    await work(createAppContext(context, lifetime, now));
  } finally {
    await Promise.allSettled(later);
    for (const { d1 } of faulty) play.faults += d1.failed.before + d1.failed.after;
  }
}

async function post(env: Env, action: Action & { kind: "event" }): Promise<void> {
  const { event } = action;
  const request = () =>
    new Request("https://bench.local/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(event.body),
    });
  const { secret } = event;
  try {
    await inIsolate(env, async (app) => {
      if (event.kind === "list") await takeAxisEvent(app, { secret, request: request() });
      else await takeRekorEvent(app, { secret, request: request() });
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
  await inIsolate(env, async (app) => {
    for (const message of messages) {
      try {
        await fanOutAlert(app, message.body.id);
        // Between the push and its acknowledgement.
        if (play.random() < DEATHS) return;
        left.delete(message);
      } catch {
        play.refused += 1;
      }
    }
  });
  for (const message of left) {
    const attempts = message.attempts + 1;
    if (attempts <= QUEUE_RETRIES) plan({ ...message, attempts }, Math.min(2 ** (attempts - 1), 600));
  }
}

async function playSecond(env: Env): Promise<void> {
  for (let due = play.agenda.get(play.second); due; due = play.agenda.get(play.second)) {
    play.agenda.delete(play.second);
    const messages = shuffled(
      due.filter((action) => action.kind === "message"),
      play.random,
    );
    const work: (() => Promise<void>)[] = due
      .filter((action) => action.kind === "event")
      .map((action) => () => post(env, action));
    for (let from = 0; from < messages.length; from += QUEUE_BATCH)
      work.push(() => consume(env, messages.slice(from, from + QUEUE_BATCH)));
    const waiting = shuffled(work, play.random).values();
    const hand = async () => {
      for (const one of waiting) await one();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, hand));
  }
  if (play.second % 60 === 59) await inIsolate(env, sweepAlerts).catch(quiet);
  play.second += 1;
}

async function start(env: Env, reads: number): Promise<{ faults: Fault[] }> {
  const random = seeded(20260620);
  // Apple's token is made once and must be neither too old nor of the future, whatever the simulated seconds do.
  const begin = Date.now() - 35 * 60_000;
  play = {
    reads,
    world: { events: [], expected: new Set(), devices: [] },
    random,
    second: 0,
    agenda: new Map(),
    start: begin,
    apnsKey: await newKey(),
    faults: 0,
    refused: 0,
  };
  const app = createAppContext(env, { waitUntil: quiet }, now);
  play.world = await makeWorld(app, { db: env.DB, reads, now: begin });
  for (const event of play.world.events) {
    const doubles = random() < FAULTS ? 1 + Math.floor(random() * 5) : 0;
    plan({ kind: "event", event, doubles }, random() * ARRIVAL_S);
  }
  const hit = play.world.devices.filter((_, i) => i % 10 === 0);
  const faults = hit.map(({ token: agencyId }, i): Fault => {
    const common = { program: "apns", agencyId } as const;
    if (i % 4 === 0) return { ...common, kind: "status", code: 429, retryAfter: 5, times: 20 };
    if (i % 4 === 1) return { ...common, kind: "status", code: 500 };
    if (i % 4 === 2) return { ...common, kind: "lostAnswer", times: 20 };
    return { ...common, kind: "status", code: 503, times: 30 };
  });
  return { faults };
}

const OPEN = `SELECT (SELECT count(*) FROM deliveries WHERE state NOT IN ('delivered', 'suppressed', 'dead')) +
  (SELECT count(*) FROM alerts WHERE fanned_out_at IS NULL) AS count`;

async function step(env: Env): Promise<{ isDone: boolean; second: number }> {
  const until = Date.now() + 20_000;
  while (Date.now() < until && play.second < LAST_S) {
    await playSecond(env);
    if (play.agenda.size > 0 || play.second < ARRIVAL_S || play.second % 60 !== 0) continue;
    if ((await env.DB.prepare(OPEN).first<number>("count")) === 0)
      return { isDone: true, second: play.second };
  }
  return { isDone: play.second >= LAST_S, second: play.second };
}

type Row = Record<string, string>;

async function judge(env: Env): Promise<object> {
  const all = async (sql: string) => (await env.DB.prepare(sql).all<Row>()).results;
  const made = new Map<string, number>();
  for (const row of await all("SELECT group_id, listed_plate, plate FROM alerts")) {
    const key = `${row.group_id} ${row.listed_plate} ${row.plate}`;
    made.set(key, (made.get(key) ?? 0) + 1);
  }
  const { expected } = play.world;
  let kept = 0;
  for (const name of ["READS_0", "READS_1", "READS_2", "READS_3"] as const)
    kept += (await env[name]?.prepare("SELECT count(*) AS n FROM sealed_reads").first<number>("n")) ?? 0;
  const untold = await env.DB.prepare(
    `SELECT count(*) AS n FROM alerts a JOIN alert_group_members m ON m.group_id = a.group_id WHERE
      (SELECT count(*) FROM deliveries d WHERE d.alert_id = a.id AND d.user_id = m.user_id) <> 2`,
  ).first<number>("n");
  return {
    expected: expected.size,
    lost: [...expected].filter((key) => !made.has(key)).length,
    doubled: [...made].reduce((sum, [key, count]) => sum + (expected.has(key) ? count - 1 : count), 0),
    open: await env.DB.prepare(OPEN).first<number>("count"),
    untold,
    kept,
    // Of an agent's reads only hits are kept.
    toKeep: play.reads - Math.ceil(play.reads / REKOR_EVERY),
    faults: play.faults,
    refused: play.refused,
    second: play.second,
    states: await all("SELECT channel, state, reason, count(*) AS count FROM deliveries GROUP BY 1, 2, 3"),
    delivered: await all(
      "SELECT alert_id, user_id FROM deliveries WHERE channel = 'apns' AND state = 'delivered'",
    ),
    devices: play.world.devices,
  };
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    // What fails is counted; thousands of lines about it would only hide what was not expected.
    console.warn = quiet;
    console.error = quiet;
    const { pathname, searchParams } = new URL(request.url);
    switch (pathname) {
      case "/start":
        return Response.json(await start(env, Number(searchParams.get("reads"))));
      case "/step":
        return Response.json(await step(env));
      case "/judge":
        return Response.json(await judge(env));
      default:
        return new Response("not found", { status: 404 });
    }
  },
} satisfies ExportedHandler<Env>;
