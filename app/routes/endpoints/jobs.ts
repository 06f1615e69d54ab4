import { discardFailedJobs, retryFailedJobs, viewFailedJobs } from "#app/domain/operations/failed-jobs.ts";
import { FailedJobs, FailedJobsDone } from "#app/entities/operations/answers.ts";
import { FailedJobChoice } from "#app/entities/operations/failed-job.ts";
import { about } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  "Failed jobs",
  endpoint("GET /dead-jobs/data", "owner", none, about("Returns the failed jobs.", FailedJobs), ({ app }) =>
    viewFailedJobs(app),
  ),
  endpoint(
    "POST /dead-jobs/drive",
    "owner",
    FailedJobChoice,
    about("Retries failed jobs.", FailedJobsDone),
    ({ app, actor, body }) => retryFailedJobs(app, actor, body),
    STEP_UP,
  ),
  endpoint(
    "POST /dead-jobs/discard",
    "owner",
    FailedJobChoice,
    about("Discards failed jobs.", FailedJobsDone),
    ({ app, actor, body }) => discardFailedJobs(app, actor, body),
    STEP_UP,
  ),
);

export { action, loader };
