// Results as pages that need no scripts: a table of a hundred reads, and one read. Only the page's rows leave the
// server. Viewing is recorded in the audit log, as when the columns are fetched.

import type { AppContext } from "#app/context.ts";
import { placedColumns } from "#app/domain/ingest/camera-places.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { NearestAddress } from "#app/entities/search/address.ts";
import { type ResultColumns, type ResultRow, rowAt, wordAt } from "#app/entities/search/result-columns.ts";
import {
  RESULT_PAGE_SIZE,
  RESULTS_PURGED,
  type ResultSet,
  type ResultSummary,
} from "#app/entities/search/result-set.ts";
import { AppError } from "#app/lib/errors.ts";
import { findSearchPolicy, openColumns } from "#app/store/search/result-sets.ts";
import { addressOfRead } from "./address.ts";
import { auditView, requireResultSet, summaryOf } from "./results.ts";

/** One page of a set, newest first. */
export type ResultPage = {
  /** From 1. */
  page: number;
  pages: number;
  rows: ResultRow[];
  /** The agency's time zone, for times shown without scripts. */
  timeZone: string;
};

/**
 * Returns the summary of a set and the rows of one page, counted from 1. Throws AppError as `summarizeResults` does,
 * and not_found if the set has no such page.
 */
export async function openResultPage(
  app: AppContext,
  actor: Actor,
  { id, page: asked }: { id: string; page: string },
): Promise<ResultPage & { summary: ResultSummary }> {
  const set = await requireResultSet(app, actor, id);
  const pages = Math.max(1, Math.ceil(set.count / RESULT_PAGE_SIZE));
  const page = /^\d{1,6}$/.test(asked) ? Number(asked) : 0;
  if (page < 1 || page > pages) throw new AppError("not_found", "There is no such page.");
  const from = (page - 1) * RESULT_PAGE_SIZE;
  const [summary, { columns, timeZone }] = await Promise.all([
    summaryOf(app, set),
    openPlacedColumns(app, actor, set),
  ]);
  const end = Math.min(from + RESULT_PAGE_SIZE, columns.count);
  const rows = Array.from({ length: Math.max(0, end - from) }, (_, at) => rowAt(columns, from + at));
  await auditView(app, actor, { set, detail: { reads: rows.length, from } });
  return { summary, page, pages, rows, timeZone };
}

/** Maximum number of reads of one plate that a sighting's page lists. */
const TRACK_READS = 100;

/**
 * Returns one read of the actor's own set, with its nearest address and the newest reads of its plate. Throws AppError
 * not_found, or gone if purged.
 */
export async function openSighting(
  app: AppContext,
  actor: Actor,
  input: { id: string; row: string },
): Promise<{
  resultId: string;
  count: number;
  read: ResultRow;
  track: ResultRow[];
  address: NearestAddress;
  timeZone: string;
}> {
  const set = await requireResultSet(app, actor, input.id);
  const row = /^\d{1,7}$/.test(input.row) ? Number(input.row) : set.count;
  if (row >= set.count) throw new AppError("not_found", "There is no such read.");
  const { columns, timeZone } = await openPlacedColumns(app, actor, set);
  if (row >= columns.count) throw new AppError("not_found", "There is no such read.");
  const read = rowAt(columns, row);
  const track = readsOfPlate(columns, read.plate);
  const [address] = await Promise.all([
    addressOfRead(app, read),
    auditView(app, actor, { set, detail: { reads: 1, from: row, track: track.length } }),
  ]);
  return { resultId: set.id, count: set.count, read, track, address, timeZone };
}

/** Returns the rows of a set with today's camera locations, and the time zone of the actor's agency. */
async function openPlacedColumns(
  app: AppContext,
  actor: Actor,
  set: ResultSet,
): Promise<{ columns: ResultColumns; timeZone: string }> {
  const [object, policy] = await Promise.all([
    openColumns(app.results, set.id),
    findSearchPolicy(app.db, actor.agencyId),
  ]);
  if (!object) throw new AppError("gone", RESULTS_PURGED);
  return { columns: await placedColumns(app, { set, object }), timeZone: policy?.timeZone ?? "UTC" };
}

function readsOfPlate(columns: ResultColumns, plate: string): ResultRow[] {
  const rows: ResultRow[] = [];
  if (plate === "") return rows;
  for (let row = 0; row < columns.count && rows.length < TRACK_READS; row++)
    if (wordAt(columns, "plate", row) === plate) rows.push(rowAt(columns, row));
  return rows;
}
