// A user's own searches in the archived part of the audit log, as rows of history.ts. Their results are long gone; names
// and pins are in the database.

import type { ChainedRow } from "#app/entities/oversight/audit-chain.ts";
import { isSearch, TERM } from "#app/entities/oversight/audit-segment.ts";
import { fieldsOf, serviceAccountIn } from "#app/entities/oversight/audit-words.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { HOUR } from "#app/lib/time/dates.ts";
import { listArchivedWith } from "#app/store/oversight/audit-archived-rows.ts";
import { type AuditLog, mergeArchived, type Page } from "#app/store/oversight/audit-merge.ts";
import type { Saved, SearchCursor, SearchesOf, SearchRecord } from "./history-record.ts";

/** `isOpenEnded`: how it ended may be in rows that were not read. */
type Found = SearchRecord & { isOpenEnded?: true };

/** A search that was begun ends within this time, or never. */
const LONGEST_SEARCH = HOUR;

/** Adds archived searches that are not pinned to a page of those in the database. */
export async function addArchivedSearches(
  log: AuditLog,
  query: SearchesOf & { after: SearchCursor | null; limit: number; saved: Saved },
  online: SearchRecord[],
): Promise<Page<SearchRecord>> {
  const { userId, since, saved } = query;
  const select = (rows: ChainedRow[]) =>
    recordsIn(rows, query).filter(
      (row) => isAfter(row, query.after) && (saved.get(row.id)?.pinnedAt ?? null) === null,
    );
  const page = await mergeArchived<Found>(
    log,
    { ...query, start: since, end: null, terms: [TERM.searcher(userId)], select },
    { rows: online, stoppedAt: null },
  );
  return { ...page, rows: await withEndings(log, query, page.rows) };
}

/** Returns those of a user's given searches that are archived, in no order. */
export async function findArchivedSearches(
  log: AuditLog,
  query: SearchesOf & { ids: readonly string[]; saved: Saved },
): Promise<SearchRecord[]> {
  const ids = new Set(query.ids);
  const rows = await listArchivedWith(log, {
    agencyId: query.agencyId,
    terms: query.ids.map(TERM.search),
    matches: ({ object }) => ids.has(object),
  });
  return withEndings(log, query, recordsIn(rows, query));
}

async function withEndings(
  log: AuditLog,
  whose: SearchesOf,
  found: readonly Found[],
): Promise<SearchRecord[]> {
  const ids = found.filter(({ isOpenEnded }) => isOpenEnded).map(({ id }) => id);
  const endings = await endingsOf(log, { ...whose, ids });
  return found.map(({ isOpenEnded: _, ...row }) => ({ ...row, ...endings.get(endKey(row)) }));
}

function isAfter(row: SearchCursor, cursor: SearchCursor | null): boolean {
  return cursor === null || row.at < cursor.at || (row.at === cursor.at && row.seq < cursor.seq);
}

type Ending = Pick<SearchRecord, "ended_as" | "reads" | "truncated">;

const endKey = ({ id, action }: Pick<SearchRecord, "id" | "action">) => `${action}.finished|${id}`;

/** Returns how searches of a user ended, by their act and id. */
function endingsIn(rows: readonly ChainedRow[], userId: string): Map<string, Ending> {
  return new Map(
    rows
      .filter((row) => row.action.endsWith(".finished") && row.user_id === userId)
      .map((row) => {
        const { state, reads, truncated } = fieldsOf(parseJson(row.detail));
        return [
          `${row.action}|${row.object}`,
          {
            ended_as: typeof state === "string" ? state : null,
            reads: typeof reads === "number" ? reads : null,
            truncated: truncated === true ? 1 : 0,
          },
        ];
      }),
  );
}

/** Returns the searches of a user among these rows, and whether one may have ended in rows that are not here. */
function recordsIn(
  rows: readonly ChainedRow[],
  { userId, since, saved }: { userId: string; since: number; saved: Saved },
): Found[] {
  const endings = endingsIn(rows, userId);
  const newest = rows.reduce((at, row) => Math.max(at, row.at), 0);
  return rows
    .filter(
      (row) => row.user_id === userId && isSearch(row.action) && row.outcome === "ok" && row.at >= since,
    )
    .map((row) => {
      const detail = fieldsOf(parseJson(row.detail));
      const own = saved.get(row.object);
      const ending = endings.get(endKey({ id: row.object, action: row.action }));
      return {
        id: row.object,
        seq: row.seq,
        at: row.at,
        action: row.action,
        plate: row.plate,
        case_number: row.case_number,
        programs_queried: row.programs_queried,
        query: JSON.stringify(detail.query ?? {}),
        agencies: detail.agencies === undefined ? null : JSON.stringify(detail.agencies),
        agency_count: typeof detail.agency_count === "number" ? detail.agency_count : null,
        ...(ending ?? { ended_as: null, reads: null, truncated: null }),
        ...(!ending && row.at >= newest - LONGEST_SEARCH && { isOpenEnded: true as const }),
        name: own?.name ?? null,
        pinned_at: own?.pinnedAt ?? null,
        results_until: null,
        results_state: null,
        service_account: serviceAccountIn(detail),
      };
    });
}

/** Finds endings in the database and in other segments. */
async function endingsOf(
  log: AuditLog,
  input: { agencyId: string; userId: string; ids: readonly string[] },
): Promise<Map<string, Ending>> {
  const { agencyId, userId } = input;
  if (input.ids.length === 0) return new Map();
  const ids = new Set(input.ids);
  const { results } = await log.db.$client
    .prepare(`
      SELECT f.*
      FROM json_each(?1) wanted
      CROSS JOIN audit_log AS f INDEXED BY audit_log_search ON f.object = wanted.value AND f.kind = 'search'
      WHERE f.agency_id = ?2`)
    .bind(JSON.stringify(input.ids), agencyId)
    .all<ChainedRow>();
  const archived = await listArchivedWith(log, {
    agencyId,
    terms: input.ids.map(TERM.search),
    matches: ({ object }) => ids.has(object),
  });
  return endingsIn([...results, ...archived], userId);
}
