// Shows the audit log to administrators of its agency, and every agency's log to the owner. Viewing writes an audit row
// before the first row is read; if that write fails, nothing is shown.

import type { AppContext } from "#app/context.ts";
import { requireRecentProof } from "#app/domain/accounts/step-up.ts";
import { requireStill } from "#app/domain/accounts/still-allowed.ts";
import { zoneFor } from "#app/domain/users/time-zone.ts";
import type { Actor, SessionActor } from "#app/entities/accounts/actor.ts";
import { type AuditAction, loggedUsername } from "#app/entities/oversight/audit.ts";
import {
  AUDIT_ACTS,
  AUDIT_PAGE_SIZE,
  type AuditCursor,
  type AuditFilter,
  type AuditLogRow,
  type AuditPage,
  type AuditRow,
  auditPlate,
} from "#app/entities/oversight/audit-filter.ts";
import { serviceAccountIn } from "#app/entities/oversight/audit-words.ts";
import { redactPlates } from "#app/entities/oversight/plate-redaction.ts";
import { purposeLabel } from "#app/entities/search/purpose.ts";
import { AppError } from "#app/lib/errors.ts";
import { writeCsv } from "#app/lib/files/csv.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { rangeEnd, timeOf } from "#app/lib/time/wall-clock.ts";
import { findAuditAgency, listAuditRows, listNumberedRows } from "#app/store/oversight/audit-log.ts";
import type { AuditQuery, AuditRecord } from "#app/store/oversight/audit-query.ts";
import { auditNow, refuse } from "./audit-act.ts";

/**
 * Rows read at once for a file: two archived segments, some megabytes. D1 allows a request 1,000 queries, and each of
 * these steps takes at most five, so that a file has a million rows or fails visibly.
 */
const EXPORT_PAGE = 5_000;

/** What is done with a log. */
type LogAction = AuditAction & `audit.${string}`;

/**
 * Returns the id of the agency whose log is requested: the actor's own, or any for the owner. Throws AppError not_found
 * for another agency's log, audited, because the log records refused attempts to read it too (CJIS AU-2).
 */
export async function auditAgency(
  app: AppContext,
  actor: Actor,
  { agency, action }: { agency: string; action: LogAction },
): Promise<string> {
  if (agency === "" || agency === actor.agencyId) return actor.agencyId;
  // Rows without an agency: sign-in attempts with unknown usernames.
  if (agency === "none" && actor.isOwner) return "";
  const found = actor.isOwner ? await findAuditAgency(app.db, agency) : undefined;
  if (found) return found.id;
  const error = new AppError("not_found", "There is no such agency.");
  throw await refuse(app, actor, { action, object: agency, error });
}

/**
 * Returns a page of the log, newest first: the rows after a cursor, or a numbered page from 1 (specification section
 * 7). Throws AppError bad_request and not_found.
 */
export async function viewAuditLog(
  app: AppContext,
  actor: Actor,
  input: { filter: AuditFilter; after?: AuditCursor | null; page?: number },
): Promise<AuditPage> {
  const { filter, after = null, page = 1 } = input;
  const query = await queryOf(app, actor, { filter, action: "audit.view" });
  await note(app, actor, { action: "audit.view", filter, detail: { page, after } });
  const limit = AUDIT_PAGE_SIZE;
  const list = input.page === undefined ? listAuditRows : listNumberedRows;
  const { rows, stoppedAt } = await list(app, { ...query, after, limit, offset: (page - 1) * limit });
  const next = rows.length === limit ? cursorOf(rows.at(-1)) : stoppedAt;
  return {
    rows: rows.map(rowOf),
    next,
    searched_to: next && stoppedAt === next ? isoTime(next.at) : null,
  };
}

/**
 * Returns the whole filtered log as CSV, in the order of the screen. The redacted version, for public-records requests,
 * leaves out plates and the images and places that were viewed (Connecticut Public Act 26-14 section 13 (e)). The
 * version with plates is a privileged function: throws AppError step_up_required. A large log takes minutes: the stream
 * fails if the actor is disabled or loses the role meanwhile.
 */
export async function exportAuditLog(
  app: AppContext,
  actor: SessionActor,
  input: { filter: AuditFilter; redacted: boolean },
): Promise<ReadableStream<Uint8Array>> {
  if (!input.redacted) requireRecentProof(app, actor);
  const query = await queryOf(app, actor, { filter: input.filter, action: "audit.export" });
  await note(app, actor, {
    action: "audit.export",
    filter: input.filter,
    detail: { redacted: input.redacted },
  });
  const encoder = new TextEncoder();
  const cells = input.redacted ? redactedCells : cellsOf;
  let after: AuditCursor | null = null;
  let begun = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (begun) await requireStill(app, actor, "admin");
      const { rows, stoppedAt } = await listAuditRows(app, {
        ...query,
        after,
        limit: EXPORT_PAGE,
        offset: 0,
      });
      const lines = rows.map(cells);
      const csv = begun
        ? writeCsv(lines).replace(/^\uFEFF/, "")
        : writeCsv([input.redacted ? REDACTED_HEAD : FULL_HEAD, ...lines]);
      begun = true;
      controller.enqueue(encoder.encode(rows.length === 0 && after ? "" : csv));
      after = rows.length === EXPORT_PAGE ? cursorOf(rows.at(-1)) : stoppedAt;
      if (!after) controller.close();
    },
  });
}

const REDACTED_HEAD = [
  "Row",
  "Timestamp (UTC)",
  "User",
  "Agency",
  "Act",
  "Outcome",
  "Programs queried",
  "Justification",
  "Purpose",
  "Service account",
];
const FULL_HEAD = [...REDACTED_HEAD, "Name", "Plate", "Case number", "Object", "Address", "Details"];

function cellsOf(row: AuditRecord) {
  return [
    ...commonCells(row),
    justificationOf(row),
    purposeOf(row),
    serviceAccountOf(row),
    row.name,
    row.plate,
    row.case_number,
    row.object,
    row.ip,
    row.detail,
  ];
}

function redactedCells(row: AuditRecord) {
  return [
    ...commonCells(row),
    platesOf(row).reduce(redactPlates, justificationOf(row)),
    purposeOf(row),
    serviceAccountOf(row),
  ];
}

function commonCells(row: AuditRecord) {
  const { seq, at, username, agency, action, outcome, programs_queried } = row;
  return [seq, isoTime(at), username, agency, action, outcome, programs_queried];
}

type Detail = {
  query?: Record<string, unknown>;
  justification?: unknown;
  plates?: unknown;
  service_account?: unknown;
};

function detailOf(row: Pick<AuditRecord, "detail">): Detail {
  const detail: unknown = JSON.parse(row.detail);
  return typeof detail === "object" && detail !== null ? detail : {};
}

function justificationOf(row: AuditRecord): string {
  const detail = detailOf(row);
  const justification = detail.query?.justification ?? detail.justification;
  return typeof justification === "string" ? justification : "";
}

/** Returns the plates that a row names: its own, or the list in its details. */
function platesOf(row: AuditRecord): string[] {
  const { plates } = detailOf(row);
  const others = Array.isArray(plates) ? plates.filter((plate) => typeof plate === "string") : [];
  return [...new Set([row.plate, ...others])];
}

/** Returns the name of the service account that called, or "". */
function serviceAccountOf(row: AuditRecord): string {
  return serviceAccountIn(detailOf(row));
}

/** Only searches have a purpose. */
function purposeOf(row: AuditRecord): string {
  const purpose = detailOf(row).query?.purpose;
  const isSearch = ["search", "search-places", "search-convoy"].includes(row.action);
  return isSearch ? purposeLabel(typeof purpose === "string" ? purpose : "") : "";
}

/** Returns a row with its documented fields (GET /admin-audit-logs-api). */
export function documentedRow({ detail, ...row }: AuditRow): AuditLogRow {
  const { query } = detailOf({ detail });
  return { ...row, query_parameters: query ? JSON.stringify(query) : detail };
}

function cursorOf(row: AuditRecord | undefined): AuditCursor | null {
  return row ? { at: row.at, seq: row.seq } : null;
}

function rowOf(row: AuditRecord): AuditRow {
  return {
    id: row.seq,
    user: row.username,
    user_name: row.name ?? "",
    user_agency: row.agency ?? "",
    detail: row.detail,
    timestamp: isoTime(row.at),
    programs_queried: row.programs_queried,
    action: row.action,
    outcome: row.outcome,
    object: row.object,
    plate: row.plate,
    case_number: row.case_number,
    ip: row.ip,
    service_account: serviceAccountOf(row),
  };
}

async function queryOf(
  app: AppContext,
  actor: Actor,
  { filter, action }: { filter: AuditFilter; action: LogAction },
): Promise<Omit<AuditQuery, "after" | "limit" | "offset">> {
  const zone = await zoneFor(app, actor, [filter.start, filter.end]);
  const start = timeOf(filter.start, { zone, edge: "start" }) ?? null;
  const end = rangeEnd(filter.end, zone) ?? null;
  if (start !== null && end !== null && start > end)
    throw new AppError("bad_request", "The start is after the end.", { field: "end" });
  return {
    agencyId: await auditAgency(app, actor, { agency: filter.agency, action }),
    kind: AUDIT_ACTS.find(({ value }) => value === filter.acts)?.kind ?? null,
    searchesOnly: filter.acts === "searches",
    refusedOnly: filter.acts === "refusals",
    plate: auditPlate(filter.plate),
    isPlatePart: filter.plate_match === "contains",
    username: loggedUsername(filter.user),
    caseNumber: filter.case_number,
    start,
    end,
  };
}

async function note(
  app: AppContext,
  actor: Actor,
  act: { action: "audit.view" | "audit.export"; filter: AuditFilter; detail: Record<string, unknown> },
): Promise<void> {
  const { plate, case_number, ...rest } = act.filter;
  await auditNow(app, actor, {
    action: act.action,
    plate: auditPlate(plate),
    caseNumber: case_number,
    detail: { ...act.detail, filter: rest },
  });
}
