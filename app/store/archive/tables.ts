// The archive of Axis reads: the same tables in every READS_n database. A read lives in the database of its UTC day.
// What a read says is sealed with the key of its agency and day; numbers beside it find it again, and mean nothing
// without that key. `plate_runs` and `sealed_midnights` are made by a migration of their own, since drizzle knows no
// tables without rowids. The tables of before (plates, reads, midnight_passes) hold clear text and are emptied by cron.

import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const plates = sqliteTable("plates", {
  id: integer().primaryKey(),
  plate: text().notNull().unique(),
});

export const reads = sqliteTable(
  "reads",
  {
    /** Never given twice, so that a purged read's id cannot come to mean another read. */
    id: integer().primaryKey({ autoIncrement: true }),
    plateId: integer("plate_id").notNull(),
    /** Capture time of the event that opened the pass; it never changes, since it decides the database. */
    capturedAt: integer("captured_at").notNull(),
    /** UTC day of `capturedAt`, so that a day is purged as a whole. */
    day: integer().notNull(),
    agencyId: text("agency_id").notNull(),
    cameraId: text("camera_id").notNull(),
    /** As it was called when it read the plate. */
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
    /** The event of the pass that was the last word so far: its kind and its capture time. */
    carState: text("car_state").notNull(),
    eventAt: integer("event_at").notNull(),
    /** Counts amendments, so that two events at once cannot overwrite each other. */
    revision: integer().notNull().default(0),
    vehicleImageKey: text("vehicle_image_key"),
    plateImageKey: text("plate_image_key"),
  },
  (table) => [
    index("reads_plate_time").on(table.plateId, table.capturedAt),
    // Every column that a search may filter by is in the index: the table is read only for rows that are shown.
    // The id stands before them, so that the index is in the order of the pages and each agency is left as soon as
    // a page is full; without it SQLite visits every read of the range (measured: 100 ms a page instead of 3).
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

/** Passes seen within ten minutes of a midnight, in the database of the day that ends there: they say which day owns the read. */
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

/** Whose reads of which day a key seals, as far as this database has any. The key itself is in R2. */
export const readKeys = sqliteTable(
  "read_keys",
  {
    /** Derived from the key, 47 bits. */
    id: integer().primaryKey(),
    agencyId: text("agency_id").notNull(),
    /** Null: the key of reads that a legal hold keeps. */
    day: integer(),
  },
  (table) => [index("read_keys_agency").on(table.agencyId, table.day)],
);

export const sealedReads = sqliteTable(
  "sealed_reads",
  {
    /** Never given twice, so that a purged read's id cannot come to mean another read. */
    id: integer().primaryKey({ autoIncrement: true }),
    keyId: integer("key_id").notNull(),
    /** Capture time of the event that opened the pass; it never changes, since it decides the database. */
    capturedAt: integer("captured_at").notNull(),
    /** Everything that the read says. */
    sealed: text().notNull(),
    /** Counts amendments, so that two events at once cannot overwrite each other. */
    revision: integer().notNull().default(0),
    /** Tags under the key: of camera and car together, of the plate, and of single words. */
    passTag: integer("pass_tag").notNull(),
    plateTag: integer("plate_tag").notNull(),
    cameraTag: integer("camera_tag").notNull(),
    makeTag: integer("make_tag").notNull(),
    colorTag: integer("color_tag").notNull(),
    bodyTag: integer("body_tag").notNull(),
    stateTag: integer("state_tag").notNull(),
    /** Bits of the plate's features, 47 in each. */
    low: integer().notNull(),
    high: integer().notNull(),
  },
  (table) => [
    uniqueIndex("sealed_reads_pass").on(table.keyId, table.passTag, table.capturedAt),
    index("sealed_reads_plate").on(table.keyId, table.plateTag, table.capturedAt),
    // Every column that a search may filter by: the row itself is read only where it may fit. The id stands before
    // them, so that the index is in the order of the pages and a key is left as soon as a page is full.
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
  ],
);
