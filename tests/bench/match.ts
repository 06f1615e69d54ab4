// Matches live reads against a million listed plates, in real D1 inside workerd: one query for a thousand reads
// compared with one query per read, a large list with a small one, and the wildcard index with one regular expression
// per wildcard.

import { findWildcards, indexWildcards } from "#app/entities/alerts/wildcard-index.ts";
import type { Figure } from "./figure.ts";
import { withLiveBench } from "./workers/live-harness.ts";

export const name = "match";

const ENTRIES = 1_000_000;
const WILDCARDS = 20_000;

export async function run(): Promise<Figure[]> {
  const entries = Number(process.env.BENCH_PLATES ?? ENTRIES);
  const database = await withLiveBench(name, async ({ call, list }) => {
    const measure = (count: number) => call<{ own: number; peer: number }>(`/match?entries=${count}`);
    await list(0, 1000);
    await measure(1000);
    const few = await measure(1000);
    await list(1000, entries);
    const many = await measure(entries);
    return { few, many };
  });
  const { few, many } = database;
  return [
    { name: "match: 1,000 reads, vs. row by row", own: many.own, peer: many.peer, unit: "ms", goal: 50 },
    // At most 1.5 times as long.
    {
      name: `match: ${entries.toLocaleString("en")} entries, vs. 1,000`,
      own: many.own,
      peer: few.own,
      unit: "ms",
      goal: 1 / 1.5,
    },
    wildcards(),
  ];
}

function wildcards(): Figure {
  const letters = "ABCDEFGHJKLMNPRSTUVWXYZ";
  const plateOf = (n: number) => {
    const x = Math.imul(n + 1, 0x9e3779b1) >>> 0;
    return `${letters[x % 23]}${letters[(x >>> 8) % 23]}${String(x % 100_000).padStart(5, "0")}`;
  };
  const patterns = Array.from({ length: WILDCARDS }, (_, n) => {
    const plate = plateOf(n * 31);
    const at = 1 + (n % 5);
    const shapes = [
      `${plate.slice(0, at)}?${plate.slice(at + 1)}`,
      `${plate.slice(0, 5)}*`,
      `*${plate.slice(2)}`,
      `*${plate.slice(1, 5)}*`,
      `${plate.slice(0, 3)}*${plate.slice(6)}`,
    ];
    return shapes[n % shapes.length] as string;
  });
  const index = indexWildcards(patterns);
  const expressions = patterns.map(
    (text) => new RegExp(`^${text.replaceAll("*", ".*").replaceAll("?", ".")}$`),
  );
  const plates = Array.from({ length: 200_000 }, (_, n) => plateOf(n * 17 + 5));
  const timed = (count: number, work: (plate: string) => number) => {
    const start = performance.now();
    let found = 0;
    for (const plate of plates.slice(0, count)) found += work(plate);
    return { found, each: ((performance.now() - start) * 1000) / count };
  };
  const own = (plate: string) => findWildcards(index, plate).length;
  const peer = (plate: string) =>
    expressions.reduce((sum, expression) => sum + Number(expression.test(plate)), 0);
  timed(20_000, own);
  timed(20, peer);
  const [ours, theirs] = [timed(plates.length, own), timed(300, peer)];
  // The index treats look-alike characters as equal, so it finds at least what the expressions find.
  if (timed(300, own).found < theirs.found) throw new Error("the index misses what the expressions find");
  return {
    name: `match: ${WILDCARDS.toLocaleString("en")} wildcards, vs. as many expressions`,
    own: ours.each,
    peer: theirs.each,
    unit: "µs",
    goal: 1000,
  };
}
