// Compares today's code with commit 68059bbb, the last before files moved to rooms: the benches that both have, in turns on
// the same machine. Each figure is the value of today's code, its peer the value of the old code.
//
// BENCH_NAMES="match,export" compares some of them. The old `ingest` and `match` get today's plates of seven characters;
// `search` keeps its own of nine, and spreads its reads over thirty agencies instead of a hundred.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../workers/local/settings.ts";
import type { Figure } from "./figure.ts";
import { writeOldSource } from "./support/old-source.ts";

export const name = "before";

const OLD_COMMIT = "68059bbb";
const NAMES =
  process.env.BENCH_NAMES ?? "audit,backup,export,figures,hotlist-import,ingest,match,results,search";
const TURNS = 2;
/** What repeated runs of the same build differ by. */
const NOISE = 1.1;

/** Names of figures that were reworded, except for "beside" and "|", which are "vs." today. */
const RENAMED: Record<string, string> = {
  "backup: there and back, vs. the naive way": "backup: backup and restore, vs. the naive way",
  "figures: a view that counts what there is now anew": "figures: a view with outdated counts",
  "hotlist: first page, all and a hundred": "hotlist: first page, all vs. a hundred",
  "export: ZIP of 5,000, a record vs. one of 1,000": "export: ZIP of 5,000, per record, vs. ZIP of 1,000",
};

type Values = Map<string, { own: number; unit: string }>;

export async function run(): Promise<Figure[]> {
  const temporary = mkdtempSync(join(tmpdir(), "odin-bench-before-"));
  try {
    const old = writeOldSource(OLD_COMMIT, temporary);
    giveTodaysPlates(old);
    const figures: Figure[] = [];
    for (const bench of NAMES.split(",")) figures.push(...(await compare(bench, old)));
    return figures;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const PLATES = "tests/bench/workers/plates.ts";
const PLATE_OF = /export function plateOf\([\s\S]*?\n\}\n/;

/** Replaces the plates of the old `ingest` and `match` by today's. */
function giveTodaysPlates(old: string): void {
  const [today] = PLATE_OF.exec(readFileSync(join(ROOT, PLATES), "utf8")) ?? [];
  const before = readFileSync(join(old, PLATES), "utf8");
  if (!today || !PLATE_OF.test(before)) throw new Error(`${PLATES} has no plateOf`);
  writeFileSync(
    join(old, PLATES),
    before.replace(PLATE_OF, () => today),
  );
}

/** Runs a bench of both builds in turns, and returns the lowest values of the figures that both have: others only add. */
async function compare(bench: string, old: string): Promise<Figure[]> {
  const turns: { own: Values; peer: Values }[] = [];
  for (let turn = 0; turn < TURNS; turn++)
    turns.push({ peer: await valuesOf(bench, old), own: await valuesOf(bench, ROOT) });
  const first = turns[0];
  const figures = [...(first?.own ?? [])].flatMap(([figure, { unit }]): Figure[] => {
    const lowest = (side: "own" | "peer") =>
      Math.min(...turns.map((turn) => turn[side].get(figure)?.own ?? 0));
    return first?.peer.has(figure)
      ? [{ name: figure, own: lowest("own"), peer: lowest("peer"), unit, goal: 1 / NOISE }]
      : [];
  });
  const missing = [...(first?.peer.keys() ?? [])].filter((figure) => !first?.own.has(figure));
  if (missing.length > 0) console.log(`not measured today: ${missing.join("; ")}`);
  return figures;
}

/** Runs a bench in a folder and reads the table that it prints. */
async function valuesOf(bench: string, folder: string): Promise<Values> {
  const output = await new Promise<string>((resolve) => {
    const env = { ...process.env, BENCH_RUNS: "1" };
    const args = [join("tests", "bench", "run.ts"), bench];
    // Ignores the exit code: a missed goal does not matter here.
    execFile(process.execPath, args, { cwd: folder, env }, (_, stdout) => resolve(stdout));
  });
  const rows = output.split("\n").map((line) => line.split(/ {2,}/));
  const values: Values = new Map(
    rows.flatMap(([figure = "", own = ""]) => {
      const [, value, unit = ""] = /^(-?[\d.]+) ?(\S*)$/.exec(own) ?? [];
      const today = figure.replaceAll(/beside|\|/g, "vs.");
      return value ? [[RENAMED[today] ?? today, { own: Number(value), unit }]] : [];
    }),
  );
  if (values.size === 0) throw new Error(`the bench ${bench} of ${folder} printed no figures`);
  console.log(`${bench} of ${folder === ROOT ? "today" : OLD_COMMIT}: ${values.size} figures`);
  return values;
}
