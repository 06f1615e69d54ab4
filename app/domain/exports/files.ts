// Finished and running exports: listing, download, removal and cleanup. Files are kept in R2 for seven days and
// only their exporter can download them. Exports are started in start.ts.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { auditIfChanged, auditNow } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { drawMap, localCamera, mapSvg } from "#app/entities/exports/map.ts";
import {
  type Export,
  type ExportSummary,
  type MapSnapshotRequest,
  summaryOf,
} from "#app/entities/exports/request.ts";
import { EMBEDDED_BASEMAP } from "#app/entities/search/map/basemap.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { base64 } from "#app/lib/crypto/encoding.ts";
import { publicKeyPem } from "#app/lib/crypto/signing.ts";
import { AppError } from "#app/lib/errors.ts";
import type { BytePart } from "#app/lib/files/byte-range.ts";
import { logWarning } from "#app/lib/log.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { changesOf, inOneStep } from "#app/store/database.ts";
import {
  expireExport,
  findExport,
  findUpload,
  finishExport,
  type LapsedExport,
  listExports,
  listLapsedExports,
  noteExportsTried,
  removeExport,
  requeueExport,
} from "#app/store/exports/files.ts";
import { abortUpload, openExportFile, removeExportFiles } from "#app/store/exports/uploads.ts";
import { sendJob } from "#app/store/queue.ts";
import { loadMap } from "./build.ts";
import { endWithoutFile } from "./run.ts";

/** Returns one of the actor's own exports. Throws AppError not_found for any other. */
async function requireExport(app: AppContext, actor: Actor, id: string): Promise<Export> {
  const exportRow = await findExport(app.db, { id, userId: actor.userId, now: app.clock() });
  if (!exportRow) throw new AppError("not_found", "There is no such export.");
  return exportRow;
}

/** Returns one of the actor's exports. Throws AppError not_found. */
export async function describeExport(app: AppContext, actor: Actor, id: string): Promise<ExportSummary> {
  return summaryOf(await requireExport(app, actor, id));
}

/** Returns the actor's exports of the last seven days, newest first. */
export async function listOwnExports(app: AppContext, actor: Actor): Promise<ExportSummary[]> {
  return (await listExports(app.db, { userId: actor.userId, now: app.clock() })).map(summaryOf);
}

/**
 * Returns the file of a finished export while it is kept, or the part of it that `partOf` returns. Each download is audited
 * before its first byte. Throws AppError not_found, conflict if the export is not finished, and gone.
 */
export async function openExport(
  app: AppContext,
  actor: Actor,
  { id, partOf }: { id: string; partOf: (file: { bytes: number; hash: string }) => BytePart | undefined },
): Promise<ServedFile> {
  const exportRow = await requireExport(app, actor, id);
  if (exportRow.state !== "ready") throw new AppError("conflict", "This export has no file.");
  const { bytes, sha256, caseNumber } = exportRow;
  const part = partOf({ bytes, hash: sha256 });
  await auditNow(app, actor, {
    action: "export.view",
    object: id,
    caseNumber,
    detail: { bytes, sha256, ...(part && { part: [part.offset, part.offset + part.length - 1] }) },
  });
  return { ...(await fileOf(app, exportRow, part)), hash: sha256 };
}

/** Returns the file of a finished export, or a part of it. Throws AppError gone if the file was deleted. */
export async function fileOf(app: AppContext, exportRow: Export, part?: BytePart): Promise<ServedFile> {
  const object = await openExportFile(app.results, { id: exportRow.id, part });
  if (!object) throw new AppError("gone", "The file of this export is gone.");
  const { facts } = describeFile(exportRow);
  return {
    ...describeFile(exportRow),
    content: object.body,
    size: part?.length ?? object.size,
    ...(part && { part: { offset: part.offset, total: object.size } }),
    facts: { ...facts, "odin-export-sha256": exportRow.sha256 },
  };
}

/** Returns what is known about the file of an export before it is built. */
export function describeFile(exportRow: Export) {
  return {
    type: exportRow.kind === "pdf" ? "application/pdf" : "application/zip",
    name: exportRow.name,
    facts: { "odin-export-id": exportRow.id },
  } satisfies Omit<ServedFile, "content">;
}

/** Removes an export, or cancels it if it is not finished, and deletes its files from R2. Audited. */
export async function removeOwnExport(app: AppContext, actor: Actor, id: string): Promise<void> {
  const exportRow = await requireExport(app, actor, id);
  const uploadId = await findUpload(app.db, id);
  const isOpen = exportRow.state === "queued" || exportRow.state === "running";
  const now = app.clock();
  const ended = { done: exportRow.done, missing: 0, bytes: 0, sha256: "", message: "", finishedAt: now };
  const [changed] = await inOneStep(app.db, [
    // The run notices that it is canceled, stops, and deletes what it has written since.
    // The row stays until the files are gone: no one would find a file without a row.
    isOpen
      ? finishExport(app.db, { id, state: "cancelled", ...ended })
      : expireExport(app.db, { id, expiresAt: exportRow.expiresAt, at: now }),
    auditIfChanged(app, actor, {
      at: now,
      action: "export.removed",
      object: id,
      caseNumber: exportRow.caseNumber,
      detail: { state: exportRow.state, sha256: exportRow.sha256 },
    }),
  ]);
  // It has ended, or was removed, since it was read.
  if (changesOf(changed) === 0) return removeOwnExport(app, actor, id);
  // Also those of a run in progress: it may have been killed, and then no one else would delete them.
  await removeExportFiles(app.results, { id, uploadId }).catch((error: unknown) =>
    logWarning(`the files of the removed export ${id} wait for the sweep`, error),
  );
}

/** A run records every ten seconds that it is alive. A run that is silent for this long was killed. */
const SILENCE_MS = 45 * SECOND;
/** A queued export that no run claims for this long may have lost its message: it is sent again, and after twice as long. */
const UNCLAIMED_MS = 5 * MINUTE;
/** A queued export that no run claims for this long has failed. */
const QUEUED_MS = 30 * MINUTE;
/** After this many runs, the export itself is what kills its runs. */
const MAX_RUNS = 3;
/** Exports per run, with up to three queries each besides two of all: D1 allows 1,000 for all jobs of a minute. */
const SWEPT_AT_ONCE = 100;

/**
 * Removes expired exports. Called every minute: an export whose run was killed resumes within two minutes, or fails
 * if no job can resume it. If one of them fails, the others are still swept and the error is thrown at the end.
 */
export async function sweepExports(app: AppContext): Promise<void> {
  const now = app.clock();
  const limits = {
    now,
    silentSince: now - SILENCE_MS,
    queuedSince: now - UNCLAIMED_MS,
    lostSince: now - QUEUED_MS,
  };
  const lapsed = await listLapsedExports(app.db, { ...limits, limit: SWEPT_AT_ONCE });
  if (lapsed.length === 0) return;
  const ids = lapsed.map((one) => one.export.id);
  // Before they are tried: those that fail each time come last in the next sweep.
  await noteExportsTried(app.db, ids, now);
  await pMap(lapsed, (one) => sweepExport(app, one, limits), { concurrency: 1, stopOnError: false });
}

async function sweepExport(
  app: AppContext,
  lapsed: LapsedExport,
  { now, silentSince, lostSince }: { now: number; silentSince: number; lostSince: number },
): Promise<void> {
  const { export: exportRow, requester, uploadId, isExpired, runs, heardAt } = lapsed;
  const { id, state } = exportRow;
  if (!isExpired && state === "queued" && heardAt >= lostSince)
    return sendJob(app.exportJobs, { v: 1, type: "export", id });
  if (!isExpired && state === "running" && runs > 0 && runs < MAX_RUNS) {
    if (await requeueExport(app.db, { id, now, silentSince }))
      await sendJob(app.exportJobs, { v: 1, type: "export", id });
    return;
  }
  const message = "The export was interrupted. Please try again.";
  const ending = endWithoutFile(app, { exportRow, requester, message });
  if (isExpired) {
    await removeExportFiles(app.results, { id, uploadId });
    await inOneStep(app.db, [...ending, removeExport(app.db, id)]);
    return;
  }
  if (uploadId) await abortUpload(app.results, { id, uploadId });
  const [ended] = await inOneStep(app.db, ending);
  // A run that was alive may have ended since the export was listed. Then its file stays.
  if (changesOf(ended) > 0) await removeExportFiles(app.results, { id, uploadId: null });
}

/** Returns a self-contained map image of a place. Throws AppError bad_request for invalid coordinates. */
export async function drawSnapshot(
  app: AppContext,
  { latitude, longitude }: MapSnapshotRequest,
): Promise<{ map_data_uri: string }> {
  if (!isMappable(latitude, longitude)) throw new AppError("bad_request", "These are not valid coordinates.");
  const source = await loadMap(app);
  const [size, place] = [
    { width: 320, height: 200 },
    { latitude, longitude },
  ];
  const map = drawMap(source, { ...size, camera: localCamera(source, place, size), markers: [place] });
  const svg = mapSvg(map, EMBEDDED_BASEMAP.attribution);
  return { map_data_uri: `data:image/svg+xml;base64,${base64(new TextEncoder().encode(svg))}` };
}

export type VerificationKey = { version: number; algorithm: string; pem: string };

/** Returns the public keys that verify the signatures of exports, newest first. */
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

/**
 * Returns one of these keys as a PEM file that openssl reads; the current one if no version is given. Throws
 * AppError not_found.
 */
export async function openVerificationKey(app: AppContext, version: string | null): Promise<ServedFile> {
  const keys = await listVerificationKeys(app);
  const key = version === null ? keys[0] : keys.find((listed) => String(listed.version) === version);
  if (!key) throw new AppError("not_found", "There is no such key.");
  return { content: key.pem, type: "application/x-pem-file" };
}
