// `npm run bench [-- name]`: runs one bench or all, prints one line per figure, and fails if a goal is missed.
// Goals are ratios to a peer in the same run, since milliseconds depend on the machine; limits are for what people wait for.

import { readdir } from "node:fs/promises";
import { type Figure, isMet, ratioOf } from "./figure.ts";

type Bench = { name: string; run: () => Promise<Figure[]> };

async function findBenches(): Promise<Bench[]> {
  const files = (await readdir(import.meta.dirname)).filter(
    (file) => file.endsWith(".ts") && file !== "run.ts",
  );
  const modules = await Promise.all(
    files.sort().map((file) => import(`./${file}`) as Promise<Partial<Bench>>),
  );
  return modules.filter((module): module is Bench => module.name !== undefined && module.run !== undefined);
}

function print(figures: Figure[]): void {
  const lines = figures.map((figure) => [
    figure.name,
    `${figure.own.toFixed(2)} ${figure.unit}`,
    `${figure.peer.toFixed(2)} ${figure.unit}`,
    `${ratioOf(figure).toFixed(1)}x`,
    figure.limit === undefined ? `${figure.goal}x` : `${figure.limit} ${figure.unit}`,
    isMet(figure) ? "met" : "missed",
  ]);
  const table = [["figure", "own", "peer", "ratio", "goal", ""], ...lines];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? [];
  for (const line of table) {
    const cells = line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(cells.join("  "));
  }
}

// Otherwise the local runtime fetches a sample `cf` object from the network.
process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
// Otherwise it logs every call of a binding, which distorts the measured times.
process.env.X_LOCAL_OBSERVABILITY = "false";
const benches = await findBenches();
const wanted = process.argv[2];
const chosen = wanted === undefined ? benches : benches.filter((bench) => bench.name === wanted);
if (chosen.length === 0) {
  console.error(
    `There is no bench "${wanted}". Available benches: ${benches.map((bench) => bench.name).join(", ")}`,
  );
  process.exit(1);
}
const figures: Figure[] = [];
for (const bench of chosen) figures.push(...(await bench.run()));
print(figures);
process.exit(figures.every(isMet) ? 0 : 1);
