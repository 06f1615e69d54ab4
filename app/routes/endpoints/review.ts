import { decide, viewFinding, viewReview } from "#app/domain/oversight/review.ts";
import { examineToday } from "#app/domain/oversight/review-searches.ts";
import { ExamineRequest, ReviewDecision, ReviewPageRequest } from "#app/entities/oversight/review-calls.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { reviewPageOf } from "#app/http/oversight-query.ts";

const { loader, action } = endpoints(
  endpoint("GET /review-data", "admin", none, ({ app, actor, query }) =>
    viewReview(app, actor, reviewPageOf(query)),
  ),
  // For the screen: the user searched for must not be part of a URL.
  endpoint("POST /review/rows", "admin", ReviewPageRequest, ({ app, actor, body }) =>
    viewReview(app, actor, body),
  ),
  endpoint("POST /review/examine", "admin", ExamineRequest, ({ app, actor, body }) =>
    examineToday(app, actor, body),
  ),
  endpoint("GET /review/:id", "admin", none, ({ app, actor, params }) => viewFinding(app, actor, params.id)),
  endpoint("POST /review/:id/decide", "admin", ReviewDecision, ({ app, actor, params, body }) =>
    decide(app, actor, { id: params.id, decision: body }),
  ),
);

export { action, loader };
