// The archive of Axis reads: every READS_n database has the same tables, and placement.ts says which one has a UTC day.
// All fields of a read are sealed with the key of its agency and day; the tags next to them are meaningless without
// that key. A separate migration creates `plate_runs` and `sealed_midnights`, because drizzle does not support tables
// without rowids. The old tables (plates, reads, midnight_passes) hold clear text and are emptied by cron.

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const plates = sqliteTable("plates", {
  id: integer().primaryKey(),
  plate: text().notNull().unique(),
});

export const reads = sqliteTable(
  "reads",
  {
    /** Never reused: the id of a purged read must not refer to another read. */
    id: integer().primaryKey({ autoIncrement: true }),
    plateId: integer("plate_id").notNull(),
    /** Capture time of the first event of the pass. It never changes, because it determines the database. */
    capturedAt: integer("captured_at").notNull(),
    /** UTC day of `capturedAt`; a day is purged as a whole. */
    day: integer().notNull(),
    agencyId: text("agency_id").notNull(),
    cameraId: text("camera_id").notNull(),
    /** The camera's name at the time of the read. */
    cameraName: text("camera_name").notNull(),
    carId: text("car_id").notNull(),
    plateState: text("plate_state").notNull(),
    make: text().notNull(),
    color: text().notNull(),
    bodyType: text("body_type").notNull(),
    /** 0-100, or null. */
    confidence: integer(),
    direction: text().notNull(),
    latitude: integer("latitude_e6"),
    longitude: integer("longitude_e6"),
    /** Kind and capture time of the event that determined the pass so far. */
    carState: text("car_state").notNull(),
    eventAt: integer("event_at").notNull(),
    /** Counts amendments, so that concurrent events cannot overwrite each other. */
    revision: integer().notNull().default(0),
    vehicleImageKey: text("vehicle_image_key"),
    plateImageKey: text("plate_image_key"),
  },
  (table) => [
    index("reads_plate_time").on(table.plateId, table.capturedAt),
    // Covers every column that a search may filter by: the table is read only for rows that are shown. The id precedes
    // them, so that the index has the order of the pages and a scan stops when a page is full; without it SQLite visits
    // every read of the range (measured: 100 ms a page instead of 3).
    index("reads_agency_time").on(
      table.agencyId,
      table.capturedAt,
      table.id,
      table.cameraId,
      table.make,
      table.color,
      table.bodyType,
      table.plateState,
      table.plateId,
    ),
    uniqueIndex("reads_pass").on(table.cameraId, table.carId, table.capturedAt),
    index("reads_day").on(table.day),
  ],
);

/**
 * Passes within ten minutes of a midnight, in the database of the day that ends: they decide which day owns the read.
 */
export const midnightPasses = sqliteTable(
  "midnight_passes",
  {
    cameraId: text("camera_id").notNull(),
    carId: text("car_id").notNull(),
    capturedAt: integer("captured_at").notNull(),
    /** The day that ends at the midnight. */
    day: integer().notNull(),
  },
  (table) => [
    index("midnight_passes_pass").on(table.cameraId, table.carId, table.capturedAt),
    index("midnight_passes_day").on(table.day),
  ],
);

/** Agency and day of each key that sealed a read in this database. The key itself is in R2. */
export const readKeys = sqliteTable(
  "read_keys",
  {
    /** Derived from the key, 47 bits. */
    id: integer().primaryKey(),
    agencyId: text("agency_id").notNull(),
    /** Null for the key of held reads (legal holds). */
    day: integer(),
  },
  (table) => [index("read_keys_agency").on(table.agencyId, table.day)],
);

/** Keys that are about to be destroyed, for some time: no read may be stored under them (purge/spent-keys.ts). */
export const closedKeys = sqliteTable("closed_keys", {
  id: integer().primaryKey(),
  closedAt: integer("closed_at").notNull(),
});

export const sealedReads = sqliteTable(
  "sealed_reads",
  {
    /** Never reused: the id of a purged read must not refer to another read. */
    id: integer().primaryKey({ autoIncrement: true }),
    keyId: integer("key_id").notNull(),
    /** Capture time of the first event of the pass. It never changes, because it determines the database. */
    capturedAt: integer("captured_at").notNull(),
    /** All fields of the read, encrypted. */
    sealed: text().notNull(),
    /** Counts amendments, so that concurrent events cannot overwrite each other. */
    revision: integer().notNull().default(0),
    /** Tags under the key: of camera and car together, of the plate, and of single texts. */
    passTag: integer("pass_tag").notNull(),
    plateTag: integer("plate_tag").notNull(),
    cameraTag: integer("camera_tag").notNull(),
    makeTag: integer("make_tag").notNull(),
    colorTag: integer("color_tag").notNull(),
    bodyTag: integer("body_tag").notNull(),
    stateTag: integer("state_tag").notNull(),
    /** Bits of the plate's features, 47 in each column. */
    low: integer().notNull(),
    high: integer().notNull(),
  },
  (table) => [
    uniqueIndex("sealed_reads_pass").on(table.keyId, table.passTag, table.capturedAt),
    index("sealed_reads_plate").on(table.keyId, table.plateTag, table.capturedAt),
    // Covers every column that a search may filter by: the row is read only for likely matches. The id precedes them,
    // so that the index has the order of the pages and a scan stops when a page is full.
    index("sealed_reads_time").on(
      table.keyId,
      table.capturedAt,
      table.id,
      table.low,
      table.high,
      table.makeTag,
      table.colorTag,
      table.bodyTag,
      table.stateTag,
      table.cameraTag,
    ),
    // Only reads that retag.ts must tag again (tags.ts has the marks), so that these are empty otherwise.
    index("sealed_reads_former").on(table.keyId).where(sql`high >= 0`),
    index("sealed_reads_unmarked").on(table.keyId).where(sql`low >= 0`),
  ],
);

/**
 * Days whose rows moved, or continue, elsewhere. Every write names its days and fails if one is fenced, so that no
 * worker writes by an outdated placement (placement.ts).
 */
export const dayFences = sqliteTable("day_fences", {
  day: integer().primaryKey(),
  /** `copying`: changes are logged. `closed`: the last changes are copied. `arriving`: the copy is not complete yet. */
  state: text({ enum: ["open", "copying", "closed", "moved", "arriving"] }).notNull(),
  /** New passes of the day are stored in another database. */
  continued: integer().notNull().default(0),
  /** A number of the worker that may move the day (day-lock.ts). */
  holder: integer("closings").notNull().default(0),
  /** Writers set this to NULL for the days of their rows, which aborts them if the day is fenced. */
  stop: integer().notNull().default(0),
});

/** Reads changed or deleted while their day is copied, in order. Triggers of a separate migration fill it. */
export const changedReads = sqliteTable("changed_reads", {
  seq: integer().primaryKey({ autoIncrement: true }),
  id: integer().notNull().unique(),
  day: integer().notNull(),
});
