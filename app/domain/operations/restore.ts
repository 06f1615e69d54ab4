// Restores a backup into an empty installation, in steps that the operator's command calls one after the other. It
// works only while the secret RESTORE_TOKEN is set. While that is set, nothing else answers: no sign-in, camera or
// scheduled job touches a half-restored database. A step may crash anywhere; the next one continues.

import type { AppContext } from "#app/context.ts";
import type {
  BackupManifest,
  RestorableBackup,
  RestorePlan,
  RestoreReport,
} from "#app/entities/operations/backup.ts";
import { equalInConstantTime, randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { countEvents } from "#app/lib/rate-limit.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { BackupFault, listManifests, readManifest } from "#app/store/operations/backup-files.ts";
import {
  type BackupRun,
  insertRun,
  leaseRun,
  listRestores,
  releaseRun,
} from "#app/store/operations/backup-runs.ts";
import { readLayout } from "#app/store/operations/backup-tables.ts";
import { countAgencies } from "#app/store/operations/setup.ts";
import { type Budget, createBudget, databasesOf, filesOf, STEP, unitsOf } from "./backup-parts.ts";
import { noteUnknownBackups } from "./backups.ts";
import { lengthOf, RESTORE_PHASES, saveRestore } from "./restore-phases.ts";

const LEASE_MS = 2 * MINUTE;
const WRONG_TOKENS = { policy: "restore", burst: 10, perSecond: 1 / 6 };

/** Throws AppError unauthenticated if the token is wrong, not_found if none is set, and too_many. */
async function requireRestoreToken(app: AppContext, given: string): Promise<void> {
  const { restoreToken } = app.config;
  if (restoreToken === "") throw new AppError("not_found", "Not found.");
  const bytes = async (text: string) => new TextEncoder().encode(await sha256(text));
  if (equalInConstantTime(await bytes(given), await bytes(restoreToken))) return;
  countEvents(app, { source: "restore", rate: WRONG_TOKENS });
  throw new AppError("unauthenticated", "This is not the restore token.");
}

/** GET /restore: returns the backups in the bucket, newest first, without those that cannot be read. */
export async function listRestorable(app: AppContext, token: string): Promise<RestorableBackup[]> {
  await requireRestoreToken(app, token);
  const found: RestorableBackup[] = [];
  for (const id of await listManifests(app.backups)) {
    const manifest = await readManifest(filesOf(app, id)).catch(() => undefined);
    if (!manifest) continue;
    const { startedAt, finishedAt, rows, bytes, objects, keyVersion } = manifest;
    found.push({ id, startedAt, finishedAt, rows, bytes, objects, keyVersion });
  }
  return found;
}

/**
 * POST /restore/:id: starts or continues a restore. Call it until its state is no longer `running`. Throws AppError
 * not_found for an unknown backup, and conflict if the installation is not empty or another restore is running.
 */
export async function restoreBackup(
  app: AppContext,
  token: string,
  { id, limits = STEP }: { id: string; limits?: typeof STEP },
): Promise<RestoreReport> {
  await requireRestoreToken(app, token);
  const before = await latest(app);
  if (before && planOf(before).backupId === id && before.state === "finished")
    return reportOf(app, before, await manifestOf(app, id));
  if (before?.state === "running" && planOf(before).backupId !== id)
    throw new AppError(
      "conflict",
      `The backup ${planOf(before).backupId} is being restored. Clear that first.`,
    );
  const manifest = await manifestOf(app, id);
  const budget = createBudget(limits);
  if (before?.state !== "running") {
    await begin(app, manifest);
    budget.spend(unitsOf(LAYOUT_QUERIES * manifest.databases.length));
  }
  return step(app, manifest, budget);
}

/** DELETE /restore: undoes an unfinished restore. Call it until its state is `cancelled`. */
export async function clearRestore(app: AppContext, token: string, limits = STEP): Promise<RestoreReport> {
  await requireRestoreToken(app, token);
  const run = await latest(app);
  if (run?.state !== "running") throw new AppError("conflict", "There is no unfinished restore to clear.");
  const manifest = await manifestOf(app, planOf(run).backupId);
  return step(app, manifest, createBudget(limits), { undo: true });
}

function planOf({ plan }: Pick<BackupRun, "plan">): RestorePlan {
  if (!plan || !("backupId" in plan)) throw new Error("the run is not a restore");
  // A restore that an earlier build began lacks these two.
  return { ...plan, within: plan.within ?? 0, short: plan.short ?? [] };
}

async function latest(app: AppContext): Promise<BackupRun | undefined> {
  return (await listRestores(app.db))[0];
}

async function manifestOf(app: AppContext, id: string): Promise<BackupManifest> {
  const manifest = await readManifest(filesOf(app, id)).catch((error: unknown) => {
    if (error instanceof BackupFault) throw new AppError("conflict", error.message);
    throw error;
  });
  if (!manifest) throw new AppError("not_found", "There is no such backup.");
  return manifest;
}

async function begin(app: AppContext, manifest: BackupManifest): Promise<void> {
  if ((await countAgencies(app.db)) > 0)
    throw new AppError(
      "conflict",
      "There is an agency here: a backup is restored into an empty installation only.",
    );
  await requireFitting(app, manifest);
  const plan: RestorePlan = {
    backupId: manifest.id,
    phase: "check",
    at: 0,
    within: 0,
    short: [],
    triggers: [],
    indexes: [],
    missing: 0,
    skipped: {},
    undo: false,
  };
  const run = { id: randomToken(), kind: "restore", state: "running", phase: "check", plan } as const;
  await inOneStep(app.db, [insertRun(app.db, { ...run, startedAt: app.clock() }, { unlessRunning: false })]);
}

/** Queries that read a database's tables and columns. */
const LAYOUT_QUERIES = 3;

/** Tables of a reads database that mean nothing without reads. */
const WITHOUT_READS = ["day_fences", "changed_reads", "read_keys", "closed_keys"];

function hasReads(tables: BackupManifest["databases"][number]["tables"]): boolean {
  return tables.some(({ name, rows }) => rows > 0 && !WITHOUT_READS.includes(name));
}

/** Throws AppError conflict if a database, table or column of the backup does not exist here. New columns get their default. */
async function requireFitting(app: AppContext, manifest: BackupManifest): Promise<void> {
  const databases = databasesOf(app);
  const lacking: string[] = [];
  const unbound: string[] = [];
  for (const { name, tables } of manifest.databases) {
    const database = databases.find((one) => one.name === name);
    if (!database) {
      // A database without reads may have been removed since: it has only fences of days that moved away.
      if (hasReads(tables)) unbound.push(name);
      continue;
    }
    const layout = await readLayout(database.database);
    for (const table of tables) {
      const here = layout.tables.find((one) => one.name === table.name);
      const missing = table.columns.filter(
        (column) => !here?.columns.some((one) => one.name === column.name),
      );
      if (table.rows > 0 && missing.length > 0)
        lacking.push(`${name}.${table.name} (${missing.map((column) => column.name).join(", ")})`);
    }
  }
  if (unbound.length > 0)
    throw new AppError(
      "conflict",
      `The backup has reads of databases that are not bound here: add ${unbound.join(", ")} to wrangler.toml and deploy.`,
    );
  if (lacking.length === 0) return;
  const message = `This version of Odin lacks what the backup has: ${lacking.join("; ")}. Deploy the version that made it, restore, and then deploy this one.`;
  throw new AppError("conflict", message);
}

async function step(
  app: AppContext,
  manifest: BackupManifest,
  budget: Budget,
  { undo = false } = {},
): Promise<RestoreReport> {
  const known = await latest(app);
  const now = app.clock();
  const run = known && (await leaseRun(app.db, { id: known.id, now, until: now + LEASE_MS }));
  if (!run) throw new AppError("unavailable", "Another restore call is running.", { retryAfter: 5 });
  const work = { app, run, plan: planOf(run), manifest, budget };
  try {
    if (undo && !work.plan.undo) {
      const isUntouched = work.plan.phase === "check";
      await saveRestore(work, { undo: true, phase: isUntouched ? "finished" : "clear", at: 0 });
    }
    while (run.state === "running" && work.budget.isLeft()) await RESTORE_PHASES[work.plan.phase](work);
  } catch (error) {
    await releaseRun(app.db, run);
    if (!(error instanceof BackupFault)) throw error;
    // All earlier parts were valid. This one is not, and none of it was written.
    return { ...reportOf(app, run, manifest), state: "failed", message: error.message };
  }
  await releaseRun(app.db, run);
  // The restored installation then lists its backups at once.
  if (run.state === "finished") await noteUnknownBackups(app);
  return reportOf(app, run, manifest);
}

function reportOf(app: AppContext, run: BackupRun, manifest: BackupManifest): RestoreReport {
  const { phase, at, missing, skipped } = planOf(run);
  return {
    state: run.state,
    phase,
    done: at,
    total: lengthOf(app, { phase, manifest }),
    rows: run.rows,
    objects: run.objects,
    missing,
    skipped,
    message: run.message,
  };
}
