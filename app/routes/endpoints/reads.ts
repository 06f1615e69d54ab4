import { findPastReads } from "#app/domain/archive/past-reads.ts";
import { takeAxisEvent } from "#app/domain/ingest/axis.ts";
import { listCameraHealth } from "#app/domain/ingest/camera-health.ts";
import { takeRekorEvent } from "#app/domain/ingest/rekor.ts";
import { PastReadsQuestion } from "#app/entities/archive/past-reads.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { readAxisPush, readRekorDocument } from "#app/http/webhook-body.ts";
import { askingFailure, headerSecrets } from "#app/http/webhook-secret.ts";

/** Addresses without a secret take it in a header. */
const ASKS = { failure: askingFailure };

const { loader, action } = endpoints(
  endpoint("POST /ingest/axis/:secret", "webhook", none, ({ app, params, request }) =>
    takeAxisEvent(app, { secrets: [params.secret], push: () => readAxisPush(request) }),
  ),
  endpoint(
    "POST /ingest/axis",
    "webhook",
    none,
    ({ app, request }) =>
      takeAxisEvent(app, { secrets: headerSecrets(request), push: () => readAxisPush(request) }),
    ASKS,
  ),
  endpoint("POST /ingest/rekor/:secret", "webhook", none, ({ app, params, request }) =>
    takeRekorEvent(app, { secrets: [params.secret], document: () => readRekorDocument(request) }),
  ),
  // The secret is in a header, or in the body as what Scout calls custom data.
  endpoint(
    "POST /ingest/rekor",
    "webhook",
    none,
    ({ app, request }) =>
      takeRekorEvent(app, {
        secrets: headerSecrets(request),
        mayBeWithin: true,
        document: () => readRekorDocument(request),
      }),
    ASKS,
  ),
  endpoint("GET /camera-health", "admin", none, ({ app, actor }) => listCameraHealth(app, actor)),
  // Past reads of a plate that is or will be on a hotlist.
  endpoint("POST /hotlist/past-reads", "hotlist-admin", PastReadsQuestion, ({ app, actor, body }) =>
    findPastReads(app, actor, body),
  ),
);

export { action, loader };
