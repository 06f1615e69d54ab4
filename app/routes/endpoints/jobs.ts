import { discardFailedJobs, retryFailedJobs, viewFailedJobs } from "#app/domain/operations/failed-jobs.ts";
import { FailedJobChoice } from "#app/entities/operations/failed-job.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  endpoint("GET /dead-jobs/data", "owner", none, ({ app }) => viewFailedJobs(app)),
  endpoint(
    "POST /dead-jobs/drive",
    "owner",
    FailedJobChoice,
    ({ app, actor, body }) => retryFailedJobs(app, actor, body),
    STEP_UP,
  ),
  endpoint(
    "POST /dead-jobs/discard",
    "owner",
    FailedJobChoice,
    ({ app, actor, body }) => discardFailedJobs(app, actor, body),
    STEP_UP,
  ),
);

export { action, loader };
