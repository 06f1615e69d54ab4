// Findings of the review: what its queue shows, how they are counted and decided. Pages begin where another ended, each
// from an index that holds its order. That nobody decides on their own searches stands in the statement itself.

import { sql } from "drizzle-orm";
import {
  EVIDENCE_SHOWN,
  REVIEW_KINDS,
  type ReviewKind,
  type Verdict,
} from "#app/entities/oversight/review.ts";
import {
  COUNTED_TO,
  type DecisionMade,
  type ReviewCounts,
  type ReviewCursor,
  type ReviewedSearch,
  type ReviewRow,
  type ReviewState,
} from "#app/entities/oversight/review-calls.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";

/** Findings made in [from, to), in ms: how many, how many of them were decided, how many as a violation. */
export async function countReviews(
  db: ControlDb,
  agencyId: string,
  from: number,
  to: number,
): Promise<{ findings: number; reviewed: number; violations: number }> {
  const [counts] = await db.all<{ findings: number; reviewed: number; violations: number }>(
    sql`select count(*) as findings, coalesce(sum(decisions > 0), 0) as reviewed,
      coalesce(sum(verdict = 'violation'), 0) as violations
      from review_findings indexed by review_findings_made
      where agency_id = ${agencyId} and created_at >= ${from} and created_at < ${to}`,
  );
  return counts ?? { findings: 0, reviewed: 0, violations: 0 };
}

/** Open findings of an agency by kind, and those made before `overdueBefore`; each counted to COUNTED_TO at most. */
export async function countOpen(
  db: ControlDb,
  input: { agencyId: string; overdueBefore: number },
): Promise<ReviewCounts> {
  const counts = REVIEW_KINDS.map(
    ({ value }) => `(SELECT count(*) FROM (SELECT 1 FROM review_findings INDEXED BY review_findings_open_kind
      WHERE agency_id = ?1 AND decisions = 0 AND kind = '${value}' LIMIT ${COUNTED_TO})) AS "${value}"`,
  );
  const row = await db.$client
    .prepare(
      `SELECT ${counts.join(", ")}, (SELECT count(*) FROM (SELECT 1 FROM review_findings
        INDEXED BY review_findings_age
        WHERE agency_id = ?1 AND decisions = 0 AND created_at < ?2 LIMIT ${COUNTED_TO})) AS overdue`,
    )
    .bind(input.agencyId, input.overdueBefore)
    .first<Record<ReviewKind | "overdue", number>>();
  if (!row) throw new Error("a count without a row");
  const { overdue, ...kinds } = row;
  return { kinds, overdue };
}

export type FindingQuery = {
  agencyId: string;
  state: ReviewState;
  kind: ReviewKind | "";
  username: string;
  overdueBefore: number;
  after: ReviewCursor | null;
  limit: number;
};

export type FindingRecord = ReviewRow & { user_id: string };

/** What each list is ordered by, and the index that holds that order. */
const LISTS: Record<ReviewState, { order: "last_at" | "created_at" | "decided_at"; index: string }> = {
  open: { order: "last_at", index: "review_findings_open" },
  overdue: { order: "created_at", index: "review_findings_age" },
  decided: { order: "decided_at", index: "review_findings_decided" },
  violations: { order: "decided_at", index: "review_findings_violations" },
};

const CONDITIONS: Record<ReviewState, string> = {
  open: "decisions = 0",
  overdue: "decisions = 0 AND created_at < json_extract(?1, '$.overdueBefore')",
  decided: "decisions > 0",
  violations: "verdict = 'violation'",
};

const COLUMNS = `finding.id, finding.kind, finding.user_id, finding.username, finding.plate, finding.first_at,
  finding.last_at, finding.searches, finding.created_at, finding.decisions, finding.verdict, finding.decided_at,
  coalesce((SELECT name FROM users WHERE users.id = finding.user_id), '') AS user_name,
  coalesce((SELECT reason FROM review_evidence WHERE finding_id = finding.id ORDER BY at DESC, seq DESC LIMIT 1), '')
    AS reason`;

/** A page of an agency's findings, newest first, and where the next one begins. */
export async function listFindings(
  db: ControlDb,
  query: FindingQuery,
): Promise<{ rows: FindingRecord[]; next: ReviewCursor | null }> {
  const { order, index } = LISTS[query.state];
  const own = query.state !== "open" ? "" : query.username ? "_user" : query.kind ? "_kind" : "";
  const conditions = [
    "agency_id = json_extract(?1, '$.agencyId')",
    CONDITIONS[query.state],
    query.kind && "kind = json_extract(?1, '$.kind')",
    query.username && "username = json_extract(?1, '$.username')",
    query.after && `(${order}, id) < (json_extract(?1, '$.after.at'), json_extract(?1, '$.after.id'))`,
  ].filter(Boolean);
  const { results: rows } = await db.$client
    .prepare(
      `SELECT ${COLUMNS} FROM (SELECT * FROM review_findings INDEXED BY ${index}${own}
        WHERE ${conditions.join(" AND ")} ORDER BY ${order} DESC, id DESC LIMIT ${query.limit}) finding
      ORDER BY finding.${order} DESC, finding.id DESC`,
    )
    .bind(JSON.stringify(query))
    .all<FindingRecord>();
  const last = rows.length === query.limit ? rows.at(-1) : undefined;
  return { rows, next: last ? { at: last[order] as number, id: last.id } : null };
}

/** A finding of this agency; another's does not exist. */
export async function findFinding(
  db: ControlDb,
  input: { id: string; agencyId: string },
): Promise<FindingRecord | undefined> {
  const row = await db.$client
    .prepare(`SELECT ${COLUMNS} FROM review_findings finding WHERE finding.id = ? AND finding.agency_id = ?`)
    .bind(input.id, input.agencyId)
    .first<FindingRecord>();
  return row ?? undefined;
}

/** The newest searches of a finding, as the audit log holds them. */
export async function listEvidence(db: ControlDb, findingId: string): Promise<ReviewedSearch[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT log.seq, log.at, log.plate, coalesce(json_extract(log.detail, '$.query.justification'), '') AS justification,
        log.case_number, coalesce(json_extract(log.detail, '$.query.purpose'), '') AS purpose,
        coalesce(json_array_length(log.detail, '$.agencies'), 0) AS agencies, log.ip, log.programs_queried AS programs,
        evidence.reason
      FROM (SELECT seq, at, reason FROM review_evidence WHERE finding_id = ?
        ORDER BY at DESC, seq DESC LIMIT ${EVIDENCE_SHOWN}) evidence
      JOIN audit_log log ON log.seq = evidence.seq ORDER BY evidence.at DESC, evidence.seq DESC`,
    )
    .bind(findingId)
    .all<ReviewedSearch>();
  return results;
}

/** Everything that was decided about a finding, newest first. */
export async function listDecisions(
  db: ControlDb,
  findingId: string,
): Promise<(DecisionMade & { by: string })[]> {
  return db.all<DecisionMade & { by: string }>(
    sql`select number, verdict, note, "by", by_name, at from review_decisions where finding_id = ${findingId}
      order by number desc limit 100`,
  );
}

/** Names of those who may decide on this person's searches: the agency's other administrators. */
export async function listOtherAdmins(
  db: ControlDb,
  input: { agencyId: string; exceptId: string },
): Promise<string[]> {
  const rows = await db.all<{ name: string }>(
    sql`select name from users where agency_id = ${input.agencyId} and role = 'admin' and id <> ${input.exceptId}
      and deleted_at is null and disabled_at is null order by name limit 5`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Decides, by somebody else than the searcher, who has seen every decision so far; changes nothing otherwise. The first
 * statement has to stand before the second, and the audit row behind both.
 */
export function decideFinding(
  db: ControlDb,
  input: {
    id: string;
    agencyId: string;
    known: number;
    verdict: Verdict;
    note: string;
    by: string;
    byName: string;
    at: number;
  },
): [Statement, Statement] {
  const { id, agencyId, known, verdict, note, by, byName, at } = input;
  return [
    db.run(sql`update review_findings set decisions = decisions + 1, verdict = ${verdict}, decided_at = ${at}
      where id = ${id} and agency_id = ${agencyId} and user_id <> ${by} and decisions = ${known}`),
    db.run(sql`insert into review_decisions (finding_id, number, verdict, note, "by", by_name, at)
      select ${id}, ${known + 1}, ${verdict}, ${note}, ${by}, ${byName}, ${at} where changes() > 0`),
  ];
}
