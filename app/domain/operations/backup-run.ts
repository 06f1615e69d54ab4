// Makes a backup in steps, one queue message each. Progress is stored in the run's row and parts, so that the next step
// continues after a crash. The manifest is written last: without it, there is no backup.

import type { AppContext } from "#app/context.ts";
import { BACKED_UP, type BackupManifest, type BackupPhase } from "#app/entities/operations/backup.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { inOneStep } from "#app/store/database.ts";
import { putManifest } from "#app/store/operations/backup-files.ts";
import {
  type BackupRun,
  endRun,
  leaseRun,
  listParts,
  releaseRun,
  removeParts,
  requireHeld,
  type StoredPart,
  updateRun,
} from "#app/store/operations/backup-runs.ts";
import { insertAuditIfChanged } from "#app/store/oversight/audit.ts";
import { sendJob } from "#app/store/queue.ts";
import { copyKeys, copyObjects } from "./backup-objects.ts";
import { createBudget, filesOf, ownerAgencyId, STEP } from "./backup-parts.ts";
import { readLargeTables, takeSnapshots } from "./backup-rows.ts";
import { LEASE_MS, planOf, sum, type Work } from "./backup-work.ts";

/** Failed steps in a row after which the whole run has failed. */
const MOST_ATTEMPTS = 12;
/** Runs one step of a backup and queues the next. Does nothing if another worker holds the run or it has ended. */
export async function continueBackup(app: AppContext, id: string, limits = STEP): Promise<void> {
  const now = app.clock();
  const run = await leaseRun(app.db, { id, now, until: now + LEASE_MS });
  if (!run) return;
  if (run.attempts > MOST_ATTEMPTS) {
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
    insertAuditIfChanged(app.db, {
      ...auditWho(null),
      agencyId: await ownerAgencyId(app),
      at,
      action: "backup.failed",
      outcome: "failed",
      object: id,
      detail: { reason: message },
    }),
  ]);
}

const PHASES: Record<BackupPhase, (work: Work) => Promise<void>> = {
  plan: takeSnapshots,
  rows: readLargeTables,
  keys: copyKeys,
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
    insertAuditIfChanged(app.db, {
      ...auditWho(null),
      agencyId: await ownerAgencyId(app),
      at: finishedAt,
      action: "backup.finished",
      outcome: "ok",
      object: id,
      detail: { rows, bytes, objects, startedBy: run.startedBy || "cron" },
    }),
    removeParts(app.db, run.id),
  ]);
  requireHeld(updated);
  run.phase = "finished";
}

function manifestOf(run: BackupRun, parts: StoredPart[], finishedAt: number): BackupManifest {
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
