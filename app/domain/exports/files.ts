// What becomes of exports: they lie in R2 for seven days, for the exporter alone. Where they are started: export-start.ts.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { drawMap, mapSvg } from "#app/entities/exports/map.ts";
import {
  type Export,
  type ExportSummary,
  type MapSnapshotRequest,
  summaryOf,
} from "#app/entities/exports/request.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { EMBEDDED_BASEMAP } from "#app/entities/search/map/basemap.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { base64 } from "#app/lib/crypto/encoding.ts";
import { publicKeyPem } from "#app/lib/crypto/signing.ts";
import { AppError } from "#app/lib/errors.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  findExport,
  finishExport,
  listExports,
  listLapsedExports,
  removeExport,
  requeueExport,
} from "#app/store/exports/files.ts";
import { openExportFile, removeExportFiles } from "#app/store/exports/uploads.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { sendJob } from "#app/store/queue.ts";
import { loadMap } from "./build.ts";

/** One of the actor's own exports. Throws AppError not_found for any other. */
async function requireExport(app: AppContext, actor: Actor, id: string): Promise<Export> {
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

/** The file of a finished export, for as long as it is kept. Each download is audited before its first byte. */
export async function openExport(app: AppContext, actor: Actor, id: string): Promise<ServedFile> {
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

/** The file of a finished export. Throws AppError gone where it is not kept any more. */
export async function fileOf(app: AppContext, one: Export): Promise<ServedFile> {
  const object = await openExportFile(app.results, one.id);
  if (!object) throw new AppError("gone", "The file of this export is gone.");
  const { facts } = describeFile(one);
  return {
    ...describeFile(one),
    content: object.body,
    size: object.size,
    facts: { ...facts, "odin-export-sha256": one.sha256 },
  };
}

/** What is known about the file of an export before it is made. */
export function describeFile(one: Export) {
  return {
    type: one.kind === "pdf" ? "application/pdf" : "application/zip",
    name: one.name,
    facts: { "odin-export-id": one.id },
  } satisfies Omit<ServedFile, "content">;
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

/** A run notes every ten seconds that it is alive: one that is silent for so long was killed. */
const SILENCE_MS = 45 * SECOND;
/** Nothing claims an export that is queued for so long. */
const QUEUED_MS = 30 * MINUTE;
/** Runs of a job, after which it is the export itself that kills them. */
const MOST_RUNS = 3;

/**
 * Removes exports past their lifetime. Called every minute, so that an export whose run was killed resumes, or fails
 * where no job can resume it, within two minutes.
 */
export async function sweepExports(app: AppContext): Promise<void> {
  const now = app.clock();
  const silentSince = now - SILENCE_MS;
  const queuedSince = now - QUEUED_MS;
  for (const lapsed of await listLapsedExports(app.db, { now, silentSince, queuedSince, limit: 200 })) {
    const { id, uploadId, isExpired, state, runs } = lapsed;
    if (!isExpired && state === "running" && runs > 0 && runs < MOST_RUNS) {
      if (await requeueExport(app.db, { id, now, silentSince }))
        await sendJob(app.exportJobs, { v: 1, type: "export", id });
      continue;
    }
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
export async function openVerificationKey(app: AppContext, version: string | null): Promise<ServedFile> {
  const keys = await listVerificationKeys(app);
  const key = version === null ? keys[0] : keys.find((one) => String(one.version) === version);
  if (!key) throw new AppError("not_found", "There is no such key.");
  return { content: key.pem, type: "application/x-pem-file" };
}
