// Addresses of places on the map, from the geocoder.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
