// The audit log and the hash chain over it. Triggers of the migrations, not this file, keep both from being changed.

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Who did what, when, from where, to what, and how it ended. Triggers refuse UPDATE and DELETE. */
export const auditLog = sqliteTable(
  "audit_log",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull(),
    agencyId: text("agency_id").notNull(),
    userId: text("user_id").notNull(),
    username: text().notNull(),
    sessionId: text("session_id").notNull(),
    ip: text().notNull(),
    userAgent: text("user_agent").notNull(),
    action: text().notNull(),
    outcome: text({ enum: ["ok", "refused", "failed"] }).notNull(),
    object: text().notNull().default(""),
    plate: text().notNull().default(""),
    caseNumber: text("case_number").notNull().default(""),
    programsQueried: text("programs_queried").notNull().default(""),
    detail: text({ mode: "json" }).notNull().default(sql`'{}'`),
    /** The family of the act, by the first part of its name; entities/oversight/audit-filter.ts says what each is called. */
    kind: text().generatedAlwaysAs(
      sql`case
        when action like 'audit.%' then 'audit'
        when action like '%.view' then 'view'
        when action like 'search%' then 'search'
        when action like 'export%' then 'export'
        when action like 'sign-%' or action like 'session.%' or action = 'step-up' then 'sign-in'
        when action like 'group.%' or action like 'plate.%' or action like 'hotlist%' or action like 'attachment.%'
          or action like 'alert.%' or action like 'push-%' then 'hotlist'
        else 'other' end`,
      { mode: "virtual" },
    ),
  },
  (table) => [
    index("audit_log_at").on(table.agencyId, table.at, table.seq),
    index("audit_log_kind").on(table.agencyId, table.kind, table.at, table.seq),
    index("audit_log_plate_at").on(table.agencyId, table.plate, table.at, table.seq).where(sql`plate <> ''`),
    index("audit_log_case")
      .on(table.agencyId, table.caseNumber, table.at, table.seq)
      .where(sql`case_number <> ''`),
    index("audit_log_name").on(table.agencyId, table.username, table.at, table.seq),
    index("audit_log_refused").on(table.agencyId, table.at, table.seq).where(sql`outcome = 'refused'`),
    index("audit_log_user").on(table.userId, table.seq),
    /** Holds all that the review compares of a user's searches. */
    index("audit_log_searches")
      .on(table.agencyId, table.userId, table.at, table.plate, table.caseNumber)
      .where(sql`action = 'search' and outcome = 'ok'`),
  ],
);

/** The hash chain over the audit log, one chain an agency: each hash covers the row and the hash before it. */
export const auditChain = sqliteTable(
  "audit_chain",
  {
    seq: integer().primaryKey(),
    agencyId: text("agency_id").notNull(),
    /** From 1, without a gap. */
    position: integer().notNull(),
    hash: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [uniqueIndex("audit_chain_position").on(table.agencyId, table.position)],
);
