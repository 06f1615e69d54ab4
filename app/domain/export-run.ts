// One run of an export, at once or as a job: builds the file and writes down how it ended, with the file's hash.
// If that cannot be written down there is no file either.

import type { AppContext } from "#app/context.ts";
import type { Export, ExportInput, ExportProgress } from "#app/entities/export.ts";
import { exportFailure, summaryOf } from "#app/entities/export.ts";
import { MINUTE, SECOND } from "#app/lib/dates.ts";
import { AppError, audited } from "#app/lib/errors.ts";
import { insertAudit } from "#app/store/audit.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  abortUpload,
  findExportInput,
  removeExportFiles,
  removeExportInput,
} from "#app/store/export-files.ts";
import { claimExport, findExport, finishExport, noteProgress, type Requester } from "#app/store/exports.ts";
import { buildExport } from "./export-build.ts";

/** How often a run says in D1 how far it is, and hears whether it is cancelled. */
const HEARTBEAT_MS = SECOND;

/** A run that has been silent for so long is taken for dead, and the job is begun anew. */
const DEAD_MS = 3 * MINUTE;

type Run = {
  export: Export;
  made: ExportInput;
  requester: Requester;
  signal: AbortSignal;
  onProgress: (progress: ExportProgress) => void;
};

/** Makes a file; gives the finished export. Throws AppError gone when cancelled, unavailable where it failed. */
export async function makeExport(app: AppContext, run: Run): Promise<Export> {
  const { made, requester, signal, onProgress } = run;
  const one = run.export;
  const cancelled = new AbortController();
  let [done, heard] = [0, app.clock()];
  try {
    const built = await buildExport(app, {
      export: one,
      made,
      signal: AbortSignal.any([signal, cancelled.signal]),
      async onRecord(count) {
        done = count;
        onProgress({ type: "record", done, total: one.records });
        if (app.clock() - heard < HEARTBEAT_MS) return;
        heard = app.clock();
        if (!(await noteProgress(app.db, { id: one.id, done, now: heard }))) cancelled.abort();
      },
    });
    const ended = { ...built, state: "ready" as const, done, message: "", finishedAt: app.clock() };
    await end(app, { one, requester, ended });
    // Cancelled in the very last moment: the record stays as it is, and the file goes.
    const kept = await findExport(app.db, { id: one.id, userId: one.userId, now: app.clock() });
    if (kept?.state !== "ready") throw new AppError("gone", "The export was cancelled.");
    const finished = { ...one, ...ended };
    onProgress({ type: "done", export: summaryOf(finished) });
    return finished;
  } catch (error) {
    await removeExportFiles(app.results, { id: one.id, uploadId: null });
    const isCancelled = signal.aborted || cancelled.signal.aborted || isGone(error);
    const message = isCancelled ? "The export was cancelled." : exportFailure(one.kind, "refused");
    const state = isCancelled ? ("cancelled" as const) : ("failed" as const);
    const ended = { state, done, missing: 0, bytes: 0, sha256: "", message, finishedAt: app.clock() };
    await end(app, { one, requester, ended });
    if (isCancelled) throw audited(new AppError("gone", message));
    if (error instanceof RangeError)
      throw audited(new AppError("too_large", "The export is too large. Please export fewer records."));
    console.error(`export ${one.id} failed`, error);
    throw new AppError("unavailable", message, { cause: error });
  }
}

const isGone = (error: unknown) => error instanceof AppError && error.code === "gone";

type Ended = Pick<Export, "state" | "done" | "missing" | "bytes" | "sha256" | "message" | "finishedAt">;

async function end(
  app: AppContext,
  input: { one: Export; requester: Requester; ended: Ended },
): Promise<void> {
  const { one, requester, ended } = input;
  const { state, done, missing, bytes, sha256 } = ended;
  await inOneStep(app.db, [
    finishExport(app.db, { id: one.id, ...ended }),
    insertAudit(app.db, {
      ...requester,
      userId: one.userId,
      agencyId: one.agencyId,
      at: app.clock(),
      action: "export.finished",
      outcome: state === "ready" ? "ok" : "failed",
      object: one.id,
      caseNumber: one.caseNumber,
      detail: {
        kind: one.kind,
        state,
        name: one.name,
        records: done,
        missing,
        bytes,
        sha256,
        justification: one.justification,
      },
    }),
  ]);
}

/**
 * Makes the export of a job. A job that comes twice does no harm: the second finds nothing to do. Throws where another
 * run is still at it, so that the job comes again.
 */
export async function runExportJob(app: AppContext, id: string): Promise<void> {
  const now = app.clock();
  const claimed = await claimExport(app.db, { id, now, silentSince: now - DEAD_MS });
  if (!claimed) return;
  const { requester, uploadId } = claimed;
  const one = claimed.export;
  const made = await findExportInput(app.results, id);
  if (uploadId) await abortUpload(app.results, { id, uploadId });
  const failed = { state: "failed" as const, done: 0, missing: 0, bytes: 0, sha256: "", finishedAt: now };
  if (!made) {
    const message = exportFailure(one.kind, "refused");
    await end(app, { one, requester, ended: { ...failed, message } });
    return;
  }
  try {
    const signal = new AbortController().signal;
    await makeExport(app, { export: one, made, requester, signal, onProgress: () => {} });
    await removeExportInput(app.results, id);
  } catch (error) {
    // How it ended is written down, and trying again is the user's to decide.
    if (!(error instanceof AppError)) throw error;
  }
}
