// Backups as the owner sees them: started by hand or every night, listed, verified, and removed when too old.
// backup-run.ts makes a backup, restore.ts restores one.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { auditIfChanged, auditNow } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  BACKED_UP,
  BACKUP_LATE_MS,
  type BackupCheck,
  type BackupList,
  type BackupManifest,
  type BackupPart,
  type BackupSummary,
  type ImagesBack,
  type ObjectLine,
} from "#app/entities/operations/backup.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { at } from "#app/lib/at.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { DAY, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { nextInRotation } from "#app/lib/turns.ts";
import { inOneStep } from "#app/store/database.ts";
import { HIT_SEGMENTS } from "#app/store/files.ts";
import {
  BackupFault,
  listBackupIds,
  readManifest,
  readPart,
  removeBackup,
} from "#app/store/operations/backup-files.ts";
import { checkPooled, POOL_CONCURRENCY } from "#app/store/operations/backup-pool.ts";
import {
  type BackupRun,
  changedOne,
  endRun,
  findImagesBack,
  findRun,
  forgetRuns,
  insertRun,
  listRemovable,
  listRuns,
  listStuckRuns,
  listUnknown,
  markRemoved,
  type NotedRun,
  noteRuns,
} from "#app/store/operations/backup-runs.ts";
import { countAgencies } from "#app/store/operations/setup.ts";
import { insertAuditIfChanged } from "#app/store/oversight/audit.ts";
import { sendJob, sendJobs } from "#app/store/queue.ts";
import { bucketsOf, createBudget, filesOf, ownerAgencyId, poolOf, STEP } from "./backup-parts.ts";

const SHOWN = 60;
/** A run without a lease for this long has lost its queue message. */
const STUCK_MS = MINUTE;
/** How long the row of a removed backup is kept. */
const REMEMBERED_MS = 90 * DAY;

function summaryOf(run: Omit<BackupRun, "plan">): BackupSummary {
  return {
    id: run.id,
    state: run.state,
    phase: run.phase,
    started_at: run.startedAt,
    started_by: run.startedBy,
    finished_at: run.finishedAt,
    rows: run.rows,
    bytes: run.bytes,
    objects: run.objects,
    key_version: run.keyVersion,
    message: run.message,
    removed: run.removedAt !== null,
  };
}

/** Returns the newest runs, and whether the last good backup is too old. */
export async function listBackups(app: AppContext): Promise<BackupList> {
  const runs = (await listRuns(app.db, { kind: "backup", limit: SHOWN })).map(summaryOf);
  const newest = runs.find(({ state, removed }) => state === "finished" && !removed)?.started_at ?? null;
  const late = newest === null || app.clock() - newest > BACKUP_LATE_MS;
  return { runs, newest, late, kept_days: app.config.backupDays, images: await imagesBack(app) };
}

/** Failed attempts of a chain in a row that the screen mentions. */
const FAILING = 3;

async function imagesBack({ db }: Pick<AppContext, "db">): Promise<ImagesBack | null> {
  const found = await findImagesBack(db);
  return found ? { done: found.done, total: found.total, failing: found.attempts > FAILING } : null;
}

/** POST /backups/start. Throws AppError conflict if one is running, or the images of a restore are not back yet. */
export async function startBackup(app: AppContext, actor: Actor): Promise<{ msg: string; id: string }> {
  if (await imagesBack(app))
    throw new AppError(
      "conflict",
      "Images of the restored backup are still being copied back. A backup can begin after that.",
    );
  const id = await begin(app, actor);
  if (id === undefined) throw new AppError("conflict", "A backup is already running.");
  return { msg: "The backup has started.", id };
}

/**
 * Scheduled every night. Starts no backup before there is an agency, or while one is running. Throws if no backup has
 * finished since the night before, because starting one does not mean that it will finish.
 */
export async function startNightlyBackup(app: AppContext): Promise<void> {
  if ((await countAgencies(app.db)) === 0) return;
  const { runs, newest, images } = await listBackups(app);
  // It would mistake the images that are not back yet for purged ones.
  if (!images) await begin(app, null);
  const since = newest ?? runs.at(-1)?.started_at ?? app.clock();
  if (app.clock() - since > BACKUP_LATE_MS)
    throw new Error(`no backup has finished since ${isoTime(since).slice(0, 16)}`);
}

/** Starts a run and returns its id; returns undefined if one is running. */
async function begin(app: AppContext, actor: Actor | null): Promise<string | undefined> {
  const at = app.clock();
  const id = `${isoTime(at).slice(0, 23).replaceAll(/[-:.]/g, "")}Z-${randomToken(4)}`;
  const run = {
    id,
    kind: "backup" as const,
    state: "running" as const,
    phase: "plan",
    startedAt: at,
    startedBy: actor?.username ?? "",
    keyVersion: app.config.sealingKeys.current,
  };
  const who = actor ? auditWho(actor) : { ...auditWho(null), agencyId: await ownerAgencyId(app) };
  const [inserted] = await inOneStep(app.db, [
    insertRun(app.db, run, { unlessRunning: true }),
    insertAuditIfChanged(app.db, { ...who, at, action: "backup.start", outcome: "ok", object: id }),
  ]);
  if (!changedOne(inserted)) return undefined;
  await sendJob(app.jobs, { v: 1, type: "backup", id });
  return id;
}

/** Returns the start time in a backup's id in milliseconds, or 0 if the id has none. */
function timeOf(id: string): number {
  const iso = id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-.*$/, "$1-$2-$3T$4:$5:$6.$7Z");
  return Date.parse(iso) || 0;
}

async function requireRun(app: AppContext, id: string): Promise<BackupRun> {
  const run = await findRun(app.db, id);
  if (run?.kind !== "backup") throw new AppError("not_found", "There is no such backup.");
  return run;
}

/** GET /backups/:id. Throws AppError not_found. */
export async function showBackup(app: AppContext, id: string): Promise<BackupSummary> {
  return summaryOf(await requireRun(app, id));
}

/** POST /backups/:id/cancel. Throws AppError not_found, or conflict if it is not running. */
export async function cancelBackup(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  await requireRun(app, id);
  const at = app.clock();
  const [ended] = await inOneStep(app.db, [
    endRun(app.db, { id, state: "cancelled", at, message: `Canceled by ${actor.username}.` }),
    auditIfChanged(app, actor, { at, action: "backup.cancel", object: id }),
  ]);
  if (!changedOne(ended)) throw new AppError("conflict", "This backup is not running.");
  return { msg: "The backup was canceled." };
}

/** Scheduled: resumes runs that lost their message, and removes backups that are too old or never finished. */
export async function sweepBackups(app: AppContext): Promise<void> {
  const now = app.clock();
  // An installation without an agency may be about to restore one of these backups.
  if ((await countAgencies(app.db)) > 0) await noteUnknownBackups(app);
  const stuck = await listStuckRuns(app.db, now - STUCK_MS);
  await sendJobs(
    app.jobs,
    stuck.map(({ id, kind }) => ({ v: 1, type: kind === "images" ? "restore-images" : "backup", id })),
  );
  const problems: unknown[] = [];
  for (const id of await listRemovable(app.db, { before: now - app.config.backupDays * DAY, now })) {
    try {
      if (await removeBackup(app.backups, id)) await markRemoved(app.db, id, now);
    } catch (cause) {
      problems.push(new Error(`the backup ${id} could not be removed`, { cause }));
    }
  }
  await forgetRuns(app.db, now - REMEMBERED_MS);
  if (problems.length > 0) throw new AggregateError(problems, "not every old backup could be removed");
}

/** Maximum number of unknown backups that one run reads. */
const UNKNOWN_A_RUN = 200;
const SWEPT_EVERY = 5 * MINUTE;

/**
 * Adds rows for backups in the bucket that this database does not know, as after a restore, some per run; without a row
 * they would never be removed. Skips a backup that these keys cannot open. An unfinished one counts as failed after the
 * retention of backups.
 */
export async function noteUnknownBackups(app: AppContext): Promise<void> {
  const unknown = await listUnknown(app.db, await listBackupIds(app.backups));
  // In turn, because those that cannot be opened stay unknown.
  const turn = { now: app.clock(), every: SWEPT_EVERY, count: UNKNOWN_A_RUN };
  const runs = await pMap(nextInRotation(unknown, turn), (id) => unknownRun(app, id), {
    concurrency: POOL_CONCURRENCY,
  });
  await noteRuns(
    app.db,
    runs.filter((run) => run !== null),
  );
}

/** Returns the row for a backup in the bucket, or null if it cannot be opened, or may still be unfinished. */
async function unknownRun(app: AppContext, id: string): Promise<NotedRun | null> {
  const manifest = await readManifest(filesOf(app, id)).catch(() => null);
  if (manifest) {
    const { startedAt, startedBy, finishedAt, keyVersion, rows, bytes, objects } = manifest;
    const counts = { finishedAt, keyVersion, rows, bytes, objects };
    return { id, state: "finished", phase: "finished", startedAt, startedBy, ...counts, message: "" };
  }
  if (manifest === null || timeOf(id) >= app.clock() - app.config.backupDays * DAY) return null;
  const counts = { finishedAt: null, keyVersion: 0, rows: 0, bytes: 0, objects: 0 };
  const message = "It was not finished when this database was restored.";
  return { id, state: "failed", phase: "plan", startedAt: timeOf(id), startedBy: "", ...counts, message };
}

/** A unit of verification: a part of a table, or a list of objects together with those objects. */
type Piece = { part: BackupPart; bucket: string | null };

/** Returns every part of a backup: the rows of the tables first, then the lists of objects with their bucket. */
export function piecesOf(manifest: BackupManifest): Piece[] {
  const rows = manifest.databases.flatMap(({ tables }) => tables.flatMap(({ parts }) => parts));
  const lists = manifest.buckets.flatMap(({ name, parts }) => parts.map((part) => ({ part, bucket: name })));
  return [...rows.map((part) => ({ part, bucket: null })), ...lists];
}

/**
 * POST /backups/:id/verify: reads parts from number `after` on, checks hashes, counts and encryption, and opens every
 * object that they list. Call it until `next` is null. Throws AppError not_found.
 */
export async function verifyBackup(
  app: AppContext,
  actor: Actor,
  { id, after }: { id: string; after: number },
  limits = STEP,
): Promise<BackupCheck> {
  const check: BackupCheck = {
    checked: after,
    total: 0,
    next: null,
    rows: 0,
    objects: 0,
    missing: 0,
    problem: null,
  };
  try {
    const manifest = await readManifest(filesOf(app, id));
    if (!manifest) throw new AppError("not_found", "There is no such backup.");
    const pieces = piecesOf(manifest);
    check.total = pieces.length;
    const budget = createBudget(limits);
    while (check.checked < pieces.length && budget.isLeft()) {
      budget.spend();
      await checkPiece(app, { id, piece: at(pieces, check.checked), check });
      check.checked += 1;
    }
    if (check.checked < pieces.length) check.next = check.checked;
  } catch (error) {
    if (!(error instanceof BackupFault)) throw error;
    check.problem = error.message;
  }
  // A backup is verified once its last part was checked. A call after that checks nothing. The row says which parts this
  // call checked: a verification may have begun in the middle.
  const { checked, total, problem } = check;
  if (problem || (check.next === null && checked > after))
    await auditNow(app, actor, {
      action: "backup.verify",
      outcome: problem ? "failed" : "ok",
      object: id,
      detail: { after, checked, total, ...(problem && { problem }) },
    });
  return check;
}

type PieceInput = { id: string; piece: Piece; check: BackupCheck };

/** Checks a part and the objects it lists, and adds to the counts. Throws BackupFault. */
async function checkPiece(app: AppContext, { id, piece, check }: PieceInput): Promise<void> {
  const { bucket: name } = piece;
  const lines = await readPart(filesOf(app, id), piece.part);
  if (name === null) {
    check.rows += lines.length;
    return;
  }
  const bucket = bucketsOf(app)[name];
  if (!bucket || !(name in BACKED_UP))
    throw new BackupFault(`The backup names a bucket ${name} that does not exist.`);
  await pMap(
    lines,
    async (line) => {
      const [key, listed]: ObjectLine = JSON.parse(line);
      check.objects += 1;
      // The size may differ: hits that expired since the backup were removed from the object and its copy.
      const size = key.startsWith(HIT_SEGMENTS) ? null : listed;
      if (await checkPooled(poolOf(app), { name, key, size })) return;
      // Purged since the backup, as required, unless the object still exists.
      if (await bucket.head(key))
        throw new BackupFault(`The copy of ${key} in ${name} is gone, though the object is not.`);
      check.missing += 1;
    },
    { concurrency: POOL_CONCURRENCY },
  );
}
