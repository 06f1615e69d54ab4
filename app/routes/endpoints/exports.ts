import * as z from "zod/mini";
import {
  describeExport,
  drawSnapshot,
  listOwnExports,
  listVerificationKeys,
  openExport,
  openVerificationKey,
  removeOwnExport,
} from "#app/domain/exports/files.ts";
import { openNewExport, startExport } from "#app/domain/exports/start.ts";
import { ExportSummary, Exports, MapSnapshot, VerificationKeys } from "#app/entities/exports/answers.ts";
import {
  type ExportKind,
  ExportRequest,
  exportFailure,
  MapSnapshotRequest,
  summaryOf,
} from "#app/entities/exports/request.ts";
import { about, Done, file, jsonAnswer } from "#app/http/about.ts";
import { type Call, endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { readExportBody } from "#app/http/export-body.ts";
import { fileAnswer, partAskedBy } from "#app/http/file-answer.ts";
import { answerWithProgress, wantsProgress } from "#app/http/progress.ts";
import { json } from "#app/http/responses.ts";
import { described } from "#app/lib/json/named-schema.ts";

/**
 * Answers with the file itself or, for callers that accept progress, with progress lines and a job if the export is
 * large.
 */
async function answerExport({ app, actor, body, request }: ExportCall, kind: ExportKind) {
  const asked = { kind, request: body };
  if (!wantsProgress(request))
    return fileAnswer(await openNewExport(app, actor, { ...asked, signal: request.signal }));
  return answerWithProgress({
    app,
    request,
    run: (hooks) => startExport(app, actor, { ...asked, ...hooks }),
    answer: (created) => json(summaryOf(created)),
    failed: exportFailure(kind, "broken"),
  });
}

type ExportCall = Call<"POST /export-pdf", "signed-in", typeof readExportBody>;

const WITH_PROGRESS = {
  details:
    "Answers with the file. With `Accept: application/x-ndjson`, answers with progress lines instead, and a large export becomes a job.",
  json: ExportRequest,
  headers: { accept: "`application/x-ndjson` for progress lines." },
};

const { loader, action } = endpoints(
  "Exports",
  endpoint(
    "POST /generate-map-snapshot",
    "signed-in",
    MapSnapshotRequest,
    about("Draws a map of a place.", MapSnapshot),
    ({ app, body }) => drawSnapshot(app, body),
  ),
  endpoint(
    "POST /export-pdf",
    "signed-in",
    readExportBody,
    about(
      "Makes a PDF report of up to 5,000 records.",
      jsonAnswer(ExportSummary, {
        media: { "application/pdf": "The report.", "application/x-ndjson": "A JSON line per record." },
      }),
      WITH_PROGRESS,
    ),
    (call) => answerExport(call, "pdf"),
  ),
  endpoint(
    "POST /export-zip",
    "signed-in",
    readExportBody,
    about(
      "Makes a ZIP archive of up to 5,000 records and their images.",
      jsonAnswer(ExportSummary, {
        media: { "application/zip": "The archive.", "application/x-ndjson": "A JSON line per record." },
      }),
      WITH_PROGRESS,
    ),
    (call) => answerExport(call, "zip"),
  ),
  endpoint(
    "GET /exports",
    "signed-in",
    none,
    about("Returns the caller's exports.", Exports),
    ({ app, actor }) => listOwnExports(app, actor),
  ),
  endpoint(
    "GET /exports/:id",
    "signed-in",
    none,
    about("Returns the state of an export.", ExportSummary),
    ({ app, actor, params }) => describeExport(app, actor, params.id),
  ),
  endpoint(
    "DELETE /exports/:id",
    "signed-in",
    none,
    about("Removes an export, or cancels it while it runs.", Done),
    ({ app, actor, params }) => removeOwnExport(app, actor, params.id),
  ),
  endpoint(
    "GET /exports/:id/file",
    "signed-in",
    none,
    about(
      "Returns the file of an export, or the part of it that `Range` names.",
      file({ "application/pdf": "A report.", "application/zip": "An archive." }, { inParts: true }),
    ),
    async ({ app, actor, params, request }) =>
      fileAnswer(await openExport(app, actor, { id: params.id, partOf: partAskedBy(request) })),
  ),
  endpoint(
    "GET /verification-keys",
    "public",
    none,
    about("Returns the public keys that verify exports.", VerificationKeys),
    ({ app }) => listVerificationKeys(app),
  ),
  endpoint(
    "GET /verification-key.pem",
    "public",
    none,
    about("Returns a public key that verifies exports.", file({ "application/x-pem-file": "The key." }), {
      query: z.object({
        version: described("The version of the key. By default the newest.", z.optional(z.string())),
      }),
    }),
    async ({ app, query }) => fileAnswer(await openVerificationKey(app, query.get("version"))),
  ),
);

export { action, loader };
