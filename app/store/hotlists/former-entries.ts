// Plates that were on a list. A day after their removal they leave `hotlist_entries`, so that lists, imports and matching
// do not read past them, for a table that takes half the space.

import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { RemovedPlate } from "#app/entities/hotlists/entry.ts";
import { isoTime } from "#app/lib/time/dates.ts";
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

/**
 * A position among the removed plates of a group. Plates removed earlier follow; among those of the same time, smaller
 * ids follow.
 */
export type RemovedKey = { endedAt: number; id: number };

type RemovedPart = {
  groupId: string;
  after: RemovedKey;
  /** The last key, or null for no limit. */
  until: RemovedKey | null;
  plates: { from: string; below: string | null; glob: string | null };
  limit: number;
};

/** Returns the newest rows of one of the two tables in a part, as a subquery. */
function rowsOf(from: SQL, ended: SQL, { after, until, plates, limit }: RemovedPart): SQL {
  const oldest = until
    ? sql`AND ${ended} >= ${until.endedAt} AND (${ended} > ${until.endedAt} OR e.id >= ${until.id})`
    : sql``;
  const below = plates.below === null ? sql`` : sql`AND e.plate < ${plates.below}`;
  const glob = plates.glob === null ? sql`` : sql`AND e.plate GLOB ${plates.glob}`;
  // Query plan: the range of the index or primary key that `from` names, from its end.
  const newest = sql`
    SELECT *
    FROM (
      SELECT e.id, e.plate, e.state, e.reason, e.case_number, e.created_at, e.added_by_name, e.added_by_agency,
        e.removed_by, ${ended} AS ended_at
      FROM ${from}
        AND ${ended} <= ${after.endedAt} AND (${ended} < ${after.endedAt} OR e.id < ${after.id}) ${oldest}
        AND e.plate >= ${plates.from} ${below} ${glob}
      ORDER BY ${ended} DESC, e.id DESC
      LIMIT ${limit}
    )`;
  return newest;
}

/** Returns the newest rows of both tables in a part, merged. */
function removedRows(part: RemovedPart): SQL {
  // Query plan: a range of hotlist_entries_former and one of the primary key of former_entries, newest first. There is no
  // index by plate, so a search reads the whole range.
  const listed = rowsOf(
    sql`alert_groups g
      CROSS JOIN hotlist_entries e INDEXED BY hotlist_entries_former ON e.group_id = g.id
      WHERE g.id = ${part.groupId} AND e.until_version IS NOT NULL AND e.until_version <= g.list_version`,
    sql.raw(endedAt("e")),
    part,
  );
  const moved = rowsOf(sql`former_entries e WHERE e.group_id = ${part.groupId}`, sql.raw("e.ended_at"), part);
  return sql`${listed} UNION ALL ${moved}`;
}

type RemovedRow = Omit<RemovedPlate, "added_at" | "removed_at"> & { created_at: number; ended_at: number };

/**
 * Returns plates that were removed from a group's list, the latest first, with their keys. `plates` limits them to a range
 * and a pattern.
 */
export async function listRemoved(
  db: ControlDb,
  part: RemovedPart,
): Promise<{ plate: RemovedPlate; key: RemovedKey }[]> {
  const rows = await db.all<RemovedRow>(sql`
    SELECT r.id, r.plate, r.state, r.reason, r.case_number, r.created_at, r.added_by_name AS added_by,
      r.added_by_agency, r.ended_at, coalesce(u.name, '') AS removed_by
    FROM (${removedRows(part)}) r
    LEFT JOIN users u ON u.id = r.removed_by
    ORDER BY r.ended_at DESC, r.id DESC
    LIMIT ${part.limit}`);
  return rows.map(({ created_at, ended_at, ...row }) => ({
    plate: { ...row, added_at: isoTime(created_at), removed_at: isoTime(ended_at) },
    key: { endedAt: ended_at, id: row.id },
  }));
}

/** Returns the key of the `count`th removed plate of a group after a key; undefined if there are fewer. */
export async function findRemovedKey(
  db: ControlDb,
  { groupId, after, count }: { groupId: string; after: RemovedKey; count: number },
): Promise<RemovedKey | undefined> {
  const plates = { from: "", below: null, glob: null };
  const [row] = await db.all<RemovedKey>(sql`
    SELECT r.ended_at AS endedAt, r.id
    FROM (${removedRows({ groupId, after, until: null, plates, limit: count })}) r
    ORDER BY r.ended_at DESC, r.id DESC
    LIMIT 1 OFFSET ${count - 1}`);
  return row;
}
