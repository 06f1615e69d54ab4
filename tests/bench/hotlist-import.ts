// A hotlist of a million plates, from the file to the switch, in real D1 and R2 inside workerd; and how long the first
// page of that group takes beside the first page of one with ten plates.

import type { Figure } from "./figure.ts";
import { withBenchWorker } from "./harness.ts";

export const name = "hotlist-import";

const ROWS = 1_000_000;
/** Seconds that a million plates may take on two cores. */
const LIMIT_SECONDS = 60;

/** Imports, switches and measures. */
export function run(): Promise<Figure[]> {
  return withBenchWorker({ name, databases: { DB: "control" }, buckets: ["IMPORTS"] }, async ({ call }) => {
    const rows = Number(process.env.BENCH_PLATES ?? ROWS);
    /** From the file that lies there to the list in force. */
    const load = async () => {
      const start = performance.now();
      for (let state = ""; state !== "ready"; ) {
        ({ state } = await call<{ state: string }>("/continue"));
        if (state === "failed") throw new Error("the import failed");
      }
      await call("/apply");
      return (performance.now() - start) / 1000;
    };
    // The peer is the limit itself, for a million plates.
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
      // Both pages hold a hundred plates; noise of a busy machine is allowed for.
      { name: "hotlist: first page, all and a hundred", own: large, peer: small, unit: "ms", goal: 0.5 },
    ];
  });
}
