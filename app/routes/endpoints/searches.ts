import { forgetSearch, listSearches, saveSearch } from "#app/domain/search/history.ts";
import { PastSearch, SearchHistory } from "#app/entities/search/answers/search.ts";
import { FindSearches, SaveSearch } from "#app/entities/search/history/calls.ts";
import { about, Done } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const { loader, action } = endpoints(
  "Search history",
  endpoint(
    "POST /searches-data",
    "signed-in",
    FindSearches,
    about("Returns a page of the caller's own searches.", SearchHistory),
    ({ app, actor, body }) => listSearches(app, actor, body),
  ),
  endpoint(
    "PATCH /searches/:id",
    "signed-in",
    SaveSearch,
    about("Names or pins a search.", PastSearch),
    ({ app, actor, params, body }) => saveSearch(app, actor, { id: params.id, ...body }),
  ),
  endpoint(
    "DELETE /searches/:id",
    "signed-in",
    none,
    about("Removes the name and the pin of a search.", Done),
    ({ app, actor, params }) => forgetSearch(app, actor, params.id),
  ),
);

export { action, loader };
