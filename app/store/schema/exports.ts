// Files that leave the product, and how far each has come.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What leaves the product, and for a while the file itself. No reference to the user: files outlive an account. */
export const exports = sqliteTable(
  "exports",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    agencyId: text("agency_id").notNull(),
    kind: text({ enum: ["pdf", "zip"] }).notNull(),
    state: text({ enum: ["queued", "running", "ready", "failed", "cancelled"] }).notNull(),
    name: text().notNull(),
    justification: text().notNull(),
    caseNumber: text("case_number").notNull(),
    timeZone: text("time_zone").notNull(),
    records: integer().notNull(),
    done: integer().notNull().default(0),
    missing: integer().notNull().default(0),
    bytes: integer().notNull().default(0),
    sha256: text().notNull().default(""),
    message: text().notNull().default(""),
    requester: text({ mode: "json" }).notNull(),
    /** The upload in parts that is not finished yet. */
    uploadId: text("upload_id"),
    /** How many runs of a job have claimed it; 0 for an export that its request makes. */
    runs: integer().notNull().default(0),
    /** When the run that makes it last showed that it is alive. */
    heartbeatAt: integer("heartbeat_at").notNull(),
    createdAt: integer("created_at").notNull(),
    finishedAt: integer("finished_at"),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("exports_user").on(table.userId, table.createdAt),
    index("exports_expiry").on(table.expiresAt),
    index("exports_state").on(table.state, table.heartbeatAt),
  ],
);
