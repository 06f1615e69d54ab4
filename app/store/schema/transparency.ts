// Figures that an agency publishes about its use of the product. Part of the control database.

import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { agencies } from "./accounts.ts";

/** An agency's page of figures, published or not. */
export const transparencyPages = sqliteTable("figure_pages", {
  agencyId: text("agency_id")
    .primaryKey()
    .references(() => agencies.id),
  /** What the page's address ends with; it stays when the agency is renamed. */
  slug: text().notNull().unique(),
  introduction: text().notNull().default(""),
  contact: text().notNull().default(""),
  /** Null: nobody but the agency's administrators sees it. */
  publishedAt: integer("published_at"),
  changedAt: integer("changed_at").notNull(),
});

/** What was counted, so that a view of the page does not count it again. Exact: what is shown of it is decided later. */
export const transparencyCounts = sqliteTable(
  "figure_counts",
  {
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    /** A UTC month (`2026-11`), `now` for what has no month, `audit` for how far the audit log was verified. */
    period: text().notNull(),
    counts: text({ mode: "json" }).notNull(),
    countedAt: integer("counted_at").notNull(),
    /** When somebody last set out to count it again: for a minute everybody else takes what is there. */
    claimedAt: integer("claimed_at").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.agencyId, table.period] })],
);
