// Installations with many databases of reads: each invocation stays within the 1,000 queries that D1 allows.

import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Env } from "#app/context.ts";
import { continueBackup } from "#app/domain/operations/backup-run.ts";
import { startBackup } from "#app/domain/operations/backups.ts";
import { drainStorage } from "#app/domain/operations/drain.ts";
import { health } from "#app/domain/operations/health.ts";
import { clearRestore, restoreBackup } from "#app/domain/operations/restore.ts";
import { viewStatus } from "#app/domain/operations/status.ts";
import { countPublished } from "#app/domain/oversight/transparency-count.ts";
import type { RestoreReport } from "#app/entities/operations/backup.ts";
import { WATCHED_JOBS } from "#app/entities/operations/health.ts";
import { DAY, HOUR, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { runCron } from "../../../workers/scheduled.ts";
import { actorOf, apiClient, bindings, newAgency, newWorld, pushRead, type World } from "../../factories.ts";
import { appOf, emptyOtherWorld, otherWorld, RESTORE_TOKEN, withJobs } from "../../support/backup.ts";
import { queriesOfAll } from "../../support/workerd/queries.ts";

/** Of the 1,000 queries, the rest is for the session of a request, the log and retries. */
const MAX_QUERIES = 950;
/** Days of reads, of which one database has a quarter. */
const DAYS = 80;

/** Returns an installation that has its databases of reads under many names, and counts all queries. */
function withDatabases(many: number, env: Env) {
  const all = env as unknown as Record<string, D1Database>;
  const names = Array.from({ length: many }, (_, n) => [`READS_${n}`, all[`READS_${n % 4}`]]);
  const { databases, count } = queriesOfAll(Object.fromEntries([["DB", env.DB], ...names]));
  return { env: { ...env, ...databases } as Env, count };
}

let world: World;

beforeAll(async () => {
  world = await newWorld();
  const noon = utcDay(Date.now()) * DAY - 12 * HOUR;
  for (let n = 0; n < DAYS; n++) await pushRead(world.camera, { plate: `D${n}`, at: noon - n * DAY });
});
beforeEach(async () => {
  await bindings.DB.prepare("DELETE FROM backup_runs").run();
  await emptyOtherWorld();
});

it("sizes, health and the status of thirty databases", async () => {
  const { env, count } = withDatabases(30, bindings);
  for (const cron of WATCHED_JOBS.storage.crons)
    expect(
      await count(() => runCron({ cron, scheduledTime: 0, noRetry: () => {} }, env, { waitUntil: () => {} })),
    ).toBeLessThan(300);
  await bindings.DB.prepare("UPDATE read_databases SET state = 'read-only' WHERE name <> 'READS_0'").run();
  expect(await count(() => health(appOf(env)))).toBeLessThan(100);
  expect(await count(() => viewStatus(appOf(env)))).toBeLessThan(200);
  await bindings.DB.prepare("UPDATE read_databases SET state = 'open'").run();
});

it("steps of a backup of sixty databases, and of its restore", async () => {
  const { env, count } = withDatabases(60, bindings);
  const owner = await apiClient(world.users.owner);
  const { app, jobs } = withJobs(env);
  const { id } = await startBackup(app, await actorOf(owner));
  for (let job = jobs.shift(); job; job = jobs.shift())
    expect(await count(() => continueBackup(app, id))).toBeLessThan(MAX_QUERIES);
  const other = withDatabases(60, await otherWorld());
  const made: number[] = [];
  const step = async (call: typeof clearRestore | typeof restoreBackup): Promise<string> => {
    let report: Promise<RestoreReport> | undefined;
    made.push(
      await other.count(async () => {
        report =
          call === restoreBackup
            ? restoreBackup(appOf(other.env), RESTORE_TOKEN, { id })
            : clearRestore(appOf(other.env), RESTORE_TOKEN);
        await report;
      }),
    );
    return (await report)?.state ?? "";
  };
  // The first restore is undone once it has written rows.
  for (let n = 0; n < 3; n++) await step(restoreBackup);
  for (let n = 0; (await step(clearRestore)) === "running"; n++) expect(n).toBeLessThan(50);
  for (let n = 0; (await step(restoreBackup)) === "running"; n++) expect(n).toBeLessThan(50);
  expect(made.filter((queries) => queries > MAX_QUERIES)).toEqual([]);
});

it("steps of a drain of many small days, which all move", async () => {
  const { env, count } = withDatabases(30, bindings);
  // The other names have had days later than the real databases, so that none of them is chosen.
  await bindings.DB.prepare(
    `INSERT INTO read_places (day, part, database, placed_at)
    SELECT value, 0, 'READS_' || value, 0 FROM json_each(?)`,
  )
    .bind(JSON.stringify(Array.from({ length: 26 }, (_, n) => n + 4)))
    .run();
  await bindings.DB.prepare("UPDATE read_databases SET state = 'draining' WHERE name = 'READS_0'").run();
  const left = () =>
    bindings.DB.prepare(
      "SELECT count(*) AS n FROM read_places WHERE 'READS_0' IN (database, left_in)",
    ).first<number>("n");
  expect(await left()).toBe(DAYS / 4);
  const made: number[] = [];
  for (let n = 0; (await left()) !== 0; n++) {
    expect(n).toBeLessThan(30);
    made.push(await count(() => drainStorage(appOf(env, () => Date.now() + n * 6 * MINUTE))));
  }
  expect(made.filter((queries) => queries > MAX_QUERIES)).toEqual([]);
});

it("the daily count of agencies that publish for the first time, and each gets its turn", async () => {
  const { env, count } = withDatabases(30, bindings);
  const agencies = [];
  for (let n = 0; n < 12; n++) agencies.push((await newAgency()).id);
  const ids = JSON.stringify(agencies);
  await bindings.DB.batch([
    bindings.DB.prepare(
      "UPDATE agencies SET created_at = 0 WHERE id IN (SELECT value FROM json_each(?))",
    ).bind(ids),
    bindings.DB.prepare(
      `INSERT INTO figure_pages (agency_id, slug, published_at, changed_at)
      SELECT value, value, 1, 1 FROM json_each(?)`,
    ).bind(ids),
  ]);
  const counted = () =>
    bindings.DB.prepare("SELECT count(*) AS n FROM figure_counts WHERE period = 'audit'").first<number>("n");
  const made: number[] = [];
  // Again a day later, when their months are counted already.
  for (const later of [0, DAY]) {
    await bindings.DB.prepare("DELETE FROM figure_counts WHERE period = 'audit'").run();
    for (let n = 0; (await counted()) !== agencies.length; n++) {
      expect(n).toBeLessThan(12);
      const clock = () => Date.now() + later + n * 10 * MINUTE;
      made.push(await count(() => countPublished(appOf(env, clock))));
    }
  }
  expect(made.filter((queries) => queries > MAX_QUERIES)).toEqual([]);
});
