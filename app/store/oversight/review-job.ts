// Queries and writes of the daily review. Every query uses an index over one day or one user's searches, so that the
// size of the audit log does not matter.

import { sql } from "drizzle-orm";
import * as z from "zod/mini";
import { type ReviewKind, SAMPLE_BELOW } from "#app/entities/oversight/review.ts";
import { DAY } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { jsonChunks } from "#app/store/json-chunks.ts";
import { listArchivedSubjects } from "./audit-archived-rows.ts";
import type { AuditLog } from "./audit-merge.ts";

/** Maximum number of one user's searches that are compared, newest first. */
const MAX_SEARCHES = 20_000;
const MAX_SAMPLED = 5_000;
/** Rows whose justifications are read per query. */
export const DETAILS_AT_ONCE = 500;

export type DueAgency = { id: string; timeZone: string; day: number | null; afterUser: string };

/** Returns agencies with unreviewed days up to `lastDay`: those tried longest ago first, then those furthest behind. */
export async function listDueAgencies(db: ControlDb, lastDay: number): Promise<DueAgency[]> {
  return db.all<DueAgency>(sql`
    SELECT agencies.id, agencies.time_zone AS timeZone, runs.day, coalesce(runs.after_user, '') AS afterUser
    FROM agencies
    LEFT JOIN review_runs runs ON runs.agency_id = agencies.id
    WHERE runs.day IS NULL OR runs.day <= ${lastDay}
    ORDER BY coalesce(runs.tried_at, 0), coalesce(runs.day, 0), agencies.id
    LIMIT 100`);
}

type Tries = { agencyIds: readonly string[]; firstDay: number; at: number };

/** Records that a run starts on these agencies. The review of an agency without one begins on `firstDay`. */
export function noteTries(db: ControlDb, { agencyIds, firstDay, at }: Tries): Statement {
  return db.run(sql`
    INSERT INTO review_runs (agency_id, day, tried_at)
    SELECT value, ${firstDay}, ${at}
    FROM json_each(${JSON.stringify(agencyIds)})
    WHERE true
    ON CONFLICT (agency_id) DO UPDATE
    SET tried_at = excluded.tried_at`);
}

/** Returns the instant up to which the review has passed an agency's searches, or null before the first review. */
export async function findReviewedUntil(db: ControlDb, agencyId: string): Promise<number | null> {
  const [run] = await db.all<{ day: number }>(sql`SELECT day FROM review_runs WHERE agency_id = ${agencyId}`);
  return run ? run.day * DAY : null;
}

/** Returns the time of an agency's first search at or after an instant, or null. */
export async function firstSearchSince(db: ControlDb, agencyId: string, at: number): Promise<number | null> {
  const [row] = await db.all<{ at: number | null }>(sql`
    SELECT min(at) AS at
    FROM audit_log INDEXED BY audit_log_kind
    WHERE agency_id = ${agencyId} AND kind = 'search' AND at >= ${at}`);
  return row?.at ?? null;
}

/** Stores the progress of an agency's review. */
export function putRun(
  db: ControlDb,
  run: { agencyId: string; day: number; afterUser: string; finishedAt: number | null },
): Statement {
  return db.run(sql`
    INSERT INTO review_runs (agency_id, day, after_user, finished_at)
    VALUES (${run.agencyId}, ${run.day}, ${run.afterUser}, ${run.finishedAt})
    ON CONFLICT (agency_id) DO UPDATE
    SET day = excluded.day,
      after_user = excluded.after_user,
      finished_at = coalesce(excluded.finished_at, finished_at)
    WHERE excluded.day > review_runs.day
      OR (excluded.day = review_runs.day AND excluded.after_user > review_runs.after_user)`);
}

type Span = { agencyId: string; from: number; until: number };
type UserSpan = Span & { userId: string };

/** Returns the ids of users who searched in [from, until), in order, after one of them. */
export async function listSearchers(
  db: ControlDb,
  input: Span & { after: string; limit: number },
): Promise<string[]> {
  // Query plan: audit_log_kind over the span, which keeps the user's id for DISTINCT in a temporary tree.
  const searchers = sql`
    SELECT DISTINCT user_id AS id
    FROM audit_log INDEXED BY audit_log_kind
    WHERE agency_id = ${input.agencyId}
      AND kind = 'search'
      AND at >= ${input.from}
      AND at < ${input.until}
      AND action IN ('search', 'search-places', 'search-convoy')
      AND outcome = 'ok'
      AND user_id > ${input.after}
    ORDER BY user_id
    LIMIT ${input.limit}`;
  const rows = await db.all<{ id: string }>(searchers);
  return rows.map(({ id }) => id);
}

export type SearchRecord = { seq: number; at: number; plate: string; case_number: string };

/**
 * Returns a user's successful searches in [from, until), oldest first, including those whose rows are archived. One
 * statement, since rows leave the one table for the other.
 */
export async function listSearchesOf(db: ControlDb, input: UserSpan): Promise<SearchRecord[]> {
  // Query plan: audit_log_searches and the primary key of review_searches over the span; LIMIT bounds the rows of each.
  const searches = sql`
    SELECT * FROM (
      SELECT seq, at, plate, case_number
      FROM audit_log INDEXED BY audit_log_searches
      WHERE agency_id = ${input.agencyId}
        AND user_id = ${input.userId}
        AND action = 'search'
        AND outcome = 'ok'
        AND at >= ${input.from}
        AND at < ${input.until}
      ORDER BY at DESC
      LIMIT ${MAX_SEARCHES}
    )
    UNION
    SELECT * FROM (
      SELECT seq, at, plate, case_number
      FROM review_searches
      WHERE agency_id = ${input.agencyId}
        AND user_id = ${input.userId}
        AND at >= ${input.from}
        AND at < ${input.until}
      ORDER BY at DESC
      LIMIT ${MAX_SEARCHES}
    )
    ORDER BY at DESC
    LIMIT ${MAX_SEARCHES}`;
  const rows = await db.all<SearchRecord>(searches);
  return rows.sort((a, b) => a.at - b.at || a.seq - b.seq);
}

/** Returns a user's place and convoy searches in [from, until), oldest first. */
export async function listPrivilegedOf(db: ControlDb, input: UserSpan): Promise<SearchRecord[]> {
  // Query plan: audit_log_own_searches over the span. The index needs all three actions.
  const searches = sql`
    SELECT seq, at, plate, case_number
    FROM audit_log INDEXED BY audit_log_own_searches
    WHERE agency_id = ${input.agencyId}
      AND user_id = ${input.userId}
      AND action IN ('search', 'search-places', 'search-convoy')
      AND action <> 'search'
      AND outcome = 'ok'
      AND at >= ${input.from}
      AND at < ${input.until}
    ORDER BY at, seq
    LIMIT ${MAX_SEARCHES}`;
  return db.all<SearchRecord>(searches);
}

export type Investigated = { seq: number; at: number; plates: number };

/** A search that was begun ends within this time. */
const LONGEST_SEARCH_MS = 60 * 60_000;

/**
 * Query plan: audit_log_kind over the span and, for each search of the user, from its begin to find its end; each
 * returned plate by audit_log_plate_at.
 */
const investigations = (input: UserSpan) => sql`
  SELECT begun.seq, begun.at, json_group_array(returned.value) AS plates
  FROM audit_log begun INDEXED BY audit_log_kind
  JOIN audit_log ended INDEXED BY audit_log_kind
    ON ended.agency_id = begun.agency_id
    AND ended.kind = 'search'
    AND ended.at >= begun.at
    AND ended.at < ${input.until} + ${LONGEST_SEARCH_MS}
    AND ended.action = begun.action || '.finished'
    AND ended.object = begun.object
  JOIN json_each(ended.detail, '$.plates') returned
  WHERE begun.agency_id = ${input.agencyId}
    AND begun.kind = 'search'
    AND begun.at >= ${input.from}
    AND begun.at < ${input.until}
    AND begun.user_id = ${input.userId}
    AND begun.action IN ('search-places', 'search-convoy')
    AND begun.outcome = 'ok'
    AND NOT EXISTS (
      SELECT 1
      FROM audit_log subject INDEXED BY audit_log_plate_at
      WHERE subject.agency_id = ${input.agencyId}
        AND subject.plate = returned.value
        AND subject.plate <> ''
        AND subject.action IN ('search', 'search-convoy')
        AND subject.outcome = 'ok')
  GROUP BY begun.seq
  ORDER BY begun.at, begun.seq`;

/**
 * Returns a user's place and convoy searches in [from, until), oldest first, with the number of plates they returned
 * for which no one in the agency has searched, in the database and the archive.
 */
export async function listInvestigationsOf(log: AuditLog, input: UserSpan): Promise<Investigated[]> {
  const found = await log.db.all<Omit<Investigated, "plates"> & { plates: string }>(investigations(input));
  const searches = found.map((row) => ({ ...row, plates: Plates.parse(JSON.parse(row.plates)) }));
  const plates = [...new Set(searches.flatMap((search) => search.plates))];
  const subjects = await listArchivedSubjects(log, { agencyId: input.agencyId, plates });
  return searches
    .map((search) => ({ ...search, plates: search.plates.filter((plate) => !subjects.has(plate)).length }))
    .filter((search) => search.plates > 0);
}

const Plates = z.array(z.string());

export type SearchWords = { seq: number; at: number; username: string; justification: string };

/** Returns the justifications of these rows, DETAILS_AT_ONCE at most. */
export async function listWords(db: ControlDb, seqs: readonly number[]): Promise<SearchWords[]> {
  return db.all<SearchWords>(sql`
    SELECT seq, at, username, coalesce(json_extract(detail, '$.query.justification'), '') AS justification
    FROM audit_log
    WHERE seq IN (SELECT value FROM json_each(${JSON.stringify(seqs)}))
    ORDER BY at, seq`);
}

/** Returns the name of a user, or "" if the user does not exist. */
export async function findName(db: ControlDb, userId: string): Promise<string> {
  const [row] = await db.all<{ name: string }>(sql`SELECT name FROM users WHERE id = ${userId}`);
  return row?.name ?? "";
}

/** Returns those of these rows that a decided finding of a kind contains. */
export async function listDecidedSeqs(
  db: ControlDb,
  input: { kind: ReviewKind; seqs: readonly number[] },
): Promise<Set<number>> {
  const rows = await db.all<{ seq: number }>(sql`
    SELECT evidence.seq
    FROM json_each(${JSON.stringify(input.seqs)}) wanted
    JOIN review_evidence evidence ON evidence.seq = wanted.value AND evidence.kind = ${input.kind}
    JOIN review_findings finding ON finding.id = evidence.finding_id
    WHERE finding.decisions > 0`);
  return new Set(rows.map(({ seq }) => seq));
}

export type OpenFinding = { id: string; kind: ReviewKind; plate: string; day: number; lastAt: number };

/** Returns a user's open findings whose last search is not older than an instant. */
export async function listGrowing(
  db: ControlDb,
  input: { agencyId: string; userId: string; since: number },
): Promise<OpenFinding[]> {
  return db.all<OpenFinding>(sql`
    SELECT id, kind, plate, day, last_at AS lastAt
    FROM review_findings INDEXED BY review_findings_growing
    WHERE agency_id = ${input.agencyId}
      AND user_id = ${input.userId}
      AND decisions = 0
      AND last_at >= ${input.since}
    ORDER BY last_at, id`);
}

export type Found = {
  id: string;
  agencyId: string;
  kind: ReviewKind;
  userId: string;
  username: string;
  plate: string;
  day: number;
  evidence: { seq: number; at: number; reason: string }[];
};

/** Who held the token of the service account that made a search. Stored, since the row leaves the database. */
const ANSWERED_BY = sql.raw("detail ->> '$.service_account.answered_by'");

/**
 * Returns the statements that add searches to findings and create those that are needed, for one batch. Existing
 * searches stay unchanged, and a decided finding takes no more. A person may have thousands of findings and searches a
 * day, and D1 limits queries and values: the number of statements does not grow with the findings, and no value with
 * the searches.
 */
export function writeFindings(
  db: ControlDb,
  findings: readonly Found[],
  now: number,
): [Statement, ...Statement[]] {
  const found = JSON.stringify(findings.map(({ evidence: _, ...finding }) => finding));
  const ids = JSON.stringify(findings.map(({ id }) => id));
  const evidence = findings.flatMap(({ id, kind, evidence }) =>
    evidence.map(({ seq, at, reason }) => [seq, kind, id, at, reason]),
  );
  return [
    db.run(sql`
      INSERT INTO review_findings
        (id, agency_id, kind, user_id, username, plate, day, first_at, last_at, searches, created_at)
      SELECT value ->> '$.id', value ->> '$.agencyId', value ->> '$.kind', value ->> '$.userId',
        value ->> '$.username', value ->> '$.plate', value ->> '$.day', 0, 0, 0, ${now}
      FROM json_each(${found})
      WHERE true
      ON CONFLICT (id) DO NOTHING`),
    ...jsonChunks(evidence).map(({ json }) =>
      db.run(sql`
        INSERT OR IGNORE INTO review_evidence (seq, kind, finding_id, at, reason, answered_by)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4,
          coalesce((SELECT ${ANSWERED_BY} FROM audit_log WHERE seq = value ->> 0), '')
        FROM json_each(${json})
        WHERE EXISTS (SELECT 1 FROM review_findings WHERE id = value ->> 2 AND decisions = 0)`),
    ),
    db.run(sql`
      UPDATE review_findings
      SET (searches, first_at, last_at) = (
        SELECT count(*), coalesce(min(at), 0), coalesce(max(at), 0)
        FROM review_evidence
        WHERE finding_id = review_findings.id
      )
      WHERE id IN (SELECT value FROM json_each(${ids})) AND decisions = 0`),
    db.run(sql`
      DELETE FROM review_findings
      WHERE id IN (SELECT value FROM json_each(${ids})) AND decisions = 0 AND searches = 0`),
  ];
}

/**
 * Returns the statements that make a finding of the newest audit row. They belong in the batch that writes the row,
 * directly after it. The daily review adds nothing for a search that has a finding of the kind.
 */
export function writeFindingOfNewestRow(
  db: ControlDb,
  found: Omit<Found, "id" | "plate" | "evidence"> & { at: number; reason: string },
): Statement[] {
  const { agencyId, kind, userId, username, day, at, reason } = found;
  return [
    db.run(sql`
      INSERT INTO review_findings
        (id, agency_id, kind, user_id, username, plate, day, first_at, last_at, searches, created_at)
      SELECT ${kind} || '-' || max(seq), ${agencyId}, ${kind}, ${userId}, ${username}, '', ${day}, ${at}, ${at}, 1, ${at}
      FROM audit_log`),
    db.run(sql`
      INSERT INTO review_evidence (seq, kind, finding_id, at, reason, answered_by)
      SELECT seq, ${kind}, ${kind} || '-' || seq, ${at}, ${reason}, coalesce(${ANSWERED_BY}, '')
      FROM audit_log
      ORDER BY seq DESC
      LIMIT 1`),
  ];
}

/** Returns how many of these rows are in a finding of the kind. */
export async function countInFindings(
  db: ControlDb,
  input: { kind: ReviewKind; seqs: readonly number[] },
): Promise<number> {
  const [row] = await db.all<{ n: number }>(sql`
    SELECT count(*) AS n
    FROM json_each(${JSON.stringify(input.seqs)}) wanted
    JOIN review_evidence evidence ON evidence.seq = wanted.value AND evidence.kind = ${input.kind}`);
  return row?.n ?? 0;
}

export type Sampled = { seq: number; at: number; userId: string; username: string };

/** Query plan: audit_log_kind over the day, then each row's link hash by the primary key of audit_chain. */
const sampleSql = (condition: string, limit: number) => `
  SELECT log.seq, log.at, log.user_id AS userId, log.username
  FROM audit_log log INDEXED BY audit_log_kind
  JOIN audit_chain chain ON chain.seq = log.seq
  WHERE log.agency_id = ?1
    AND log.kind = 'search'
    AND log.at >= ?2
    AND log.at < ?3
    AND log.action IN ('search', 'search-places', 'search-convoy')
    AND log.outcome = 'ok' ${condition}
  ORDER BY chain.hash
  LIMIT ${limit}`;

/**
 * Returns the random sample of a day: searches with a low link hash, or the one with the lowest if none is low enough.
 */
export async function listSample(db: ControlDb, input: Span): Promise<Sampled[]> {
  const drawn = (condition: string, limit: number) =>
    db.$client
      .prepare(sampleSql(condition, limit))
      .bind(input.agencyId, input.from, input.until)
      .all<Sampled>();
  const low = (await drawn(`AND chain.hash < '${SAMPLE_BELOW}'`, MAX_SAMPLED)).results;
  return low.length > 0 ? low : (await drawn("", 1)).results;
}
