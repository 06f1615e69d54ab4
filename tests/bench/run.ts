// `npm run bench [-- name]`: runs one bench or all, prints one line per figure, and fails if a goal is missed.
// Goals are ratios to a peer in the same run, since milliseconds depend on the machine; limits are for waits of users.
// A bench runs again if other programs used the machine: the medians count, and the spread is printed.
// BENCH_RUNS=1 runs each once.

import { readdir } from "node:fs/promises";
import { type Figure, isMet, median, ratioOf } from "./figure.ts";
import { watchOthers } from "./support/busy.ts";

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

/** The share of all cores that other programs may use, and how often a bench runs if they use more. */
const BUSY = 0.1;
const RUNS = Number(process.env.BENCH_RUNS ?? 3);

/** A figure, with the lowest and the highest value of several runs. */
type Repeated = Figure & { spread?: [low: number, high: number] };

/** Runs a bench until no other program used the machine, or `RUNS` times. */
async function runBench(bench: Bench): Promise<Repeated[]> {
  const busy: Figure[][] = [];
  for (;;) {
    const others = watchOthers();
    const figures = await bench.run();
    const share = others();
    if (share <= BUSY) return withSpread(figures, [...busy, figures]);
    busy.push(figures);
    const again = busy.length < RUNS ? `: it runs again, ${RUNS} times at most` : "";
    console.log(`${bench.name}: other programs took ${Math.round(share * 100)} % of the machine${again}`);
    if (busy.length >= RUNS) return withSpread(busy.length > 1 ? mediansOf(busy) : figures, busy);
  }
}

function mediansOf(runs: Figure[][]): Figure[] {
  const [first = []] = runs;
  return first.map((figure, i) => ({
    ...figure,
    own: median(runs.map((run) => run[i]?.own ?? figure.own)),
    peer: median(runs.map((run) => run[i]?.peer ?? figure.peer)),
  }));
}

function withSpread(figures: Figure[], runs: Figure[][]): Repeated[] {
  if (runs.length === 1) return figures;
  return figures.map((figure, i) => {
    const all = runs.map((run) => run[i]?.own ?? figure.own);
    return { ...figure, spread: [Math.min(...all), Math.max(...all)] };
  });
}

function print(figures: Repeated[]): void {
  const lines = figures.map((figure) => [
    figure.name,
    `${figure.own.toFixed(2)} ${figure.unit}`,
    `${figure.peer.toFixed(2)} ${figure.unit}`,
    // If both are 0, such as numbers of errors, there is no ratio.
    figure.own === figure.peer ? "1.0x" : `${ratioOf(figure).toFixed(1)}x`,
    figure.limit === undefined ? `${Number(figure.goal.toFixed(2))}x` : `${figure.limit} ${figure.unit}`,
    isMet(figure) ? "met" : "missed",
    figure.spread ? `${figure.spread.map((own) => own.toFixed(2)).join(" to ")} ${figure.unit}` : "",
  ]);
  const table = [["figure", "own", "peer", "ratio", "goal", "", "spread"], ...lines];
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
const figures: Repeated[] = [];
for (const bench of chosen) figures.push(...(await runBench(bench)));
print(figures);
process.exit(figures.every(isMet) ? 0 : 1);
