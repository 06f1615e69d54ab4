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

/** Returns a page of an agency's rows, newest first. */
export async function listAuditRows(db: ControlDb, query: AuditQuery): Promise<AuditRecord[]> {
  const rows = await db.$client
    .prepare(`
      SELECT log.seq, log.at, log.username, users.name, agencies.name AS agency, log.action, log.outcome,
        log.object, log.plate, log.case_number, log.programs_queried, log.detail, log.ip
      FROM (${pageOf(query)}) page
      JOIN audit_log log ON log.seq = page.seq
      LEFT JOIN users ON users.id = log.user_id
      LEFT JOIN agencies ON agencies.id = log.agency_id
      ORDER BY page.at DESC, page.seq DESC`)
    .bind(JSON.stringify(parametersOf(query)))
    .all<AuditRecord>();
  return rows.results;
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
  const index = indexOf(query);
  const conditions = [
    `agency_id = ${value("agencyId")}`,
    query.plate && (query.plate.endsWith("*") ? PLATE.prefix : PLATE.exact),
    query.caseNumber && `case_number <> '' AND case_number = ${value("caseNumber")}`,
    query.username && `username = ${value("username")}`,
    query.kind && `kind = ${value("kind")}`,
    query.searchesOnly && "action = 'search'",
    query.refusedOnly && "outcome = 'refused'",
    query.start !== null && `at >= ${value("start")}`,
    query.end !== null && `at <= ${value("end")}`,
    query.after !== null && `(at, seq) < (${value("after.at")}, ${value("after.seq")})`,
  ].filter(Boolean);
  return `
    SELECT at, seq
    FROM audit_log INDEXED BY ${index}
    WHERE ${conditions.join(" AND ")}
    ORDER BY at DESC, seq DESC
    LIMIT ${value("limit")} OFFSET ${value("offset")}`;
}

function indexOf(query: AuditQuery): string {
  if (query.plate) return "audit_log_plate_at";
  if (query.caseNumber) return "audit_log_case";
  if (query.username) return "audit_log_name";
  if (query.refusedOnly) return "audit_log_refused";
  return query.kind ? "audit_log_kind" : "audit_log_at";
}

const PLATE = {
  exact: `plate <> '' AND plate = ${value("plate")}`,
  prefix: `plate <> '' AND plate >= ${value("plate")} AND plate < ${value("plateEnd")}`,
};
/** Returns an agency by its id or name, or undefined. */
export async function findAuditAgency(db: ControlDb, agency: string): Promise<{ id: string } | undefined> {
  const [found] = await db.all<{ id: string }>(sql`
    SELECT id
    FROM agencies
    WHERE id = ${agency} OR name = ${agency}
    LIMIT 1`);
  return found;
}
