// The transparency statistics that agencies publish.

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
