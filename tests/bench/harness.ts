// One worker of tests/bench/workers in real workerd, its databases in a temporary folder that goes with it.

import { createTestHarness } from "wrangler";

export type Call = <T>(path: string) => Promise<T>;

export type Sent = { type: string; body: Uint8Array<ArrayBuffer> };

export type BenchWorker = {
  /** Asks the worker and gives its JSON. Throws where it does not answer well. */
  call: Call;
  /** Posts to it. */
  post: (path: string, sent: Sent) => Promise<Pick<Response, "ok" | "status" | "arrayBuffer">>;
  env: () => Promise<Record<string, D1Database>>;
};

export type BenchParts = {
  /** The name of the bench, and of its worker's file unless `main` says another. */
  name: string;
  main?: string;
  vars?: Record<string, string>;
  /** D1 bindings, and the folder of the migrations that are applied to each; none: it stays empty. */
  databases: Record<string, "control" | "reads" | null>;
  buckets?: string[];
};

/** Starts the worker, runs what measures it, and ends it however that ends. */
export async function withBenchWorker<T>(
  { name, main = `${name}.ts`, vars = {}, databases, buckets = [] }: BenchParts,
  measure: (worker: BenchWorker) => Promise<T>,
): Promise<T> {
  const harness = createTestHarness({
    root: `${import.meta.dirname}/../..`,
    workers: [
      {
        config: {
          name: `bench-${name}`,
          main: `tests/bench/workers/${main}`,
          compatibility_date: "2026-11-01",
          compatibility_flags: ["nodejs_compat"],
          vars,
          d1_databases: Object.entries(databases).map(([binding, migrations]) => ({
            binding,
            database_name: binding.toLowerCase(),
            database_id: binding.toLowerCase(),
            migrations_dir: `migrations/${migrations ?? "reads"}`,
          })),
          r2_buckets: buckets.map((binding) => ({ binding, bucket_name: binding.toLowerCase() })),
        },
      },
    ],
  });
  try {
    await harness.listen();
    const worker = harness.getWorker<Record<string, D1Database>>();
    for (const [binding, migrations] of Object.entries(databases))
      if (migrations) await worker.applyD1Migrations(binding);
    return await measure({
      call: async <A>(path: string) => {
        const answer = await worker.fetch(`http://bench.local${path}`);
        if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
        return answer.json() as Promise<A>;
      },
      post: (path, { type, body }) => {
        const headers = { "content-type": type };
        return worker.fetch(`http://bench.local${path}`, { method: "POST", body, headers });
      },
      env: () => worker.getEnv(),
    });
  } finally {
    await harness.close();
  }
}
