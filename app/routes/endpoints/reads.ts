import { findPastReads } from "#app/domain/archive/past-reads.ts";
import { takeAxisEvent } from "#app/domain/ingest/axis.ts";
import { listCameraHealth } from "#app/domain/ingest/camera-health.ts";
import { takeRekorEvent } from "#app/domain/ingest/rekor.ts";
import { PastReadsQuestion } from "#app/entities/archive/past-reads.ts";
import { askingFailure, headerSecrets } from "#app/http/door-secret.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

/** Addresses without a secret: it is in a header. */
const ASKS = { failure: askingFailure };

const { loader, action } = endpoints(
  endpoint("POST /ingest/axis/:secret", "door", none, ({ app, params, request }) =>
    takeAxisEvent(app, { secrets: [params.secret], request }),
  ),
  endpoint(
    "POST /ingest/axis",
    "door",
    none,
    ({ app, request }) => takeAxisEvent(app, { secrets: headerSecrets(request), request }),
    ASKS,
  ),
  endpoint("POST /ingest/rekor/:secret", "door", none, ({ app, params, request }) =>
    takeRekorEvent(app, { secrets: [params.secret], request }),
  ),
  // The secret is in a header, or in the body as what Scout calls custom data.
  endpoint(
    "POST /ingest/rekor",
    "door",
    none,
    ({ app, request }) =>
      takeRekorEvent(app, { secrets: headerSecrets(request), mayBeWithin: true, request }),
    ASKS,
  ),
  endpoint("GET /camera-health", "admin", none, ({ app, actor }) => listCameraHealth(app, actor)),
  // Past reads of a plate that is about to be watched, or is.
  endpoint("POST /hotlist/past-reads", "hotlist-admin", PastReadsQuestion, ({ app, actor, body }) =>
    findPastReads(app, actor, body),
  ),
);

export { action, loader };
