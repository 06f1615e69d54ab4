import {
  decideOnHold,
  legalHoldsOf,
  releaseLegalHold,
  requestHold,
} from "#app/domain/oversight/legal-holds.ts";
import { NewLegalHold } from "#app/entities/oversight/legal-hold.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  endpoint("GET /legal-holds-data", "admin", none, ({ app, actor }) => legalHoldsOf(app, actor)),
  endpoint("POST /legal-holds/request", "admin", NewLegalHold, ({ app, actor, body }) =>
    requestHold(app, actor, body),
  ),
  endpoint(
    "POST /legal-holds/:id/approve",
    "admin",
    none,
    ({ app, actor, params }) => decideOnHold(app, actor, { id: params.id, approve: true }),
    STEP_UP,
  ),
  endpoint(
    "POST /legal-holds/:id/refuse",
    "admin",
    none,
    ({ app, actor, params }) => decideOnHold(app, actor, { id: params.id, approve: false }),
    STEP_UP,
  ),
  endpoint(
    "POST /legal-holds/:id/release",
    "admin",
    none,
    ({ app, actor, params }) => releaseLegalHold(app, actor, params.id),
    STEP_UP,
  ),
);

export { action, loader };
