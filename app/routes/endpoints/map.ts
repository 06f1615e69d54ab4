import { findAddress } from "#app/domain/search/address.ts";
import { describeBasemap, serveTile } from "#app/domain/search/basemap.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const { loader, action } = endpoints(
  endpoint("GET /map/basemap", "signed-in", none, ({ app }) => describeBasemap(app)),
  endpoint("GET /map/tiles/:z/:x/:y", "signed-in", none, ({ app, params }) => serveTile(app, params)),
  endpoint("GET /results/:id/sightings/:row/address", "signed-in", none, ({ app, actor, params }) =>
    findAddress(app, actor, params),
  ),
);

export { action, loader };
