// The audit log and the hash chain over it. Triggers in the migrations, not this file, protect both from changes.

import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Who did what, when, from where, to what, and with what outcome. Triggers refuse UPDATE and DELETE. */
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
    /** The kind of act, by the first part of its name; entities/oversight/audit-filter.ts has their labels. */
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
    /** Covers everything that the review compares of a user's searches. */
    index("audit_log_searches")
      .on(table.agencyId, table.userId, table.at, table.plate, table.caseNumber)
      .where(sql`action = 'search' and outcome = 'ok'`),
    /** A user's own searches, newest first. */
    index("audit_log_own_searches")
      .on(table.agencyId, table.userId, table.at, table.seq)
      .where(sql`action in ('search', 'search-places', 'search-convoy') and outcome = 'ok'`),
    /** A search by its id, and how it ended. */
    index("audit_log_search").on(table.object).where(sql`kind = 'search'`),
  ],
);

/** The hash chain over the audit log, one per agency. Each hash covers the row and the previous hash. */
export const auditChain = sqliteTable(
  "audit_chain",
  {
    seq: integer().primaryKey(),
    agencyId: text("agency_id").notNull(),
    /** From 1, without gaps. */
    position: integer().notNull(),
    hash: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [uniqueIndex("audit_chain_position").on(table.agencyId, table.position)],
);

/**
 * Where an agency's audit log starts after its oldest rows were purged: the last purged row, with the hash that proves
 * the next one. Triggers allow deletion only up to a checkpoint, and never of rows younger than a year.
 */
export const auditCheckpoints = sqliteTable(
  "audit_checkpoints",
  {
    agencyId: text("agency_id").notNull(),
    /** The position of the last purged row in the agency's chain. */
    position: integer().notNull(),
    seq: integer().notNull(),
    hash: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.agencyId, table.position] })],
);

/**
 * Parts of the log that left the database: contiguous positions of one agency's chain, encrypted, in R2
 * (store/oversight/audit-segment-file.ts). Triggers allow changes of the encrypted key only, and no deletion before a
 * checkpoint.
 */
export const auditSegments = sqliteTable(
  "audit_segments",
  {
    number: integer().primaryKey({ autoIncrement: true }),
    agencyId: text("agency_id").notNull(),
    firstPosition: integer("first_position").notNull(),
    lastPosition: integer("last_position").notNull(),
    firstSeq: integer("first_seq").notNull(),
    lastSeq: integer("last_seq").notNull(),
    /** The earliest and latest times of its rows. Segments may overlap in time, never in position. */
    minAt: integer("min_at").notNull(),
    maxAt: integer("max_at").notNull(),
    /** The size of the object. */
    bytes: integer().notNull(),
    /** The hashes of the link before the first row, and of the last row. */
    previousHash: text("previous_hash").notNull(),
    lastHash: text("last_hash").notNull(),
    objectKey: text("object_key").notNull().unique(),
    /** The segment's own key, encrypted with the operator's. It exists nowhere else: without it the object is lost. */
    sealedKey: text("sealed_key").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("audit_segments_position").on(table.agencyId, table.firstPosition),
    index("audit_segments_seq").on(table.agencyId, table.lastSeq),
    index("audit_segments_at").on(table.agencyId, table.maxAt, table.number),
  ],
);

/**
 * Which values a segment contains: fingerprints of their keyed hashes, which differ by agency
 * (entities/oversight/segment-filter.ts).
 */
export const auditSegmentFilters = sqliteTable(
  "audit_segment_filters",
  {
    segment: integer().notNull(),
    bucket: integer().notNull(),
    /** Three bytes each, sorted and unique. */
    prints: blob({ mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.segment, table.bucket] })],
);

/** The former index, of segments without filters: one row for each value. The archiving job converts them. */
export const auditSegmentTerms = sqliteTable(
  "audit_segment_terms",
  { term: integer().notNull(), segment: integer().notNull() },
  (table) => [primaryKey({ columns: [table.term, table.segment] })],
);

/** The keys of those hashes, one per agency, encrypted with the operator's. */
export const auditTermKeys = sqliteTable("audit_term_keys", {
  /** The agency's id, or `none` for rows without an agency. */
  id: text().primaryKey(),
  sealedKey: text("sealed_key").notNull(),
});

/**
 * What the review compares of searches whose rows are archived. Triggers allow no change, and deletion only after the
 * history that the review compares.
 */
export const reviewSearches = sqliteTable(
  "review_searches",
  {
    agencyId: text("agency_id").notNull(),
    userId: text("user_id").notNull(),
    at: integer().notNull(),
    /** The number of the archived row. */
    seq: integer().notNull(),
    plate: text().notNull(),
    caseNumber: text("case_number").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.agencyId, table.userId, table.at, table.seq] }),
    index("review_searches_at").on(table.at),
  ],
);
