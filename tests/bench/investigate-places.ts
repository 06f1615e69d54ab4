// Many places: five places with 20,000 reads each, compared with a search for each plate in each place. Convoy: 100
// reads over 48 cameras of simulated vendors that answer after 200 ms, in workerd, compared with one query per read.

import { rankPlaces } from "#app/entities/search/investigate/places.ts";
import { type Figure, median } from "./figure.ts";
import { withBenchWorker } from "./harness.ts";

export const name = "investigate-places";

const READS = 20_000;
const PLACES = 5;
const RANK_MS = 200;
const CONVOY_MS = 1000;

export async function run(): Promise<Figure[]> {
  const parts = { name, databases: { DB: "control" } } as const;
  const convoy = await withBenchWorker(parts, async ({ call }) => {
    const search = (path: string) => call<{ ms: number; found: string }>(path);
    await search("/convoy");
    const own = [await search("/convoy"), await search("/convoy"), await search("/convoy")];
    const peer = await search("/naive");
    if (peer.found === "" || own.some(({ found }) => found !== peer.found))
      throw new Error("the convoy search finds something else");
    return { own: median(own.map(({ ms }) => ms)), peer: peer.ms };
  });
  const places = intersect();
  return [
    { name: "places: 5 x 20,000 reads, vs. plate by plate", ...places, unit: "ms", goal: 20 },
    { name: "places: 5 x 20,000 reads, vs. 200 ms", own: places.own, peer: RANK_MS, unit: "ms", goal: 1 },
    { name: "convoy: 100 reads, 48 cameras, vs. read by read", ...convoy, unit: "ms", goal: 5 },
    { name: "convoy: 100 reads, 48 cameras, vs. 1 s", own: convoy.own, peer: CONVOY_MS, unit: "ms", goal: 1 },
  ];
}

function intersect(): { own: number; peer: number } {
  const plateOf = (n: number) => `P${Math.imul(n + 1, 0x9e3779b1) >>> 12}`;
  const places = Array.from({ length: PLACES }, (_, place) =>
    Array.from({ length: READS }, (_, n) => ({ plate: plateOf(n * 7 + place * 31), row: place * READS + n })),
  );
  const elsewhere = Array.from({ length: READS }, (_, n) => plateOf(n * 3));
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    rankPlaces({ places, elsewhere, atLeast: 2 });
    return performance.now() - start;
  });
  // Measures some of the plates and extrapolates to all of them.
  const sample = 200;
  const all = new Set(places.flat().map(({ plate }) => plate));
  const start = performance.now();
  let found = 0;
  for (const plate of [...all].slice(0, sample)) {
    const own = places.filter((reads) => reads.some((read) => read.plate === plate)).length;
    const outside = elsewhere.filter((other) => other === plate).length;
    if (own >= 2) found += 1 + outside * 0;
  }
  const peer = ((performance.now() - start) * all.size) / sample;
  if (found > sample) throw new Error("more plates were found than there are");
  return { own: median(times), peer };
}
