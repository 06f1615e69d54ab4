// Backs up and restores a million rows in real D1 and R2 inside workerd. The peer is the naive way (pages by OFFSET,
// rows as JSON, statements of a hundred bound values), measured on fewer rows and extrapolated.

import { generateKeyPairSync } from "node:crypto";
import type { RestoreReport } from "#app/entities/operations/backup.ts";
import type { Figure } from "./figure.ts";
import { PRODUCT, withBenchWorker } from "./harness.ts";
import { findWorkerd } from "./support/workerd.ts";

export const name = "backup";

const ROWS = 1_000_000;
const NAIVE_ROWS = 100_000;
const CHUNK = 50_000;
/** Limit for backup and restore together, to fit a maintenance window of minutes. */
const LIMIT_SECONDS = 90;

const newSigningKey = () =>
  generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "der" })
    .toString("base64");

const vars = {
  SEALING_KEYS: `1:${btoa("a sealing key for the benchmark.")}`,
  PASSWORD_PEPPER: "a pepper for the benchmark alone.",
  EXPORT_SIGNING_KEYS: `1:${newSigningKey()}`,
  OWNER_USERNAME: "owner",
  SOURCE_SLOW_MS: "1",
  SOURCE_DEADLINE_MS: "1",
  SEARCH_MAX_READS: "1",
};

export function run(): Promise<Figure[]> {
  const before = new Set(findWorkerd().map(({ pid }) => pid));
  const databases = { DB: "control", RESTORED: "control", NAIVE: "control", READS_0: "reads" } as const;
  return withBenchWorker({ name, vars, databases, ...PRODUCT }, async ({ call }) => {
    const total = Number(process.env.BENCH_BACKUP ?? ROWS);
    for (let from = 0; from < total; from += CHUNK)
      await call(`/fill?from=${from}&count=${Math.min(CHUNK, total - from)}`);
    const workerds = findWorkerd().filter(({ pid }) => !before.has(pid));
    const peaks = () => workerds.reduce((sum, workerd) => sum + workerd.peakMb(), 0);
    const timed = async (work: () => Promise<unknown>) => {
      for (const workerd of workerds) workerd.restart();
      const idle = peaks();
      const start = performance.now();
      await work();
      return { seconds: (performance.now() - start) / 1000, mb: peaks() - idle };
    };
    let id = "";
    const backup = await timed(async () => ({ id } = await call<{ id: string }>("/backup")));
    const restore = await timed(async () => {
      for (let state = "running"; state === "running"; ) {
        const report = await call<RestoreReport>(`/restore?id=${id}`);
        state = report.state;
        if (state === "finished" && (report.rows < total || Object.keys(report.skipped).length > 0))
          throw new Error(`restored ${JSON.stringify(report)}`);
      }
    });
    const naive = Math.min(NAIVE_ROWS, total);
    const naiveBackup = await timed(() => call(`/naive-backup?rows=${naive}`));
    const naiveRestore = await timed(() => call(`/naive-restore?rows=${naive}`));
    for (const [what, { seconds, mb }] of Object.entries({ backup, restore }))
      console.log(
        `${what} of ${total} rows: ${seconds.toFixed(1)} s, ${Math.round(total / seconds)} rows/s, ${mb.toFixed(0)} MB more in the runtime, including its databases`,
      );
    const scaled = (total / naive) * (naiveBackup.seconds + naiveRestore.seconds);
    const both = backup.seconds + restore.seconds;
    return [
      { name: "backup: backup and restore, vs. the naive way", own: both, peer: scaled, unit: "s", goal: 1 },
      { name: "backup: backup and restore, vs. 90 s", own: both, peer: LIMIT_SECONDS, unit: "s", goal: 1 },
    ];
  });
}
