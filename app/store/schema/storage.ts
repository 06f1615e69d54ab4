// Databases of reads (READS_n) and the days that each one holds. Read and written by store/archive/placement.ts and
// domain/operations/drain.ts.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const readDatabases = sqliteTable("read_databases", {
  /** The binding, for example `READS_3`. It is the identity of the database; numbers may be missing. */
  name: text().primaryKey(),
  state: text({ enum: ["open", "read-only", "draining", "removed"] })
    .notNull()
    .default("open"),
  stateAt: integer("state_at").notNull(),
  /** The last measurement; null before the first one. */
  bytes: integer(),
  reads: integer(),
  measuredAt: integer("measured_at"),
  readsCountedAt: integer("reads_counted_at"),
  /** Reads moved to other databases since the drain began. */
  movedReads: integer("moved_reads").notNull().default(0),
  /** What the drain waits for, as a sentence; empty if nothing. */
  note: text().notNull().default(""),
  /** Until when a worker holds the drain of this database. */
  leasedUntil: integer("leased_until").notNull().default(0),
});

/** Where the reads of each UTC day are. A day that outgrows its database continues in another one as the next part. */
export const readPlaces = sqliteTable(
  "read_places",
  {
    day: integer().notNull(),
    part: integer().notNull(),
    database: text().notNull(),
    placedAt: integer("placed_at").notNull(),
    /** The database that the part is being copied to, and how far the copy is (JSON). */
    moveTo: text("move_to"),
    progress: text(),
    /** The database that still has the part's former rows, and since when they are no longer searched. */
    leftIn: text("left_in"),
    leftAt: integer("left_at"),
  },
  (table) => [
    primaryKey({ columns: [table.day, table.part] }),
    index("read_places_database").on(table.database, table.placedAt),
  ],
);

/** Size of each database at the end of each UTC day, for the date on which space runs out. */
export const readSizes = sqliteTable(
  "read_sizes",
  {
    database: text().notNull(),
    day: integer().notNull(),
    bytes: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.database, table.day] })],
);
