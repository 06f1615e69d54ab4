// The entries of a group that an import compares, renews or unstages, by id or a window of ids at a time.

import { sql } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { hotlistEntries } from "#app/store/schema/hotlists.ts";
import { listedFrom } from "./list-parts.ts";

/** Returns entries as they are stored. `ids` is a JSON array. */
export async function listStoredEntries(db: ControlDb, ids: string) {
  return db.select().from(hotlistEntries).where(sql`id IN (SELECT value FROM json_each(${ids}))`);
}

export type Range = { from: number; to: number; entries: number };

/**
 * Returns ranges of ids above `after` that have all entries of a group with ids up to `upTo`, in order, each with the
 * number of the group's entries, which is at most `most`. Reads the group's part of an index.
 */
export async function listEntryRanges(
  db: ControlDb,
  input: { groupId: string; after: number; upTo: number; most: number },
): Promise<Range[]> {
  return db.all<Range>(sql`
    SELECT min(id) AS "from", max(id) AS "to", count(*) AS entries
    FROM hotlist_entries INDEXED BY hotlist_entries_plate
    WHERE group_id = ${input.groupId} AND id > ${input.after} AND id <= ${input.upTo}
    GROUP BY id / ${sql.raw(String(input.most))}
    ORDER BY 1
  `);
}

/** Entries of a group by a range of ids. If it is sparse, most entries of the range are of other groups. */
export type Window = Omit<Range, "entries"> & { groupId: string; version: number; isSparse: boolean };

const within = ({ groupId, from, to, isSparse }: Window) =>
  isSparse
    ? sql`id IN (
        SELECT id
        FROM hotlist_entries INDEXED BY hotlist_entries_plate
        WHERE group_id = ${groupId} AND id BETWEEN ${from} AND ${to}
      )`
    : sql`id BETWEEN ${from} AND ${to} AND +group_id = ${groupId}`;

/** Ends every entry of a window that the file does not have and no user has changed meanwhile. It takes effect when the import is applied. */
export function endMissingEntries(db: ControlDb, window: Window): Statement {
  return db.run(sql`
    UPDATE hotlist_entries
    SET until_version = ${window.version}
    WHERE ${within(window)} AND until_version IS NULL AND abs(kept_by) <> ${window.version}
  `);
}

/** Sets the expiry of the entries of a window that the file confirmed. `at` is when the import was applied. */
export function renewKeptEntries(db: ControlDb, window: Window & { at: number }): Statement {
  return db.run(sql`
    UPDATE hotlist_entries
    SET expires_at = kept_expires_at, created_at = ${listedFrom(sql`kept_expires_at`, window.at)}
    WHERE ${within(window)} AND kept_by = ${window.version}
  `);
}

/** Records when and by whom the entries of a window that an import ended were removed. */
export function noteRemovedEntries(db: ControlDb, window: Window & { at: number; by: string }): Statement {
  return db.run(sql`
    UPDATE hotlist_entries
    SET removed_at = ${window.at}, removed_by = ${window.by}
    WHERE ${within(window)} AND until_version = ${window.version} AND removed_at IS NULL
  `);
}

/** Undoes what an import has staged within a window. */
export function unstageEntries(db: ControlDb, window: Window): Statement[] {
  return [
    db.run(sql`
      DELETE FROM hotlist_entries
      WHERE ${within(window)} AND from_version = ${window.version}
    `),
    db.run(sql`
      UPDATE hotlist_entries
      SET until_version = NULL
      WHERE ${within(window)} AND until_version = ${window.version}
    `),
  ];
}
