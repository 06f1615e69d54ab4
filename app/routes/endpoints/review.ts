import * as z from "zod/mini";
import { decide, viewFinding, viewReview } from "#app/domain/oversight/review.ts";
import { examineToday } from "#app/domain/oversight/review-searches.ts";
import { Examined, ReviewFinding, ReviewView } from "#app/entities/oversight/answers.ts";
import { ExamineRequest, ReviewDecision, ReviewPageRequest } from "#app/entities/oversight/review-calls.ts";
import { about } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { reviewPageOf } from "#app/http/queries.ts";
import { described } from "#app/lib/json/named-schema.ts";

const { loader, action } = endpoints(
  "Review",
  endpoint(
    "GET /review-data",
    "admin",
    none,
    about("Returns a page of findings.", ReviewView, {
      query: z.object({
        state: described("open, overdue, decided or violations", z.optional(z.string())),
        kind: z.optional(z.string()),
        user: z.optional(z.string()),
        after_at: described("`next.at` of the page before.", z.optional(z.string())),
        after_id: described("`next.id` of the page before.", z.optional(z.string())),
      }),
    }),
    ({ app, actor, query }) => viewReview(app, actor, reviewPageOf(query)),
  ),
  // For the screen: the user searched for must not be part of a URL.
  endpoint(
    "POST /review/rows",
    "admin",
    ReviewPageRequest,
    about("Returns a page of findings by a filter that may name a user.", ReviewView, { internal: true }),
    ({ app, actor, body }) => viewReview(app, actor, body),
  ),
  endpoint(
    "POST /review/examine",
    "admin",
    ExamineRequest,
    about("Scans a part of today's searches.", Examined),
    ({ app, actor, body }) => examineToday(app, actor, body),
  ),
  endpoint(
    "GET /review/:id",
    "admin",
    none,
    about("Returns a finding with its searches and decisions.", ReviewFinding),
    ({ app, actor, params }) => viewFinding(app, actor, params.id),
  ),
  endpoint(
    "POST /review/:id/decide",
    "admin",
    ReviewDecision,
    about("Records a decision on a finding.", ReviewFinding),
    ({ app, actor, params, body }) => decide(app, actor, { id: params.id, decision: body }),
  ),
);

export { action, loader };
