import { createTestHarness } from "wrangler";

const databases = ["READS_0", "READS_1", "READS_2", "READS_3"];

export type LiveBench = {
  call: Call;
  /** Lists so many plates more. */
  list: (from: number, to: number) => Promise<void>;
};

type Call = <T>(path: string) => Promise<T>;

/** Runs work beside real D1 in workerd; the databases live in a temporary folder that goes with the harness. */
export async function withDatabases<T>(
  input: { name: string; main: string; vars?: Record<string, string> },
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const { name, main, vars = {} } = input;
  const database = (binding: string, migrations_dir: string) => ({
    binding,
    database_name: binding.toLowerCase(),
    database_id: binding.toLowerCase(),
    migrations_dir,
  });
  const harness = createTestHarness({
    root: `${import.meta.dirname}/../../..`,
    workers: [
      {
        config: {
          name: `bench-${name}`,
          main: `tests/bench/workers/${main}`,
          compatibility_date: "2026-11-01",
          compatibility_flags: ["nodejs_compat"],
          vars,
          d1_databases: [
            database("DB", "migrations/control"),
            ...databases.map((binding) => database(binding, "migrations/reads")),
          ],
        },
      },
    ],
  });
  try {
    await harness.listen();
    const worker = harness.getWorker<Record<string, D1Database>>();
    for (const binding of ["DB", ...databases]) await worker.applyD1Migrations(binding);
    return await work(async <A>(path: string): Promise<A> => {
      const answer = await worker.fetch(`http://bench.local${path}`);
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
      return answer.json() as Promise<A>;
    });
  } finally {
    await harness.close();
  }
}

export async function withLiveBench<T>(name: string, work: (bench: LiveBench) => Promise<T>): Promise<T> {
  return withDatabases({ name, main: "live.ts" }, (call) => {
    const list = async (from: number, to: number) => {
      for (let at = from; at < to; at += 100_000)
        await call(`/fill?from=${at}&count=${Math.min(100_000, to - at)}`);
    };
    return work({ call, list });
  });
}
