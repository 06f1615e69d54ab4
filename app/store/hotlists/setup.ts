// Alert groups of a new installation. Plates that the group ever had are not added again, so changes by users persist.

import { sql } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { alertGroups } from "#app/store/schema/groups.ts";
import { insertMembers } from "./groups.ts";
import { type Author, entryRow, type NewEntry, recountEntries } from "./plates.ts";

/** Returns statements that create a group with its members and plates, unless they exist. */
export function setupGroupStatements(
  db: ControlDb,
  input: {
    group: {
      id: string;
      agencyId: string;
      name: string;
      description: string;
      createdBy: string;
      members: string[];
    };
    entries: NewEntry[];
    author: Author;
    at: number;
  },
): Statement[] {
  const { group, entries, author, at } = input;
  const { members, createdBy, ...row } = group;
  const rows = JSON.stringify(entries.map(entryRow));
  const values = sql.raw(Array.from({ length: 14 }, (_, i) => `j.value ->> ${i}`).join(", "));
  return [
    db
      .insert(alertGroups)
      .values({
        id: row.id,
        agencyId: row.agencyId,
        name: row.name,
        description: row.description,
        createdAt: at,
        createdBy,
        changedAt: at,
        changedBy: createdBy,
      })
      .onConflictDoNothing(),
    insertMembers(db, { groupId: row.id, userIds: members, at, by: createdBy }),
    db.run(sql`
      INSERT INTO hotlist_entries (
        group_id, plate, state, reason, notes, case_number, match_policy, state_required, make, color,
          body_type, priority, expires_at, digest, attachment_id, created_at, added_by, added_by_name,
          added_by_agency, from_version
      )
      SELECT ${row.id}, ${values}, ${at}, ${author.id}, ${author.name}, ${author.agency}, 1
      FROM json_each(${rows}) AS j
      WHERE NOT EXISTS (SELECT 1 FROM hotlist_entries WHERE group_id = ${row.id} AND plate = j.value ->> 0)
    `),
    recountEntries(db, row.id),
  ];
}
