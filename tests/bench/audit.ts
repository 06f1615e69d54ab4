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

export async function run(): Promise<Figure[]> {
  return [...(await runOnline()), ...(await runArchived())];
}

/** Rows of the small archive, and of the large one. */
const SMALL = 10_000;
const LARGE = 200_000;

type Archived = {
  times: Record<string, number>;
  prints: number;
  openedNeedlessly: number;
  rows: number;
  segments: number;
  bytes: number;
};

/** Compares a small archive with a large one: pages, filters and verification must take the same time. */
function runArchived(): Promise<Figure[]> {
  return withBenchWorker({ name, databases: { DB: "control" }, buckets: ["AUDITS"] }, async ({ call }) => {
    const total = Number(process.env.BENCH_AUDIT_ARCHIVE ?? LARGE);
    const measured: Archived[] = [];
    let from = 0;
    for (const to of [SMALL, total]) {
      for (; from < to; from += CHUNK) await call(`/fill?from=${from}&count=${Math.min(CHUNK, to - from)}`);
      from = to;
      for (let sealed = 1; sealed > 0; ) ({ sealed } = await call<{ sealed: number }>("/seal"));
      for (let rows = 1; rows > 0; ) ({ rows } = await call<{ rows: number }>("/archive"));
      measured.push(await call<Archived>("/measure-archived"));
    }
    const [small, large] = measured;
    if (!small || !large) throw new Error("nothing was measured");
    const { rows, prints, openedNeedlessly, segments, bytes } = large;
    console.log(
      `audit archive: ${rows} rows in ${segments} segments, ${(bytes / rows).toFixed(1)} bytes a row in R2, ` +
        `${(prints / rows).toFixed(2)} fingerprints a row in D1; ${openedNeedlessly} of 100,000 comparisons of unknown ` +
        "plates with a segment name it",
    );
    return Object.entries(large.times).map(([what, own]) => ({
      name: `audit: archive of ${total} vs. ${SMALL} rows, ${what}`,
      own,
      peer: small.times[what] ?? 0,
      unit: "ms",
      goal: 0.5,
    }));
  });
}

function runOnline(): Promise<Figure[]> {
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
      // Verification takes the same time at any position; the goal allows for noise on a busy machine.
      { name: "audit: verify 5,000 rows, last vs. first", own: last, peer: first, unit: "ms", goal: 0.5 },
      // Sealing must keep up with writing: the peer is one row per millisecond.
      { name: "audit: seal a row, vs. 1 ms", own: sealing / total, peer: 1, unit: "ms", goal: 2 },
    ];
  });
}
