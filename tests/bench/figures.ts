// The transparency page of an agency whose audit log has a million rows in twelve months, in real D1 inside workerd.
// The peer is the naive query that counts the log by month and purpose on each view. Both must return the same counts.

import type { Figure } from "./figure.ts";
import { withBenchWorker } from "./harness.ts";

export const name = "figures";

const ROWS = 1_000_000;
const CHUNK = 50_000;

export function run(): Promise<Figure[]> {
  return withBenchWorker(
    { name, databases: { DB: "control", READS_0: "reads" }, buckets: ["AUDITS", "ATTACHMENTS", "BACKUPS"] },
    async ({ call }) => {
      const total = Number(process.env.BENCH_FIGURES ?? ROWS);
      for (let from = 0; from < total; from += CHUNK)
        await call(`/fill?from=${from}&count=${Math.min(CHUNK, total - from)}&total=${total}`);
      // The first view counts twelve months; later views read the stored counts.
      const { first } = await call<{ first: number }>("/first");
      const { view, hourly, naive } = await call<{ view: number; hourly: number; naive: number }>("/measure");
      return [
        { name: "figures: a view", own: view, peer: naive, unit: "ms", goal: 50 },
        {
          name: "figures: a view with outdated counts",
          own: hourly,
          peer: naive,
          unit: "ms",
          goal: 2,
        },
        // Happens once per agency; later, each month takes a twelfth of this time.
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
