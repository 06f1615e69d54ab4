// Moves a day of a million reads (BENCH_READS for another number) from one database to another, in real D1 inside workerd,
// while searches run. Measures the reads moved per second, the queries per step, and how much longer searches take.

import { type Figure, median } from "./figure.ts";
import { type Call, withBenchWorker } from "./harness.ts";
import type { DrainStep } from "./workers/drain.ts";

export const name = "drain";

const READS = 1_000_000;
const CHUNK = 20_000;
/** D1 allows 1,000 queries per invocation. */
const QUERIES = 1000;
/** With 10,000,000 reads a day, the drain must be many times faster than the reads arrive. */
const PER_SECOND = 2000;
/** Milliseconds between searches, so that searches do not slow each other down. */
const PAUSE_MS = 50;

export async function run(): Promise<Figure[]> {
  const total = Number(process.env.BENCH_READS ?? READS);
  const databases = { DB: "control", READS_0: "reads", READS_1: "reads" } as const;
  return withBenchWorker({ name, databases, buckets: ["KEYS", "BACKUPS"] }, async ({ call }) => {
    for (let from = 0; from < total; from += CHUNK)
      await call(`/fill?from=${from}&count=${Math.min(CHUNK, total - from)}&total=${total}`);
    const alone = await searchWhile(call, new Promise((resolve) => setTimeout(resolve, 5000)));
    await call("/begin");
    const steps: DrainStep[] = [];
    const moving = (async () => {
      for (let isDone = false; !isDone; ) {
        const step = await call<DrainStep>("/step");
        steps.push(step);
        isDone = step.isDone;
      }
    })();
    const meanwhile = await searchWhile(call, moving);
    const { found } = await call<{ found: number }>(`/check?total=${total}`);
    if (found !== total) throw new Error(`${found} of ${total} reads are in the new database`);
    const copying = steps.filter(({ moved }) => moved > 0);
    const seconds = copying.reduce((sum, { ms }) => sum + ms, 0) / 1000;
    const most = Math.max(...steps.map(({ queries }) => queries));
    console.log(
      [
        `${total.toLocaleString("en")} reads moved in ${copying.length} steps and ${seconds.toFixed(1)} s, and deleted in ${steps.length - copying.length} steps`,
        `at most ${most} queries and ${Math.max(...steps.map(({ ms }) => ms))} ms a step; the day was closed for ${Math.max(...steps.map(({ closedMs }) => closedMs))} ms`,
        `a search took ${median(alone).toFixed(1)} ms before, ${median(meanwhile).toFixed(1)} ms meanwhile (slowest ${Math.max(...meanwhile).toFixed(0)} ms, ${meanwhile.length} searches)`,
      ].join("\n"),
    );
    return [
      {
        name: "drain: time for 1,000 reads",
        own: (seconds * 1e6) / total,
        peer: 1e6 / PER_SECOND,
        unit: "ms",
        goal: 1,
      },
      { name: "drain: queries of a step", own: most, peer: QUERIES, unit: "", goal: 1 },
      {
        name: "drain: a search meanwhile",
        own: median(meanwhile),
        peer: median(alone),
        unit: "ms",
        goal: 0.1,
        limit: 250,
      },
    ];
  });
}

/** Searches until `work` ends. Returns the search times in milliseconds. */
async function searchWhile(call: Call, work: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  for (let n = 0; !isDone; n++) {
    const start = performance.now();
    await call(`/search?n=${n}`);
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await ended;
  return times;
}
