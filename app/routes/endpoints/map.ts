import { findAddress } from "#app/domain/search/address.ts";
import { describeBasemap, openTile } from "#app/domain/search/basemap.ts";
import { findPlace } from "#app/domain/search/find-place.ts";
import { PlaceText } from "#app/entities/search/investigate/request.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { fileAnswer } from "#app/http/file-answer.ts";

const { loader, action } = endpoints(
  endpoint("GET /map/basemap", "signed-in", none, ({ app }) => describeBasemap(app)),
  endpoint("GET /map/tiles/:z/:x/:y", "signed-in", none, async ({ app, params }) =>
    fileAnswer(await openTile(app, params)),
  ),
  endpoint("POST /map/find-place", "investigator", PlaceText, ({ app, body }) => findPlace(app, body.text)),
  endpoint("GET /results/:id/sightings/:row/address", "signed-in", none, ({ app, actor, params }) =>
    findAddress(app, actor, params),
  ),
);

export { action, loader };
