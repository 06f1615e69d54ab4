import {
  answerExport,
  describeExport,
  drawSnapshot,
  listOwnExports,
  listVerificationKeys,
  removeOwnExport,
  serveExport,
  serveVerificationKey,
  startExport,
} from "#app/domain/exports.ts";
import { EXPORT_BODY_LIMIT, ExportRequest, exportFailure, MapSnapshotRequest } from "#app/entities/export.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { answerWithProgress } from "#app/http/progress.ts";

const large = { bodyLimit: EXPORT_BODY_LIMIT };

const { loader, action } = endpoints(
  endpoint("POST /generate-map-snapshot", "signed-in", MapSnapshotRequest, ({ app, body }) =>
    drawSnapshot(app, body),
  ),
  endpoint(
    "POST /export-pdf",
    "signed-in",
    ExportRequest,
    ({ app, actor, body, request }) =>
      answerWithProgress({
        app,
        request,
        run: (hooks) => startExport(app, actor, { kind: "pdf", request: body, ...hooks }),
        answer: (one) => answerExport(app, one),
        failed: exportFailure("pdf", "broken"),
      }),
    large,
  ),
  endpoint(
    "POST /export-zip",
    "signed-in",
    ExportRequest,
    ({ app, actor, body, request }) =>
      answerWithProgress({
        app,
        request,
        run: (hooks) => startExport(app, actor, { kind: "zip", request: body, ...hooks }),
        answer: (one) => answerExport(app, one),
        failed: exportFailure("zip", "broken"),
      }),
    large,
  ),
  endpoint("GET /exports", "signed-in", none, ({ app, actor }) => listOwnExports(app, actor)),
  endpoint("GET /exports/:id", "signed-in", none, ({ app, actor, params }) =>
    describeExport(app, actor, params.id),
  ),
  endpoint("DELETE /exports/:id", "signed-in", none, ({ app, actor, params }) =>
    removeOwnExport(app, actor, params.id),
  ),
  endpoint("GET /exports/:id/file", "signed-in", none, ({ app, actor, params }) =>
    serveExport(app, actor, params.id),
  ),
  endpoint("GET /verification-keys", "public", none, ({ app }) => listVerificationKeys(app)),
  endpoint("GET /verification-key.pem", "public", none, ({ app, query }) =>
    serveVerificationKey(app, query.get("version")),
  ),
);

export { action, loader };
