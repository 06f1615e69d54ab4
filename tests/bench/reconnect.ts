// A hundred cameras come back at once after an hour without a network and post what they have kept, with the latencies of
// production simulated, while another camera posts what it reads now. Each sends in order, waits when it is told to, and
// repeats some events as if it had not seen the answer. BENCH_EVENTS=360 sets the events of a camera's hour.

import { TEST_SECRETS } from "../support/secrets.ts";
import { type Figure, percentile } from "./figure.ts";
import type { BenchWorker } from "./harness.ts";
import { axisEvent, sentOf } from "./support/webhook-posts.ts";
import { listThrough, withDatabases } from "./workers/live-harness.ts";
import { plateOf } from "./workers/plates.ts";
import { secretOf } from "./workers/posts.ts";

export const name = "reconnect";

const CAMERAS = 100;
const EVENTS = Number(process.env.BENCH_EVENTS ?? 60);
const HOUR_MS = 3_600_000;
const PICTURE = 60_000;
/** One event in this many has a listed plate, and one in this many is sent twice. */
const HIT_EVERY = 50;
const REPEAT_EVERY = 10;
const LIVE_PER_SECOND = 2;
/** The time in which a push must follow its read: the answer to the read alone must not take longer. */
const ANSWER_P99_MS = 5000;

export function run(): Promise<Figure[]> {
  const vars = { ...TEST_SECRETS, OWNER_USERNAME: "owner", PUBLIC_ORIGIN: "", ALLOW_LOOPBACK_VENDORS: "" };
  return withDatabases({ name, main: "posts.ts", vars }, async (call, send) => {
    await call(`/bench/start?cameras=${CAMERAS + 1}`);
    await listThrough(call, { path: "/bench/list", from: 0, to: 100_000 });
    const start = performance.now();
    const sender = newSender(send);
    let isOver = false;
    const live = postLive(sender, () => isOver);
    await Promise.all(Array.from({ length: CAMERAS }, (_, camera) => postHour(sender, camera)));
    const seconds = (performance.now() - start) / 1000;
    isOver = true;
    const times = await live;
    const reads = await call<number>("/bench/reads");
    const alerts = await call<{ plate: string }[]>("/bench/alerts");
    const alerted = new Set(alerts.map(({ plate }) => plate));
    const missed = [...sender.listed].filter((plate) => !alerted.has(plate)).length;
    console.log(
      `${sender.cars} events of ${CAMERAS + 1} cameras in ${seconds.toFixed(0)} s, ${sender.waits} were told to wait; a camera that posts now waited ${percentile(times, 50).toFixed(0)} ms for half of its answers; ${alerts.length} hits`,
    );
    const none = (what: string, count: number): Figure => {
      return { name: `reconnect: ${what}`, own: count, peer: 0, unit: "", goal: 1, limit: 0 };
    };
    return [
      none("reads lost or doubled", Math.abs(sender.cars - reads)),
      none("hits lost", missed),
      none("hits doubled or wrong", alerts.length - sender.listed.size + missed),
      {
        name: `reconnect: p99 of the answer to a camera that posts now, vs. ${ANSWER_P99_MS} ms`,
        own: percentile(times, 99),
        peer: ANSWER_P99_MS,
        unit: "ms",
        goal: 1,
      },
    ];
  });
}

type Sender = ReturnType<typeof newSender>;

function newSender(send: BenchWorker["post"]) {
  const sender = {
    cars: 0,
    waits: 0,
    listed: new Set<string>(),
    /** Posts a new car until it is accepted. */
    async post(camera: number, capturedAt: number): Promise<void> {
      const car = sender.cars++;
      const isListed = car % HIT_EVERY === 0;
      const plate = plateOf(car, isListed ? "7" : "8");
      if (isListed) sender.listed.add(plate);
      const sent = await sentOf(axisEvent(plate, PICTURE, PICTURE, capturedAt));
      for (let times = car % REPEAT_EVERY === 0 ? 2 : 1; times > 0; ) {
        const answer = await send(`/ingest/axis/${secretOf(camera)}`, sent);
        await answer.arrayBuffer();
        if (answer.ok) times--;
        else if (answer.status !== 429 && answer.status !== 503)
          throw new Error(`a camera got ${answer.status}`);
        else {
          sender.waits++;
          await after(Number(answer.headers.get("retry-after")) * 1000);
        }
      }
    },
  };
  return sender;
}

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function postHour(sender: Sender, camera: number): Promise<void> {
  const from = Date.now() - HOUR_MS;
  for (let event = 0; event < EVENTS; event++) await sender.post(camera, from + (event * HOUR_MS) / EVENTS);
}

/** Posts from a camera that was never away, and returns the times of its answers. */
async function postLive(sender: Sender, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isOver()) {
    const start = performance.now();
    await sender.post(CAMERAS, Date.now());
    times.push(performance.now() - start);
    await after(1000 / LIVE_PER_SECOND - (performance.now() - start));
  }
  return times;
}
