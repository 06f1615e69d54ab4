import { serveImage } from "#app/domain/images.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const { loader, action } = endpoints(
  endpoint("GET /rekor/cropped-plate", "signed-in", none, ({ app, actor, query, request: { signal } }) =>
    serveImage(app, actor, {
      program: "Rekor",
      reference: query.get("image_uuid"),
      signal,
      asBase64: query.get("as_base64") === "true",
    }),
  ),
  endpoint("GET /proxy-rekor-image", "signed-in", none, ({ app, actor, query, request: { signal } }) =>
    serveImage(app, actor, { program: "Rekor", reference: query.get("image_uuid"), signal }),
  ),
  endpoint("GET /proxy-axon-image", "signed-in", none, ({ app, actor, query, request: { signal } }) =>
    serveImage(app, actor, { program: "Axon", reference: query.get("url"), signal }),
  ),
  endpoint("GET /proxy-axon-plate-image", "signed-in", none, ({ app, actor, query, request: { signal } }) =>
    serveImage(app, actor, { program: "Axon", reference: query.get("url"), signal }),
  ),
  endpoint("GET /proxy-axis-image", "signed-in", none, ({ app, actor, query, request: { signal } }) =>
    serveImage(app, actor, { program: "Axis", reference: query.get("path"), signal }),
  ),
);

export { action, loader };
