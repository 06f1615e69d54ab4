// Where an agency's audit log begins once its oldest rows have gone: the last row that went, with the hash by which what
// follows is still proven. The triggers let rows go only up to a checkpoint, and never younger than a year.

import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const auditCheckpoints = sqliteTable(
  "audit_checkpoints",
  {
    agencyId: text("agency_id").notNull(),
    /** Of the last row that went, in the agency's chain. */
    position: integer().notNull(),
    seq: integer().notNull(),
    hash: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.agencyId, table.position] })],
);
