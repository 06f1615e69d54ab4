// Parts of a group's list by expiry. Expired entries stay on the list so that they can be renewed. These queries use
// the index `hotlist_entries_expiry`, so their cost does not grow with the size of the list.

import { sql } from "drizzle-orm";
import { EXPIRY_NEAR_MS, type ListPart } from "#app/entities/hotlists/entry.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";

/**
 * The two ways an entry can be in force, one index range each: it has no end, or an import that is not applied yet will
 * end it.
 */
const ENDS = [sql.raw("e.until_version is null"), sql.raw("e.until_version > g.list_version")];

function expiryOf(part: ListPart, now: number) {
  switch (part) {
    case "expired":
      return [sql`e.expires_at <= ${now}`];
    case "near":
      return [sql`e.expires_at > ${now} and e.expires_at <= ${now + EXPIRY_NEAR_MS}`];
    case "in-force":
      return [sql`e.expires_at is null`, sql`e.expires_at > ${now}`];
  }
}

/** Returns the condition that an entry `e` is in a part. */
export function isInPart(part: ListPart, now: number) {
  return sql`(${sql.join(expiryOf(part, now), sql` or `)})`;
}

/** Returns a query for the ids of group `g`'s entries in force that are in a part, by the index of expiries. */
export function idsOfPart(part: ListPart, now: number) {
  const ways = ENDS.flatMap((end) =>
    expiryOf(part, now).map(
      (expiry) => sql`select e.id from hotlist_entries as e indexed by hotlist_entries_expiry
        where e.group_id = g.id and ${end} and ${expiry} and e.from_version <= g.list_version`,
    ),
  );
  return sql.join(ways, sql` union all `);
}

/** Counts the expired plates and the plates that expire soon on the lists of these groups. */
export async function countExpiring(
  db: ControlDb,
  input: { groupIds: string[]; now: number },
): Promise<{ groupId: string; expired: number; near: number }[]> {
  const count = (part: ListPart) =>
    sql.join(
      ENDS.map(
        (end) => sql`(select count(*) from hotlist_entries as e indexed by hotlist_entries_expiry
          where e.group_id = g.id and ${end} and ${sql.join(expiryOf(part, input.now), sql` or `)} and e.from_version <= g.list_version)`,
      ),
      sql` + `,
    );
  return db.all(sql`select g.id as groupId, ${count("expired")} as expired, ${count("near")} as near
    from json_each(${JSON.stringify(input.groupIds)}) as i cross join alert_groups as g on g.id = i.value`);
}

export type Renewable = {
  id: number;
  plate: string;
  state: string;
  expires_at: number | null;
  revision: number;
};

/** Returns entries of a group in a part, ordered by expiry. */
export async function listRenewable(
  db: ControlDb,
  input: { groupId: string; part: "near" | "expired"; now: number; limit: number },
): Promise<Renewable[]> {
  return db.all<Renewable>(sql`select e.id, e.plate, e.state, e.expires_at, e.revision
    from alert_groups as g cross join hotlist_entries as e
    where g.id = ${input.groupId} and e.id in (${idsOfPart(input.part, input.now)})
    order by e.expires_at, e.id limit ${input.limit}`);
}

/**
 * Sets a new expiry for entries. The batch fails on `alert_groups.version` if one of them was changed or removed in the
 * meantime.
 */
export function renewEntries(
  db: ControlDb,
  input: { groupId: string; entries: Renewable[]; expiresAt: number | null },
): Statement[] {
  const rows = JSON.stringify(input.entries.map(({ id, revision }) => [id, revision]));
  return [
    db.run(sql`update hotlist_entries set expires_at = ${input.expiresAt}, revision = revision + 1
      from json_each(${rows}) as j where hotlist_entries.id = j.value ->> 0
        and hotlist_entries.group_id = ${input.groupId} and hotlist_entries.revision = j.value ->> 1
        and exists (select 1 from alert_groups as g where g.id = ${input.groupId} and g.archived_at is null
          and hotlist_entries.from_version <= g.list_version
          and (hotlist_entries.until_version is null or hotlist_entries.until_version > g.list_version))`),
    db.run(sql`update alert_groups set version = case when changes() = ${input.entries.length} then version end
      where id = ${input.groupId}`),
  ];
}
