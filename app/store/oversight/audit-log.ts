// Reads pages of the audit log. Each page starts after the previous one and comes from an index in its order, so that
// every page costs the same.

import { sql } from "drizzle-orm";
import type { AuditCursor } from "#app/entities/oversight/audit-filter.ts";
import type { ControlDb } from "#app/store/database.ts";

export type AuditQuery = {
  agencyId: string;
  /** Null for every kind. */
  kind: string | null;
  /** Only searches, without the rows about how they ended. */
  searchesOnly?: boolean;
  refusedOnly?: boolean;
  /** Upper case; ends with `*` to match a prefix. */
  plate: string;
  /** Whether `plate` is any part of a plate. Spaces, dashes and `*` are ignored. */
  isPlatePart?: boolean;
  username: string;
  caseNumber: string;
  start: number | null;
  end: number | null;
  after: AuditCursor | null;
  limit: number;
  offset: number;
};

export type AuditRecord = {
  seq: number;
  at: number;
  username: string;
  name: string | null;
  agency: string | null;
  action: string;
  outcome: "ok" | "refused" | "failed";
  object: string;
  plate: string;
  case_number: string;
  programs_queried: string;
  detail: string;
  ip: string;
};

/** Rows that one call compares with a part of a plate, because no index finds parts. */
export const COMPARED_ROWS = 20_000;

type AuditRecords = {
  rows: AuditRecord[];
  /** The last compared row, if older rows remain. */
  stoppedAt: AuditCursor | null;
};

/**
 * Returns a page of an agency's rows, newest first. A part of a plate is looked for in COMPARED_ROWS rows; a page with
 * fewer rows than asked for then says where it stopped, and the next page continues there.
 */
export async function listAuditRows(db: ControlDb, query: AuditQuery): Promise<AuditRecords> {
  const parameters = JSON.stringify(parametersOf(query));
  const { results: rows } = await db.$client
    .prepare(`
      SELECT log.seq, log.at, log.username, users.name, agencies.name AS agency, log.action, log.outcome,
        log.object, log.plate, log.case_number, log.programs_queried, log.detail, log.ip
      FROM (${pageOf(query)}) page
      JOIN audit_log log ON log.seq = page.seq
      LEFT JOIN users ON users.id = log.user_id
      LEFT JOIN agencies ON agencies.id = log.agency_id
      ORDER BY page.at DESC, page.seq DESC`)
    .bind(parameters)
    .all<AuditRecord>();
  if (!query.isPlatePart || !query.plate || rows.length === query.limit) return { rows, stoppedAt: null };
  // After the page: a row written in between is then compared twice rather than never.
  const stoppedAt = await db.$client
    .prepare(`SELECT at, seq FROM (${comparedRows(query)}) LIMIT 1 OFFSET ${COMPARED_ROWS - 1}`)
    .bind(parameters)
    .first<AuditCursor>();
  return { rows, stoppedAt };
}

/** One bound JSON value, because the query uses some parameters more than once. */
function parametersOf(query: AuditQuery) {
  const { agencyId, kind, plate, username, caseNumber, start, end, after, limit, offset } = query;
  const stem = plate.replace(/\*$/, "");
  return {
    agencyId,
    kind,
    plate: stem,
    plateEnd: `${stem}\u{10FFFF}`,
    part: plate.replace(/[\s*-]/g, ""),
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
