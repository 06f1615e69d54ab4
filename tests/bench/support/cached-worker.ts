// Keeps a bench's databases in a folder outside the repository, so that ten million reads are generated only once.
// BENCH_CACHE sets another folder. An interrupted fill continues where it stopped.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { drizzle } from "drizzle-orm/d1";
import { migrate } from "drizzle-orm/d1/migrator";
import { getPlatformProxy, unstable_startWorker as startWorker } from "wrangler";
import type { BenchParts, Call } from "../harness.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

type Kept = {
  call: Call;
  /** The progress of the fill. */
  filled: () => number;
  noteFilled: (count: number) => void;
};

/** Runs `measure` with a worker whose databases and buckets stay in the folder of this name. */
export async function withCachedWorker<T>(
  folderName: string,
  { name, main = `${name}.ts`, databases, buckets = [] }: BenchParts,
  measure: (worker: Kept) => Promise<T>,
): Promise<T> {
  const folder = join(process.env.BENCH_CACHE ?? join(homedir(), ".cache/odin-bench"), folderName);
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "wrangler.json");
  const migrationsOf = (kind: string | null) => join(ROOT, `migrations/${kind ?? "reads"}`);
  writeFileSync(
    config,
    JSON.stringify({
      name: `bench-${name}`,
      main: join(ROOT, "tests/bench/workers", main),
      compatibility_date: "2026-11-01",
      compatibility_flags: ["nodejs_compat"],
      d1_databases: Object.keys(databases).map((binding) => ({
        binding,
        database_name: binding.toLowerCase(),
        database_id: binding.toLowerCase(),
      })),
      r2_buckets: buckets.map((binding) => ({ binding, bucket_name: binding.toLowerCase() })),
    }),
  );
  const proxy = await getPlatformProxy<Record<string, D1Database>>({
    configPath: config,
    persist: { path: join(folder, "state/v3") },
    envFiles: [],
  });
  try {
    for (const [binding, kind] of Object.entries(databases)) {
      const database = proxy.env[binding];
      if (kind && database) await migrate(drizzle(database), { migrationsFolder: migrationsOf(kind) });
    }
  } finally {
    await proxy.dispose();
  }
  const server = await startWorker({
    config,
    envFiles: [],
    dev: {
      server: { hostname: "127.0.0.1", port: 0 },
      inspector: false,
      watch: false,
      persist: join(folder, "state"),
      logLevel: "error",
    },
  });
  try {
    await server.ready;
    const url = await server.url;
    const notes = join(folder, "filled");
    return await measure({
      call: async <A>(path: string) => {
        const answer = await fetch(new URL(path, url));
        if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
        return answer.json() as Promise<A>;
      },
      filled: () => (existsSync(notes) ? Number(readFileSync(notes, "utf8")) : 0),
      noteFilled: (count) => writeFileSync(notes, String(count)),
    });
  } finally {
    await server.dispose();
  }
}
