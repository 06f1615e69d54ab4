// What leaves the product: who may export which records, and what becomes of the files. That somebody exports is
// written down before a vendor is asked. A small export is made at once, a larger one by a job; both lie in R2 for
// seven days, for the exporter alone.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/account.ts";
import { auditWho } from "#app/entities/audit.ts";
import { EMBEDDED_BASEMAP } from "#app/entities/basemap.ts";
import {
  countByProgram,
  EXPORT_LIFETIME_MS,
  type Export,
  type ExportInput,
  type ExportKind,
  type ExportProgress,
  type ExportRequest,
  type ExportSummary,
  exportName,
  INLINE_RECORDS,
  type MapSnapshotRequest,
  summaryOf,
} from "#app/entities/export.ts";
import { drawMap, mapSvg } from "#app/entities/export-map.ts";
import { isMappable } from "#app/entities/sighting.ts";
import { MINUTE } from "#app/lib/dates.ts";
import { base64, hex } from "#app/lib/encoding.ts";
import { AppError, audited, isAppError } from "#app/lib/errors.ts";
import { publicKeyPem } from "#app/lib/signing.ts";
import { insertAudit } from "#app/store/audit.ts";
import { inOneStep } from "#app/store/database.ts";
import { openExportFile, putExportInput, removeExportFiles } from "#app/store/export-files.ts";
import {
  findExport,
  finishExport,
  insertExport,
  listExports,
  listLapsedExports,
  removeExport,
} from "#app/store/exports.ts";
import { sendJob } from "#app/store/queue.ts";
import { loadMap } from "./export-build.ts";
import { findExportRecords } from "./export-records.ts";
import { makeExport } from "./export-run.ts";

/**
 * Exports records of the actor's own results. Gives a finished export, or a queued one where it is large. Throws
 * AppError bad_request, not_found or gone (audited), unavailable where it could not be made, gone when cancelled.
 */
export async function startExport(
  app: AppContext,
  actor: Actor,
  input: {
    kind: ExportKind;
    request: ExportRequest;
    signal: AbortSignal;
    onProgress: (progress: ExportProgress) => void;
  },
): Promise<Export> {
  const { kind, request, signal, onProgress } = input;
  const made = await inputOf(app, actor, { kind, request });
  const now = app.clock();
  const total = made.records.length;
  const isInline = total <= INLINE_RECORDS[kind];
  const one: Export = {
    id: hex(crypto.getRandomValues(new Uint8Array(16))),
    userId: actor.userId,
    agencyId: actor.agencyId,
    kind,
    state: isInline ? "running" : "queued",
    name: exportName(kind, now, request.time_zone),
    justification: request.justification,
    caseNumber: request.case_number,
    timeZone: request.time_zone,
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
  const { username, sessionId, ip, userAgent } = auditWho(actor);
  const requester = { username, sessionId, ip, userAgent };
  await inOneStep(app.db, [
    insertExport(app.db, one, requester),
    insertAudit(app.db, {
      ...auditWho(actor),
      at: now,
      action: "export",
      outcome: "ok",
      object: one.id,
      caseNumber: one.caseNumber,
      programsQueried: countByProgram(made.records)
        .map(([program]) => program)
        .join(","),
      detail: {
        kind,
        justification: one.justification,
        results: made.queries.map(({ resultId }) => resultId),
        records: total,
        ids: made.records.map(({ id }) => id),
      },
    }),
  ]);
  onProgress({ type: "started", id: one.id, total });
  if (isInline) return makeExport(app, { export: one, made, requester, signal, onProgress });
  await putExportInput(app.results, one.id, made);
  await sendJob(app.exportJobs, { v: 1, type: "export", id: one.id });
  onProgress({ type: "queued", id: one.id, total });
  return one;
}

/** What is exported, looked up by ids. A refusal is written down before it is thrown. */
async function inputOf(
  app: AppContext,
  actor: Actor,
  { kind, request }: { kind: ExportKind; request: ExportRequest },
): Promise<ExportInput> {
  try {
    const exporter = { username: actor.username, name: actor.name, agency: actor.agencyName };
    return { exporter, ...(await findExportRecords(app, actor, request)) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    await inOneStep(app.db, [
      insertAudit(app.db, {
        ...auditWho(actor),
        at: app.clock(),
        action: "export",
        outcome: "refused",
        object: request.result_id ?? "",
        caseNumber: request.case_number,
        detail: {
          kind,
          justification: request.justification,
          records: request.records.length,
          reason: error.message,
        },
      }),
    ]);
    throw audited(error);
  }
}

/** One of the actor's own exports. Throws AppError not_found for any other. */
export async function requireExport(app: AppContext, actor: Actor, id: string): Promise<Export> {
  const one = await findExport(app.db, { id, userId: actor.userId, now: app.clock() });
  if (!one) throw new AppError("not_found", "There is no such export.");
  return one;
}

export async function describeExport(app: AppContext, actor: Actor, id: string): Promise<ExportSummary> {
  return summaryOf(await requireExport(app, actor, id));
}

/** The actor's exports of the last seven days, newest first. */
export async function listOwnExports(app: AppContext, actor: Actor): Promise<ExportSummary[]> {
  return (await listExports(app.db, { userId: actor.userId, now: app.clock() })).map(summaryOf);
}

/** What POST /export-pdf and POST /export-zip answer: the file, or 202 with where the job stands. */
export async function answerExport(app: AppContext, one: Export): Promise<Response> {
  if (one.state === "ready") return fileOf(app, one);
  return new Response(JSON.stringify(summaryOf(one)), {
    status: 202,
    headers: { "content-type": "application/json; charset=utf-8", location: `/exports/${one.id}` },
  });
}

/** The file again, as long as it is kept. Each time is written down before the first byte leaves. */
export async function serveExport(app: AppContext, actor: Actor, id: string): Promise<Response> {
  const one = await requireExport(app, actor, id);
  if (one.state !== "ready") throw new AppError("conflict", "This export has no file.");
  await inOneStep(app.db, [
    insertAudit(app.db, {
      ...auditWho(actor),
      at: app.clock(),
      action: "export.view",
      outcome: "ok",
      object: id,
      caseNumber: one.caseNumber,
      detail: { bytes: one.bytes, sha256: one.sha256 },
    }),
  ]);
  return fileOf(app, one);
}

async function fileOf(app: AppContext, one: Export): Promise<Response> {
  const object = await openExportFile(app.results, one.id);
  if (!object) throw new AppError("gone", "The file of this export is gone.");
  return new Response(object.body, {
    headers: {
      "content-type": one.kind === "pdf" ? "application/pdf" : "application/zip",
      "content-length": String(object.size),
      "content-disposition": `attachment; filename="${one.name}"`,
      "cache-control": "private, no-store",
      "odin-export-id": one.id,
      "odin-export-sha256": one.sha256,
    },
  });
}

/** Takes back an export: cancels it where it is not finished, and leaves nothing of it in R2. */
export async function removeOwnExport(app: AppContext, actor: Actor, id: string): Promise<void> {
  const one = await requireExport(app, actor, id);
  const isOpen = one.state === "queued" || one.state === "running";
  const now = app.clock();
  const ended = { done: one.done, missing: 0, bytes: 0, sha256: "", message: "", finishedAt: now };
  await inOneStep(app.db, [
    // Its maker sees that it is cancelled, stops, and takes back what it has written.
    isOpen ? finishExport(app.db, { id, state: "cancelled", ...ended }) : removeExport(app.db, id),
    insertAudit(app.db, {
      ...auditWho(actor),
      at: now,
      action: "export.removed",
      outcome: "ok",
      object: id,
      caseNumber: one.caseNumber,
      detail: { state: one.state, sha256: one.sha256 },
    }),
  ]);
  if (one.state !== "running") await removeExportFiles(app.results, { id, uploadId: null });
}

/** After so long without a sign of life nobody makes an export any more. */
const SILENCE_MS = 30 * MINUTE;

/** Removes exports whose time is over, and takes back those whose maker died. */
export async function sweepExports(app: AppContext): Promise<void> {
  const now = app.clock();
  const lapsed = await listLapsedExports(app.db, { now, silentSince: now - SILENCE_MS, limit: 200 });
  for (const { id, uploadId, isExpired } of lapsed) {
    await removeExportFiles(app.results, { id, uploadId });
    const failed = { state: "failed" as const, done: 0, missing: 0, bytes: 0, sha256: "", finishedAt: now };
    await inOneStep(app.db, [
      isExpired
        ? removeExport(app.db, id)
        : finishExport(app.db, { id, ...failed, message: "The export was interrupted. Please try again." }),
    ]);
  }
}

/** A map of a place as an image that needs nothing else. Throws AppError bad_request for what is no place. */
export async function drawSnapshot(
  app: AppContext,
  { latitude, longitude }: MapSnapshotRequest,
): Promise<{ map_data_uri: string }> {
  if (!isMappable(latitude, longitude))
    throw new AppError("bad_request", "These are no coordinates of a place.");
  const source = await loadMap(app);
  const map = drawMap(source, { latitude, longitude, width: 320, height: 200, across: 24_000 });
  const svg = mapSvg(map, EMBEDDED_BASEMAP.attribution);
  return { map_data_uri: `data:image/svg+xml;base64,${base64(new TextEncoder().encode(svg))}` };
}

export type VerificationKey = { version: number; algorithm: string; pem: string };

/** The public keys with which signatures of exports are checked, newest first. */
export async function listVerificationKeys(app: AppContext): Promise<VerificationKey[]> {
  const { signingKeys } = app.config;
  const versions = Object.keys(signingKeys.keys)
    .map(Number)
    .sort((a, b) => b - a);
  return Promise.all(
    versions.map(async (version) => ({
      version,
      algorithm: "ECDSA-P256-SHA256",
      pem: await publicKeyPem(signingKeys, version),
    })),
  );
}

/** One of them as the file that openssl reads; the current one where none is named. */
export async function serveVerificationKey(app: AppContext, version: string | null): Promise<Response> {
  const keys = await listVerificationKeys(app);
  const key = version === null ? keys[0] : keys.find((one) => String(one.version) === version);
  if (!key) throw new AppError("not_found", "There is no such key.");
  return new Response(key.pem, { headers: { "content-type": "application/x-pem-file" } });
}
