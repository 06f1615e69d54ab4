import * as z from "zod/mini";
import {
  decideOnHold,
  legalHoldsOf,
  releaseLegalHold,
  requestHold,
} from "#app/domain/oversight/legal-holds.ts";
import { HoldRequested, LegalHold, LegalHolds } from "#app/entities/oversight/answers.ts";
import { NewLegalHold } from "#app/entities/oversight/legal-hold.ts";
import { ADDS_ONCE, about } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { described } from "#app/lib/json/named-schema.ts";
import { pageOf } from "#app/lib/pages.ts";

const STEP_UP = { stepUp: true };

const { loader, action } = endpoints(
  "Legal holds",
  endpoint(
    "GET /legal-holds-data",
    "admin",
    none,
    about("Returns the agency's legal holds.", LegalHolds, {
      details: "500 a page: those that wait or are in force, then the others, each newest first.",
      query: z.object({ page: described("The page, from 1.", z.optional(z.string())) }),
    }),
    ({ app, actor, query }) => legalHoldsOf(app, actor, pageOf(query)),
  ),
  endpoint(
    "POST /legal-holds/request",
    "admin",
    NewLegalHold,
    about("Requests a legal hold, which another administrator has to approve.", HoldRequested, ADDS_ONCE),
    ({ app, actor, body }) => requestHold(app, actor, body),
  ),
  endpoint(
    "POST /legal-holds/:id/approve",
    "admin",
    none,
    about("Approves a legal hold.", LegalHold),
    ({ app, actor, params }) => decideOnHold(app, actor, { id: params.id, approve: true }),
    STEP_UP,
  ),
  endpoint(
    "POST /legal-holds/:id/refuse",
    "admin",
    none,
    about("Refuses a legal hold.", LegalHold),
    ({ app, actor, params }) => decideOnHold(app, actor, { id: params.id, approve: false }),
    STEP_UP,
  ),
  endpoint(
    "POST /legal-holds/:id/release",
    "admin",
    none,
    about("Releases a legal hold.", LegalHold),
    ({ app, actor, params }) => releaseLegalHold(app, actor, params.id),
    STEP_UP,
  ),
);

export { action, loader };
