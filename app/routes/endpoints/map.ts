import { findAddress, findPlace } from "#app/domain/search/address.ts";
import { describeBasemap, openTile } from "#app/domain/search/basemap.ts";
import { BasemapInfo, FoundPlace, NearestAddress } from "#app/entities/search/answers/search.ts";
import { PlaceText } from "#app/entities/search/investigate/request.ts";
import { about, file } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { fileAnswer } from "#app/http/file-answer.ts";

const { loader, action } = endpoints(
  "Map",
  endpoint(
    "GET /map/basemap",
    "signed-in",
    none,
    about("Describes the background map.", BasemapInfo, { internal: true }),
    ({ app }) => describeBasemap(app),
  ),
  endpoint(
    "GET /map/tiles/:z/:x/:y",
    "signed-in",
    none,
    about(
      "Returns a tile of the background map.",
      file(
        { "application/vnd.mapbox-vector-tile": "The tile.", "image/*": "The tile." },
        { bare: { 204: "The map is empty there." } },
      ),
      { internal: true },
    ),
    async ({ app, params }) => fileAnswer(await openTile(app, params)),
  ),
  endpoint(
    "POST /map/find-place",
    "investigator",
    PlaceText,
    about("Finds a town or an address.", FoundPlace),
    ({ app, body }) => findPlace(app, body.text),
  ),
  endpoint(
    "GET /results/:id/sightings/:row/address",
    "signed-in",
    none,
    about("Returns the nearest address of a read.", NearestAddress),
    ({ app, actor, params }) => findAddress(app, actor, params),
  ),
);

export { action, loader };
