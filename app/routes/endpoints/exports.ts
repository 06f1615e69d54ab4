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
import {
  type ExportKind,
  exportFailure,
  MapSnapshotRequest,
  summaryOf,
} from "#app/entities/exports/request.ts";
import { type Call, endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { readExportBody } from "#app/http/export-body.ts";
import { fileAnswer } from "#app/http/file-answer.ts";
import { answerWithProgress, wantsProgress } from "#app/http/progress.ts";
import { json } from "#app/http/responses.ts";

/**
 * Answers with the file itself or, for callers that accept progress, with progress lines and a job if the export is
 * large.
 */
async function answerExport({ app, actor, request }: ExportCall, kind: ExportKind) {
  const asked = { kind, request: await readExportBody(request) };
  if (!wantsProgress(request))
    return fileAnswer(await openNewExport(app, actor, { ...asked, signal: request.signal }));
  return answerWithProgress({
    app,
    request,
    run: (hooks) => startExport(app, actor, { ...asked, ...hooks }),
    answer: (one) => json(summaryOf(one)),
    failed: exportFailure(kind, "broken"),
  });
}

type ExportCall = Call<"POST /export-pdf", "signed-in", typeof none>;

const { loader, action } = endpoints(
  endpoint("POST /generate-map-snapshot", "signed-in", MapSnapshotRequest, ({ app, body }) =>
    drawSnapshot(app, body),
  ),
  endpoint("POST /export-pdf", "signed-in", none, (call) => answerExport(call, "pdf")),
  endpoint("POST /export-zip", "signed-in", none, (call) => answerExport(call, "zip")),
  endpoint("GET /exports", "signed-in", none, ({ app, actor }) => listOwnExports(app, actor)),
  endpoint("GET /exports/:id", "signed-in", none, ({ app, actor, params }) =>
    describeExport(app, actor, params.id),
  ),
  endpoint("DELETE /exports/:id", "signed-in", none, ({ app, actor, params }) =>
    removeOwnExport(app, actor, params.id),
  ),
  endpoint("GET /exports/:id/file", "signed-in", none, async ({ app, actor, params }) =>
    fileAnswer(await openExport(app, actor, params.id)),
  ),
  endpoint("GET /verification-keys", "public", none, ({ app }) => listVerificationKeys(app)),
  endpoint("GET /verification-key.pem", "public", none, async ({ app, query }) =>
    fileAnswer(await openVerificationKey(app, query.get("version"))),
  ),
);

export { action, loader };
