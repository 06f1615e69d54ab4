// The query of GET /review-data: state, kind, user, and the cursor of the previous page as after_at and after_id.

import { ReviewPageRequest } from "#app/entities/oversight/review-calls.ts";
import { AppError } from "#app/lib/errors.ts";

/** Returns the filter and the cursor. Throws AppError bad_request. */
export function reviewPageOf(query: URLSearchParams) {
  const named = ["state", "kind", "user"].flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value]] : [];
  });
  const id = query.get("after_id");
  const after = id === null ? null : { at: Number(query.get("after_at") || Number.NaN), id };
  const parsed = ReviewPageRequest.safeParse({ filter: Object.fromEntries(named), after });
  if (parsed.success) return parsed.data;
  throw new AppError("bad_request", parsed.error.issues[0]?.message || "The filter is not as documented.");
}
