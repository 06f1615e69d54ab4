// Searches with look-alikes in a million archived reads (BENCH_READS=5000000 for more), in real D1 inside workerd. They
// must take at most three times as long as the exact search, and be much faster than computing the edit distance of all
// plates of a plain table.
// With BENCH_BASE=<folder of an earlier checkout>, also compares the time and bytes of storing reads with that version.

import type { Figure } from "./figure.ts";
import { median } from "./figure.ts";
import { type BenchWorker, withBenchWorker } from "./harness.ts";

export const name = "investigate";

const READS = 1_000_000;
const CHUNK = 20_000;
/** Cases whose results are also compared with the scan, which takes seconds. */
const SCANNED = ["whole plate", "3-character fragment"];

type Measured = { exact: number; alike: number; scanned: number; found: number };
type Filled = { perRead: number; bytes: number; exact: Map<string, number> };

export async function run(): Promise<Figure[]> {
  const total = Number(process.env.BENCH_READS ?? READS);
  const figures: Figure[] = [];
  const own = await withArchive(async (worker) => {
    const filled = await fill(worker, total);
    for (const one of await worker.call<string[]>("/cases")) {
      const isScanned = SCANNED.includes(one);
      const { exact, alike, scanned, found } = await measure(worker, one, isScanned ? "&scan=1" : "");
      console.log(`${one}: ${found} reads with look-alikes`);
      filled.exact.set(one, exact);
      const name = `look-alikes: ${one}`;
      figures.push({ name: `${name}, against exact`, own: alike, peer: exact, unit: "ms", goal: AT_MOST_3 });
      if (isScanned)
        figures.push({ name: `${name}, against a scan`, own: alike, peer: scanned, unit: "ms", goal: 20 });
    }
    return filled;
  });
  const base = process.env.BENCH_BASE;
  if (base === undefined) return figures;
  const theirs = await withArchive(async (worker) => {
    const filled = await fill(worker, total);
    for (const one of own.exact.keys()) filled.exact.set(one, (await measure(worker, one, "&exact=1")).exact);
    return filled;
  }, base);
  figures.push(
    {
      name: "storing a read, against base",
      own: own.perRead,
      peer: theirs.perRead,
      unit: "µs",
      goal: LITTLE,
    },
    { name: "size of a read, against base", own: own.bytes, peer: theirs.bytes, unit: "B", goal: LITTLE },
  );
  for (const [one, exact] of own.exact)
    figures.push({
      name: `exact: ${one}, against base`,
      own: exact,
      peer: theirs.exact.get(one) ?? 0,
      unit: "ms",
      goal: 0.8,
    });
  return figures;
}

/** At most 5 % worse. */
const LITTLE = 0.953;
/** The look-alike search may take at most three times as long. */
const AT_MOST_3 = 1 / 3;

function measure(worker: BenchWorker, name: string, options: string): Promise<Measured> {
  return worker.call<Measured>(`/measure?case=${encodeURIComponent(name)}${options}`);
}

function withArchive<T>(work: (worker: BenchWorker) => Promise<T>, base?: string): Promise<T> {
  const reads = {
    DB: "control",
    READS_0: "reads",
    READS_1: "reads",
    READS_2: "reads",
    READS_3: "reads",
  } as const;
  const parts = {
    name: "look-alikes",
    databases: { ...reads, FLAT: null },
    buckets: ["KEYS", "BACKUPS"],
    base,
  };
  return withBenchWorker(parts, async (worker) => {
    const { FLAT } = await worker.env();
    await FLAT?.exec("CREATE TABLE reads_flat (plate TEXT, agency TEXT, captured_at INTEGER)");
    return work(worker);
  });
}

/** Stores the reads. Returns the median time per read, in microseconds, and the bytes per read. */
async function fill(worker: BenchWorker, total: number): Promise<Filled> {
  const times: number[] = [];
  for (let from = 0; from < total; from += CHUNK) {
    const count = Math.min(CHUNK, total - from);
    const { milliseconds } = await worker.call<{ milliseconds: number }>(
      `/fill?from=${from}&count=${count}&total=${total}`,
    );
    times.push((milliseconds * 1000) / count);
  }
  const bytes = await worker.call<number>("/size");
  console.log(`${total.toLocaleString("en")} reads stored, ${(bytes / total).toFixed(1)} bytes each`);
  return { perRead: median(times), bytes: bytes / total, exact: new Map() };
}
