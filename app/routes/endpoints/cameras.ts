import * as z from "zod/mini";
import {
  addAxisCamera,
  changeAxisCamera,
  closeAxisCamera,
  renewAxisSecret,
} from "#app/domain/ingest/axis-cameras.ts";
import { agencyNames, correctRekorCamera, rekorCameras } from "#app/domain/ingest/rekor-cameras.ts";
import { AgencyNames, RekorCamera, RekorCameras, ShownAddress } from "#app/entities/ingest/answers.ts";
import { CameraChange } from "#app/entities/ingest/camera.ts";
import { AxisCameraChange, NewAxisCamera } from "#app/entities/integrations/settings.ts";
import { ADDS_SECRET_ONCE, about, Message } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { described } from "#app/lib/json/named-schema.ts";

const STEP_UP = { stepUp: true };
const originOf = (request: Request) => new URL(request.url).origin;

const { loader, action } = endpoints(
  "Cameras",
  endpoint(
    "GET /rekor-cameras",
    "owner",
    none,
    about("Returns Rekor's cameras with their corrected locations.", RekorCameras, {
      details: "The first 20,000 by name; `find` reaches the others.",
      query: z.object({ find: described("Text in the camera's id, name or site.", z.optional(z.string())) }),
    }),
    ({ app, query }) => rekorCameras(app, query.get("find") ?? ""),
  ),
  endpoint(
    "GET /agencies-data",
    "owner",
    none,
    about("Returns the names of all agencies.", AgencyNames),
    ({ app }) => agencyNames(app),
  ),
  endpoint(
    "PATCH /rekor-cameras/:id*",
    "owner",
    CameraChange,
    about("Corrects the location or the agency of a Rekor camera.", RekorCamera, {
      details:
        "Null coordinates mean that the camera has no location yet; without coordinates, its location stays. With `corrected_at`, as you have it, the answer is 409 if it was corrected since.",
    }),
    ({ app, actor, params, body }) => correctRekorCamera(app, actor, { id: params.id, change: body }),
  ),
  endpoint(
    "POST /axis-cameras",
    "admin",
    NewAxisCamera,
    about(
      "Adds an Axis camera. Only this answer contains the address that it posts to.",
      ShownAddress,
      ADDS_SECRET_ONCE,
    ),
    ({ app, actor, body, request }) => addAxisCamera(app, actor, { camera: body, origin: originOf(request) }),
    STEP_UP,
  ),
  endpoint(
    "PATCH /axis-cameras/:id",
    "admin",
    AxisCameraChange,
    about("Changes the name or the location of an Axis camera.", Message, {
      details:
        "With `known`, the camera as you have it, the answer is 409 if someone else has changed it since.",
    }),
    ({ app, actor, params, body }) => changeAxisCamera(app, actor, { id: params.id, change: body }),
    STEP_UP,
  ),
  endpoint(
    "POST /axis-cameras/:id/secret",
    "admin",
    none,
    about("Replaces the address of an Axis camera. The former address stops working.", ShownAddress),
    ({ app, actor, params, request }) =>
      renewAxisSecret(app, actor, { id: params.id, origin: originOf(request) }),
    STEP_UP,
  ),
  endpoint(
    "DELETE /axis-cameras/:id",
    "admin",
    none,
    about("Revokes an Axis camera. Its address stops working, and its reads are kept.", Message),
    ({ app, actor, params }) => closeAxisCamera(app, actor, params.id),
    STEP_UP,
  ),
);

export { action, loader };
