/**
 * The rule by which rows of the audit log leave the database for a segment: contiguous rows of one agency's chain.
 * Pure.
 */

import { DAY, utcDay } from "#app/lib/time/dates.ts";
import type { ChainedRow } from "./audit-chain.ts";

/**
 * Days that every row stays in the database; the triggers enforce them too. Longer than the limits of refused calls and
 * investigations. The review compares older searches by the table `review_searches`.
 */
export const AUDIT_ONLINE_DAYS = 7;
/** Older rows leave the database even if they do not fill a segment. */
export const AUDIT_LATEST_DAYS = 45;
/**
 * Days that rows stay before an agency's first review: the 60 days that it covers, the 60 days before them that it
 * compares, and one more, because it begins with a whole day.
 */
export const AUDIT_UNREVIEWED_DAYS = 121;

/** Maximum number of rows in a segment. A page of the log opens one or two segments. */
export const SEGMENT_ROWS = 2_000;
/** Number of characters at which a segment is full. */
export const SEGMENT_CHARACTERS = 4_000_000;

/** A part of an agency's log that left the database, without its key. */
export type Segment = {
  number: number;
  agencyId: string;
  firstPosition: number;
  lastPosition: number;
  firstSeq: number;
  lastSeq: number;
  /** The times of its oldest and newest row. */
  minAt: number;
  maxAt: number;
  /** The hash before its first row, and that of its last row. */
  previousHash: string;
  lastHash: string;
  objectKey: string;
  sealedKey: string;
};

/**
 * Returns the instant before which rows may leave the database, the start of a UTC day. `reviewedUntil` is the instant up
 * to which the review has passed the agency's searches, or null before its first review.
 */
export function archivedBefore(now: number, reviewedUntil: number | null): number {
  const days = reviewedUntil === null ? AUDIT_UNREVIEWED_DAYS : AUDIT_ONLINE_DAYS;
  return Math.min(utcDay(now - days * DAY) * DAY, reviewedUntil ?? Number.POSITIVE_INFINITY);
}

const KINDS: readonly [kind: string, actions: RegExp][] = [
  ["audit", /^audit\./],
  ["view", /\.view$/],
  ["search", /^search/],
  ["export", /^export/],
  ["sign-in", /^(sign-|session\.|step-up$)/],
  ["hotlist", /^(group\.|plate\.|hotlist|attachment\.|alert\.|push-)/],
];

/** Returns the kind of an act, as the generated column of the table `audit_log` has it. */
export function auditKind(action: string): string {
  return KINDS.find(([, actions]) => actions.test(action))?.[0] ?? "other";
}

const SEARCHES = ["search", "search-places", "search-convoy"];

/** Returns whether an act is a search, not how one ended. */
export function isSearch(action: string): boolean {
  return SEARCHES.includes(action);
}

/** Returns whether someone searched for a row's plate or followed it. */
export function isSubject({ action, outcome, plate }: ChainedRow): boolean {
  return plate !== "" && outcome === "ok" && (action === "search" || action === "search-convoy");
}

/** The values by which a segment is found. Each names its column, so that equal texts of two columns differ. */
export const TERM = {
  kind: (kind: string) => `kind|${kind}`,
  user: (username: string) => `user|${username}`,
  kindOfUser: (kind: string, username: string) => `kind-user|${kind}|${username}`,
  caseNumber: (caseNumber: string) => `case|${caseNumber}`,
  plate: (plate: string) => `plate|${plate}`,
  /** Of at least three characters; longer ones are cut. */
  plateStart: (start: string) => `start|${start.slice(0, start.length < 5 ? 3 : 5)}`,
  refused: "refused",
  refusedOf: (username: string) => `refused-user|${username}`,
  /** A user's own searches. */
  searcher: (userId: string) => `searcher|${userId}`,
  /** A search by its id, and how it ended. */
  search: (id: string) => `search|${id}`,
  /** A plate that someone searched for or followed. */
  subject: (plate: string) => `subject|${plate}`,
} as const;

/**
 * Returns the values of a row that its segment is found by. Verification compares the index with them, so a new
 * kind of value requires indexing all segments again.
 */
export function termsOf(row: ChainedRow): string[] {
  const { action, username, plate } = row;
  const kind = auditKind(action);
  const isOk = row.outcome === "ok";
  return [
    TERM.kind(kind),
    TERM.user(username),
    TERM.kindOfUser(kind, username),
    row.case_number !== "" && TERM.caseNumber(row.case_number),
    plate !== "" && TERM.plate(plate),
    plate.length >= 3 && TERM.plateStart(plate.slice(0, 3)),
    plate.length >= 5 && TERM.plateStart(plate),
    row.outcome === "refused" && TERM.refused,
    row.outcome === "refused" && TERM.refusedOf(username),
    isOk && isSearch(action) && TERM.searcher(row.user_id),
    kind === "search" && row.object !== "" && TERM.search(row.object),
    isSubject(row) && TERM.subject(plate),
  ].filter((term) => term !== false);
}
