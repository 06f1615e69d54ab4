// An audit log of a million rows in real D1 inside workerd: pages, filters and chain verification, compared with the
// naive query (one table without our indexes, LIKE on its JSON, paged by OFFSET). Both must return the same rows.

import type { Figure } from "./figure.ts";
import { withBenchWorker } from "./harness.ts";

export const name = "audit";

const ROWS = 1_000_000;
const CHUNK = 50_000;

/** How many times faster than the naive query. */
const GOALS: Record<string, number> = {
  "first page": 1,
  "deep page": 20,
  "one plate": 20,
  "one case number": 20,
  "one user's searches": 2,
  "refusals, one in ten thousand": 20,
};

export function run(): Promise<Figure[]> {
  return withBenchWorker({ name, databases: { DB: "control" }, buckets: ["AUDITS"] }, async ({ call }) => {
    const total = Number(process.env.BENCH_AUDIT ?? ROWS);
    for (let from = 0; from < total; from += CHUNK) {
      await call(`/fill?from=${from}&count=${Math.min(CHUNK, total - from)}`);
    }
    let sealing = performance.now();
    for (let sealed = 1; sealed > 0; ) ({ sealed } = await call<{ sealed: number }>("/seal"));
    sealing = performance.now() - sealing;
    const figures: Figure[] = [];
    for (const [name, goal] of Object.entries(GOALS)) {
      const { own, peer } = await call<{ own: number; peer: number }>(
        `/measure?case=${encodeURIComponent(name)}`,
      );
      figures.push({ name: `audit: ${name}`, own, peer, unit: "ms", goal });
    }
    const { first, last } = await call<{ first: number; last: number }>("/verify");
    return [
      ...figures,
      // Verification costs the same at any position; the goal allows for noise on a busy machine.
      { name: "audit: verify 5,000 rows, last vs. first", own: last, peer: first, unit: "ms", goal: 0.5 },
      // Sealing must keep up with writing: the peer is one row per millisecond.
      { name: "audit: seal a row, vs. 1 ms", own: sealing / total, peer: 1, unit: "ms", goal: 2 },
    ];
  });
}
