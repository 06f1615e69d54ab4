// Searches a million Axis reads in real D1 inside workerd: the archive of sealed reads (keyed tags, four databases,
// pages by key, every read opened and checked) compared with one plaintext table, searched with LIKE and OFFSET. Both
// search for the newest thousand reads of ten agencies out of a hundred within 90 days, and must return the same rows.
//
// BENCH_READS=10000000 searches ten million reads. They are generated once, which takes about twenty minutes and 15 GB,
// and kept (cached-worker.ts). BENCH_FILL=120 only generates them, for 120 seconds; the next run continues.
// BENCH_CASES="deep page,whole plate" measures some of the cases; with BENCH_FILL=0, in the reads generated so far.

import type { Figure } from "./figure.ts";
import { withCachedWorker } from "./support/cached-worker.ts";
import { keyMemory } from "./support/key-memory.ts";

export const name = "search";

const READS = 1_000_000;
const CHUNK = 20_000;
/** Chunks that are filled at the same time. */
const AT_ONCE = 2;
/** Raise this if the bench generates other reads or the archive stores them differently, to discard the kept reads. */
const VERSION = 2;

/**
 * How many times faster than the peer (`ratio`), for a million reads: the peer's scan grows with the number of reads,
 * ours does not. The ratios were set after reads became sealed; docs/scale.md has the reason and how to revert it. For
 * ten million reads, the goal is at most `most` milliseconds or the ratio `large`.
 */
const GOALS: Record<string, { ratio: number; most?: number; large?: number }> = {
  "whole plate": { ratio: 10, most: 40 },
  "4-character fragment": { ratio: 8, most: 40 },
  "3-character fragment": { ratio: 6, most: 40 },
  "wildcard with a run": { ratio: 6, most: 40 },
  "wildcard without a run": { ratio: 1.2, most: 500 },
  // Common values: both scan by time until a thousand reads match, and opening them takes most of our time.
  "attributes only": { ratio: 0.6, large: 1 },
  // 9,000 keys.
  "100 agencies": { ratio: 1, most: 150 },
  "3 characters of 100 agencies": { ratio: 1, most: 150 },
  "deep page": { ratio: 10, large: 20 },
};
/** From this many reads on, the goals for ten million reads apply. */
const LARGE = 10_000_000;

type Both = { own: number; peer: number };
type Measured = Both & { rows: number; opened: number; rowsRead: Both };
type Sizes = { bytes: Both; rowsWritten: Both; reads: number };

export function run(): Promise<Figure[]> {
  const parts = {
    name,
    databases: {
      DB: "control",
      READS_0: "reads",
      READS_1: "reads",
      READS_2: "reads",
      READS_3: "reads",
      FLAT: null,
    },
    buckets: ["KEYS", "BACKUPS"],
  } as const;
  const total = Number(process.env.BENCH_READS ?? READS);
  const cases = process.env.BENCH_CASES?.split(",") ?? Object.keys(GOALS);
  return withCachedWorker(
    `search-${total}-v${VERSION}`,
    { ...parts, buckets: [...parts.buckets] },
    async ({ call, filled, noteFilled }) => {
      await call("/start");
      const until = Date.now() + Number(process.env.BENCH_FILL ?? Number.POSITIVE_INFINITY) * 1000;
      for (let from = filled(); from < total && Date.now() < until; from += AT_ONCE * CHUNK) {
        const chunks = Array.from({ length: AT_ONCE }, (_, n) => from + n * CHUNK).filter((at) => at < total);
        await Promise.all(
          chunks.map((at) => call(`/fill?from=${at}&count=${Math.min(CHUNK, total - at)}&total=${total}`)),
        );
        noteFilled(Math.min(from + AT_ONCE * CHUNK, total));
      }
      await printSizes(await call<Sizes>("/sizes"), filled());
      if (process.env.BENCH_FILL && !process.env.BENCH_CASES) return [];
      const figures: Figure[] = [];
      for (const name of cases) {
        const goal = GOALS[name];
        if (!goal) throw new Error(`there is no case "${name}": ${Object.keys(GOALS).join(", ")}`);
        const { own, peer, rowsRead, rows, opened } = await call<Measured>(
          `/measure?case=${encodeURIComponent(name)}`,
        );
        const each = (count: number) => Math.round(count).toLocaleString("en");
        console.log(
          `${name}: ${each(own)} ms, ${rows} reads found; opened per search ${each(opened)}, rows read ${each(rowsRead.own)}, naive ${each(rowsRead.peer)}`,
        );
        const isLarge = total >= LARGE;
        const limit = isLarge ? goal.most : undefined;
        const ratio = isLarge ? (goal.large ?? goal.ratio) : goal.ratio;
        figures.push({ name: `search: ${name}`, own, peer, unit: "ms", goal: ratio, limit });
      }
      if (!process.env.BENCH_CASES) figures.push(await memoryOfKeys());
      return figures;
    },
  );
}

/** An isolate has 128 MB; the keys of a search may take half of them. */
const MOST_KEYS_MB = 64;

async function memoryOfKeys(): Promise<Figure> {
  return {
    name: "search: memory of 90,000 keys, vs. half of an isolate's",
    own: await keyMemory(),
    peer: MOST_KEYS_MB,
    unit: "MB",
    goal: 1,
  };
}

async function printSizes({ bytes, rowsWritten, reads }: Sizes, total: number): Promise<void> {
  const per = (sum: number, count: number) => (sum / count).toFixed(1);
  console.log(
    `${total.toLocaleString("en")} reads: ${per(bytes.own, total)} bytes each, naive ${per(bytes.peer, total)}`,
  );
  if (reads > 0)
    console.log(
      `rows written per read ${per(rowsWritten.own, reads)}, naive ${per(rowsWritten.peer, reads)} (${reads.toLocaleString("en")} filled now)`,
    );
}
