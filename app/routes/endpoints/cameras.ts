import {
  addAxisCamera,
  changeAxisCamera,
  closeAxisCamera,
  renewAxisSecret,
} from "#app/domain/ingest/axis-cameras.ts";
import { agencyNames, correctRekorCamera, rekorCameras } from "#app/domain/ingest/rekor-cameras.ts";
import { CameraChange } from "#app/entities/ingest/camera.ts";
import { AxisCameraFields } from "#app/entities/integrations/settings.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const STEP_UP = { stepUp: true };
const originOf = (request: Request) => new URL(request.url).origin;

const { loader, action } = endpoints(
  endpoint("GET /rekor-cameras", "owner", none, ({ app }) => rekorCameras(app)),
  endpoint("GET /agencies-data", "owner", none, ({ app }) => agencyNames(app)),
  endpoint("PATCH /rekor-cameras/:id*", "owner", CameraChange, ({ app, actor, params, body }) =>
    correctRekorCamera(app, actor, { id: params.id, change: body }),
  ),
  endpoint(
    "POST /axis-cameras",
    "admin",
    AxisCameraFields,
    ({ app, actor, body, request }) => addAxisCamera(app, actor, { camera: body, origin: originOf(request) }),
    STEP_UP,
  ),
  endpoint(
    "PATCH /axis-cameras/:id",
    "admin",
    AxisCameraFields,
    ({ app, actor, params, body }) => changeAxisCamera(app, actor, { id: params.id, camera: body }),
    STEP_UP,
  ),
  endpoint(
    "POST /axis-cameras/:id/secret",
    "admin",
    none,
    ({ app, actor, params, request }) =>
      renewAxisSecret(app, actor, { id: params.id, origin: originOf(request) }),
    STEP_UP,
  ),
  endpoint(
    "DELETE /axis-cameras/:id",
    "admin",
    none,
    ({ app, actor, params }) => closeAxisCamera(app, actor, params.id),
    STEP_UP,
  ),
);

export { action, loader };
