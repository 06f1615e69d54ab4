// What an export may hold: records of the caller's own living result sets, looked up by their ids alone. Fields and
// images that come with a request are never looked at, so that nothing can be exported that was not found.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/account.ts";
import type { ExportedQuery, ExportRecord, ExportRequest } from "#app/entities/export.ts";
import { idAt, type ResultColumns, rowAt } from "#app/entities/result-columns.ts";
import type { ResultSet } from "#app/entities/result-set.ts";
import { fromHex } from "#app/lib/encoding.ts";
import { AppError } from "#app/lib/errors.ts";
import { findLocatorsOf, listLivingResultSets } from "#app/store/export-records.ts";
import { openColumns } from "#app/store/search.ts";
import { placedColumns } from "./camera-places.ts";
import { requireResultSet } from "./results.ts";

/** Sets that are looked through where the request names none. */
const MOST_SETS = 20;

/**
 * The asked records in the order of their result sets, newest read first, each once. Throws AppError gone or
 * not_found with the set, and not_found where an id is in none of the caller's living sets.
 */
export async function findExportRecords(
  app: AppContext,
  actor: Actor,
  request: ExportRequest,
): Promise<{ records: ExportRecord[]; queries: ExportedQuery[] }> {
  const wanted = new Set(request.records.map(({ id }) => id));
  const sets =
    request.result_id === undefined
      ? await listLivingResultSets(app.db, { userId: actor.userId, now: app.clock(), limit: MOST_SETS })
      : [await requireResultSet(app, actor, request.result_id)];
  const records: ExportRecord[] = [];
  const queries: ExportedQuery[] = [];
  for (const set of sets) {
    if (wanted.size === 0) break;
    const found = await recordsOf(app, set, wanted);
    if (found.length === 0) continue;
    records.push(...found);
    queries.push({ resultId: set.id, request: set.request, searchedAt: set.createdAt });
    for (const { id } of found) wanted.delete(id);
  }
  if (wanted.size > 0) {
    const which =
      wanted.size === 1 ? "One of the selected records is" : `${wanted.size} of the selected records are`;
    throw new AppError(
      "not_found",
      `${which} not in your results: they have been purged, or were never yours.`,
    );
  }
  return { records, queries };
}

async function recordsOf(
  app: AppContext,
  set: ResultSet,
  wanted: ReadonlySet<string>,
): Promise<ExportRecord[]> {
  const object = await openColumns(app.results, set.id);
  if (!object) return [];
  const columns = await placedColumns(app, { set, object });
  const rows = rowsOf(columns, wanted);
  const locators = await findLocatorsOf(app.results, { id: set.id, count: columns.count, rows });
  if (!locators) return [];
  return rows.map((row, i) => {
    const { row: _, hasVehicleImage: __, hasPlateImage: ___, ...record } = rowAt(columns, row);
    const { vehicle = null, plate = null } = locators[i] ?? {};
    return { ...record, resultId: set.id, vehicleImage: vehicle, plateImage: plate };
  });
}

/** Rows with one of these ids, rising. Texts are made only of ids whose first four bytes are among the wanted. */
function rowsOf(columns: ResultColumns, wanted: ReadonlySet<string>): number[] {
  const starts = new Set<number>();
  for (const id of wanted) starts.add(new DataView(fromHex(id.slice(0, 8)).buffer).getUint32(0));
  const ids = new DataView(columns.ids.buffer, columns.ids.byteOffset, columns.ids.byteLength);
  const rows: number[] = [];
  for (let row = 0; row < columns.count; row++) {
    if (starts.has(ids.getUint32(row * 16)) && wanted.has(idAt(columns, row))) rows.push(row);
  }
  return rows;
}
