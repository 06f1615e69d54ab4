import {
  figuresOverview,
  publicFigures,
  publicFiguresCsv,
  publishFigures,
  saveFiguresPage,
  withdrawFigures,
} from "#app/domain/oversight/transparency.ts";
import { figuresJson } from "#app/entities/oversight/transparency-files.ts";
import { FiguresPage } from "#app/entities/oversight/transparency-page.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { forEverybody } from "#app/http/plain-page.ts";
import { json } from "#app/http/responses.ts";
import { csvFile } from "#app/http/uploads.ts";

const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  // What the public page shows, as files.
  endpoint("GET /figures/:slug.csv", "public", none, async ({ app, params }) =>
    forEverybody(csvFile(`${params.slug}-figures.csv`, await publicFiguresCsv(app, params.slug))),
  ),
  endpoint("GET /figures/:slug.json", "public", none, async ({ app, params }) =>
    forEverybody(json(figuresJson(await publicFigures(app, params.slug)))),
  ),
  // The administrators' side of it
  endpoint("GET /public-figures-data", "admin", none, ({ app, actor }) => figuresOverview(app, actor)),
  endpoint(
    "PUT /public-figures-data",
    "admin",
    FiguresPage,
    ({ app, actor, body }) => saveFiguresPage(app, actor, body),
    STEP_UP,
  ),
  endpoint(
    "POST /public-figures/publish",
    "admin",
    none,
    ({ app, actor }) => publishFigures(app, actor),
    STEP_UP,
  ),
  endpoint(
    "POST /public-figures/withdraw",
    "admin",
    none,
    ({ app, actor }) => withdrawFigures(app, actor),
    STEP_UP,
  ),
);

export { action, loader };
