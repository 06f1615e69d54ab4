import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import { continueCopy } from "#app/domain/operations/backup-ahead.ts";
import { continueBackup } from "#app/domain/operations/backup-run.ts";
import { listBackups, sweepBackups } from "#app/domain/operations/backups.ts";
import { restoreBackup } from "#app/domain/operations/restore.ts";
import { continueImages } from "#app/domain/operations/restore-images.ts";
import type { RestoreReport } from "#app/entities/operations/backup.ts";
import type { Job } from "#app/entities/operations/job.ts";
import { bindings } from "../factories.ts";

export const RESTORE_TOKEN = "r".repeat(20) + crypto.randomUUID();
const BUCKETS = ["IMAGES", "ATTACHMENTS", "AUDITS", "RESULTS", "KEYS"] as const;
const DATABASES = ["DB", "READS_0", "READS_1", "READS_2", "READS_3"] as const;

type All = Env & Record<string, D1Database & R2Bucket> & { TEST_MIGRATIONS: Record<string, D1Migration[]> };
const all = bindings as unknown as All;

/** Returns a second, empty installation: its own databases and buckets, the same secrets and backups. */
export async function otherWorld(over: Partial<Env> = {}): Promise<Env> {
  const other: Record<string, unknown> = {};
  for (const name of [...DATABASES, ...BUCKETS]) other[name] = all[`OTHER_${name}`];
  for (const name of DATABASES) {
    const database = all[`OTHER_${name}`] as D1Database;
    const { results } = await database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'd1_migrations'")
      .all();
    const migrations = all.TEST_MIGRATIONS[name === "DB" ? "control" : "reads"] as D1Migration[];
    if (results.length === 0) await applyD1Migrations(database, migrations);
  }
  return { ...bindings, ...other, RESTORE_TOKEN, ...over } as Env;
}

/** Empties the other installation: every bucket, and every table with its triggers. */
export async function emptyOtherWorld(): Promise<void> {
  for (const name of BUCKETS) {
    const bucket = all[`OTHER_${name}`] as R2Bucket;
    const keys = (await bucket.list()).objects.map(({ key }) => key);
    if (keys.length > 0) await bucket.delete(keys);
  }
  for (const name of DATABASES) {
    const database = all[`OTHER_${name}`] as D1Database;
    for (;;) {
      const { results } = await database
        .prepare(
          `SELECT type, name FROM sqlite_master WHERE type IN ('table', 'trigger') AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
            AND name NOT LIKE '~_cf%' ESCAPE '~' ORDER BY type DESC, rootpage = 0 DESC, name`,
        )
        .all<{ type: string; name: string }>();
      if (results.length === 0) break;
      // Dropping a table that others refer to fails, so a later round retries it. An index's tables are dropped with it.
      for (const { type, name } of results)
        await database
          .prepare(`DROP ${type} "${name}"`)
          .run()
          .catch(() => {});
    }
  }
}

export const appOf = (env: Env, clock: () => number = Date.now): AppContext =>
  createAppContext(env, { waitUntil: () => {} }, clock);

/** Returns an installation that keeps its jobs instead of sending them; `run` runs them until none are left. */
export function withJobs(env: Env) {
  const jobs: Job[] = [];
  const queue = {
    send: async (job: Job) => void jobs.push(job),
    sendBatch: async (messages: { body: Job }[]) => void jobs.push(...messages.map(({ body }) => body)),
  } as unknown as Queue<Job>;
  const app = appOf({ ...env, JOBS: queue });
  return {
    app,
    jobs,
    async run(limits?: Parameters<typeof continueBackup>[2]): Promise<void> {
      for (let job = jobs.shift(); job; job = jobs.shift())
        if (job.type === "backup-copy") await continueCopy(app, job, limits);
        else if (job.type === "restore-images") await continueImages(app, job.id, limits);
        else await continueBackup(app, job.id, limits);
    },
  };
}

/** Continues a restore until it finishes or fails. Images are not copied back yet. */
export async function restoreRows(
  env: Env,
  id: string,
  limits?: { ms: number; units: number },
): Promise<RestoreReport> {
  for (;;) {
    const report = await restoreBackup(appOf(env), RESTORE_TOKEN, { id, ...(limits && { limits }) });
    if (report.state !== "running") return report;
  }
}

/** Runs the sweep of backups and the jobs that it queues until no image is left to copy back. */
export async function copyImagesBack(env: Env, limits?: { ms: number; units: number }): Promise<void> {
  const { app, run } = withJobs(env);
  while ((await listBackups(app)).images) {
    await sweepBackups(app);
    await run(limits);
  }
}

/** Restores a backup with its images. Returns the report of the restore. */
export async function restoreAll(
  env: Env,
  id: string,
  limits?: { ms: number; units: number },
): Promise<RestoreReport> {
  const report = await restoreRows(env, id, limits);
  if (report.state === "finished") await copyImagesBack(env, limits);
  return report;
}

const LEFT_OUT = /^(sqlite_|_cf|d1_|backup_|plates_fts)/;

/** Returns every row of every table of an installation, by database and table, read directly from SQLite. */
export async function rowsOf(env: Env): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const name of DATABASES) {
    const database = env[name] as D1Database;
    const { results } = await database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all<{ name: string }>();
    for (const table of results.filter((one) => !LEFT_OUT.test(one.name))) {
      const { results: rows } = await database.prepare(`SELECT * FROM "${table.name}"`).all();
      found[`${name}.${table.name}`] = rows.map((row) => JSON.stringify(row)).sort();
    }
  }
  return found;
}

/** Returns the SQL of the triggers and indexes of every database. */
export async function schemaOf(env: Env): Promise<string[]> {
  const found: string[] = [];
  for (const name of DATABASES) {
    const { results } = await (env[name] as D1Database)
      .prepare("SELECT sql FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql IS NOT NULL")
      .all<{ sql: string }>();
    found.push(...results.map(({ sql }) => `${name}: ${sql}`));
  }
  return found.sort();
}

/** Returns the size, hash and content type of every object of every bucket, by bucket and key. */
export async function objectsOf(env: Env): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of BUCKETS) {
    const bucket = env[name] as R2Bucket;
    for (const { key } of (await bucket.list()).objects) {
      const object = (await bucket.get(key)) as R2ObjectBody;
      const bytes = new Uint8Array(await object.arrayBuffer());
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
      found[`${name}/${key}`] = [bytes.length, digest.join(), object.httpMetadata?.contentType].join(" ");
    }
  }
  return found;
}
