// What the daily review of searches found, and what was decided about it. Searches are named by their rows in the audit
// log, which outlive it by years; nothing of a search is copied here but the plate that was searched again and again, and words that a rule quotes.

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** One matter for a supervisor: searches of one person that fit one rule. */
export const reviewFindings = sqliteTable(
  "review_findings",
  {
    /** Follows from what was found, so that looking twice finds the same. */
    id: text().primaryKey(),
    agencyId: text("agency_id").notNull(),
    kind: text({ enum: ["prohibited", "repeated", "vague", "hours", "sample"] }).notNull(),
    /** The searcher. */
    userId: text("user_id").notNull(),
    username: text().notNull(),
    /** The plate of repeated searches as it is compared; "" for the other kinds. */
    plate: text().notNull().default(""),
    /** The UTC day, counted from 1970-01-01, on which it was first seen. */
    day: integer().notNull(),
    /** Times of its first and last search, and how many they are. */
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
    searches: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    /** Decisions so far: 0 while it is open. The last one is repeated here for the lists. */
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
 * The searches of a finding with the reason, in words, why each is one of them. A search is once in a finding of a kind:
 * what was decided stays decided, however often the job looks.
 */
export const reviewEvidence = sqliteTable(
  "review_evidence",
  {
    /** The row of the audit log. */
    seq: integer().notNull(),
    kind: text({ enum: ["prohibited", "repeated", "vague", "hours", "sample"] }).notNull(),
    findingId: text("finding_id").notNull(),
    at: integer().notNull(),
    reason: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.seq, table.kind] }),
    index("review_evidence_finding").on(table.findingId, table.at, table.seq),
  ],
);

/** Decisions, of which a later one replaces an earlier one and none ever goes. */
export const reviewDecisions = sqliteTable(
  "review_decisions",
  {
    findingId: text("finding_id").notNull(),
    /** From 1; two at once cannot both be the next. */
    number: integer().notNull(),
    verdict: text({ enum: ["in-order", "explained", "violation"] }).notNull(),
    note: text().notNull(),
    by: text().notNull(),
    byName: text("by_name").notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.findingId, table.number] })],
);

/** How far an agency's searches have been looked through. */
export const reviewRuns = sqliteTable("review_runs", {
  agencyId: text("agency_id").primaryKey(),
  /** The UTC day that comes next, and the last user of it that is done ("" before the first). */
  day: integer().notNull(),
  afterUser: text("after_user").notNull().default(""),
  /** When the last day was finished; null before the first. */
  finishedAt: integer("finished_at"),
});
