// Search over a million Axis reads, in real D1 inside workerd: the archive of sealed reads (keyed tags, four databases,
// pages by key, every read opened and looked at) beside one table in clear, searched with LIKE and OFFSET. Both are asked
// for the newest thousand reads of ten agencies of thirty within 90 days, and must give the same rows.

import type { Figure } from "./figure.ts";
import { withBenchWorker } from "./harness.ts";

export const name = "search";

const READS = 1_000_000;
const CHUNK = 20_000;

/**
 * How many times faster than the peer, for one million reads. The peer's scan grows with the reads while ours does not,
 * so ratios grow with the archive; at a tenth of that, the tags of 900 keys (15 ms) and the calls to four databases are
 * most of our time. These goals were set after measuring, at a little more than half of a run on two quiet cores. Before
 * reads were sealed they were 20, 15, 6, 8, 3, 1 and 10: that is what sealing costs.
 */
const GOALS: Record<string, number> = {
  "whole plate": 10,
  "4-character fragment": 8,
  "3-character fragment": 6,
  "wildcard with a run": 6,
  // Nothing but features of the plate narrows it down: both walk by time.
  "wildcard without a run": 1.2,
  // Common words: both walk by time until a thousand reads fit, and opening these is most of ours.
  "attributes only": 0.6,
  "deep page": 10,
};

/** Fills both, then measures every case. */
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
      `${total.toLocaleString("en")} reads in both after ${Math.round((Date.now() - start) / 1000)} s`,
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
