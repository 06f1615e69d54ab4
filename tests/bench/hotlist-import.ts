// Imports a hotlist of a million plates, from the file to the active list, in real D1 and R2 inside workerd. Then
// compares the first page of that group with the first page of a group of about a hundred plates.

import type { Figure } from "./figure.ts";
import { withBenchWorker } from "./harness.ts";

export const name = "hotlist-import";

const ROWS = 1_000_000;
/** Time limit for a million plates on two cores. */
const LIMIT_SECONDS = 60;

export function run(): Promise<Figure[]> {
  return withBenchWorker({ name, databases: { DB: "control" }, buckets: ["IMPORTS"] }, async ({ call }) => {
    const rows = Number(process.env.BENCH_PLATES ?? ROWS);
    /** Imports the uploaded file and applies it; returns seconds. */
    const load = async () => {
      const start = performance.now();
      for (let state = ""; state !== "ready"; ) {
        ({ state } = await call<{ state: string }>("/continue"));
        if (state === "failed") throw new Error("the import failed");
      }
      await call("/apply");
      return (performance.now() - start) / 1000;
    };
    // The peer is the time limit, scaled to the number of plates.
    const peer = (LIMIT_SECONDS * rows) / ROWS;
    await call(`/start?rows=${rows}`);
    const added = await load();
    await call(`/start-replace?rows=${rows}`);
    const replaced = await load();
    const plates = rows.toLocaleString("en");
    const { large, small } = await call<{ large: number; small: number }>("/pages");
    return [
      { name: `hotlist: ${plates} plates added`, own: added, peer, unit: "s", goal: 1 },
      { name: `hotlist: all replaced by ${plates}`, own: replaced, peer, unit: "s", goal: 1 },
      // Both pages have a hundred plates; the goal allows for noise on a busy machine.
      { name: "hotlist: first page, all vs. a hundred", own: large, peer: small, unit: "ms", goal: 0.5 },
    ];
  });
}
