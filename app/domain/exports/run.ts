// Runs an export, inside its request or as a queued job: builds the file and records the result with the file's
// hash. A run is one attempt; a job has several if earlier ones were killed. If the result cannot be recorded, the
// file is deleted.

import type { AppContext } from "#app/context.ts";
import type { Export, ExportInput, ExportProgress, Requester } from "#app/entities/exports/request.ts";
import { exportFailure, summaryOf } from "#app/entities/exports/request.ts";
import type { AuditEntry } from "#app/entities/oversight/audit.ts";
import { sharingEnded } from "#app/entities/search/result-set.ts";
import { AppError, audited, isAppError } from "#app/lib/errors.ts";
import { logError, logWarning } from "#app/lib/log.ts";
import { retryBriefly } from "#app/lib/retry.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { claimExport, findExport, findRun, finishExport, noteProgress } from "#app/store/exports/files.ts";
import {
  abortUpload,
  findExportInput,
  removeExportFiles,
  removeExportInput,
} from "#app/store/exports/uploads.ts";
import { insertAudit, insertAuditIfChanged } from "#app/store/oversight/audit.ts";
import { listEndedSharing, type ReadSource } from "#app/store/search/permission.ts";
import { buildExport } from "./build.ts";
import type { ExportTap } from "./stream.ts";

/**
 * How often a run records its progress and checks whether it was canceled, or its user disabled. In the 15 minutes of a
 * job, that takes half of the queries that D1 allows, and leaves enough for the addresses of a report.
 */
const PROGRESS_MS = 2 * SECOND;

/** How often it does so while one record takes long. A run that is silent for longer was killed. */
const HEARTBEAT_MS = 10 * SECOND;

/** How often a run checks that no agency whose reads it exports has ended its sharing. */
const SHARING_MS = 30 * SECOND;

/** The message of a canceled export. */
export const CANCELED = "The export was canceled.";
const TOO_LARGE = "The export is too large. Please export fewer records.";

type Run = {
  export: Export;
  exportInput: ExportInput;
  requester: Requester;
  /** Number of this run of the job; 0 inside a request. */
  run: number;
  signal: AbortSignal;
  onProgress: (progress: ExportProgress) => void;
  /** Receives the bytes of the file as well while it is built. */
  tap?: ExportTap;
};

/**
 * Builds a file. Returns the finished export. Throws AppError gone when canceled, too_large, or unavailable if it
 * failed.
 */
export async function makeExport(app: AppContext, input: Run): Promise<Export> {
  const { exportInput, requester, run, signal, onProgress, tap } = input;
  const exportRow = input.export;
  const cancelled = new AbortController();
  let [done, heard] = [0, app.clock()];
  async function beat(): Promise<void> {
    heard = app.clock();
    if (!(await noteProgress(app.db, { id: exportRow.id, run, done, now: heard }))) cancelled.abort();
  }
  // A failed heartbeat is followed by the next one; the build itself fails if the database stays unavailable.
  const tryBeat = () => beat().catch(() => {});
  const requireSharing = createSharingCheck(app, input);
  const timer = setInterval(() => void tryBeat(), HEARTBEAT_MS);
  let finished: Export | undefined;
  try {
    const built = await buildExport(app, {
      export: exportRow,
      exportInput,
      run,
      ...(tap && { tap }),
      signal: AbortSignal.any([signal, cancelled.signal]),
      async onRecord(count) {
        done = count;
        onProgress({ type: "record", done, total: exportRow.records });
        if (app.clock() - heard >= PROGRESS_MS) await tryBeat();
        await requireSharing();
      },
      // The file of another run that has taken over must not be replaced.
      onWritten: () => retryBriefly(beat),
    });
    const ended = { ...built, state: "ready" as const, done, message: "", finishedAt: app.clock() };
    finished = { ...exportRow, ...ended };
    await retryBriefly(() => end(app, { exportRow, run, requester, ended }));
    // If it was canceled at the last moment, the record stays canceled and the file is removed.
    const kept = await retryBriefly(() =>
      findExport(app.db, { id: exportRow.id, userId: exportRow.userId, now: app.clock() }),
    );
    if (kept?.state !== "ready") throw new AppError("gone", CANCELED);
    onProgress({ type: "done", export: summaryOf(finished) });
    return finished;
  } catch (error) {
    // A run that was considered killed must not touch the files of the next run.
    const current = await findRun(app.db, exportRow.id);
    if (current !== undefined && current.run !== run)
      throw audited(new AppError("gone", "The export was taken over by another run."));
    // It was recorded as ready and only the database's answer was lost. A ready export must keep its file.
    if (finished && current?.state === "ready") return finished;
    await removeExportFiles(app.results, { id: exportRow.id, uploadId: null });
    // The user who canceled it has deleted the upload, which the run may notice first.
    const wasCancelled = cancelled.signal.aborted || current?.state === "cancelled";
    const isCancelled = signal.aborted || wasCancelled || isGone(error);
    const { message, thrown } = isCancelled
      ? { message: CANCELED, thrown: audited(new AppError("gone", CANCELED)) }
      : failureOf(exportRow, error);
    const state = isCancelled ? ("cancelled" as const) : ("failed" as const);
    const ended = { state, done, missing: 0, bytes: 0, sha256: "", message, finishedAt: app.clock() };
    await end(app, { exportRow, run, requester, ended });
    throw thrown;
  } finally {
    clearInterval(timer);
  }
}

/**
 * Returns a function that throws AppError forbidden once an agency whose reads are exported has ended its sharing. It asks for
 * the sources of the records themselves, because their result sets may be purged before the export ends.
 */
function createSharingCheck(
  app: AppContext,
  { export: { createdAt, agencyId: tenantId }, exportInput }: Run,
): () => Promise<void> {
  const sources = sourcesOf(exportInput);
  let checkedAt = createdAt;
  return async () => {
    const now = app.clock();
    if (now - checkedAt < SHARING_MS) return;
    checkedAt = now;
    const endedBy = await retryBriefly(() => listEndedSharing(app.db, { sources, tenantId, now }));
    if (endedBy.length > 0) throw new AppError("forbidden", sharingEnded(endedBy));
  };
}

function sourcesOf({ records }: ExportInput): ReadSource[] {
  const found = new Map(
    records.map(({ program, sourceId, agency }) => [
      JSON.stringify([program, sourceId, agency]),
      { program, sourceId, agency },
    ]),
  );
  return [...found.values()];
}

/**
 * Returns the error of a failed export for its caller, and the message that is stored: the list of exports is all that
 * the user of a job reads.
 */
function failureOf({ id, kind }: Export, error: unknown): { message: string; thrown: AppError } {
  const failure = exportFailure(kind, "refused");
  if (error instanceof RangeError) {
    logWarning(`export ${id} is too large`, error);
    return { message: `${failure} ${TOO_LARGE}`, thrown: audited(new AppError("too_large", TOO_LARGE)) };
  }
  if (isAppError(error) && error.code === "forbidden")
    return { message: `${failure} ${error.message}`, thrown: audited(error) };
  logError(`export ${id} failed`, error);
  return { message: failure, thrown: new AppError("unavailable", failure, { cause: error }) };
}

const isGone = (error: unknown) => isAppError(error) && error.code === "gone";

type Ended = Pick<Export, "state" | "done" | "missing" | "bytes" | "sha256" | "message" | "finishedAt">;

async function end(
  app: AppContext,
  input: { exportRow: Export; run: number; requester: Requester; ended: Ended },
): Promise<void> {
  const { exportRow, run, requester, ended } = input;
  // An export that was canceled or taken over at the last moment is not recorded as ready.
  const record = ended.state === "ready" ? insertAuditIfChanged : insertAudit;
  await inOneStep(app.db, [
    finishExport(app.db, { id: exportRow.id, run, ...ended }),
    record(app.db, auditOfEnd(app, { exportRow, requester, ended })),
  ]);
}

/** Returns the audit row of an export that has ended. */
function auditOfEnd(
  app: AppContext,
  { exportRow, requester, ended }: { exportRow: Export; requester: Requester; ended: Ended },
): AuditEntry {
  const { state, done, missing, bytes, sha256 } = ended;
  return {
    ...requester,
    userId: exportRow.userId,
    agencyId: exportRow.agencyId,
    at: app.clock(),
    action: "export.finished",
    outcome: state === "ready" ? "ok" : "failed",
    object: exportRow.id,
    caseNumber: exportRow.caseNumber,
    detail: {
      kind: exportRow.kind,
      state,
      name: exportRow.name,
      records: done,
      missing,
      bytes,
      sha256,
      justification: exportRow.justification,
    },
  };
}

/**
 * Returns the statements that record an export as failed, or as canceled, if it has not ended; with `run`, only if that
 * run still owns it. Run them next to each other in one batch.
 */
export function endWithoutFile(
  app: AppContext,
  input: {
    exportRow: Export;
    run?: number;
    requester: Requester;
    message: string;
    state?: "failed" | "cancelled";
  },
): [Statement, Statement] {
  const { exportRow, run, requester, message, state = "failed" } = input;
  const none = { done: 0, missing: 0, bytes: 0, sha256: "" };
  const ended: Ended = { state, ...none, message, finishedAt: app.clock() };
  return [
    finishExport(app.db, { id: exportRow.id, ...(run !== undefined && { run }), ...ended }),
    insertAuditIfChanged(app.db, auditOfEnd(app, { exportRow, requester, ended })),
  ];
}

/**
 * Runs the export of a job. Idempotent: a job that is delivered twice finds nothing to claim. The sweep queues an
 * export again if its run was killed.
 */
export async function runExportJob(app: AppContext, id: string): Promise<void> {
  const now = app.clock();
  const claimed = await claimExport(app.db, { id, now });
  if (!claimed) return;
  const { run, requester, uploadId } = claimed;
  const exportRow = claimed.export;
  const exportInput = await findExportInput(app.results, id);
  if (uploadId) await abortUpload(app.results, { id, uploadId });
  const failed = { state: "failed" as const, done: 0, missing: 0, bytes: 0, sha256: "", finishedAt: now };
  if (!exportInput) {
    const message = exportFailure(exportRow.kind, "refused");
    await end(app, { exportRow, run, requester, ended: { ...failed, message } });
    return;
  }
  try {
    const signal = new AbortController().signal;
    await makeExport(app, { export: exportRow, exportInput, requester, run, signal, onProgress: () => {} });
    await removeExportInput(app.results, id);
  } catch (error) {
    // The result is recorded; retrying is up to the user.
    if (!isAppError(error)) throw error;
  }
}
