// Parts of a group's list by their expiry. What has expired is still on the list, so that it can be renewed; these
// queries find it by an index of its own, so that a million plates cost no more than ten.

import { sql } from "drizzle-orm";
import { EXPIRY_NEAR_MS, type ListPart } from "#app/entities/hotlists/entry.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";

/** What the two ways that an entry can be in force are to the index: no end, or an end that a switch will bring. */
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

/** The condition that an entry `e` is in a part. */
export function isInPart(part: ListPart, now: number) {
  return sql`(${sql.join(expiryOf(part, now), sql` or `)})`;
}

/** Ids of the entries in force of the group `g` that are in a part, by the index of expiries. */
export function idsOfPart(part: ListPart, now: number) {
  const ways = ENDS.flatMap((end) =>
    expiryOf(part, now).map(
      (expiry) => sql`select e.id from hotlist_entries as e indexed by hotlist_entries_expiry
        where e.group_id = g.id and ${end} and ${expiry} and e.from_version <= g.list_version`,
    ),
  );
  return sql.join(ways, sql` union all `);
}

/** How many plates on the lists of these groups have expired, and how many are about to. */
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

/** Entries of a group that have expired or are about to, by their expiry. */
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
 * Gives entries a new end. Breaks the batch (`alert_groups.version`) where one was changed or taken out meanwhile.
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
