import { discardDeadLetters, driveDeadLetters, listDeadLetters } from "#app/domain/operations/failed-jobs.ts";
import { DeadLetterChoice } from "#app/entities/operations/failed-job.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  endpoint("GET /dead-jobs/data", "owner", none, ({ app }) => listDeadLetters(app)),
  endpoint(
    "POST /dead-jobs/drive",
    "owner",
    DeadLetterChoice,
    ({ app, actor, body }) => driveDeadLetters(app, actor, body),
    STEP_UP,
  ),
  endpoint(
    "POST /dead-jobs/discard",
    "owner",
    DeadLetterChoice,
    ({ app, actor, body }) => discardDeadLetters(app, actor, body),
    STEP_UP,
  ),
);

export { action, loader };
