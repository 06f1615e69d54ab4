// Exported files and their progress.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Requester } from "#app/entities/exports/request.ts";

/** Exports, and for a while their files. No reference to the user, because exports outlive an account. */
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
    requester: text({ mode: "json" }).$type<Requester>().notNull(),
    /** The multipart upload in progress. */
    uploadId: text("upload_id"),
    /** How many job runs have claimed it; 0 for an export made within its request. */
    runs: integer().notNull().default(0),
    /** When the run that makes it last reported progress. */
    heartbeatAt: integer("heartbeat_at").notNull(),
    /** When the sweep last queued, ended or removed it. */
    triedAt: integer("tried_at").notNull().default(0),
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
