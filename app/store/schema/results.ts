// Result sets: a search's request and progress. The reads found are in R2. And what users saved of their own searches.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { SourceStatus } from "#app/entities/search/query.ts";
import { users } from "./accounts.ts";

export const resultSets = sqliteTable(
  "result_sets",
  {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    agencyId: text("agency_id").notNull(),
    state: text({ enum: ["running", "ready", "cancelled", "failed", "purged"] }).notNull(),
    request: text({ mode: "json" }).notNull(),
    statuses: text({ mode: "json" }).$type<SourceStatus[]>().notNull(),
    count: integer().notNull().default(0),
    truncated: integer({ mode: "boolean" }).notNull().default(false),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("result_sets_expiry").on(table.expiresAt), index("result_sets_user").on(table.userId)],
);

/**
 * The names and pins that users gave to their own searches. What was searched is in the audit log only, so that its plates
 * are stored once.
 */
export const savedSearches = sqliteTable(
  "saved_searches",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    agencyId: text("agency_id").notNull(),
    /** The id of the search's result set, which is the object of its audit row. */
    searchId: text("search_id").notNull(),
    searchedAt: integer("searched_at").notNull(),
    /** Empty if the search is only pinned. */
    name: text().notNull().default(""),
    /** Null if the search only has a name. */
    pinnedAt: integer("pinned_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.searchId] }),
    index("saved_searches_age").on(table.agencyId, table.searchedAt),
  ],
);
