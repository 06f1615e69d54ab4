// Searches a million Axis reads in real D1 inside workerd: the archive of sealed reads (keyed tags, four databases,
// pages by key, every read opened and checked) compared with one plaintext table, searched with LIKE and OFFSET. Both
// search for the newest thousand reads of ten agencies out of thirty within 90 days, and must return the same rows.

import type { Figure } from "./figure.ts";
import { withBenchWorker } from "./harness.ts";

export const name = "search";

const READS = 1_000_000;
const CHUNK = 20_000;

/**
 * How many times faster than the peer, for one million reads. The peer's scan grows with the number of reads and ours
 * does not, so the ratios grow with the archive. With 100,000 reads, most of our time is the tags of 900 keys (15 ms)
 * and the calls to four databases. The goals are a little more than half of a run on two idle cores. Before reads were
 * sealed, they were 20, 15, 6, 8, 3, 1 and 10: the difference is the cost of sealing.
 */
const GOALS: Record<string, number> = {
  "whole plate": 10,
  "4-character fragment": 8,
  "3-character fragment": 6,
  "wildcard with a run": 6,
  // Only features of the plate narrow the search: both scan by time.
  "wildcard without a run": 1.2,
  // Common values: both scan by time until a thousand reads match, and opening them takes most of our time.
  "attributes only": 0.6,
  "deep page": 10,
};

export function run(): Promise<Figure[]> {
  const parts = {
    READS_0: "reads",
    READS_1: "reads",
    READS_2: "reads",
    READS_3: "reads",
    FLAT: null,
  } as const;
  return withBenchWorker({ name, databases: parts, buckets: ["KEYS", "BACKUPS"] }, async ({ call, env }) => {
    const { FLAT } = await env();
    await FLAT?.batch([
      FLAT.prepare(
        "CREATE TABLE reads_flat (plate TEXT, state TEXT, make TEXT, color TEXT, body TEXT, agency TEXT, camera TEXT, captured_at INTEGER)",
      ),
      FLAT.prepare("CREATE INDEX reads_flat_time ON reads_flat (captured_at)"),
    ]);
    const total = Number(process.env.BENCH_READS ?? READS);
    const start = Date.now();
    for (let from = 0; from < total; from += CHUNK) {
      await call(`/fill?from=${from}&count=${Math.min(CHUNK, total - from)}&total=${total}`);
    }
    console.log(
      `${total.toLocaleString("en")} reads inserted into both in ${Math.round((Date.now() - start) / 1000)} s`,
    );
    const figures: Figure[] = [];
    for (const [name, goal] of Object.entries(GOALS)) {
      const { own, peer } = await call<{ own: number; peer: number }>(
        `/measure?case=${encodeURIComponent(name)}`,
      );
      figures.push({ name: `search: ${name}`, own, peer, unit: "ms", goal });
    }
    return figures;
  });
}
