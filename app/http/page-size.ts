// The page size of list calls. Documented calls return whole lists unless they ask for a page.

import { AppError } from "#app/lib/errors.ts";

/** Most rows per page. */
const PAGE_MOST = 500;

/** Returns the `limit` of a query, or undefined if none is given. Throws AppError bad_request. */
export function readPageSize(query: URLSearchParams): number | undefined {
  const text = query.get("limit");
  if (text === null) return undefined;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > PAGE_MOST)
    throw new AppError("bad_request", `The limit of a page is a whole number from 1 to ${PAGE_MOST}.`);
  return limit;
}
