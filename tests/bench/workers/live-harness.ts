import { type BenchWorker, type Call, PRODUCT, withBenchWorker } from "../harness.ts";

const DATABASES = {
  DB: "control",
  READS_0: "reads",
  READS_1: "reads",
  READS_2: "reads",
  READS_3: "reads",
} as const;
export type LiveBench = {
  call: Call;
  /** Adds the plates `from` to `to` to the list. */
  list: (from: number, to: number) => Promise<void>;
};

/** Runs `work` with a worker that has the product's databases, buckets and queues. */
export function withDatabases<T>(
  input: { name: string; main: string; vars?: Record<string, string> },
  work: (call: Call, post: BenchWorker["post"]) => Promise<T>,
): Promise<T> {
  return withBenchWorker({ ...input, ...PRODUCT, databases: DATABASES }, ({ call, post }) =>
    work(call, post),
  );
}

export async function withLiveBench<T>(name: string, work: (bench: LiveBench) => Promise<T>): Promise<T> {
  return withDatabases({ name, main: "live.ts" }, (call) => {
    return work({ call, list: (from, to) => listThrough(call, { path: "/fill", from, to }) });
  });
}

/** Adds plates to the list, in chunks. */
export async function listThrough(
  call: Call,
  { path, from, to }: { path: string; from: number; to: number },
): Promise<void> {
  for (let at = from; at < to; at += 100_000)
    await call(`${path}?from=${at}&count=${Math.min(100_000, to - at)}`);
}
