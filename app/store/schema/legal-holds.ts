// Legal holds.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { agencies } from "./accounts.ts";

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
    decidedBy: text("decided_by"),
    decidedByName: text("decided_by_name"),
    decidedAt: integer("decided_at"),
    releasedBy: text("released_by"),
    releasedByName: text("released_by_name"),
    releasedAt: integer("released_at"),
  },
  (table) => [index("legal_holds_agency").on(table.agencyId, table.requestedAt)],
);
