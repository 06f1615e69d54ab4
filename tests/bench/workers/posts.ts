// Runs the product in workerd with the latencies of production, for cameras that post one event at a time. Counts the
// calls of each binding, and the rows read, rows written and time that D1 reports.

import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import { setUp } from "#app/domain/operations/setup.ts";
import type { Job } from "#app/entities/operations/job.ts";
import { seal, sha256 } from "#app/lib/crypto/primitives.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { deviceAddressOwner, saveDevice } from "#app/store/alerts/push-devices.ts";
import { inOneStep } from "#app/store/database.ts";
import product from "../../../workers/app.ts";
import { takeBatch } from "../../../workers/queue.ts";
import { methodsThrough } from "../../../workers/wrapped-bindings.ts";
import { countingDatabase, type D1Counts, noCounts } from "../support/counting-database.ts";
import { AGENCY, listPlates } from "./plates.ts";

/** Milliseconds. */
const LATENCY = { d1: 10, r2: 30, queue: 10 };

export const secretOf = (camera: number) => `camera-${camera}-of-the-bench`;

/** Sums since the start. */
export type Counts = Record<"control" | "reads", D1Counts> & { r2: number; queue: number };

let counts: Counts = { control: noCounts(), reads: noCounts(), r2: 0, queue: 0 };

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const database = (real: D1Database, name: "control" | "reads") =>
  countingDatabase(
    real,
    () => counts[name],
    () => after(LATENCY.d1),
  );

let slowEnv: Env | undefined;

/** Returns the same bindings for every request, as the platform does, since the product's caches belong to a binding. */
function withLatency(env: Env): Env {
  slowEnv ??= slowed(env);
  return slowEnv;
}

function slowed(env: Env): Env {
  const slow: Env = { ...env, DB: database(env.DB, "control") };
  for (const [name, binding] of Object.entries(env))
    if (/^READS_\d+$/.test(name)) Object.assign(slow, { [name]: database(binding as D1Database, "reads") });
  for (const name of ["IMAGES", "KEYS", "RESULTS"] as const)
    slow[name] = methodsThrough(env[name], async (work) => {
      counts.r2++;
      await after(LATENCY.r2);
      return work();
    });
  return Object.assign(slow, { ALERTS: { send: queued, sendBatch: queued } });
}

/** Alerts whose consumers have not started; consumers run only after members were added. */
const waiting: Job[] = [];
let consumers: number | undefined;
/** As in wrangler.toml. */
const BATCH = 50;
/** The platform adds consumers while there is a backlog; this is a conservative number. */
const CONSUMERS = 8;

async function queued(sent: Job | Iterable<{ body: Job }>): Promise<void> {
  counts.queue++;
  await after(LATENCY.queue);
  if (consumers === undefined) return;
  if (Symbol.iterator in sent) waiting.push(...Array.from(sent, ({ body }) => body));
  else waiting.push(sent);
}

/** Runs the product's consumer on the backlog, if another consumer may start. */
async function consume(env: Env, lifetime: ExecutionContext): Promise<void> {
  if (consumers === undefined || consumers >= CONSUMERS) return;
  consumers++;
  try {
    while (waiting.length > 0) {
      await after(LATENCY.queue);
      const retried: Job[] = [];
      const messages = waiting.splice(0, BATCH).map((body, n) => ({
        id: String(n),
        timestamp: new Date(),
        body,
        attempts: 1,
        ack: () => {},
        retry: () => retried.push(body),
      }));
      const batch = { queue: "odin-alerts", messages, ackAll: () => {}, retryAll: () => {} };
      await takeBatch(batch as unknown as MessageBatch<unknown>, env, lifetime);
      waiting.push(...retried);
    }
  } finally {
    consumers--;
  }
}

/** Adds `count` members with a phone each to the group. */
async function addMembers(app: AppContext, database: D1Database, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => `member-${n}`);
  const list = JSON.stringify(ids);
  await database.batch([
    database
      .prepare(
        `INSERT INTO users (id, agency_id, username, name, email, role, hotlist_viewer, password_hash, created_at)
          SELECT value, ?1, value, value, value || '@police.example', 'user', 1, 'none', 1 FROM json_each(?2)`,
      )
      .bind(AGENCY, list),
    database
      .prepare(
        "INSERT INTO alert_group_members (group_id, user_id, added_at, added_by) SELECT 'g', value, 1, 'u' FROM json_each(?)",
      )
      .bind(list),
    database
      .prepare(
        "INSERT INTO push_preferences (user_id, enabled, time_zone, changed_at) SELECT value, 1, 'UTC', 1 FROM json_each(?)",
      )
      .bind(list),
  ]);
  for (const userId of ids) {
    const address = await sha256(userId);
    const addressHash = await sha256(address);
    const id = stableId("push-device", userId, addressHash);
    const sealedAddress = await seal(app.config.sealingKeys, deviceAddressOwner(id), address);
    const device = { id, userId, channel: "apns" as const, name: "Phone", addressHash, sealedAddress };
    await inOneStep(app.db, [saveDevice(app.db, { ...device, createdAt: 1 })]);
  }
}

async function start(app: AppContext, cameras: number): Promise<void> {
  const agency = { id: AGENCY, name: "Bench" };
  const camera = { agencyId: agency.id, name: "Main St", latitude: 41.7, longitude: -72.7 };
  await setUp(app, {
    agencies: [agency],
    axisCameras: Array.from({ length: cameras }, (_, n) => ({
      ...camera,
      id: `camera-${n}`,
      secret: secretOf(n),
    })),
    users: [],
    rekorKeys: [],
    axonIntegrations: [],
    axonBlacklist: [],
    axisShares: [],
    webhooks: [],
  });
}

/** Counts the stored reads of all databases. */
async function countReads(env: Env): Promise<number> {
  const databases = Object.entries(env).filter(([name]) => /^READS_\d+$/.test(name));
  const counts = await Promise.all(
    databases.map(([, binding]) =>
      (binding as D1Database)
        .prepare("SELECT count(*) AS reads FROM sealed_reads")
        .first<{ reads: number }>(),
    ),
  );
  return counts.reduce((sum, count) => sum + (count?.reads ?? 0), 0);
}

export default {
  async fetch(request, env, lifetime) {
    const { pathname, searchParams } = new URL(request.url);
    const number = (name: string) => Number(searchParams.get(name));
    switch (pathname) {
      case "/bench/start":
        await start(createAppContext(env, lifetime), number("cameras"));
        return Response.json({});
      case "/bench/list":
        await listPlates(env.DB, { from: number("from"), count: number("count") });
        return Response.json({});
      case "/bench/members":
        await addMembers(createAppContext(env, lifetime), env.DB, number("count"));
        consumers = 0;
        return Response.json({});
      case "/bench/alerts":
        return Response.json((await env.DB.prepare("SELECT id, plate FROM alerts").all()).results);
      case "/bench/reads":
        return Response.json(await countReads(env));
      case "/bench/counts": {
        const before = counts;
        counts = { control: noCounts(), reads: noCounts(), r2: 0, queue: 0 };
        return Response.json(before);
      }
    }
    const slow = withLatency(env);
    const answer = await product.fetch(request as Parameters<typeof product.fetch>[0], slow, lifetime);
    lifetime.waitUntil(consume(slow, lifetime));
    return answer;
  },
} satisfies ExportedHandler<Env>;
