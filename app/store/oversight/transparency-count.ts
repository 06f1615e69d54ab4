// Counts what the page of figures shows. The audit log is walked by its index of kinds, some thousand rows a statement,
// so that a month of any size holds the database for milliseconds at a time.

import { sql } from "drizzle-orm";
import type { NowCounts } from "#app/entities/oversight/transparency.ts";
import type { ControlDb } from "#app/store/database.ts";
import { idsOfPart } from "#app/store/hotlists/list-parts.ts";
import { maySearchAxis, maySearchAxon, maySearchRekor } from "#app/store/search/permission.ts";

/** Rows of the audit log that one statement looks at. */
export const COUNT_STEP = 10_000;

type Span = { agencyId: string; from: number; until: number };

/** Acts of a kind that are alike: of one person for one purpose, with a case number or without. */
export type ActCount = {
  action: string;
  outcome: string;
  userId: string;
  purpose: string;
  withCase: number;
  count: number;
};

/** The rows of a step, in the order of the index. */
export const STEP_SQL = `SELECT at, seq FROM audit_log INDEXED BY audit_log_kind
  WHERE agency_id = ?1 AND kind = ?2 AND at < ?4 AND (at, seq) > (?3, ?5) ORDER BY at, seq LIMIT ${COUNT_STEP}`;

const COUNT_SQL = `SELECT log.action, log.outcome, sum(1) AS count,
    CASE WHEN log.action = 'search' THEN log.user_id ELSE '' END AS userId,
    CASE WHEN log.action = 'search' THEN coalesce(log.detail ->> '$.query.purpose', '') ELSE '' END AS purpose,
    log.case_number <> '' AS withCase
  FROM (${STEP_SQL}) step CROSS JOIN audit_log log ON log.seq = step.seq
  WHERE log.action IN ('search', 'export', 'retention.purge')
  GROUP BY log.action, log.outcome, userId, purpose, withCase`;

/** Searches, exports and purges in a span of time; `kind` is the family of the audit log that they are in. */
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

/** Hits of an agency's groups, archived ones too, that were made in a span of time. */
export async function countHits(db: ControlDb, { agencyId, from, until }: Span): Promise<number> {
  const [row] = await db.all<{ count: number }>(sql`select count(*) as count from alert_groups as g
    cross join alerts as a indexed by alerts_group
      on a.group_id = g.id and a.created_at >= ${from} and a.created_at < ${until}
    where g.agency_id = ${agencyId}`);
  return row?.count ?? 0;
}

/** Hits of an agency's groups that were judged in a span of time, by what was found. */
export async function countJudged(
  db: ControlDb,
  { agencyId, from, until }: Span,
): Promise<{ disposition: string; count: number }[]> {
  return db.all(sql`select disposition, count(*) as count from alerts indexed by alerts_judged
    where agency_id = ${agencyId} and disposition_at >= ${from} and disposition_at < ${until}
    group by disposition`);
}

/** What an agency has now; its reads are counted in every database of reads at once. */
export async function countNow(
  stores: { db: ControlDb; readsDatabases: D1Database[] },
  input: { agencyId: string; now: number },
): Promise<Omit<NowCounts, "retention_days" | "reviews">> {
  const { agencyId, now } = input;
  const [reads, [counted], sharedWith] = await Promise.all([
    Promise.all(stores.readsDatabases.map((database) => countReadsOf(database, agencyId))),
    stores.db.all<{ cameras: number; hotlist_entries: number; holds: number }>(sql`select
      (select count(*) from axis_cameras where agency_id = ${agencyId} and revoked_at is null)
        + (select count(*) from rekor_cameras where agency_id = ${agencyId}) as cameras,
      (select coalesce(sum((select count(*) from (${idsOfPart("in-force", now)}))), 0) from alert_groups as g
        where g.agency_id = ${agencyId} and g.archived_at is null) as hotlist_entries,
      (select count(*) from legal_holds where agency_id = ${agencyId} and state = 'active') as holds`),
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

/** Reads of an agency in one database, by an index that holds the keys. */
async function countReadsOf(database: D1Database, agencyId: string): Promise<number> {
  const count = await database
    .prepare(
      `SELECT count(*) AS n FROM read_keys AS k CROSS JOIN sealed_reads AS r INDEXED BY sealed_reads_plate
        ON r.key_id = k.id WHERE k.agency_id = ?`,
    )
    .bind(agencyId)
    .first<number>("n");
  return count ?? 0;
}

/** Names of other agencies that may search an agency's reads or are alerted of them, through whatever program. */
async function listSharedWith(db: ControlDb, agencyId: string, now: number): Promise<string[]> {
  const axon = sql`exists (select 1 from axon_integrations i
    where i.agency_id = ${agencyId} and ${maySearchAxon(sql.raw("i.id"), sql.raw("t.id"), now)})`;
  const tenant = sql.raw("t.id");
  const rows = await db.all<{ name: string }>(sql`select t.name from agencies t
    where t.id <> ${agencyId}
      and (${maySearchAxis(agencyId, tenant, now)} or ${axon} or ${maySearchRekor(agencyId, tenant, now)})
    order by t.name`);
  return rows.map(({ name }) => name);
}

/** When the row at a place of an agency's chain was written; null where there is none. */
export async function findChainedTime(
  db: ControlDb,
  agencyId: string,
  position: number,
): Promise<number | null> {
  const [row] = await db.all<{ at: number }>(sql`select log.at from audit_chain as chain
    join audit_log as log on log.seq = chain.seq
    where chain.agency_id = ${agencyId} and chain.position = ${position}`);
  return row?.at ?? null;
}
