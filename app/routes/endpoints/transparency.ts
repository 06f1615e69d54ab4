import {
  publicStatistics,
  publicStatisticsCsv,
  publishTransparencyPage,
  saveTransparencyPage,
  transparencyOverview,
  withdrawTransparencyPage,
} from "#app/domain/oversight/transparency.ts";
import {
  PublishedFigures,
  TransparencyOverview,
  TransparencyPublished,
} from "#app/entities/oversight/transparency-answers.ts";
import { statisticsJson } from "#app/entities/oversight/transparency-files.ts";
import { TransparencyPage } from "#app/entities/oversight/transparency-page.ts";
import { about, file, Message } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { withPublicCaching } from "#app/http/plain-page.ts";
import { json } from "#app/http/responses.ts";
import { csvFile } from "#app/http/uploads.ts";

const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  "Transparency",
  // The public page as files
  endpoint(
    "GET /figures/:slug.csv",
    "public",
    none,
    about(
      "Returns the statistics that an agency publishes, as CSV.",
      file({ "text/csv": "The statistics." }),
    ),
    async ({ app, params }) =>
      withPublicCaching(csvFile(`${params.slug}-figures.csv`, await publicStatisticsCsv(app, params.slug))),
  ),
  endpoint(
    "GET /figures/:slug.json",
    "public",
    none,
    about("Returns the statistics that an agency publishes.", PublishedFigures),
    async ({ app, params }) =>
      withPublicCaching(json(statisticsJson(await publicStatistics(app, params.slug)))),
  ),
  // For the agency's administrators
  endpoint(
    "GET /public-figures-data",
    "admin",
    none,
    about("Returns the settings and a preview of the agency's page.", TransparencyOverview),
    ({ app, actor }) => transparencyOverview(app, actor),
  ),
  endpoint(
    "PUT /public-figures-data",
    "admin",
    TransparencyPage,
    about("Changes the agency's page.", Message),
    ({ app, actor, body }) => saveTransparencyPage(app, actor, body),
    STEP_UP,
  ),
  endpoint(
    "POST /public-figures/publish",
    "admin",
    none,
    about("Publishes the agency's page.", TransparencyPublished),
    ({ app, actor }) => publishTransparencyPage(app, actor),
    STEP_UP,
  ),
  endpoint(
    "POST /public-figures/withdraw",
    "admin",
    none,
    about("Withdraws the agency's page.", Message),
    ({ app, actor }) => withdrawTransparencyPage(app, actor),
    STEP_UP,
  ),
);

export { action, loader };
