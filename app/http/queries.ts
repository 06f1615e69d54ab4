// Parses the queries of documented calls, which have the specification's names and formats.

import {
  type AlertQuery,
  FILTER_FIELDS,
  PAGE_FIELDS,
  readAlertKey,
  writeAlertKey,
} from "#app/entities/alerts/hit.ts";
import { AuditFilter } from "#app/entities/oversight/audit-filter.ts";
import { ReviewPageRequest } from "#app/entities/oversight/review-calls.ts";
import { AppError } from "#app/lib/errors.ts";
import { checked } from "./body.ts";

/** Most rows per page. Documented calls return whole lists unless they ask for a page. */
const MAX_PAGE = 500;

/** Returns the `limit` of a query, or undefined if none is given. Throws AppError bad_request. */
export function readPageSize(query: URLSearchParams): number | undefined {
  const text = query.get("limit");
  if (text === null) return undefined;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_PAGE)
    throw new AppError("bad_request", `The limit of a page is a whole number from 1 to ${MAX_PAGE}.`);
  return limit;
}

/** Returns the parsed query of a history of hits. An invalid cursor counts as none. */
export function alertQueryOf(query: URLSearchParams): AlertQuery {
  const [latest] = /^\d{1,15}$/.exec(query.get("latest") ?? "") ?? [];
  return {
    filter: Object.fromEntries(FILTER_FIELDS.map((name) => [name, (query.get(name) ?? "").trim()])),
    older: readAlertKey(query.get("older")),
    newer: readAlertKey(query.get("newer")),
    latest: latest === undefined ? undefined : Number(latest),
  };
}

/** Returns the query of a history's URL, without the plate, which must not be part of it. */
export function alertSearchOf({ filter, older, newer }: AlertQuery): string {
  const texts = {
    ...filter,
    plate: "",
    older: older && writeAlertKey(older),
    newer: newer && writeAlertKey(newer),
  };
  const query = new URLSearchParams();
  for (const name of [...FILTER_FIELDS, ...PAGE_FIELDS]) if (texts[name]) query.set(name, texts[name]);
  return query.toString();
}

const MAX_PAGES = 100_000;

const WRONG_FILTER = "The filter is not as documented.";

function namedIn(query: URLSearchParams, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name);
      return value ? [[name, value]] : [];
    }),
  );
}

/** Returns the page number, from 1. Throws AppError bad_request. */
export function pageNumberOf(query: URLSearchParams): number {
  const text = query.get("page") || "1";
  const page = Number(text);
  if (!/^\d+$/.test(text) || page < 1 || page > MAX_PAGES)
    throw new AppError("bad_request", "page is a number from 1.");
  return page;
}

/**
 * Returns the filter: start, end, plate, and Odin's own acts, plate_match, user, agency, case_number. Throws AppError bad_request.
 */
export function auditFilterOf(query: URLSearchParams): AuditFilter {
  const named = ["acts", "start", "end", "plate", "plate_match", "user", "agency", "case_number"];
  return checked(AuditFilter, namedIn(query, named), WRONG_FILTER);
}

/**
 * Returns the filter (state, kind, user) and the cursor of the previous page (after_at, after_id). Throws AppError
 * bad_request.
 */
export function reviewPageOf(query: URLSearchParams) {
  const id = query.get("after_id");
  const after = id === null ? null : { at: Number(query.get("after_at") || Number.NaN), id };
  const filter = namedIn(query, ["state", "kind", "user"]);
  return checked(ReviewPageRequest, { filter, after }, WRONG_FILTER);
}
