// Addresses of places on the map, as a geocoder named them.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What a geocoder has named, by position rounded to some ten metres; an empty address says that it knows none. */
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

/** One row: when the geocoder may be asked next. */
export const geocoderTurns = sqliteTable("geocoder_turns", {
  id: integer().primaryKey(),
  nextAt: integer("next_at").notNull(),
});
