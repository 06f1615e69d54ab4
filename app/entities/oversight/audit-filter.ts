/** The audit log's filter, and its rows as the screen and the documented call show them. */

import * as z from "zod/mini";
import { compactPlate } from "#app/entities/search/plate.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { timeOf, wallClock } from "#app/lib/time/wall-clock.ts";
import type * as answers from "./answers.ts";

/** Rows per page (specification section 9). */
export const AUDIT_PAGE_SIZE = 20;

/** Kinds of acts in the filter; `kind` is the column of that name, null means every kind. */
export const AUDIT_ACTS = [
  { value: "searches", label: "Searches", kind: "search" },
  { value: "views", label: "Views of details and images", kind: "view" },
  { value: "exports", label: "Exports", kind: "export" },
  { value: "hotlists", label: "Hotlists and alerts", kind: "hotlist" },
  { value: "permissions", label: "Users, permissions and settings", kind: "other" },
  { value: "sign-ins", label: "Sign-ins", kind: "sign-in" },
  { value: "refusals", label: "Refusals", kind: null },
  { value: "audit", label: "Use of the audit log", kind: "audit" },
  { value: "all", label: "All actions", kind: null },
] as const;

/** How the plate filter matches. `exact` is the documented behavior; a `*` at its end matches any ending. */
export const PLATE_MATCHES = [
  { value: "contains", label: "Contains" },
  { value: "exact", label: "Exact plate" },
] as const;

/** Ranges that a click sets, in days of the viewer's zone. */
export const AUDIT_RANGES = [
  { value: "today", label: "Today" },
  { value: "week", label: "7 days" },
  { value: "month", label: "Last month" },
] as const;
export type AuditRange = (typeof AUDIT_RANGES)[number]["value"];

/**
 * Returns a range as the start and end fields show it, in `zone`, by default the viewer's: the day so far, seven days
 * with today, or the calendar month before this one.
 */
export function auditRange(range: AuditRange, now: number, zone?: string): { start: string; end: string } {
  const today = wallClock(now, zone).slice(0, 10);
  const day = Date.parse(`${today}T00:00Z`);
  const dayOf = (at: number) => isoTime(at).slice(0, 10);
  const [year, month] = [new Date(day).getUTCFullYear(), new Date(day).getUTCMonth()];
  const [first, last] = {
    today: [today, today],
    week: [dayOf(day - 6 * DAY), today],
    month: [dayOf(Date.UTC(year, month - 1)), dayOf(Date.UTC(year, month, 0))],
  }[range];
  return { start: `${first}T00:00`, end: `${last}T23:59` };
}

const text = (most: number) => z._default(z.string().check(z.trim(), z.maxLength(most)), "");
const time = z._default(
  z.string().check(
    z.trim(),
    z.refine((value) => value === "" || timeOf(value, { zone: "UTC", edge: "start" }) !== undefined, {
      error: "This is not a valid time.",
    }),
  ),
  "",
);

/**
 * The filter as a screen sends it. Times are ISO, in the agency's zone if they have none. Only the owner may choose
 * `agency`.
 */
export const AuditFilter = z.object({
  acts: z._default(z.enum(AUDIT_ACTS.map(({ value }) => value)), "searches"),
  start: time,
  end: time,
  plate: text(40),
  plate_match: z._default(z.enum(PLATE_MATCHES.map(({ value }) => value)), "exact"),
  user: text(200),
  agency: text(100),
  // As it is stored: pasted case numbers often have invisible characters.
  case_number: z.pipe(text(64), z.transform(visibleText)),
});
export type AuditFilter = z.infer<typeof AuditFilter>;

/** The filter of the audit log when its screen opens: all searches. */
export const NO_AUDIT_FILTER: AuditFilter = {
  acts: "searches",
  start: "",
  end: "",
  plate: "",
  plate_match: "contains",
  user: "",
  agency: "",
  case_number: "",
};

/** The last row of a page, after which the next page starts. */
export const AuditCursor = z.object({ at: z.int(), seq: z.int() });
export type AuditCursor = z.infer<typeof AuditCursor>;

export const AuditPageRequest = z.object({
  filter: AuditFilter,
  after: z.optional(z.nullable(AuditCursor)),
});

export const AuditExportRequest = z.object({ filter: AuditFilter, redacted: z.boolean() });

/** Rows verified so far; without it, verification starts at the first row. */
export const AuditVerifyRequest = z.object({ agency: text(100), after: z._default(z.int(), 0) });

/** A row of GET /admin-audit-logs-api: the documented fields (specification section 3) and Odin's own. */
export type AuditLogRow = z.infer<typeof answers.AuditLogRow>;

/** A row as the screen gets it: all details instead of a search's parameters. */
export type AuditRow = Omit<AuditLogRow, "query_parameters"> & {
  /** JSON text. */
  detail: string;
};

/** A page of the log; `searched_to` is how far back a search for part of a plate has looked, if older rows remain. */
export type AuditPage = { rows: AuditRow[]; next: AuditCursor | null; searched_to: string | null };

/**
 * Returns the plate filter in the log's form: upper case (specification section 5), without spaces and dashes. A `*` at
 * its end matches any ending.
 */
export function auditPlate(plate: string): string {
  return compactPlate(plate);
}
