// Makes a backup in steps, one queue message each. Progress is stored in the run's row and parts, so that the next step
// continues after a crash. The manifest is written last: without it, there is no backup. Small tables are read in one
// snapshot, large ones in parts. The table names come from the databases themselves, so that none is forgotten.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import {
  BACKED_UP,
  type BackupManifest,
  type BackupPhase,
  type BackupPlan,
  type TablePlan,
} from "#app/entities/operations/backup.ts";
import { logWarning } from "#app/lib/log.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { sleep } from "#app/lib/waiting.ts";
import { inOneStep } from "#app/store/database.ts";
import { putManifest } from "#app/store/operations/backup-files.ts";
import { POOL_CONCURRENCY } from "#app/store/operations/backup-pool.ts";
import {
  type BackupRun,
  endRun,
  type ListedPart,
  leaseRun,
  listParts,
  releaseRun,
  removeParts,
  requireLease,
  type StoredPart,
  updateRun,
} from "#app/store/operations/backup-runs.ts";
import { readChunk, readSnapshot } from "#app/store/operations/backup-tables.ts";
import { isMoving } from "#app/store/operations/storage.ts";
import { sendJob } from "#app/store/queue.ts";
import { copyAhead } from "./backup-ahead.ts";
import { copyKeys, copyObjects } from "./backup-objects.ts";
import { createBudget, databaseNamed, databasesOf, filesOf, ownerAgencyId, STEP } from "./backup-parts.ts";
import { LEASE_MS, lastParts, planOf, save, sum, type Work, withParts, writePart } from "./backup-work.ts";

/** Failed steps in a row after which the whole run has failed. */
const MAX_ATTEMPTS = 12;
/** Runs one step of a backup and queues the next. Does nothing if another worker holds the run or it has ended. */
export async function continueBackup(app: AppContext, id: string, limits = STEP): Promise<void> {
  const now = app.clock();
  const run = await leaseRun(app.db, { id, now, until: now + LEASE_MS });
  if (!run) return;
  if (run.attempts > MAX_ATTEMPTS) {
    await failBackup(app, id, "It failed repeatedly at the same step; the Worker's log has the error.");
    return;
  }
  const work: Work = { app, run, budget: createBudget(limits) };
  try {
    while (run.phase !== "finished" && work.budget.isLeft()) {
      if (!isPhase(run.phase)) throw new Error(`there is no phase ${run.phase}`);
      await PHASES[run.phase](work);
    }
  } catch (error) {
    await releaseRun(app.db, run);
    throw error;
  }
  if (run.phase === "finished") return;
  await releaseRun(app.db, run);
  await sendJob(app.jobs, { v: 1, type: "backup", id });
}

/** Ends a backup as failed, and writes that to the owner's audit log. */
export async function failBackup(app: AppContext, id: string, message: string): Promise<void> {
  const at = app.clock();
  await inOneStep(app.db, [
    endRun(app.db, { id, state: "failed", at, message }),
    auditIfChanged(app, null, {
      agencyId: await ownerAgencyId(app),
      at,
      action: "backup.failed",
      outcome: "failed",
      object: id,
      detail: { reason: message },
    }),
  ]);
}

/** Characters per part, and per query. */
const PART = 4_000_000;
const CHUNK = 1_500_000;
const MAX_ROWS = 20_000;
/** How long a step waits for the end of a step that moves days of reads. */
const MOVES_WAIT_MS = SECOND;

/** Units per database, in addition to two queries for each of its tables. */
const UNITS_A_DATABASE = 2;
const TABLES_A_UNIT = 2;

/**
 * Reads the small tables of the next database in one snapshot, and stores where the large ones ended. A backup reads
 * one database after the other, so it waits at the first one until no day of reads is moving, and no day moves until
 * all rows are read (BACKUP_READS).
 */
async function takeSnapshots(work: Work): Promise<void> {
  const { app, run, budget } = work;
  if (await isMoving(app.db, app.clock())) {
    budget.spend();
    await sleep(MOVES_WAIT_MS);
    return;
  }
  const unbound = await app.places.listUnbound();
  if (unbound.length > 0) throw new Error(`${unbound.join(", ")} not bound: a backup would lack their reads`);
  const { databases }: BackupPlan = run.plan ? planOf(run) : { databases: [] };
  const known = new Set(databases.map(({ name }) => name));
  const left = databasesOf(app).filter(({ name }) => !known.has(name));
  const [next] = left;
  if (!next) throw new Error("every database is in the plan already");
  const section = next.name;
  const snapshot = await readSnapshot(next.database, section);
  const filled = [...snapshot.whole].filter(([, { lines }]) => lines.length > 0);
  const parts = await pMap(
    filled,
    ([name, chunk]) => writePart(work, { section, name, n: 0, ...chunk, isLast: true }),
    { concurrency: POOL_CONCURRENCY },
  );
  budget.spend(UNITS_A_DATABASE + Math.ceil(snapshot.plan.tables.length / TABLES_A_UNIT));
  const plan = { databases: [...databases, snapshot.plan] };
  await save(work, { plan, ...(left.length === 1 && { phase: "rows" }), ...withParts(run, parts) }, parts);
}

/** Reads the rest of the large tables, within the step's budget. */
async function readLargeTables(work: Work): Promise<void> {
  const { app, run, budget } = work;
  const last = await lastParts(work);
  for (const { name: section, tables } of planOf(run).databases) {
    const database = databaseNamed(app, section);
    for (const table of tables) {
      if (table.whole) continue;
      const from = last.get(`${section}/${table.name}`);
      if (!(await readTable(work, { section, database, table, from }))) return;
    }
  }
  budget.spend();
  await save(work, { phase: "keys" });
}

type TableInput = { section: string; database: D1Database; table: TablePlan; from: StoredPart | undefined };

/** Reads a table, starting after its last part. Returns false if the step's budget ran out. */
async function readTable(work: Work, { section, database, table, from }: TableInput): Promise<boolean> {
  let { n, after, isLast } = from ? { ...from, n: from.n + 1 } : { n: 0, after: "", isLast: false };
  let limit = 500;
  while (!isLast) {
    if (!work.budget.isLeft()) return false;
    work.budget.spend();
    const lines: string[] = [];
    for (let size = 0; size < PART && !isLast; ) {
      const chunk = await readChunk(database, table, { after, limit });
      for (const line of chunk.lines) lines.push(line);
      after = chunk.after;
      isLast = chunk.lines.length < limit;
      const read = sum(chunk.lines.map(({ length }) => length)) + 1;
      size += read;
      // Sizes the next chunk by the average row so far.
      limit = Math.min(MAX_ROWS, Math.max(20, Math.min(limit * 8, Math.floor((limit * CHUNK) / read))));
    }
    const part = await writePart(work, { section, name: table.name, n, lines, after, isLast });
    await save(work, withParts(work.run, [part]), [part]);
    n += 1;
  }
  return true;
}

/** Copies the key rings, and queues the copying of the newest images. */
async function beginObjects(work: Work): Promise<void> {
  await copyKeys(work);
  await copyAhead(work.app, work.run.id).catch((error: unknown) =>
    logWarning("the newest images are copied one step after the other", error),
  );
}

const PHASES: Record<BackupPhase, (work: Work) => Promise<void>> = {
  plan: takeSnapshots,
  rows: readLargeTables,
  keys: beginObjects,
  objects: copyObjects,
  manifest: finish,
  finished: async () => {},
};

const isPhase = (phase: string): phase is BackupPhase => phase in PHASES;

/** Writes the manifest, which completes the backup. */
async function finish(work: Work): Promise<void> {
  const { app, run } = work;
  const manifest = manifestOf(run, await listParts(app.db, run.id), app.clock());
  await putManifest(filesOf(app, run.id), manifest);
  const { id, rows, bytes, objects, finishedAt } = manifest;
  const [updated] = await inOneStep(app.db, [
    updateRun(app.db, run, { state: "finished", phase: "finished", finishedAt, plan: null, leasedUntil: 0 }),
    auditIfChanged(app, null, {
      agencyId: await ownerAgencyId(app),
      at: finishedAt,
      action: "backup.finished",
      object: id,
      detail: { rows, bytes, objects, startedBy: run.startedBy || "cron" },
    }),
    removeParts(app.db, run.id),
  ]);
  requireLease(updated);
  run.phase = "finished";
}

function manifestOf(run: BackupRun, parts: ListedPart[], finishedAt: number): BackupManifest {
  const of = Map.groupBy(parts, ({ section, name }) => `${section}/${name}`);
  const partsOf = (section: string, name: string) =>
    (of.get(`${section}/${name}`) ?? [])
      .filter(({ rows }) => rows > 0)
      .map(({ key, rows, bytes, sha256 }) => ({ key, rows, bytes, sha256 }));
  const counted = (found: { rows: number }[]) => sum(found.map(({ rows }) => rows));
  const { id, startedAt, startedBy, keyVersion, rows, bytes, objects } = run;
  return {
    format: 1,
    id,
    startedAt,
    finishedAt,
    startedBy,
    keyVersion,
    rows,
    bytes,
    objects,
    databases: planOf(run).databases.map(({ name, sequences, tables }) => ({
      name,
      sequences,
      tables: tables.map((table) => {
        const found = partsOf(name, table.name);
        return { name: table.name, columns: table.columns, rows: counted(found), parts: found };
      }),
    })),
    buckets: Object.keys(BACKED_UP).map((name) => {
      const found = partsOf("objects", name);
      return { name, objects: counted(found), parts: found };
    }),
  };
}
