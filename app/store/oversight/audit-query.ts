// A query of the audit log, and its meaning for archived rows. The same query as SQL is in audit-log.ts; a test
// compares the two on random rows.

import type { ChainedRow } from "#app/entities/oversight/audit-chain.ts";
import type { AuditCursor } from "#app/entities/oversight/audit-filter.ts";
import { auditKind, isSearch, TERM } from "#app/entities/oversight/audit-segment.ts";

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

/** Returns the parts of a plate filter: what a plate begins with or is, and what it contains. */
export function plateWords(plate: string): { stem: string; part: string } {
  return { stem: plate.replace(/\*$/, ""), part: plate.replace(/[\s*-]/g, "") };
}

/** Returns the values that a segment must have to contain rows of a query. Parts of plates have none. */
export function termsOfQuery(query: AuditQuery): string[] {
  const { kind, plate, username, caseNumber } = query;
  const { stem } = plateWords(plate);
  const exact = plate !== "" && query.isPlatePart !== true;
  return [
    exact && !plate.endsWith("*") && TERM.plate(stem),
    exact && plate.endsWith("*") && stem.length >= 3 && TERM.plateStart(stem),
    caseNumber !== "" && TERM.caseNumber(caseNumber),
    kind && username !== "" && TERM.kindOfUser(kind, username),
    !kind && username !== "" && TERM.user(username),
    query.refusedOnly === true && (username === "" ? TERM.refused : TERM.refusedOf(username)),
    kind && username === "" && TERM.kind(kind),
  ].filter((term) => typeof term === "string");
}

/** Returns the test of a row by a query: its filter, its times, and its cursor. */
export function matcherOf(query: AuditQuery): (row: ChainedRow) => boolean {
  const { kind, username, caseNumber, start, end, after } = query;
  const plateMatches = plateTest(query);
  return (row) =>
    (start === null || row.at >= start) &&
    (end === null || row.at <= end) &&
    (after === null || isOlder(row, after)) &&
    (!kind || auditKind(row.action) === kind) &&
    (query.searchesOnly !== true || isSearch(row.action)) &&
    (query.refusedOnly !== true || row.outcome === "refused") &&
    (username === "" || row.username === username) &&
    (caseNumber === "" || row.case_number === caseNumber) &&
    plateMatches(row.plate);
}

function plateTest({ plate, isPlatePart }: AuditQuery): (plate: string) => boolean {
  const { stem, part } = plateWords(plate);
  if (plate === "") return () => true;
  if (isPlatePart) return (own) => own.replace(/[ -]/g, "").includes(part);
  if (plate.endsWith("*")) return (own) => own !== "" && own.startsWith(stem);
  return (own) => own !== "" && own === stem;
}

/** Returns whether a row comes after another in the log, newest first. */
export function isOlder(row: AuditCursor, than: AuditCursor): boolean {
  return row.at < than.at || (row.at === than.at && row.seq < than.seq);
}

/** Orders rows newest first. */
export function newestFirst(a: AuditCursor, b: AuditCursor): number {
  return b.at - a.at || b.seq - a.seq;
}
