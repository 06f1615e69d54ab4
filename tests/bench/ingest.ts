// Reads archived with their indexes and matched against a million listed plates, in real D1 inside workerd: in batches
// compared with one by one. Also measures how long the product's webhooks take to answer a camera.

import type { Figure } from "./figure.ts";
import { measureWebhooks } from "./support/webhook-posts.ts";
import { withLiveBench } from "./workers/live-harness.ts";

export const name = "ingest";

const ENTRIES = 1_000_000;
/** Reads that the archive must accept per second on one core. */
const READS_PER_SECOND = 25_000;

export async function run(): Promise<Figure[]> {
  const entries = Number(process.env.BENCH_PLATES ?? ENTRIES);
  const batches = await withLiveBench(name, async ({ call, list }) => {
    await list(0, entries);
    const { small, single, large, own, peer } = await call<
      Record<"small" | "single" | "large" | "own" | "peer", number>
    >(`/ingest?entries=${entries}`);
    // The peer is the limit: milliseconds per thousand reads.
    const limit = { peer: 1e6 / READS_PER_SECOND, unit: "ms", goal: 1 };
    return [
      { name: "ingest: 1,000 reads into the archive, 5,000 at a time", own: large, ...limit },
      {
        name: "ingest: 1,000 reads, 500 at a time, vs. one by one",
        own: small,
        peer: single,
        unit: "ms",
        goal: 10,
      },
      { name: "ingest: 1,000 reads kept and matched, vs. one by one", own, peer, unit: "ms", goal: 50 },
    ];
  });
  return [...batches, ...(await measureWebhooks(entries))];
}
