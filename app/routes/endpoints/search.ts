import * as z from "zod/mini";
import { rekorAgencies } from "#app/domain/integrations/rekor-keys.ts";
import { searchConvoy } from "#app/domain/search/investigate/convoy.ts";
import { findPickableCameras } from "#app/domain/search/investigate/form.ts";
import { searchPlaces } from "#app/domain/search/investigate/places.ts";
import {
  documentedFacts,
  documentedRows,
  hasFailed,
  openResultColumns,
  summarizeResults,
} from "#app/domain/search/results.ts";
import { type Searched, searchReads } from "#app/domain/search/run.ts";
import { listSearchableAgencies } from "#app/domain/search/searchable.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { ConvoyFound, PickableCameras, PlacesFound } from "#app/entities/search/answers/investigations.ts";
import {
  AxisAgencies,
  AxonAgencies,
  RekorAgencies,
  ResultSummary,
  Sighting,
} from "#app/entities/search/answers/search.ts";
import { ConvoyRequest, PlacesRequest } from "#app/entities/search/investigate/request.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import { about, file, jsonAnswer } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { acceptsGzip, compressedFileAnswer, fileAnswer } from "#app/http/file-answer.ts";
import { answerWithProgress } from "#app/http/progress.ts";
import { failure, json } from "#app/http/responses.ts";
import { AppError } from "#app/lib/errors.ts";
import { described } from "#app/lib/json/named-schema.ts";

const LINES = { "application/x-ndjson": "A JSON line per step." };
const NDJSON = { accept: "`application/x-ndjson` for a line per step." };
const SEARCH_ANSWER = jsonAnswer(z.array(Sighting), {
  media: LINES,
  headers: {
    "odin-result-id": "The id of the stored result set.",
    "odin-sources": "How each agency answered, as `Program=state`, separated by commas.",
  },
});

const searchAnswer = (searched: Searched) =>
  hasFailed(searched)
    ? failure(new AppError("unavailable", MESSAGES.searchFailed), documentedFacts(searched))
    : fileAnswer(documentedRows(searched));

const { loader, action } = endpoints(
  "Search",
  endpoint(
    "GET /api-keys-data",
    "signed-in",
    none,
    about("Returns the Rekor agencies that the caller may search.", RekorAgencies),
    ({ app, actor }) => rekorAgencies(app, actor),
  ),
  endpoint(
    "GET /axon-authorized-integrations",
    "signed-in",
    none,
    about("Returns the Axon agencies that the caller may search.", AxonAgencies),
    async ({ app, actor }) => (await listSearchableAgencies(app, actor)).axon,
  ),
  endpoint(
    "GET /axis-authorized-agencies",
    "signed-in",
    none,
    about("Returns the agencies whose Axis cameras the caller may search.", AxisAgencies),
    async ({ app, actor }) => (await listSearchableAgencies(app, actor)).axis,
  ),
  endpoint(
    "POST /search-data",
    "signed-in",
    SearchRequest,
    about("Searches reads.", SEARCH_ANSWER, {
      details:
        "Returns the reads, newest first. With `Accept: application/x-ndjson`, returns a line per step instead: `started`, `status`, `partial`, `done` or `failed`. Closing the connection cancels the search. Answers 503 if every agency that was asked failed and there is no read.",
      headers: {
        accept: "`application/x-ndjson` for a line per step.",
        "odin-partial-results": "`yes` for the reads so far as lines of their own.",
      },
    }),
    ({ app, actor, body, request }) =>
      answerWithProgress({
        app,
        request,
        run: (hooks) =>
          searchReads(app, actor, {
            request: body,
            wantsPartial: request.headers.get("odin-partial-results") === "yes",
            ...hooks,
          }),
        answer: searchAnswer,
        failed: MESSAGES.searchFailed,
      }),
  ),
  endpoint(
    "GET /investigation-cameras",
    "investigator",
    none,
    about("Finds cameras that a place of `POST /search-places` may name.", PickableCameras, {
      query: z.object({
        find: z.optional(
          described("Words of the camera's name or agency. Without it, the first 200 cameras.", z.string()),
        ),
      }),
    }),
    ({ app, actor, query }) => findPickableCameras(app, actor, query.get("find") ?? ""),
  ),
  endpoint(
    "POST /search-places",
    "investigator",
    PlacesRequest,
    about("Finds plates that were at several places.", jsonAnswer(PlacesFound, { media: LINES }), {
      headers: NDJSON,
    }),
    ({ app, actor, body, request }) =>
      answerWithProgress({
        app,
        request,
        run: (hooks) => searchPlaces(app, actor, { request: body, ...hooks }),
        answer: (found) => json(found),
        failed: MESSAGES.searchFailed,
      }),
  ),
  endpoint(
    "POST /search-convoy",
    "investigator",
    ConvoyRequest,
    about("Finds plates that traveled with a plate.", jsonAnswer(ConvoyFound, { media: LINES }), {
      headers: NDJSON,
    }),
    ({ app, actor, body, request }) =>
      answerWithProgress({
        app,
        request,
        run: (hooks) => searchConvoy(app, actor, { request: body, ...hooks }),
        answer: (found) => json(found),
        failed: MESSAGES.searchFailed,
      }),
  ),
  endpoint(
    "GET /results/:id/summary",
    "signed-in",
    none,
    about("Returns the request, the count and the state by agency of a result set.", ResultSummary),
    ({ app, actor, params }) => summarizeResults(app, actor, params.id),
  ),
  endpoint(
    "GET /results/:id/columns",
    "signed-in",
    none,
    about(
      "Returns the reads of a result set as binary columns.",
      file({ "application/octet-stream": "The reads as binary columns." }),
      { internal: true },
    ),
    async ({ app, actor, params, request }) =>
      compressedFileAnswer(await openResultColumns(app, actor, params.id), { hasGzip: acceptsGzip(request) }),
  ),
);

export { action, loader };
