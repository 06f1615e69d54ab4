// Runs one worker of tests/bench/workers in real workerd, with its databases in a temporary folder.

import { join } from "node:path";
import { createTestHarness, unstable_readConfig as readConfig } from "wrangler";

const ROOT = join(import.meta.dirname, "../..");

type Bound = { binding: string }[];
const product: { r2_buckets: Bound; queues: { producers?: Bound } } = readConfig({
  config: join(ROOT, "wrangler.toml"),
});
/** All buckets and queues of the product, because its context needs them. */
export const PRODUCT = {
  buckets: product.r2_buckets.map(({ binding }) => binding),
  queues: product.queues.producers?.map(({ binding }) => binding) ?? [],
};

export type Call = <T>(path: string) => Promise<T>;

export type Sent = { type: string; body: Uint8Array<ArrayBuffer> };

export type Answer = Pick<Response, "ok" | "status" | "arrayBuffer"> & { headers: Pick<Headers, "get"> };

export type BenchWorker = {
  /** Sends a GET and returns the JSON of the response. Throws if its status is not OK. */
  call: Call;
  post: (path: string, sent: Sent) => Promise<Answer>;
  env: () => Promise<Record<string, D1Database>>;
};

export type BenchParts = {
  /** The name of the bench, and of its worker's file unless `main` is set. */
  name: string;
  main?: string;
  vars?: Record<string, string>;
  /** D1 bindings with the folder of their migrations; null leaves the database empty. */
  databases: Record<string, "control" | "reads" | null>;
  buckets?: string[];
  /** Queues whose messages no one takes. */
  queues?: string[];
  /** The folder of an earlier checkout, whose archive and migrations are used instead. */
  base?: string;
};

/** Starts the worker, runs `measure`, and stops the worker even if that throws. */
export async function withBenchWorker<T>(
  { name, main = `${name}.ts`, vars = {}, databases, buckets = [], queues = [], base }: BenchParts,
  measure: (worker: BenchWorker) => Promise<T>,
): Promise<T> {
  const harness = createTestHarness({
    root: ROOT,
    workers: [
      {
        config: {
          name: `bench-${name}`,
          main: `tests/bench/workers/${main}`,
          compatibility_date: "2026-11-01",
          compatibility_flags: ["nodejs_compat"],
          vars,
          ...(base !== undefined && {
            alias: Object.fromEntries(
              ["keys.ts", "reads.ts"].map((file) => [
                `#app/store/archive/${file}`,
                `${base}/app/store/archive/${file}`,
              ]),
            ),
          }),
          d1_databases: Object.entries(databases).map(([binding, migrations]) => ({
            binding,
            database_name: binding.toLowerCase(),
            database_id: binding.toLowerCase(),
            migrations_dir: `${base === undefined ? "" : `${base}/`}migrations/${migrations ?? "reads"}`,
          })),
          r2_buckets: buckets.map((binding) => ({ binding, bucket_name: binding.toLowerCase() })),
          queues: { producers: queues.map((binding) => ({ binding, queue: binding.toLowerCase() })) },
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
