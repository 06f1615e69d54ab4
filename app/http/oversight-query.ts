// The queries of GET /admin-audit-logs-api, in the specification's names and formats, and of GET /review-data.

import { AuditFilter } from "#app/entities/oversight/audit-filter.ts";
import { ReviewPageRequest } from "#app/entities/oversight/review-calls.ts";
import { AppError } from "#app/lib/errors.ts";
import { schemaProblem } from "#app/lib/json/problem.ts";

const MOST_PAGES = 100_000;

/** Returns the page number, from 1. Throws AppError bad_request. */
export function auditPageOf(query: URLSearchParams): number {
  const text = query.get("page") || "1";
  const page = Number(text);
  if (!/^\d+$/.test(text) || page < 1 || page > MOST_PAGES)
    throw new AppError("bad_request", "page is a number from 1.");
  return page;
}

/**
 * Returns the filter: start, end, plate, and Odin's own acts, plate_match, user, agency, case_number. Throws AppError bad_request.
 */
export function auditFilterOf(query: URLSearchParams): AuditFilter {
  const named = ["acts", "start", "end", "plate", "plate_match", "user", "agency", "case_number"].flatMap(
    (name) => {
      const value = query.get(name);
      return value ? [[name, value]] : [];
    },
  );
  const parsed = AuditFilter.safeParse(Object.fromEntries(named));
  if (parsed.success) return parsed.data;
  throw new AppError("bad_request", schemaProblem(parsed.error, "The filter is not as documented."));
}

/**
 * Returns the filter (state, kind, user) and the cursor of the previous page (after_at, after_id). Throws AppError
 * bad_request.
 */
export function reviewPageOf(query: URLSearchParams) {
  const named = ["state", "kind", "user"].flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value]] : [];
  });
  const id = query.get("after_id");
  const after = id === null ? null : { at: Number(query.get("after_at") || Number.NaN), id };
  const parsed = ReviewPageRequest.safeParse({ filter: Object.fromEntries(named), after });
  if (parsed.success) return parsed.data;
  throw new AppError("bad_request", schemaProblem(parsed.error, "The filter is not as documented."));
}
