// Legal holds, published transparency statistics, and the findings of the daily review with the decisions on them.
// Findings refer to searches by their audit rows, which outlive findings by years. The only data copied from a search are
// a repeated plate and the words that a rule quotes.

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { agencies } from "./accounts.ts";

/** An agency's transparency page, published or not. */
export const transparencyPages = sqliteTable("figure_pages", {
  agencyId: text("agency_id")
    .primaryKey()
    .references(() => agencies.id),
  /** The end of the page's address; it stays when the agency is renamed. */
  slug: text().notNull().unique(),
  introduction: text().notNull().default(""),
  contact: text().notNull().default(""),
  /** Null: only the agency's administrators see it. */
  publishedAt: integer("published_at"),
  changedAt: integer("changed_at").notNull(),
  /** When its daily count last began, whether or not it ended. */
  triedAt: integer("tried_at").notNull().default(0),
});

/** Stored counts, so that a page view does not count again. Exact; small counts are hidden when the page is made. */
export const transparencyCounts = sqliteTable(
  "figure_counts",
  {
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    /** A UTC month (`2026-11`), `now` for counts without a month, `audit` for how far the audit log was verified. */
    period: text().notNull(),
    counts: text({ mode: "json" }).notNull(),
    countedAt: integer("counted_at").notNull(),
    /** When a request last started to count again. For a minute, others use the stored counts. */
    claimedAt: integer("claimed_at").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.agencyId, table.period] }),
    index("figure_counts_audit").on(table.countedAt).where(sql`period = 'audit'`),
  ],
);

/**
 * A hold keeps the reads of some plates in a time range from the purge. One administrator requests it, another
 * approves.
 */
export const legalHolds = sqliteTable(
  "legal_holds",
  {
    id: text().primaryKey(),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    caseNumber: text("case_number").notNull(),
    reason: text().notNull(),
    /** Canonical plates. */
    plates: text({ mode: "json" }).$type<string[]>().notNull(),
    from: integer("from_at").notNull(),
    until: integer("until_at").notNull(),
    state: text({ enum: ["requested", "active", "refused", "released"] }).notNull(),
    requestedBy: text("requested_by").notNull(),
    requestedByName: text("requested_by_name").notNull(),
    requestedAt: integer("requested_at").notNull(),
    /** While the state is `requested`: who approves it at this moment. Purge steps that begin now keep its reads. */
    decidedBy: text("decided_by"),
    decidedByName: text("decided_by_name"),
    decidedAt: integer("decided_at"),
    releasedBy: text("released_by"),
    releasedByName: text("released_by_name"),
    releasedAt: integer("released_at"),
  },
  (table) => [index("legal_holds_agency").on(table.agencyId, table.requestedAt)],
);

/**
 * Steps of purges that read what is held and have not ended. The approval of a hold waits for those of its agency that
 * began before it, so that no read is deleted that an active hold covers.
 */
export const purgeSteps = sqliteTable(
  "purge_steps",
  {
    /** A purge of one agency; random. */
    run: text().primaryKey(),
    agencyId: text("agency_id").notNull(),
    /** Counts the steps of the run: the next one ends the former. */
    step: integer().notNull(),
    /** The step deletes nothing from this time on, by the clocks of the databases. */
    until: integer().notNull(),
  },
  (table) => [index("purge_steps_agency").on(table.agencyId)],
);

/** A matter for a supervisor: searches of one user that match one rule. */
export const reviewFindings = sqliteTable(
  "review_findings",
  {
    /** Derived from what was found, so that a second review finds the same. */
    id: text().primaryKey(),
    agencyId: text("agency_id").notNull(),
    kind: text({ enum: ["prohibited", "repeated", "vague", "breadth", "hours", "sample"] }).notNull(),
    /** The user who searched. */
    userId: text("user_id").notNull(),
    username: text().notNull(),
    /** The plate of repeated searches in compared form; "" for other kinds. */
    plate: text().notNull().default(""),
    /** The UTC day, counted from 1970-01-01, on which it was first found. */
    day: integer().notNull(),
    /** Times of its first and last search, and their number. */
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
    searches: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    /** Decisions so far, 0 while open. The last one is copied here for the lists. */
    decisions: integer().notNull().default(0),
    verdict: text({ enum: ["in-order", "explained", "violation"] }),
    decidedAt: integer("decided_at"),
  },
  (table) => [
    index("review_findings_open").on(table.agencyId, table.lastAt, table.id).where(sql`decisions = 0`),
    index("review_findings_open_kind")
      .on(table.agencyId, table.kind, table.lastAt, table.id)
      .where(sql`decisions = 0`),
    index("review_findings_open_user")
      .on(table.agencyId, table.username, table.lastAt, table.id)
      .where(sql`decisions = 0`),
    index("review_findings_age").on(table.agencyId, table.createdAt, table.id).where(sql`decisions = 0`),
    index("review_findings_decided").on(table.agencyId, table.decidedAt, table.id).where(sql`decisions > 0`),
    index("review_findings_violations")
      .on(table.agencyId, table.decidedAt, table.id)
      .where(sql`verdict = 'violation'`),
    index("review_findings_growing")
      .on(table.agencyId, table.userId, table.kind, table.plate, table.lastAt)
      .where(sql`decisions = 0`),
    index("review_findings_made").on(table.agencyId, table.createdAt, table.decisions, table.verdict),
  ],
);

/**
 * The searches of a finding, each with its reason as a text. A search is in one finding per kind, so that a decision
 * stays valid however often the review runs.
 */
export const reviewEvidence = sqliteTable(
  "review_evidence",
  {
    /** The row of the audit log. */
    seq: integer().notNull(),
    kind: text({ enum: ["prohibited", "repeated", "vague", "breadth", "hours", "sample"] }).notNull(),
    findingId: text("finding_id").notNull(),
    at: integer().notNull(),
    reason: text().notNull(),
    /** The user who held the token of the service account that searched; "" if none did. */
    answeredBy: text("answered_by").notNull().default(""),
  },
  (table) => [
    primaryKey({ columns: [table.seq, table.kind] }),
    index("review_evidence_finding").on(table.findingId, table.at, table.seq),
  ],
);

/** Decisions. A later one replaces an earlier one; none is deleted. */
export const reviewDecisions = sqliteTable(
  "review_decisions",
  {
    findingId: text("finding_id").notNull(),
    /** From 1. The key prevents two concurrent decisions from taking the same number. */
    number: integer().notNull(),
    verdict: text({ enum: ["in-order", "explained", "violation"] }).notNull(),
    note: text().notNull(),
    by: text().notNull(),
    byName: text("by_name").notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.findingId, table.number] })],
);

/** The progress of each agency's review. */
export const reviewRuns = sqliteTable("review_runs", {
  agencyId: text("agency_id").primaryKey(),
  /** The UTC day to review next, and the last user of that day who is done ("" before the first). */
  day: integer().notNull(),
  afterUser: text("after_user").notNull().default(""),
  /** When the last day was finished; null before the first. */
  finishedAt: integer("finished_at"),
  /** When a run last started on the agency, so that agencies that always fail do not delay the others. */
  triedAt: integer("tried_at").notNull().default(0),
});
