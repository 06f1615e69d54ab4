import { rekorAgencies } from "#app/domain/integrations/rekor-keys.ts";
import { searchConvoy } from "#app/domain/search/investigate/convoy.ts";
import { searchPlaces } from "#app/domain/search/investigate/places.ts";
import { documentedRows, openResultColumns } from "#app/domain/search/results.ts";
import { listSearchableAgencies, searchReads } from "#app/domain/search/run.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { ConvoyRequest, PlacesRequest } from "#app/entities/search/investigate/request.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { acceptsGzip, compressedFileAnswer, fileAnswer } from "#app/http/file-answer.ts";
import { answerWithProgress } from "#app/http/progress.ts";
import { json } from "#app/http/responses.ts";

const { loader, action } = endpoints(
  endpoint("GET /api-keys-data", "signed-in", none, ({ app, actor }) => rekorAgencies(app, actor)),
  endpoint(
    "GET /axon-authorized-integrations",
    "signed-in",
    none,
    async ({ app, actor }) => (await listSearchableAgencies(app, actor)).axon,
  ),
  endpoint(
    "GET /axis-authorized-agencies",
    "signed-in",
    none,
    async ({ app, actor }) => (await listSearchableAgencies(app, actor)).axis,
  ),
  endpoint("POST /search-data", "signed-in", SearchRequest, ({ app, actor, body, request }) =>
    answerWithProgress({
      app,
      request,
      run: (hooks) =>
        searchReads(app, actor, {
          request: body,
          wantsPartial: request.headers.get("odin-partial-results") === "yes",
          ...hooks,
        }),
      answer: (searched) => fileAnswer(documentedRows(searched)),
      failed: MESSAGES.searchFailed,
    }),
  ),
  endpoint("POST /search-places", "investigator", PlacesRequest, ({ app, actor, body, request }) =>
    answerWithProgress({
      app,
      request,
      run: (hooks) => searchPlaces(app, actor, { request: body, ...hooks }),
      answer: (found) => json(found),
      failed: MESSAGES.searchFailed,
    }),
  ),
  endpoint("POST /search-convoy", "investigator", ConvoyRequest, ({ app, actor, body, request }) =>
    answerWithProgress({
      app,
      request,
      run: (hooks) => searchConvoy(app, actor, { request: body, ...hooks }),
      answer: (found) => json(found),
      failed: MESSAGES.searchFailed,
    }),
  ),
  endpoint("GET /results/:id/columns", "signed-in", none, async ({ app, actor, params, request }) =>
    compressedFileAnswer(await openResultColumns(app, actor, params.id), { hasGzip: acceptsGzip(request) }),
  ),
);

export { action, loader };
