// Starts an export of the caller's records. It is audited before any vendor is called. Callers that accept progress
// lines get a queued job for large exports; all others get the file itself, streamed while it is built.

import type { AppContext } from "#app/context.ts";
import { auditAct, refuse } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  countByProgram,
  EXPORT_LIFETIME_MS,
  type Export,
  type ExportInput,
  type ExportKind,
  type ExportProgress,
  type ExportRequest,
  exportFailure,
  exportName,
  INLINE_RECORDS,
  MAX_OPEN_EXPORTS,
  type Requester,
} from "#app/entities/exports/request.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { loggedPlate } from "#app/entities/search/plate.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { hex } from "#app/lib/crypto/encoding.ts";
import { AppError, audited, isAppError } from "#app/lib/errors.ts";
import { logError } from "#app/lib/log.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { changesOf, inOneStep } from "#app/store/database.ts";
import { insertExport } from "#app/store/exports/files.ts";
import { putExportInput, removeExportFiles } from "#app/store/exports/uploads.ts";
import { sendJob } from "#app/store/queue.ts";
import { findAgency } from "#app/store/users/agencies.ts";
import { describeFile, fileOf } from "./files.ts";
import { findExportRecords } from "./records.ts";
import { CANCELED, endWithoutFile, makeExport } from "./run.ts";
import { createTap } from "./stream.ts";

type Asked = { kind: ExportKind; request: ExportRequest };
type Admitted = { export: Export; exportInput: ExportInput; requester: Requester; run: 0 };

/**
 * Exports records of the actor's own results. Returns a finished export, or a queued one if it is large. Throws
 * AppError bad_request, not_found, gone or too_many (audited), unavailable if it failed, gone when canceled.
 */
export async function startExport(
  app: AppContext,
  actor: Actor,
  input: Asked & { signal: AbortSignal; onProgress: (progress: ExportProgress) => void },
): Promise<Export> {
  const { signal, onProgress } = input;
  const admitted = await admit(app, actor, { ...input, mayQueue: true });
  const { export: exportRow, exportInput } = admitted;
  onProgress({ type: "started", id: exportRow.id, total: exportRow.records });
  if (exportRow.state === "running") return makeExport(app, { ...admitted, signal, onProgress });
  try {
    await putExportInput(app.results, exportRow.id, exportInput);
    if (signal.aborted) throw audited(new AppError("gone", CANCELED));
    await sendJob(app.exportJobs, { v: 1, type: "export", id: exportRow.id });
  } catch (error) {
    const ended = signal.aborted
      ? ({ state: "cancelled", message: CANCELED } as const)
      : ({ state: "failed", message: exportFailure(exportRow.kind, "refused") } as const);
    await giveUp(app, admitted, ended).catch((cause: unknown) =>
      logError(`export ${exportRow.id} could not be ended and waits for the sweep`, cause),
    );
    throw error;
  }
  onProgress({ type: "queued", id: exportRow.id, total: exportRow.records });
  return exportRow;
}

/**
 * Ends an export that could not be queued, and removes its files. A job that was queued and has begun anyway continues.
 */
async function giveUp(
  app: AppContext,
  { export: exportRow, requester, run }: Admitted,
  ended: { state: "failed" | "cancelled"; message: string },
): Promise<void> {
  const [finished] = await inOneStep(app.db, endWithoutFile(app, { exportRow, run, requester, ...ended }));
  if (changesOf(finished) > 0) await removeExportFiles(app.results, { id: exportRow.id, uploadId: null });
}

/**
 * Exports records of the actor's own results and returns the file, whatever its size; it is stored as well. A large
 * file is streamed while it is built: if that fails, the response is cut off. Throws as `startExport` does.
 */
export async function openNewExport(
  app: AppContext,
  actor: Actor,
  input: Asked & { signal: AbortSignal },
): Promise<ServedFile> {
  const admitted = await admit(app, actor, { ...input, mayQueue: false });
  const hungUp = new AbortController();
  const tap = createTap({ clock: app.clock, onHangUp: () => hungUp.abort() });
  const signal = AbortSignal.any([input.signal, hungUp.signal]);
  const work = makeExport(app, { ...admitted, tap, signal, onProgress: () => {} });
  const first = await Promise.race([work, tap.started]);
  if (!(first instanceof ReadableStream)) return fileOf(app, first);
  app.waitUntil(work.then(tap.end, tap.fail));
  return { ...describeFile(admitted.export), content: first };
}

/** Finds the records and audits the export. Throws AppError bad_request, not_found, gone or too_many (audited). */
async function admit(
  app: AppContext,
  actor: Actor,
  { kind, request, mayQueue }: Asked & { mayQueue: boolean },
): Promise<Admitted> {
  const exportInput = await inputOf(app, actor, { kind, request });
  const now = app.clock();
  const total = exportInput.records.length;
  const timeZone = request.time_zone ?? (await findAgency(app.db, actor.agencyId))?.policy.time_zone ?? "UTC";
  const exportRow: Export = {
    id: hex(crypto.getRandomValues(new Uint8Array(16))),
    userId: actor.userId,
    agencyId: actor.agencyId,
    kind,
    state: mayQueue && total > INLINE_RECORDS[kind] ? "queued" : "running",
    name: exportName(kind, now, timeZone),
    justification: request.justification,
    caseNumber: request.case_number,
    timeZone,
    records: total,
    done: 0,
    missing: 0,
    bytes: 0,
    sha256: "",
    message: "",
    createdAt: now,
    finishedAt: null,
    expiresAt: now + EXPORT_LIFETIME_MS,
  };
  const { userId: _, agencyId: __, ...requester } = auditWho(actor);
  const { plate, plates } = platesOf(exportInput);
  try {
    await inOneStep(app.db, [
      insertExport(app.db, exportRow, requester),
      auditAct(app, actor, {
        at: now,
        action: "export",
        object: exportRow.id,
        plate,
        caseNumber: exportRow.caseNumber,
        programsQueried: countByProgram(exportInput.records)
          .map(([program]) => program)
          .join(","),
        detail: {
          kind,
          justification: exportRow.justification,
          results: exportInput.queries.map(({ resultId }) => resultId),
          records: total,
          ids: exportInput.records.map(({ id }) => id),
          ...(plates.length > 0 && { plates }),
        },
      }),
    ]);
  } catch (error) {
    if (brokenConstraint(error) !== "exports.created_at") throw error;
    throw await refuseExport(app, actor, { kind, request, error: tooManyOpen(error) });
  }
  return { export: exportRow, exportInput, requester, run: 0 };
}

/**
 * Returns the plates that the exported reads were searched by, as the audit rows of the searches have them, and the plate of
 * the reads if all have the same. `plate` is the one that the row of the export is found by.
 */
function platesOf({ queries, records }: ExportInput): { plate: string; plates: string[] } {
  const searched = withoutRepeats(
    queries.map(({ request, investigation }) =>
      investigation?.tool === "convoy" ? investigation.request.plate : request.plate,
    ),
  );
  const exported = withoutRepeats(records.map(({ plate }) => plate));
  const [plate = ""] = [exported, searched].find(({ length }) => length === 1) ?? [];
  return { plate, plates: withoutRepeats([...searched, plate]) };
}

function withoutRepeats(plates: string[]): string[] {
  return [...new Set(plates.map(loggedPlate))].filter((plate) => plate !== "");
}

function tooManyOpen(cause: unknown): AppError {
  const message = `You have ${MAX_OPEN_EXPORTS} exports in progress. Wait until one is finished, or cancel one in your profile.`;
  return new AppError("too_many", message, { retryAfter: MINUTE / SECOND, cause });
}

/** Returns the content of the export. A refusal is audited before it is thrown. */
async function inputOf(app: AppContext, actor: Actor, { kind, request }: Asked): Promise<ExportInput> {
  try {
    const exporter = { username: actor.username, name: actor.name, agency: actor.agencyName };
    return { exporter, ...(await findExportRecords(app, actor, request)) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw await refuseExport(app, actor, { kind, request, error });
  }
}

/** Audits that an export is refused. Returns the error to throw. */
function refuseExport(app: AppContext, actor: Actor, input: Asked & { error: AppError }): Promise<AppError> {
  const { kind, request, error } = input;
  return refuse(app, actor, {
    action: "export",
    object: request.result_id ?? "",
    caseNumber: request.case_number,
    detail: { kind, justification: request.justification, records: request.records.length },
    error,
  });
}
