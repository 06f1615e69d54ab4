// Result sets: a search's request and progress. The reads found are in R2.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
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
