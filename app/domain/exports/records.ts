// Resolves the records of an export request in the caller's own live result sets. Fields and images sent with the
// request only identify the read and are never printed, so that only reads that were found can be exported.

import type { AppContext } from "#app/context.ts";
import { placedColumns } from "#app/domain/ingest/camera-places.ts";
import { requireResultSet } from "#app/domain/search/results.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  countAgencies,
  type ExportedQuery,
  type ExportRecord,
  type ExportRequest,
} from "#app/entities/exports/request.ts";
import type { InvestigationAnswer, InvestigationRequest } from "#app/entities/search/investigate/answer.ts";
import { type Columns, rowAt } from "#app/entities/search/result-columns.ts";
import { RESULTS_PURGED, type ResultSet } from "#app/entities/search/result-set.ts";
import { AppError } from "#app/lib/errors.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { findLocatorsOf, listLivingResultSets } from "#app/store/exports/records.ts";
import { findInvestigation } from "#app/store/search/investigations.ts";
import { openColumns } from "#app/store/search/result-sets.ts";
import { createLookup, type Lookup } from "./lookup.ts";

/** If the request names no set, the user's live sets are listed in pages, newest first. */
const PAGE = 200;
/**
 * The most sets that are read, with up to two of the 1,000 queries that D1 allows each. Sets whose range excludes the
 * requested times do not count.
 */
const MAX_READ = 400;

const EVER = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** How far a vendor's read may be outside the requested time range. */
const SLACK_MS = DAY;

/** Maximum number of records that the error message lists; its field `not_found` has all of them. */
const MAX_NAMED = 20;

/**
 * Returns the requested records in the order of their result sets, newest read first, each once. Throws AppError
 * gone or not_found for the named set, and not_found with the positions of all records that are in none of the
 * caller's live sets.
 */
export async function findExportRecords(
  app: AppContext,
  actor: Actor,
  request: ExportRequest,
): Promise<{ records: ExportRecord[]; queries: ExportedQuery[] }> {
  const lookup = createLookup(request.records);
  const records: ExportRecord[] = [];
  const queries: ExportedQuery[] = [];
  const taken = new Set<string>();
  let read = 0;
  for await (const set of setsOf(app, actor, request)) {
    if (read === MAX_READ || !lookup.mayBeIn(EVER)) break;
    const range = {
      from: Date.parse(set.request.start_time) - SLACK_MS,
      to: Date.parse(set.request.end_time) + SLACK_MS,
    };
    if (!lookup.mayBeIn(range)) continue;
    read++;
    // A read has the same id in every set, but its agency may differ between sets.
    const found = (await recordsOf(app, set, lookup)).filter(({ id }) => !taken.has(id));
    if (found.length === 0) continue;
    records.push(...found);
    for (const { id } of found) taken.add(id);
    const investigation = await investigationOf(app, set);
    queries.push({
      resultId: set.id,
      request: set.request,
      ...(investigation && { investigation }),
      agencies: countAgencies(set.statuses),
      searchedAt: set.createdAt,
    });
  }
  const missing = lookup.missing().map((position) => position + 1);
  if (missing.length > 0) throw notFound(missing, request.records.length);
  return { records, queries };
}

/** Yields the set that a request names, or the caller's live sets, newest first. */
async function* setsOf(app: AppContext, actor: Actor, request: ExportRequest): AsyncGenerator<ResultSet> {
  if (request.result_id !== undefined) {
    yield await requireResultSet(app, actor, request.result_id);
    return;
  }
  const now = app.clock();
  for (let offset = 0; ; offset += PAGE) {
    const page = await listLivingResultSets(app.db, { userId: actor.userId, now, limit: PAGE, offset });
    yield* page;
    if (page.length < PAGE) return;
  }
}

/** Returns the place or convoy search whose evidence a set is; undefined for other sets. */
async function investigationOf(app: AppContext, set: ResultSet): Promise<InvestigationRequest | undefined> {
  const answer = await findInvestigation<InvestigationAnswer>(app.results, set.id);
  if (!answer) return undefined;
  return answer.tool === "convoy"
    ? { tool: answer.tool, request: answer.request }
    : { tool: answer.tool, request: answer.request };
}

/**
 * Returns the error for records that were not found. It names them by position, to repeat none of the client's text.
 */
function notFound(missing: readonly number[], total: number): AppError {
  const named = missing.slice(0, MAX_NAMED).join(", ");
  const more = missing.length - MAX_NAMED;
  const which = `${missing.length === 1 ? "record" : "records"} ${named}${more > 0 ? ` and ${more} more` : ""}`;
  return new AppError(
    "not_found",
    `${missing.length} of ${total} selected records ${missing.length === 1 ? "is" : "are"} not in your results (${which}): deleted, or never in your results.`,
    { details: { not_found: missing } },
  );
}

async function recordsOf(app: AppContext, set: ResultSet, lookup: Lookup): Promise<ExportRecord[]> {
  const object = await openColumns(app.results, set.id);
  if (!object) return [];
  // One row may be found twice: by its agency before a correction and by its agency after it.
  const found = new Set<number>();
  function take(columns: Columns): void {
    for (const row of lookup.take(columns)) found.add(row);
  }
  // A record may name the agency that its camera had at the time of the search, or its corrected agency.
  const columns = await placedColumns(app, { set, object }, take);
  take(columns);
  const rows = [...found].sort((a, b) => a - b);
  if (rows.length === 0) return [];
  const locators = await findLocatorsOf(app.results, { id: set.id, count: columns.count, rows });
  if (!locators) throw new AppError("gone", RESULTS_PURGED);
  return rows.map((row, i) => {
    const { row: _, hasVehicleImage: __, hasPlateImage: ___, ...record } = rowAt(columns, row);
    const { vehicle = null, plate = null } = locators[i] ?? {};
    return { ...record, resultId: set.id, vehicleImage: vehicle, plateImage: plate };
  });
}
