// Result sets (a search's request and progress; the reads found are in R2), the searches that users saved, and addresses of
// places from the geocoder.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { SourceStatus } from "#app/entities/search/query.ts";
import { users } from "./accounts.ts";

/** Geocoder results, by position rounded to about 10 meters. An empty address means that the geocoder knows none. */
export const addresses = sqliteTable(
  "addresses",
  {
    position: text().primaryKey(),
    address: text().notNull(),
    attribution: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [index("addresses_at").on(table.at)],
);

/** One row: when the geocoder may be called next. */
export const geocoderTurns = sqliteTable("geocoder_turns", {
  id: integer().primaryKey(),
  nextAt: integer("next_at").notNull(),
});

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
