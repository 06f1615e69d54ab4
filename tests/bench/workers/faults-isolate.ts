// An isolate of the bench `faults`: its databases, buckets and queue fail one call in ten, before or after they have
// done their work, and it may die at any of them. What it dies of takes everything with it but what it has written.

import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import type { Job } from "#app/entities/operations/job.ts";
import { type FaultyCalls, faultyBucket, faultyCalls, faultyDatabase } from "../../support/faults.ts";

export const FAULTS = 0.1;
export const DEATHS = 0.01;

export type Surroundings = {
  env: Env;
  random: () => number;
  clock: () => number;
  /** Hands a message to whoever plays the queue's other end, so many seconds later. */
  put: (body: Job, inSeconds: number) => void;
};

/** Does a piece of work as an isolate of its own; gives how many calls failed, by binding. Throws what the work throws. */
export async function inIsolate(
  { env, random, clock, put }: Surroundings,
  work: (app: AppContext) => Promise<void>,
  count: (binding: "D1" | "R2" | "Queue", failed: number) => void,
): Promise<void> {
  const calls = { D1: newCalls(random), R2: newCalls(random) };
  const all = [calls.D1, calls.R2];
  const isDead = () => all.some((one) => one.isDead());
  // Two counts, one death.
  const together = (own: FaultyCalls): Pick<FaultyCalls, "call"> => ({
    call(of, words) {
      if (isDead()) own.kill();
      return own.call(of, words);
    },
  });
  const over = Object.fromEntries(
    Object.entries(env).flatMap(([name, real]): [string, unknown][] => {
      if (/^(DB|READS_\d+)$/.test(name))
        return [[name, faultyDatabase(real as D1Database, together(calls.D1))]];
      if (/^(IMAGES|KEYS|BACKUPS)$/.test(name))
        return [[name, faultyBucket(real as R2Bucket, together(calls.R2))]];
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

/** A queue that fails before, after and halfway, and hands out late, in any order and up to five times. */
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
