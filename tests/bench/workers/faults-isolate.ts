// An isolate of the bench `faults`. One in ten calls to its databases, buckets and queue fails, before or after taking
// effect. The isolate may die at any call; only what it has stored survives.

import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import type { Job } from "#app/entities/operations/job.ts";
import { databaseThrough, methodsThrough } from "../../../workers/wrapped-bindings.ts";
import { type FaultWords, type FaultyCalls, faultyCalls, R2_WORDS } from "../../support/faults.ts";

export const FAULTS = 0.1;
export const DEATHS = 0.01;

export type Surroundings = {
  env: Env;
  random: () => number;
  clock: () => number;
  /** Delivers a message to the simulated consumer after a delay. */
  put: (body: Job, inSeconds: number) => void;
};

/** Runs `work` in a new isolate and reports the failed calls per binding to `count`. Rethrows errors of the work. */
export async function inIsolate(
  { env, random, clock, put }: Surroundings,
  work: (app: AppContext) => Promise<void>,
  count: (binding: "D1" | "R2" | "Queue", failed: number) => void,
): Promise<void> {
  const calls = { D1: newCalls(random), R2: newCalls(random) };
  const all = [calls.D1, calls.R2];
  const isDead = () => all.some((one) => one.isDead());
  // Failures are counted per binding, but the isolate dies as a whole.
  const together =
    (own: FaultyCalls, words?: FaultWords) =>
    <T>(work: () => Promise<T>): Promise<T> => {
      if (isDead()) own.kill();
      return own.call(work, words);
    };
  const over = Object.fromEntries(
    Object.entries(env).flatMap(([name, real]): [string, unknown][] => {
      if (/^(DB|READS_\d+)$/.test(name))
        return [[name, databaseThrough(real as D1Database, together(calls.D1))]];
      if (/^(IMAGES|KEYS|BACKUPS)$/.test(name))
        return [[name, methodsThrough(real as R2Bucket, together(calls.R2, R2_WORDS))]];
      return [];
    }),
  );
  const queue = faultyQueue({ random, put, isDead, failed: () => count("Queue", 1) });
  const later: Promise<unknown>[] = [];
  const lifetime = { waitUntil: (promise: Promise<unknown>) => void later.push(promise) };
  try {
    await work(createAppContext({ ...env, ...over, ALERTS: queue } as Env, lifetime, clock));
  } finally {
    await Promise.allSettled(later);
    for (const name of ["D1", "R2"] as const)
      count(name, calls[name].failed.before + calls[name].failed.after);
  }
}

const newCalls = (random: () => number) =>
  faultyCalls({ random, rate: FAULTS, deaths: DEATHS, late: FAULTS / 3 });

/** A queue that fails before, after or halfway through a call, and delivers late, in any order, up to five times. */
function faultyQueue(input: {
  random: () => number;
  put: Surroundings["put"];
  isDead: () => boolean;
  failed: () => void;
}): Queue<Job> {
  const { random, put, isDead, failed } = input;
  const enqueue = (body: Job, delay = 0) => {
    const copies = random() < FAULTS ? 1 + Math.floor(random() * 5) : 1;
    for (let copy = 0; copy < copies; copy++) put(body, delay + random() * 3);
  };
  const failing = (work: (share: number) => void) => {
    if (isDead()) throw new Error("this isolate is dead");
    const drawn = random();
    if (drawn >= FAULTS) return work(1);
    failed();
    if (drawn < FAULTS / 3) throw new Error("injected: the queue is down");
    work(drawn < (2 * FAULTS) / 3 ? 0.5 : 1);
    throw new Error("injected: the queue's answer was lost");
  };
  return {
    send: async (body: Job, options: QueueSendOptions = {}) =>
      failing(() => enqueue(body, options.delaySeconds)),
    sendBatch: async (batch: Iterable<{ body: Job }>) =>
      failing((share) => {
        const all = [...batch];
        for (const { body } of all.slice(0, Math.ceil(all.length * share))) enqueue(body);
      }),
  } as unknown as Queue<Job>;
}
