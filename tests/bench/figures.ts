// A page of figures of an agency whose audit log has a million rows of twelve months, in real D1 inside workerd: a view
// of it beside the naive query that counts the log by month and purpose each time. Both give the same counts.

import type { Figure } from "./figure.ts";
import { withBenchWorker } from "./harness.ts";

export const name = "figures";

const ROWS = 1_000_000;
const CHUNK = 50_000;

export function run(): Promise<Figure[]> {
  return withBenchWorker(
    { name, databases: { DB: "control", READS_0: "reads" }, buckets: ["AUDITS"] },
    async ({ call }) => {
      const total = Number(process.env.BENCH_FIGURES ?? ROWS);
      for (let from = 0; from < total; from += CHUNK)
        await call(`/fill?from=${from}&count=${Math.min(CHUNK, total - from)}&total=${total}`);
      // The first look counts twelve months; every later one reads what was kept.
      const { first } = await call<{ first: number }>("/first");
      const { view, hourly, naive } = await call<{ view: number; hourly: number; naive: number }>("/measure");
      return [
        { name: "figures: a view", own: view, peer: naive, unit: "ms", goal: 50 },
        {
          name: "figures: a view that counts what there is now anew",
          own: hourly,
          peer: naive,
          unit: "ms",
          goal: 2,
        },
        // Once in an agency's life; a month's own part of it is a twelfth.
        {
          name: "figures: twelve months for the first time",
          own: first,
          peer: naive,
          unit: "ms",
          goal: 0.2,
        },
      ];
    },
  );
}
