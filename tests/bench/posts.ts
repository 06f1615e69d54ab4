// Cameras that post one event at a time, with the latencies of production simulated: each call of D1 takes 10 ms longer,
// of R2 30 ms, of a queue 10 ms. The sender runs on the same cores. BENCH_SECONDS=600 measures for ten minutes.

import { generateKeyPairSync } from "node:crypto";
import { availableParallelism } from "node:os";
import { TEST_SECRETS } from "../support/secrets.ts";
import { costOf } from "./cost.ts";
import { type Figure, percentile } from "./figure.ts";
import type { BenchWorker, Call } from "./harness.ts";
import { type Push, startPhones } from "./support/posts-phones.ts";
import { axisEvent, sentOf } from "./support/webhook-posts.ts";
import { findWorkerd } from "./support/workerd.ts";
import { listThrough, withDatabases } from "./workers/live-harness.ts";
import { plateOf } from "./workers/plates.ts";
import { type Counts, secretOf } from "./workers/posts.ts";

export const name = "posts";

const SECONDS = Number(process.env.BENCH_SECONDS ?? 30);
const CAMERAS = 200;
/** Concurrent posts. */
const AT_ONCE = 96;
const PICTURE = 60_000;
/** One post in this many has a listed plate. */
const HIT_EVERY = 100;

const RATE_WITH_PICTURES = 150;
const RATE_WITHOUT = 400;
const ANSWER_P99_MS = 250;
/** Hits per second of a state, the members of each group, and the limit for a push. */
const ALERTS_PER_SECOND = 28;
const MEMBERS = 20;
const PUSH_P99_MS = 5000;
/** Posts per second of a state, and the share of the time that the control database may be busy with them. */
const STATE_RATE = 500;
const MAX_BUSY = 30;

export async function run(): Promise<Figure[]> {
  const phones = await startPhones();
  try {
    return await measure(phones);
  } finally {
    phones.close();
  }
}

function measure(phones: Awaited<ReturnType<typeof startPhones>>): Promise<Figure[]> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const vars = {
    ...TEST_SECRETS,
    OWNER_USERNAME: "owner",
    PUBLIC_ORIGIN: "",
    ALLOW_LOOPBACK_VENDORS: "yes",
    APNS_URL: phones.url,
    APNS_TOPIC: "app.odin.bench",
    APNS_KEY: privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
    APNS_KEY_ID: "ODINBENCH1",
    APNS_TEAM_ID: "ODINBENCH2",
  };
  return withDatabases({ name, main: "posts.ts", vars }, async (call, send) => {
    await call(`/bench/start?cameras=${CAMERAS}`);
    await listThrough(call, { path: "/bench/list", from: 0, to: 100_000 });
    await flood(send, { pictures: 0, seconds: 5 });
    const bare = await counted(call, () => flood(send, { pictures: 0, seconds: SECONDS }));
    const cpuBefore = workerdCpuMs();
    const full = await counted(call, () => flood(send, { pictures: PICTURE, seconds: SECONDS }));
    const workerdMs = workerdCpuMs() - cpuBefore;
    // A steady rate, well below the limit: the response time when the installation is not saturated.
    const steady = await flood(send, { pictures: PICTURE, seconds: SECONDS, perSecond: 50 });
    await call(`/bench/members?count=${MEMBERS}`);
    const hits = await pushAll({ call, send, phones: phones.pushes });
    for (const [what, { posts, counts }] of Object.entries({ "without pictures": bare, "with two": full }))
      console.log(`a post ${what}: ${perPost(counts, posts)}`);
    // CPU of workerd with its simulated D1 and R2: an upper bound of a Worker's billed time. Without /proc, all cores.
    const cpuMs = (workerdMs || availableParallelism() * full.seconds * 1000) / full.posts;
    console.log(`CPU of workerd per post with two pictures, D1 and R2 included: ${cpuMs.toFixed(1)} ms`);
    const cost = { counts: full.counts, posts: full.posts, pictureBytes: 2 * PICTURE, cpuMs };
    for (const line of costOf(cost)) console.log(line);
    const busy = ((full.counts.control.ms / full.posts) * STATE_RATE) / 10;
    const rate = (what: string, of: Flood, goal: number) => ({
      name: `posts: time per post ${what}, vs. ${goal} a second`,
      own: (of.seconds * 1000) / of.posts,
      peer: 1000 / goal,
      unit: "ms",
      goal: 1,
    });
    return [
      rate("without pictures", bare, RATE_WITHOUT),
      rate("with two of 60 kB", full, RATE_WITH_PICTURES),
      {
        name: `posts: p99 of the answer at 50 a second, vs. ${ANSWER_P99_MS} ms`,
        own: percentile(steady.times, 99),
        peer: ANSWER_P99_MS,
        unit: "ms",
        goal: 1,
      },
      {
        name: `posts: control database busy at ${STATE_RATE} a second, vs. ${MAX_BUSY} %`,
        own: busy,
        peer: MAX_BUSY,
        unit: "%",
        goal: 1,
      },
      {
        name: `posts: p99 from a read's answer to its push, ${ALERTS_PER_SECOND} alerts a second, ${MEMBERS} members, vs. 5 s`,
        own: percentile(hits.times, 99),
        peer: PUSH_P99_MS,
        unit: "ms",
        goal: 1,
      },
      {
        name: "posts: pushes lost or made twice",
        own: hits.wrong,
        peer: 0,
        unit: "pushes",
        goal: 1,
        limit: 0,
      },
    ];
  });
}

const workerdCpuMs = () => findWorkerd().reduce((sum, one) => sum + one.cpuMs(), 0);

/** Missing pushes count as lost after this long without any push. */
const LOST_AFTER_MS = 20_000;

/** Posts listed plates at the rate of alerts. Returns how long each push took after its read was answered. */
async function pushAll(input: {
  call: Call;
  send: BenchWorker["post"];
  phones: Push[];
}): Promise<{ times: number[]; wrong: number }> {
  const { call, send, phones } = input;
  const known = new Set((await call<Alert[]>("/bench/alerts")).map(({ id }) => id));
  const answered = new Map<string, number>();
  const [cpuBefore, startedAt] = [workerdCpuMs(), performance.now()];
  await flood(send, {
    pictures: PICTURE,
    seconds: SECONDS,
    perSecond: ALERTS_PER_SECOND,
    hitEvery: 1,
    answered,
  });
  const alerts = (await call<Alert[]>("/bench/alerts")).filter(({ id }) => !known.has(id));
  const sentAt = performance.now();
  const lastAt = () => Math.max(sentAt, phones.at(-1)?.at ?? 0);
  while (phones.length < alerts.length * MEMBERS && performance.now() < lastAt() + LOST_AFTER_MS)
    await new Promise((resolve) => setTimeout(resolve, 100));
  const plates = new Map(alerts.map(({ id, plate }) => [id, plate]));
  const times = phones.map(({ alertId, at }) => at - (answered.get(plates.get(alertId) ?? "") ?? Number.NaN));
  const distinct = new Set(phones.map(({ alertId, device }) => `${alertId} ${device}`)).size;
  const lost = answered.size * MEMBERS - distinct;
  const [cpuMs, tookMs] = [workerdCpuMs() - cpuBefore, performance.now() - startedAt];
  console.log(
    `${answered.size} reads with hits, ${phones.length} pushes in ${(tookMs / 1000).toFixed(0)} s; p50 ${percentile(times, 50).toFixed(0)} ms; CPU of workerd ${(cpuMs / 1000).toFixed(0)} s`,
  );
  return { times, wrong: lost + phones.length - distinct };
}

type Alert = { id: string; plate: string };

type Flood = { posts: number; seconds: number; times: number[] };

async function counted(call: Call, work: () => Promise<Flood>): Promise<Flood & { counts: Counts }> {
  await call("/bench/counts");
  const done = await work();
  return { ...done, counts: await call<Counts>("/bench/counts") };
}

let cars = 0;

/** Posts for a time, each a different car at the next camera, as fast as possible or at `perSecond`. */
async function flood(
  send: BenchWorker["post"],
  input: {
    pictures: number;
    seconds: number;
    perSecond?: number;
    hitEvery?: number;
    /** Receives, by plate, the time at which each post was answered. */
    answered?: Map<string, number>;
  },
): Promise<Flood> {
  const { pictures, seconds, perSecond, hitEvery = HIT_EVERY, answered } = input;
  const times: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  let started = 0;
  async function sender(): Promise<void> {
    while (performance.now() < end) {
      const due = perSecond === undefined ? 0 : start + (started++ * 1000) / perSecond;
      const wait = due - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      const car = cars++;
      const plate = plateOf(car, car % hitEvery === 0 ? "7" : "8");
      const event = axisEvent(plate, pictures);
      const sent = await sentOf(event);
      const from = performance.now();
      const answer = await send(`/ingest/axis/${secretOf(car % CAMERAS)}`, sent);
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`a camera got ${answer.status}`);
      times.push(performance.now() - from);
      answered?.set(plate, performance.now());
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return { posts: times.length, seconds: (performance.now() - start) / 1000, times };
}

/** Returns the cost of one post as text. */
function perPost({ control, reads, r2, queue }: Counts, posts: number): string {
  const each = (sum: number) => (sum / posts).toFixed(2);
  const database = (what: string, of: Counts["control"]) =>
    `${what} ${each(of.calls)} calls, ${each(of.rowsRead)} rows read, ${each(of.rowsWritten)} written, ${each(of.ms)} ms`;
  return [
    database("control", control),
    database("reads", reads),
    `R2 ${each(r2)} calls`,
    `queue ${each(queue)}`,
  ].join("; ");
}
