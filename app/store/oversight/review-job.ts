// What the daily review reads and writes. It is driven by indexes over one day and over one person's searches; how large
// the audit log has grown does not matter.

import { sql } from "drizzle-orm";
import { type ReviewKind, SAMPLE_BELOW } from "#app/entities/oversight/review.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";

/** Searches of one person that are looked at at once, the newest of them. */
const MOST_SEARCHES = 20_000;
const MOST_SAMPLED = 5_000;
/** Rows whose words are read at once. */
export const DETAILS_AT_ONCE = 500;

export type DueAgency = { id: string; timeZone: string; day: number | null; afterUser: string };

/** Agencies of which a day up to `lastDay` was not looked through, those that are furthest behind first. */
export async function listDueAgencies(db: ControlDb, lastDay: number): Promise<DueAgency[]> {
  return db.all<DueAgency>(
    sql`select agencies.id, agencies.time_zone as timeZone, runs.day, coalesce(runs.after_user, '') as afterUser
      from agencies left join review_runs runs on runs.agency_id = agencies.id
      where runs.day is null or runs.day <= ${lastDay} order by coalesce(runs.day, 0), agencies.id limit 100`,
  );
}

/** The time of an agency's first search at or after an instant, or null. */
export async function firstSearchSince(db: ControlDb, agencyId: string, at: number): Promise<number | null> {
  const [row] = await db.all<{ at: number | null }>(
    sql`select min(at) as at from audit_log indexed by audit_log_kind
      where agency_id = ${agencyId} and kind = 'search' and at >= ${at}`,
  );
  return row?.at ?? null;
}

/** Writes down how far an agency has come. */
export function putRun(
  db: ControlDb,
  run: { agencyId: string; day: number; afterUser: string; finishedAt: number | null },
): Statement {
  return db.run(sql`insert into review_runs (agency_id, day, after_user, finished_at)
    values (${run.agencyId}, ${run.day}, ${run.afterUser}, ${run.finishedAt})
    on conflict (agency_id) do update set day = excluded.day, after_user = excluded.after_user,
      finished_at = coalesce(excluded.finished_at, finished_at)
    where excluded.day > review_runs.day
      or (excluded.day = review_runs.day and excluded.after_user > review_runs.after_user)`);
}

type Span = { agencyId: string; from: number; until: number };

/** Who searched in [from, until), by id, after one of them. */
export async function listSearchers(
  db: ControlDb,
  input: Span & { after: string; limit: number },
): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    sql`select distinct user_id as id from audit_log indexed by audit_log_kind
      where agency_id = ${input.agencyId} and kind = 'search' and at >= ${input.from} and at < ${input.until}
        and action = 'search' and outcome = 'ok' and user_id > ${input.after}
      order by user_id limit ${input.limit}`,
  );
  return rows.map(({ id }) => id);
}

export type SearchRecord = { seq: number; at: number; plate: string; case_number: string };

/** A person's searches of [from, until) that were carried out, in order of time. */
export async function listSearchesOf(
  db: ControlDb,
  input: Span & { userId: string },
): Promise<SearchRecord[]> {
  const rows = await db.all<SearchRecord>(
    sql`select seq, at, plate, case_number from audit_log indexed by audit_log_searches
      where agency_id = ${input.agencyId} and user_id = ${input.userId} and action = 'search' and outcome = 'ok'
        and at >= ${input.from} and at < ${input.until} order by at desc limit ${MOST_SEARCHES}`,
  );
  return rows.sort((a, b) => a.at - b.at || a.seq - b.seq);
}

export type SearchWords = { seq: number; at: number; username: string; justification: string };

/** What was written as the reason of these rows, at most DETAILS_AT_ONCE. */
export async function listWords(db: ControlDb, seqs: readonly number[]): Promise<SearchWords[]> {
  return db.all<SearchWords>(
    sql`select seq, at, username, coalesce(json_extract(detail, '$.query.justification'), '') as justification
      from audit_log where seq in (select value from json_each(${JSON.stringify(seqs)})) order by at, seq`,
  );
}

/** The name of a user, "" where there is none any more. */
export async function findName(db: ControlDb, userId: string): Promise<string> {
  const [row] = await db.all<{ name: string }>(sql`select name from users where id = ${userId}`);
  return row?.name ?? "";
}

/** Of these rows, those that a decided finding of a kind holds. */
export async function listDecidedSeqs(
  db: ControlDb,
  input: { kind: ReviewKind; seqs: readonly number[] },
): Promise<Set<number>> {
  const rows = await db.all<{ seq: number }>(
    sql`select evidence.seq from json_each(${JSON.stringify(input.seqs)}) wanted
      join review_evidence evidence on evidence.seq = wanted.value and evidence.kind = ${input.kind}
      join review_findings finding on finding.id = evidence.finding_id where finding.decisions > 0`,
  );
  return new Set(rows.map(({ seq }) => seq));
}

export type OpenFinding = { id: string; kind: ReviewKind; plate: string; day: number; lastAt: number };

/** A person's open findings whose last search is not older than an instant. */
export async function listGrowing(
  db: ControlDb,
  input: { agencyId: string; userId: string; since: number },
): Promise<OpenFinding[]> {
  return db.all<OpenFinding>(
    sql`select id, kind, plate, day, last_at as lastAt from review_findings indexed by review_findings_growing
      where agency_id = ${input.agencyId} and user_id = ${input.userId} and decisions = 0
        and last_at >= ${input.since} order by last_at, id`,
  );
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

/**
 * Adds searches to a finding, which is made where it is not there. What it holds already stays as it is, and a finding
 * that was decided takes nothing more.
 */
export function writeFinding(db: ControlDb, found: Found, now: number): Statement[] {
  const { id, agencyId, kind, userId, username, plate, day, evidence } = found;
  return [
    db.run(sql`insert into review_findings
      (id, agency_id, kind, user_id, username, plate, day, first_at, last_at, searches, created_at)
      values (${id}, ${agencyId}, ${kind}, ${userId}, ${username}, ${plate}, ${day}, 0, 0, 0, ${now})
      on conflict (id) do nothing`),
    db.run(sql`insert or ignore into review_evidence (seq, kind, finding_id, at, reason)
      select value ->> '$.seq', ${kind}, ${id}, value ->> '$.at', value ->> '$.reason'
      from json_each(${JSON.stringify(evidence)})
      where exists (select 1 from review_findings where id = ${id} and decisions = 0)`),
    db.run(sql`update review_findings set (searches, first_at, last_at) =
      (select count(*), coalesce(min(at), 0), coalesce(max(at), 0) from review_evidence where finding_id = ${id})
      where id = ${id} and decisions = 0`),
    db.run(sql`delete from review_findings where id = ${id} and decisions = 0 and searches = 0`),
  ];
}

/** How many of these rows some finding of the kind holds. */
export async function countHeld(
  db: ControlDb,
  input: { kind: ReviewKind; seqs: readonly number[] },
): Promise<number> {
  const [row] = await db.all<{ n: number }>(
    sql`select count(*) as n from json_each(${JSON.stringify(input.seqs)}) wanted
      join review_evidence evidence on evidence.seq = wanted.value and evidence.kind = ${input.kind}`,
  );
  return row?.n ?? 0;
}

export type Sampled = { seq: number; at: number; userId: string; username: string };

/** The random sample of a day: rows whose link in the chain is low, or the lowest where none is low enough. */
export async function listSample(db: ControlDb, input: Span): Promise<Sampled[]> {
  const drawn = (condition: string, limit: number) =>
    db.$client
      .prepare(
        `SELECT log.seq, log.at, log.user_id AS userId, log.username
        FROM audit_log log INDEXED BY audit_log_kind JOIN audit_chain chain ON chain.seq = log.seq
        WHERE log.agency_id = ?1 AND log.kind = 'search' AND log.at >= ?2 AND log.at < ?3
          AND log.action = 'search' AND log.outcome = 'ok' ${condition} ORDER BY chain.hash LIMIT ${limit}`,
      )
      .bind(input.agencyId, input.from, input.until)
      .all<Sampled>();
  const low = (await drawn(`AND chain.hash < '${SAMPLE_BELOW}'`, MOST_SAMPLED)).results;
  return low.length > 0 ? low : (await drawn("", 1)).results;
}
