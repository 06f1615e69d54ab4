import {
  publicStatistics,
  publicStatisticsCsv,
  publishTransparencyPage,
  saveTransparencyPage,
  transparencyOverview,
  withdrawTransparencyPage,
} from "#app/domain/oversight/transparency.ts";
import { statisticsJson } from "#app/entities/oversight/transparency-files.ts";
import { TransparencyPage } from "#app/entities/oversight/transparency-page.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { forEverybody } from "#app/http/plain-page.ts";
import { json } from "#app/http/responses.ts";
import { csvFile } from "#app/http/uploads.ts";

const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  // The public page as files
  endpoint("GET /figures/:slug.csv", "public", none, async ({ app, params }) =>
    forEverybody(csvFile(`${params.slug}-figures.csv`, await publicStatisticsCsv(app, params.slug))),
  ),
  endpoint("GET /figures/:slug.json", "public", none, async ({ app, params }) =>
    forEverybody(json(statisticsJson(await publicStatistics(app, params.slug)))),
  ),
  // For the agency's administrators
  endpoint("GET /public-figures-data", "admin", none, ({ app, actor }) => transparencyOverview(app, actor)),
  endpoint(
    "PUT /public-figures-data",
    "admin",
    TransparencyPage,
    ({ app, actor, body }) => saveTransparencyPage(app, actor, body),
    STEP_UP,
  ),
  endpoint(
    "POST /public-figures/publish",
    "admin",
    none,
    ({ app, actor }) => publishTransparencyPage(app, actor),
    STEP_UP,
  ),
  endpoint(
    "POST /public-figures/withdraw",
    "admin",
    none,
    ({ app, actor }) => withdrawTransparencyPage(app, actor),
    STEP_UP,
  ),
);

export { action, loader };
