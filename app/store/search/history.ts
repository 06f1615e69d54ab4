// A user's own searches. They are read from the audit log, which has their query, reason and outcome, so that nothing is
// stored twice; only names and pins have a table. Every query has the user and the agency. `+agency_id` keeps SQLite from
// reading what all users of the agency saved, by the index of the purge.

import { and, eq, isNull, sql } from "drizzle-orm";
import { unlessFull } from "#app/store/constraints.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import type { AuditLog, Page } from "#app/store/oversight/audit-merge.ts";
import { findArchivedTo } from "#app/store/oversight/audit-segments.ts";
import { savedSearches } from "#app/store/schema/search.ts";
import { addArchivedSearches, findArchivedSearches } from "./history-archive.ts";
import type { Saved, SearchCursor, SearchesOf, SearchRecord } from "./history-record.ts";

/** Returns the next searches of a user that are not pinned, newest first. Throws ArchiveFault. */
export async function listPastSearches(
  log: AuditLog,
  { after, limit, ...whose }: SearchesOf & { after: SearchCursor | null; limit: number },
): Promise<Page<SearchRecord>> {
  const rows = await selectSearches(log.db, {
    ...whose,
    from: "audit_log AS a INDEXED BY audit_log_own_searches",
    where: `s.pinned_at IS NULL${after ? " AND (a.at, a.seq) < (?6, ?7)" : ""}`,
    order: "a.at DESC, a.seq DESC LIMIT ?5",
    values: after ? [limit, after.at, after.seq] : [limit],
  });
  const archivedTo = await findArchivedTo(log.db, whose.agencyId);
  const last = rows[limit - 1];
  if (archivedTo === null || archivedTo < whose.since || (last && last.at > archivedTo))
    return { rows, stoppedAt: null };
  const saved = await listSaved(log.db, whose);
  return addArchivedSearches(log, { ...whose, after, limit, saved }, rows);
}

/** Returns the searches that a user pinned, newest pin first. Throws ArchiveFault. */
export async function listPinnedSearches(log: AuditLog, whose: SearchesOf): Promise<SearchRecord[]> {
  const rows = await selectSearches(log.db, {
    ...whose,
    from: `saved_searches AS p
      CROSS JOIN audit_log AS a INDEXED BY audit_log_search ON a.object = p.search_id AND a.kind = 'search'`,
    where: "p.user_id = ?1 AND +p.agency_id = ?2 AND p.pinned_at IS NOT NULL",
    order: "p.pinned_at DESC, a.seq DESC",
    values: [],
  });
  const saved = await listSaved(log.db, whose);
  const known = new Set(rows.map(({ id }) => id));
  const ids = [...saved]
    .filter(([id, { pinnedAt }]) => pinnedAt !== null && !known.has(id))
    .map(([id]) => id);
  if (ids.length === 0) return rows;
  const archived = await findArchivedSearches(log, { ...whose, ids, saved });
  return [...rows, ...archived].sort((a, b) => (b.pinned_at ?? 0) - (a.pinned_at ?? 0) || b.seq - a.seq);
}

/** Returns a search of this user; undefined for searches of others, and for those that are no longer listed. */
export async function findPastSearch(
  log: AuditLog,
  { id, ...whose }: SearchesOf & { id: string },
): Promise<SearchRecord | undefined> {
  const [found] = await selectSearches(log.db, {
    ...whose,
    from: "audit_log AS a INDEXED BY audit_log_search",
    where: "a.kind = 'search' AND a.object = ?5 AND a.object <> ''",
    order: "a.seq",
    values: [id],
    hasAgencies: true,
  });
  if (found || id === "") return found;
  const saved = await listSaved(log.db, whose);
  const [archived] = await findArchivedSearches(log, { ...whose, ids: [id], saved });
  return archived;
}

/** Returns the names and pins that a user saved. */
async function listSaved(db: ControlDb, { userId, agencyId }: SearchesOf): Promise<Saved> {
  const rows = await db
    .select({ id: savedSearches.searchId, name: savedSearches.name, pinnedAt: savedSearches.pinnedAt })
    .from(savedSearches)
    .where(sql`${savedSearches.userId} = ${userId} AND +${savedSearches.agencyId} = ${agencyId}`);
  return new Map(rows.map(({ id, ...one }) => [id, one]));
}

type Selection = { from: string; where: string; order: string; hasAgencies?: true };

/**
 * Parameters 1 to 4 say whose searches. Query plan: `from` names the index of the searches; the end of each comes from
 * audit_log_search; its name, pin and results by primary key.
 */
const searchesSql = (query: Selection) => `
  SELECT a.object AS id, a.seq, a.at, a.action, a.plate, a.case_number, a.programs_queried,
    coalesce(json_extract(a.detail, '$.query'), '{}') AS query,
    ${query.hasAgencies ? "json_extract(a.detail, '$.agencies')" : "NULL"} AS agencies,
    json_extract(a.detail, '$.agency_count') AS agency_count,
    coalesce(json_extract(a.detail, '$.service_account.name'), '') AS service_account,
    json_extract(f.detail, '$.state') AS ended_as, json_extract(f.detail, '$.reads') AS reads,
    json_extract(f.detail, '$.truncated') AS truncated, s.name, s.pinned_at, r.expires_at AS results_until, r.state AS results_state
  FROM ${query.from}
  LEFT JOIN audit_log AS f INDEXED BY audit_log_search
    ON f.object = a.object
    AND f.kind = 'search'
    AND f.action = a.action || '.finished'
    AND f.user_id = a.user_id
  LEFT JOIN saved_searches AS s
    ON s.user_id = a.user_id
    AND s.search_id = a.object
    AND s.agency_id = a.agency_id
  LEFT JOIN result_sets AS r
    ON r.id = a.object
    AND r.user_id = a.user_id
    AND r.agency_id = a.agency_id
    AND r.state IN ('running', 'ready')
    AND r.expires_at > ?4
  WHERE a.user_id = ?1
    AND a.agency_id = ?2
    AND a.at >= ?3
    AND a.action IN ('search', 'search-places', 'search-convoy')
    AND a.outcome = 'ok'
    AND ${query.where}
  ORDER BY ${query.order}`;

/** `values` follow the parameters of `searchesSql`. */
async function selectSearches(
  db: ControlDb,
  query: SearchesOf & Selection & { values: (string | number)[] },
): Promise<SearchRecord[]> {
  const { results } = await db.$client
    .prepare(searchesSql(query))
    .bind(query.userId, query.agencyId, query.since, query.now, ...query.values)
    .all<SearchRecord>();
  return results;
}

/** What a user saves of a search. A part that is undefined stays as it is. */
type SavedChange = {
  userId: string;
  agencyId: string;
  searchId: string;
  searchedAt: number;
  name: string | undefined;
  /** When it was pinned; null removes the pin. */
  pinnedAt: number | null | undefined;
};

/**
 * Inserts or changes what a user saved of a search. The batch fails on `saved_searches.searched_at` if the user has saved
 * `most` others.
 */
export function putSavedSearch(db: ControlDb, saved: SavedChange, most: number): Statement {
  const { userId, agencyId, searchId, name, pinnedAt } = saved;
  const among = sql`user_id = ${userId} AND +agency_id = ${agencyId} AND search_id <> ${searchId}`;
  const searchedAt = unlessFull(savedSearches, { among, most, value: saved.searchedAt });
  return db
    .insert(savedSearches)
    .values({ ...saved, searchedAt })
    .onConflictDoUpdate({
      target: [savedSearches.userId, savedSearches.searchId],
      set: { name, pinnedAt },
      setWhere: sql`${savedSearches.agencyId} = ${saved.agencyId}`,
    });
}

/** Removes what a user saved of a search if it has neither name nor pin. */
export function removeUnsavedSearch(
  db: ControlDb,
  { userId, agencyId, searchId }: { userId: string; agencyId: string; searchId: string },
): Statement {
  return db
    .delete(savedSearches)
    .where(
      and(
        eq(savedSearches.userId, userId),
        eq(savedSearches.agencyId, agencyId),
        eq(savedSearches.searchId, searchId),
        eq(savedSearches.name, ""),
        isNull(savedSearches.pinnedAt),
      ),
    );
}
