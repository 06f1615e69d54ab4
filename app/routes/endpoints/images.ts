import { serveImage } from "#app/domain/search/images.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

/** Images may be used from the origins that the operator allows; nothing else of Odin's may. */
const IMAGE = { crossOrigin: true };

const { loader, action } = endpoints(
  endpoint(
    "GET /rekor/cropped-plate",
    "signed-in",
    none,
    ({ app, actor, query, request: { signal } }) =>
      serveImage(app, actor, {
        program: "Rekor",
        reference: query.get("image_uuid"),
        signal,
        asBase64: query.get("as_base64") === "true",
      }),
    IMAGE,
  ),
  // A documented client has one `image_uuid` for a read: here it asks for the vehicle, above for the plate.
  endpoint(
    "GET /proxy-rekor-image",
    "signed-in",
    none,
    ({ app, actor, query, request: { signal } }) =>
      serveImage(app, actor, {
        program: "Rekor",
        reference: query.get("image_uuid"),
        kind: "vehicle",
        signal,
      }),
    IMAGE,
  ),
  endpoint(
    "GET /proxy-axon-image",
    "signed-in",
    none,
    ({ app, actor, query, request: { signal } }) =>
      serveImage(app, actor, { program: "Axon", reference: query.get("url"), signal }),
    IMAGE,
  ),
  endpoint(
    "GET /proxy-axon-plate-image",
    "signed-in",
    none,
    ({ app, actor, query, request: { signal } }) =>
      serveImage(app, actor, { program: "Axon", reference: query.get("url"), signal }),
    IMAGE,
  ),
  endpoint(
    "GET /proxy-axis-image",
    "signed-in",
    none,
    ({ app, actor, query, request: { signal } }) =>
      serveImage(app, actor, { program: "Axis", reference: query.get("path"), signal }),
    IMAGE,
  ),
);

export { action, loader };
