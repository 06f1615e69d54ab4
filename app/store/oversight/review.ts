// Findings of the review: listed, counted and decided. Each page starts after the previous one and comes from an index
// in its order. The statement itself prevents people from deciding on their own searches.

import { sql } from "drizzle-orm";
import type { ChainedRow } from "#app/entities/oversight/audit-chain.ts";
import { fieldsOf, serviceAccountIn } from "#app/entities/oversight/audit-words.ts";
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
import { parseJson } from "#app/lib/json/parse.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { findArchivedRows } from "./audit-archived-rows.ts";
import type { AuditLog } from "./audit-merge.ts";

/** Returns the numbers of findings made in [from, to) in ms, of those decided, and of those decided as violations. */
export async function countReviews(
  db: ControlDb,
  agencyId: string,
  from: number,
  to: number,
): Promise<{ findings: number; reviewed: number; violations: number }> {
  const [counts] = await db.all<{ findings: number; reviewed: number; violations: number }>(sql`
    SELECT count(*) AS findings, coalesce(sum(decisions > 0), 0) AS reviewed,
      coalesce(sum(verdict = 'violation'), 0) AS violations
    FROM review_findings INDEXED BY review_findings_made
    WHERE agency_id = ${agencyId} AND created_at >= ${from} AND created_at < ${to}`);
  return counts ?? { findings: 0, reviewed: 0, violations: 0 };
}

/**
 * Returns the open findings of an agency by kind, and those made before `overdueBefore`; each count stops at
 * COUNTED_TO.
 */
export async function countOpen(
  db: ControlDb,
  input: { agencyId: string; overdueBefore: number },
): Promise<ReviewCounts> {
  const counts = REVIEW_KINDS.map(
    ({ value }) => `(SELECT count(*) FROM (SELECT 1 FROM review_findings INDEXED BY review_findings_open_kind
      WHERE agency_id = ?1 AND decisions = 0 AND kind = '${value}' LIMIT ${COUNTED_TO})) AS "${value}"`,
  );
  // Query plan: review_findings_open_kind for each kind, review_findings_age for those overdue; LIMIT bounds the rows read.
  const statement = `
    SELECT ${counts.join(", ")},
      (
        SELECT count(*)
        FROM (
          SELECT 1
          FROM review_findings INDEXED BY review_findings_age
          WHERE agency_id = ?1 AND decisions = 0 AND created_at < ?2
          LIMIT ${COUNTED_TO}
        )
      ) AS overdue`;
  const row = await db.$client
    .prepare(statement)
    .bind(input.agencyId, input.overdueBefore)
    .first<Record<ReviewKind | "overdue", number>>();
  if (!row) throw new Error("a count returned no row");
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

/** The order of each list, and the index in that order. */
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

/** Returns a page of an agency's findings, newest first, and the cursor of the next page. */
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
    .prepare(`
      SELECT ${COLUMNS}
      FROM (
        SELECT *
        FROM review_findings INDEXED BY ${index}${own}
        WHERE ${conditions.join(" AND ")}
        ORDER BY ${order} DESC, id DESC
        LIMIT ${query.limit}
      ) finding
      ORDER BY finding.${order} DESC, finding.id DESC`)
    .bind(JSON.stringify(query))
    .all<FindingRecord>();
  const last = rows.length === query.limit ? rows.at(-1) : undefined;
  return { rows, next: last ? { at: last[order] ?? 0, id: last.id } : null };
}

/** Returns a finding of this agency, or undefined. */
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

/** Query plan: the newest rows of review_evidence_finding in its order, then the audit log by its primary key. */
const EVIDENCE_SQL = `
  SELECT evidence.seq, coalesce(log.at, evidence.at) AS at, log.seq IS NULL AS isOffline, log.plate,
    coalesce(json_extract(log.detail, '$.query.justification'), '') AS justification, log.case_number,
    coalesce(json_extract(log.detail, '$.query.purpose'), '') AS purpose,
    coalesce(json_extract(log.detail, '$.agency_count'), json_array_length(log.detail, '$.agencies'), 0) AS agencies,
    log.ip,
    log.programs_queried AS programs, evidence.reason,
    coalesce(json_extract(log.detail, '$.service_account.name'), '') AS service_account
  FROM (
    SELECT seq, at, reason
    FROM review_evidence
    WHERE finding_id = ?
    ORDER BY at DESC, seq DESC
    LIMIT ${EVIDENCE_SHOWN}
  ) evidence
  LEFT JOIN audit_log log ON log.seq = evidence.seq
  ORDER BY evidence.at DESC, evidence.seq DESC`;

/** Returns the newest searches of an agency's finding from the audit log, without those past its retention. */
export async function listEvidence(
  log: AuditLog,
  { id, agencyId }: { id: string; agencyId: string },
): Promise<ReviewedSearch[]> {
  const { results } = await log.db.$client
    .prepare(EVIDENCE_SQL)
    .bind(id)
    .all<ReviewedSearch & { isOffline: number }>();
  const seqs = results.filter(({ isOffline }) => isOffline === 1).map(({ seq }) => seq);
  const archived = await findArchivedRows(log, { agencyId, seqs });
  return results.flatMap(({ isOffline, ...search }) => {
    if (isOffline === 0) return [search];
    const row = archived.get(search.seq);
    return row ? [reviewedSearch(row, search.reason)] : [];
  });
}

function reviewedSearch(row: ChainedRow, reason: string): ReviewedSearch {
  const { seq, at, plate, case_number, ip, programs_queried: programs } = row;
  const detail = fieldsOf(parseJson(row.detail));
  const query = fieldsOf(detail.query);
  return {
    ...{ seq, at, plate, case_number, ip, programs, reason },
    justification: typeof query.justification === "string" ? query.justification : "",
    purpose: typeof query.purpose === "string" ? query.purpose : "",
    agencies: searchedAgencies(detail),
    service_account: serviceAccountIn(detail),
  };
}

/** Rows without a count name identifiers, of which one agency may have several. */
function searchedAgencies({ agency_count, agencies }: Record<string, unknown>): number {
  if (typeof agency_count === "number") return agency_count;
  return Array.isArray(agencies) ? agencies.length : 0;
}

/** Returns the decisions on a finding, newest first. */
export async function listDecisions(
  db: ControlDb,
  findingId: string,
): Promise<(DecisionMade & { by: string })[]> {
  return db.all<DecisionMade & { by: string }>(sql`
    SELECT number, verdict, note, "by", by_name, at
    FROM review_decisions
    WHERE finding_id = ${findingId}
    ORDER BY number DESC
    LIMIT 100`);
}

/** Returns whether a user held the token of a service account that made some of a finding's searches. */
export async function answersFor(
  db: ControlDb,
  { findingId, userId }: { findingId: string; userId: string },
): Promise<boolean> {
  const [row] = await db.all(sql`
    SELECT 1
    FROM review_evidence
    WHERE finding_id = ${findingId} AND answered_by = ${userId}
    LIMIT 1`);
  return row !== undefined;
}

/** Returns the names of the agency's administrators who may decide on a finding. */
export async function listDeciders(
  db: ControlDb,
  input: { agencyId: string; findingId: string },
): Promise<string[]> {
  // Query plan: users_agency in the order of names, the finding by primary key, its evidence by review_evidence_finding.
  const deciders = sql`
    SELECT name
    FROM users
    WHERE agency_id = ${input.agencyId}
      AND role = 'admin'
      AND id NOT IN (SELECT user_id FROM review_findings WHERE id = ${input.findingId})
      AND id NOT IN (SELECT answered_by FROM review_evidence WHERE finding_id = ${input.findingId})
      AND deleted_at IS NULL
      AND disabled_at IS NULL
    ORDER BY name
    LIMIT 5`;
  const rows = await db.all<{ name: string }>(deciders);
  return rows.map(({ name }) => name);
}

/**
 * Returns the statements of a decision by someone who neither searched nor held the token of a service account that
 * did, and who has seen all searches and earlier decisions; they change nothing otherwise. Run them in this order, and
 * the audit row after them.
 */
export function decideFinding(
  db: ControlDb,
  input: {
    id: string;
    agencyId: string;
    known: number;
    /** Undefined if the caller does not say how many searches they saw. */
    searches: number | undefined;
    verdict: Verdict;
    note: string;
    by: string;
    byName: string;
    at: number;
  },
): [Statement, Statement] {
  const { id, agencyId, known, searches = null, verdict, note, by, byName, at } = input;
  return [
    db.run(sql`
      UPDATE review_findings
      SET decisions = decisions + 1, verdict = ${verdict}, decided_at = ${at}
      WHERE id = ${id}
        AND agency_id = ${agencyId}
        AND user_id <> ${by}
        AND NOT EXISTS (SELECT 1 FROM review_evidence WHERE finding_id = ${id} AND answered_by = ${by})
        AND decisions = ${known}
        AND searches = coalesce(${searches}, searches)`),
    db.run(sql`
      INSERT INTO review_decisions (finding_id, number, verdict, note, "by", by_name, at)
      SELECT ${id}, ${known + 1}, ${verdict}, ${note}, ${by}, ${byName}, ${at}
      WHERE changes() > 0`),
  ];
}
