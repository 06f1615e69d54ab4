import { takeAxisEvent } from "#app/domain/reads.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const { loader, action } = endpoints(
  endpoint("POST /ingest/axis/:secret", "door", none, ({ app, params, request }) =>
    takeAxisEvent(app, { secret: params.secret, request }),
  ),
);

export { action, loader };
