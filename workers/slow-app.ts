// The app with the latencies of production: `SIMULATED_LATENCY=1 npm start` serves this instead of workers/app.ts. On
// one machine a database answers in a fraction of a millisecond, which hides how many calls a request makes in a row.

import type { Env } from "#app/context.ts";
import type { Job } from "#app/entities/operations/job.ts";
import app from "./app.ts";
import { databaseThrough, methodsThrough } from "./wrapped-bindings.ts";

/** Milliseconds by which each call is delayed, as JSON in the variable SIMULATED_LATENCY. */
type Latency = { d1: number; r2: number; queue: number };

type SlowEnv = Env & { SIMULATED_LATENCY: string };

export default {
  fetch: (request, env, lifetime) => app.fetch(request, slowed(env), lifetime),
  queue: (batch, env, lifetime) => app.queue(batch, slowed(env), lifetime),
  scheduled: (event, env, lifetime) => app.scheduled(event, slowed(env), lifetime),
} satisfies ExportedHandler<SlowEnv, Job>;

let slowEnv: Env | undefined;

/** Returns the same bindings for every request, as the platform does, since the app's caches belong to a binding. */
function slowed(env: SlowEnv): Env {
  slowEnv ??= slow(env);
  return slowEnv;
}

function slow(env: SlowEnv): Env {
  const { d1, r2, queue }: Latency = JSON.parse(env.SIMULATED_LATENCY);
  const found = { ...env };
  for (const [name, binding] of Object.entries(env)) Object.assign(found, { [name]: one(binding) });
  return found;

  function one(binding: unknown): unknown {
    if (isDatabase(binding)) return databaseThrough(binding, after(d1));
    if (isBucket(binding)) return methodsThrough(binding, after(r2));
    if (isQueue(binding)) return methodsThrough(binding, after(queue));
    return binding;
  }
}

const after =
  (milliseconds: number) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return work();
  };

const has = (binding: unknown, method: string) =>
  typeof binding === "object" && binding !== null && typeof Reflect.get(binding, method) === "function";
const isDatabase = (binding: unknown): binding is D1Database =>
  has(binding, "prepare") && has(binding, "batch");
const isBucket = (binding: unknown): binding is R2Bucket => has(binding, "createMultipartUpload");
const isQueue = (binding: unknown): binding is Queue => has(binding, "sendBatch");
