// Counts transparency statistics. The audit log is read through the index audit_log_kind in steps of some thousand
// rows, so that a month of any size blocks the database only for milliseconds at a time.

import { sql } from "drizzle-orm";
import type { ChainedRow } from "#app/entities/oversight/audit-chain.ts";
import { isSearch } from "#app/entities/oversight/audit-segment.ts";
import { fieldsOf } from "#app/entities/oversight/audit-words.ts";
import type { NowCounts } from "#app/entities/oversight/transparency.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { compareNames } from "#app/lib/text.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { COPIED_DAYS } from "#app/store/archive/fences.ts";
import type { ControlDb } from "#app/store/database.ts";
import { idsOfPart } from "#app/store/hotlists/list-parts.ts";
import type { AuditLog } from "#app/store/oversight/audit-merge.ts";
import { listSegmentsBetween } from "#app/store/oversight/audit-segments.ts";
import { maySearchAxis, maySearchAxon, maySearchRekor } from "#app/store/search/permission.ts";

/** Rows of the audit log that one statement reads. */
export const COUNT_STEP = 10_000;

type Span = { agencyId: string; from: number; until: number };

/** The number of acts with the same user, purpose and presence of a case number. */
export type ActCount = {
  action: string;
  outcome: string;
  userId: string;
  purpose: string;
  withCase: number;
  count: number;
};

/** Rows of a step. Uses audit_log_kind, in its order. */
export const STEP_SQL = `
  SELECT at, seq
  FROM audit_log INDEXED BY audit_log_kind
  WHERE agency_id = ?1 AND kind = ?2 AND at < ?4 AND (at, seq) > (?3, ?5)
  ORDER BY at, seq
  LIMIT ${COUNT_STEP}`;

/** Query plan: the rows of a step, each by primary key. */
const COUNT_SQL = `
  SELECT action, outcome, sum(1) AS count, userId, purpose, withCase
  FROM (
    SELECT CASE WHEN log.kind = 'search' THEN 'search' ELSE log.action END AS action, log.outcome,
      CASE WHEN log.kind = 'search' THEN log.user_id ELSE '' END AS userId,
      CASE WHEN log.kind = 'search' THEN coalesce(log.detail ->> '$.query.purpose', '') ELSE '' END AS purpose,
      log.case_number <> '' AS withCase
    FROM (${STEP_SQL}) step
    CROSS JOIN audit_log log ON log.seq = step.seq
    WHERE log.action IN ('search', 'search-places', 'search-convoy', 'export', 'retention.purge')
  )
  GROUP BY action, outcome, userId, purpose, withCase`;

/** Counts searches, exports and purges in a span of time; `kind` is the kind column of the audit log. */
export async function countActs(
  db: ControlDb,
  { agencyId, from, until }: Span,
  kind: "search" | "export" | "other",
): Promise<ActCount[]> {
  const counts: ActCount[] = [];
  let after = { at: from - 1, seq: Number.MAX_SAFE_INTEGER };
  for (;;) {
    const bound = [agencyId, kind, after.at, until, after.seq];
    const [counted, last] = await db.$client.batch([
      db.$client.prepare(COUNT_SQL).bind(...bound),
      db.$client.prepare(`SELECT at, seq FROM (${STEP_SQL}) LIMIT 1 OFFSET ${COUNT_STEP - 1}`).bind(...bound),
    ]);
    counts.push(...((counted?.results ?? []) as ActCount[]));
    const [end] = (last?.results ?? []) as (typeof after)[];
    if (!end) return counts;
    after = end;
  }
}

const COUNTED = new Set(["search", "search-places", "search-convoy", "export", "retention.purge"]);

/** Counts the same acts in the archived part of the log, of every kind. Throws ArchiveFault. */
export async function countArchivedActs(log: AuditLog, { agencyId, from, until }: Span): Promise<ActCount[]> {
  const counts = new Map<string, ActCount>();
  for (const segment of await listSegmentsBetween(log.db, { agencyId, from, until: until - 1 }))
    for (const row of await log.auditArchive.open(segment)) {
      if (row.at < from || row.at >= until || !COUNTED.has(row.action)) continue;
      const act = actOf(row);
      const key = JSON.stringify(act);
      counts.set(key, { ...act, count: (counts.get(key)?.count ?? 0) + 1 });
    }
  return [...counts.values()];
}

function actOf({ action, outcome, user_id, case_number, detail }: ChainedRow): Omit<ActCount, "count"> {
  const withCase = case_number === "" ? 0 : 1;
  if (!isSearch(action)) return { action, outcome, userId: "", purpose: "", withCase };
  const { purpose } = fieldsOf(fieldsOf(parseJson(detail)).query);
  const purposeCode = typeof purpose === "string" ? purpose : "";
  return { action: "search", outcome, userId: user_id, purpose: purposeCode, withCase };
}

/** Counts hits in the database of an agency's groups, also archived groups, created in a span of time. */
export async function countHits(db: ControlDb, { agencyId, from, until }: Span): Promise<number> {
  const [row] = await db.all<{ count: number }>(sql`
    SELECT count(*) AS count
    FROM alert_groups AS g
    CROSS JOIN alerts AS a INDEXED BY alerts_group
      ON a.group_id = g.id
      AND a.created_at >= ${from}
      AND a.created_at < ${until}
    WHERE g.agency_id = ${agencyId}`);
  return row?.count ?? 0;
}

/** Counts hits in the database of an agency's groups with a disposition set in a span of time, by disposition. */
export async function countJudged(
  db: ControlDb,
  { agencyId, from, until }: Span,
): Promise<{ disposition: string; count: number }[]> {
  return db.all(sql`
    SELECT disposition, count(*) AS count
    FROM alerts INDEXED BY alerts_judged
    WHERE agency_id = ${agencyId} AND disposition_at >= ${from} AND disposition_at < ${until}
    GROUP BY disposition`);
}

/** Returns the current counts of an agency. All databases of reads are counted in parallel. */
export async function countNow(
  stores: { db: ControlDb; readsDatabases: D1Database[] },
  input: { agencyId: string; now: number },
): Promise<Omit<NowCounts, "retention_days" | "reviews">> {
  const { agencyId, now } = input;
  const [reads, [counted], sharedWith] = await Promise.all([
    Promise.all(stores.readsDatabases.map((database) => countReadsOf(database, agencyId))),
    stores.db.all<{ cameras: number; hotlist_entries: number; holds: number }>(sql`
      SELECT
        (SELECT count(*) FROM axis_cameras WHERE agency_id = ${agencyId} AND revoked_at IS NULL)
          + (SELECT count(*) FROM rekor_cameras WHERE agency_id = ${agencyId}) AS cameras,
        (
          SELECT coalesce(sum((SELECT count(*) FROM (${idsOfPart("in-force", now)}))), 0)
          FROM alert_groups AS g
          WHERE g.agency_id = ${agencyId} AND g.archived_at IS NULL
        ) AS hotlist_entries,
        (SELECT count(*) FROM legal_holds WHERE agency_id = ${agencyId} AND state = 'active') AS holds`),
    listSharedWith(stores.db, agencyId, now),
  ]);
  return {
    cameras: counted?.cameras ?? 0,
    hotlist_entries: counted?.hotlist_entries ?? 0,
    holds: counted?.holds ?? 0,
    reads: reads.reduce((sum, count) => sum + count, 0),
    shared_with: sharedWith,
  };
}

/** Counts an agency's reads in one database. The index sealed_reads_plate covers the query. */
async function countReadsOf(database: D1Database, agencyId: string): Promise<number> {
  const count = await database
    .prepare(`
      SELECT count(*) AS n
      FROM read_keys AS k
      CROSS JOIN sealed_reads AS r INDEXED BY sealed_reads_plate ON r.key_id = k.id
      WHERE k.agency_id = ?
        AND CASE
          WHEN k.day IS NOT NULL THEN k.day NOT IN (${COPIED_DAYS})
          -- Held reads: their key has no day.
          ELSE r.captured_at / ${DAY} NOT IN (${COPIED_DAYS})
        END`)
    .bind(agencyId)
    .first<number>("n");
  return count ?? 0;
}

/** Returns the names of other agencies that may search an agency's reads or get alerts from them, by any program. */
async function listSharedWith(db: ControlDb, agencyId: string, now: number): Promise<string[]> {
  const axon = sql`
    EXISTS (
      SELECT 1
      FROM axon_integrations i
      WHERE i.agency_id = ${agencyId} AND ${maySearchAxon(sql.raw("i.id"), sql.raw("t.id"), now)}
    )`;
  const tenant = sql.raw("t.id");
  const rows = await db.all<{ name: string }>(sql`
    SELECT t.name
    FROM agencies t
    WHERE t.id <> ${agencyId}
      AND (${maySearchAxis(agencyId, tenant, now)} OR ${axon} OR ${maySearchRekor(agencyId, tenant, now)})`);
  return rows.map(({ name }) => name).sort(compareNames);
}
