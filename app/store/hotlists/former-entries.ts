// Plates that were on a list. A day after their removal they leave `hotlist_entries`, so that lists, imports and matching
// do not read past them, for a table that takes half the space.

import { getTableColumns, sql } from "drizzle-orm";
import { type ControlDb, changesOf, inOneStep } from "#app/store/database.ts";
import { BACKUP_READS } from "#app/store/operations/storage.ts";
import { formerEntries } from "#app/store/schema/hotlists.ts";

/** The columns of an entry that the history has as well. */
const COLUMNS = Object.values(getTableColumns(formerEntries))
  .map(({ name }) => name)
  .filter((name) => name !== formerEntries.endedAt.name)
  .join(", ");

/** When an entry ended: the indexed expression of `hotlist_entries_former`, literally. */
const endedAt = (entry: string) => `coalesce(${entry}.removed_at, ${entry}.expires_at, ${entry}.created_at)`;

/**
 * Moves plates of an agency's lists that ended before an instant, `limit` at most, to `former_entries`. Returns the
 * number. Moves none while a backup reads the tables, which could miss them in both, and none of a group with an open
 * import: it may still write the time of their removal.
 */
export async function moveFormerEntries(
  db: ControlDb,
  { agencyId, before, limit }: { agencyId: string; before: number; limit: number },
): Promise<number> {
  // Query plan: the groups of the agency, its open import by hotlist_imports_open, and a range of hotlist_entries_former.
  // Both statements of the batch find the same rows, since the first one changes the other table only.
  const moving = sql`
    SELECT e.id
    FROM alert_groups g
    CROSS JOIN hotlist_entries e INDEXED BY hotlist_entries_former
      ON e.group_id = g.id
      AND ${sql.raw(endedAt("e"))} < ${before}
      AND e.until_version IS NOT NULL
    WHERE g.agency_id = ${agencyId}
      AND NOT EXISTS (
        SELECT 1
        FROM hotlist_imports INDEXED BY hotlist_imports_open
        WHERE group_id = g.id AND state NOT IN ('applied', 'cancelled', 'failed')
      )
      AND e.until_version <= g.list_version
      AND NOT EXISTS (${BACKUP_READS})
    LIMIT ${limit}`;
  const [, removal] = await inOneStep(db, [
    db.run(sql`
      INSERT INTO former_entries (${sql.raw(COLUMNS)}, ended_at)
      SELECT ${sql.raw(COLUMNS)}, ${sql.raw(endedAt("entry"))}
      FROM hotlist_entries entry
      WHERE entry.id IN (${moving})`),
    db.run(sql`
      DELETE FROM hotlist_entries AS entry
      WHERE entry.id IN (${moving})
        AND EXISTS (
          SELECT 1
          FROM former_entries kept
          WHERE kept.group_id = entry.group_id AND kept.ended_at = ${sql.raw(endedAt("entry"))} AND kept.id = entry.id
        )`),
  ]);
  return changesOf(removal);
}
