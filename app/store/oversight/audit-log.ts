// Reads pages of the audit log. Each page starts after the previous one and comes from an index in its order, so that
// every page costs the same. Rows that left the database are added by audit-merge.ts.

import { sql } from "drizzle-orm";
import type { ChainedRow } from "#app/entities/oversight/audit-chain.ts";
import type { AuditCursor } from "#app/entities/oversight/audit-filter.ts";
import type { ControlDb } from "#app/store/database.ts";
import { type AuditLog, LAST_SEQ, mergeArchived, type Page } from "./audit-merge.ts";
import {
  type AuditQuery,
  type AuditRecord,
  isOlder,
  matcherOf,
  plateWords,
  termsOfQuery,
} from "./audit-query.ts";

/** Rows that one call compares with a part of a plate, because no index finds parts. */
export const COMPARED_ROWS = 20_000;

type AuditRecords = Page<AuditRecord>;

/**
 * Returns a page of an agency's rows, newest first, from the database and the archive. A part of a plate is looked for
 * in COMPARED_ROWS rows of each, and every other filter in as many archived rows; a page with fewer rows than asked for
 * then says where it stopped, and the next page continues there. Throws ArchiveFault if an archived row is not as it was.
 */
export async function listAuditRows(log: AuditLog, query: AuditQuery): Promise<AuditRecords> {
  const online = await listOnline(log.db, query);
  const { rows, archivedTo } = online;
  const last = rows.at(-1);
  const isFull = last !== undefined && rows.length === query.limit;
  if (archivedTo === null || (isFull && last.at > archivedTo)) return online;
  if (query.offset > 0) return listFromOffset(log, query, archivedTo);
  const matches = matcherOf(query);
  const select = (found: ChainedRow[]) => found.filter(matches).map(recordOf);
  const page = await mergeArchived(log, { ...query, terms: termsOfQuery(query), select }, online);
  return { ...page, rows: await withNames(log.db, query.agencyId, page.rows) };
}

/** An archived row has its user's id instead of a name. */
type Unnamed = AuditRecord & { userId?: string };

function recordOf({ user_id: userId, ...row }: ChainedRow): Unnamed {
  const { seq, at, username, action, outcome, object, plate, case_number, programs_queried, detail, ip } =
    row;
  const columns = { seq, at, username, action, outcome, object, plate, case_number, programs_queried };
  return { ...columns, detail, ip, name: null, agency: null, userId };
}

/** Returns the rows with the names of users and of the agency. */
async function withNames(db: ControlDb, agencyId: string, rows: readonly Unnamed[]): Promise<AuditRecord[]> {
  const ids = [...new Set(rows.map(({ userId }) => userId).filter((id) => id !== undefined))];
  if (ids.length === 0) return [...rows];
  const named = await db.all<{ id: string; name: string; isAgency: number }>(sql`
    SELECT id, name, 0 AS isAgency
    FROM users
    WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
    UNION ALL
    SELECT id, name, 1
    FROM agencies
    WHERE id = ${agencyId}`);
  const names = new Map(named.filter((row) => row.isAgency === 0).map(({ id, name }) => [id, name]));
  const agency = named.find((row) => row.isAgency === 1)?.name ?? null;
  return rows.map(({ userId, ...row }) =>
    userId === undefined ? row : { ...row, agency, name: names.get(userId) ?? null },
  );
}

/**
 * Returns a numbered page, which is full unless the log ends: a client that pages by number cannot continue where
 * a page stopped. Only a part of a plate may stop it, as in `listAuditRows`. Throws ArchiveFault.
 */
export async function listNumberedRows(log: AuditLog, query: AuditQuery): Promise<AuditRecords> {
  const { rows, stoppedAt } = await listAuditRows(log, query);
  if (query.isPlatePart && query.plate !== "") return { rows, stoppedAt };
  let end = stoppedAt;
  while (rows.length < query.limit && end) {
    const more = {
      ...query,
      after: { at: end.at, seq: end.seq },
      offset: 0,
      limit: query.limit - rows.length,
    };
    const next = await listAuditRows(log, more);
    rows.push(...next.rows);
    end = next.stoppedAt;
  }
  return { rows, stoppedAt: null };
}

/** Returns a numbered page that reaches into the archive. Rows of earlier pages are read to be counted. */
async function listFromOffset(log: AuditLog, query: AuditQuery, archivedTo: number): Promise<AuditRecords> {
  const { limit, offset } = query;
  if (query.isPlatePart && query.plate !== "") {
    const { rows, stoppedAt } = await listAuditRows(log, { ...query, offset: 0, limit: offset + limit });
    return { rows: rows.slice(offset), stoppedAt };
  }
  const newer = await countNewer(log.db, query, archivedTo);
  let skip = offset;
  let after = query.after;
  if (newer <= offset) {
    skip -= newer;
    const edge = { at: archivedTo, seq: LAST_SEQ };
    after = after && isOlder(after, edge) ? after : edge;
  }
  const rows: AuditRecord[] = [];
  for (;;) {
    const page = await listAuditRows(log, { ...query, after, offset: 0, limit: SKIPPED_AT_ONCE });
    rows.push(...page.rows.slice(Math.min(skip, page.rows.length), skip + limit - rows.length));
    skip = Math.max(0, skip - page.rows.length);
    const end = page.rows.length === SKIPPED_AT_ONCE ? (page.rows.at(-1) ?? null) : page.stoppedAt;
    if (rows.length === limit || !end) return { rows, stoppedAt: null };
    after = { at: end.at, seq: end.seq };
  }
}

/** Rows that are read per query to find a numbered page. */
const SKIPPED_AT_ONCE = 2_000;

/** Returns how many rows of a query are newer than every archived row. */
async function countNewer(db: ControlDb, query: AuditQuery, archivedTo: number): Promise<number> {
  const newer = {
    ...query,
    start: Math.max(query.start ?? 0, archivedTo + 1),
    offset: 0,
    limit: query.offset + 1,
  };
  const count = await db.$client
    .prepare(`SELECT count(*) AS n FROM (${pageOf(newer)})`)
    .bind(JSON.stringify(parametersOf(newer)))
    .first<number>("n");
  return count ?? 0;
}

type Online = AuditRecords & {
  /** The time of the newest archived row; null if the agency has none. */
  archivedTo: number | null;
};

/** Query plan: audit_segments_at, its last entry of the agency. */
const ARCHIVED_TO = "SELECT max(max_at) AS archivedTo FROM audit_segments WHERE agency_id = ?";

/** Reads the database only, in one transaction: rows leave it for the archive. */
async function listOnline(db: ControlDb, query: AuditQuery): Promise<Online> {
  const parameters = JSON.stringify(parametersOf(query));
  const isCompared = query.isPlatePart === true && query.plate !== "";
  const [page, archive, stop] = await db.$client.batch([
    db.$client
      .prepare(`
        SELECT log.seq, log.at, log.username, users.name, agencies.name AS agency, log.action, log.outcome,
          log.object, log.plate, log.case_number, log.programs_queried, log.detail, log.ip
        FROM (${pageOf(query)}) page
        JOIN audit_log log ON log.seq = page.seq
        LEFT JOIN users ON users.id = log.user_id
        LEFT JOIN agencies ON agencies.id = log.agency_id
        ORDER BY page.at DESC, page.seq DESC`)
      .bind(parameters),
    db.$client.prepare(ARCHIVED_TO).bind(query.agencyId),
    ...(isCompared
      ? [
          db.$client
            .prepare(`SELECT at, seq FROM (${comparedRows(query)}) LIMIT 1 OFFSET ${COMPARED_ROWS - 1}`)
            .bind(parameters),
        ]
      : []),
  ]);
  const rows = (page?.results ?? []) as AuditRecord[];
  const [{ archivedTo } = { archivedTo: null }] = (archive?.results ?? []) as Pick<Online, "archivedTo">[];
  const [stoppedAt = null] = (stop?.results ?? []) as AuditCursor[];
  return { rows, archivedTo, stoppedAt: rows.length === query.limit ? null : stoppedAt };
}

/** One bound JSON value, because the query uses some parameters more than once. */
function parametersOf(query: AuditQuery) {
  const { agencyId, kind, plate, username, caseNumber, start, end, after, limit, offset } = query;
  const { stem, part } = plateWords(plate);
  return {
    agencyId,
    kind,
    plate: stem,
    plateEnd: `${stem}\u{10FFFF}`,
    part,
    username,
    caseNumber,
    start,
    end,
    after,
    limit,
    offset,
  };
}

const value = (path: string) => `json_extract(?1, '$.${path}')`;

/** The most selective condition chooses the index; the others are checked row by row. */
function pageOf(query: AuditQuery): string {
  const { index, indexed, checked } = conditionsOf(query);
  const isCompared = query.isPlatePart && query.plate;
  return `
    SELECT at, seq
    FROM ${isCompared ? `(${comparedRows(query)})` : `audit_log INDEXED BY ${index}`}
    WHERE ${(isCompared ? checked : [...indexed, ...checked]).join(" AND ")}
    ORDER BY at DESC, seq DESC
    LIMIT ${value("limit")} OFFSET ${value("offset")}`;
}

/** The newest rows that the index alone finds. Their number bounds the work of every other condition. */
function comparedRows(query: AuditQuery): string {
  const { index, indexed } = conditionsOf(query);
  return `
    SELECT at, seq, agency_id, kind, action, outcome, plate, username, case_number
    FROM audit_log INDEXED BY ${index}
    WHERE ${indexed.join(" AND ")}
    ORDER BY at DESC, seq DESC
    LIMIT ${COMPARED_ROWS}`;
}

/** Returns the index of a query, the conditions that it finds rows by, and those that are checked row by row. */
function conditionsOf(query: AuditQuery): { index: string; indexed: string[]; checked: string[] } {
  const columns = [
    query.plate && !query.isPlatePart && { index: "audit_log_plate_at", where: plateOf(query) },
    query.caseNumber && {
      index: "audit_log_case",
      where: `case_number <> '' AND case_number = ${value("caseNumber")}`,
    },
    query.username && { index: "audit_log_name", where: `username = ${value("username")}` },
    query.refusedOnly && { index: "audit_log_refused", where: "outcome = 'refused'" },
    query.kind && { index: "audit_log_kind", where: `kind = ${value("kind")}` },
  ].flatMap((column) => column || []);
  const [first, ...others] = columns;
  const texts = (list: (string | false | undefined)[]) => list.filter((text) => typeof text === "string");
  return {
    index: first?.index ?? "audit_log_at",
    indexed: texts([
      `agency_id = ${value("agencyId")}`,
      // A row that was written with the number of an archived one is not shown in its place.
      `seq > (SELECT coalesce(max(last_seq), 0) FROM audit_segments WHERE agency_id = ${value("agencyId")})`,
      first?.where,
      query.start !== null && `at >= ${value("start")}`,
      query.end !== null && `at <= ${value("end")}`,
      query.after !== null && `(at, seq) < (${value("after.at")}, ${value("after.seq")})`,
    ]),
    checked: texts([
      ...others.map(({ where }) => where),
      query.searchesOnly === true && "action IN ('search', 'search-places', 'search-convoy')",
      query.plate !== "" &&
        query.isPlatePart === true &&
        `instr(replace(replace(plate, ' ', ''), '-', ''), ${value("part")}) > 0`,
    ]),
  };
}

function plateOf({ plate }: AuditQuery): string {
  return plate.endsWith("*")
    ? `plate <> '' AND plate >= ${value("plate")} AND plate < ${value("plateEnd")}`
    : `plate <> '' AND plate = ${value("plate")}`;
}

/** Returns an agency by its id or name, or undefined. */
export async function findAuditAgency(db: ControlDb, agency: string): Promise<{ id: string } | undefined> {
  const [found] = await db.all<{ id: string }>(sql`
    SELECT id
    FROM agencies
    WHERE id = ${agency} OR name = ${agency}
    LIMIT 1`);
  return found;
}
