// Parts of a group's list by expiry. Expired entries stay on the list so that they can be renewed. These queries use
// the index `hotlist_entries_expiry`, so their cost does not grow with the size of the list.

import { type SQL, sql } from "drizzle-orm";
import { EXPIRY_NEAR_MS, type ListPart } from "#app/entities/hotlists/entry.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";

/**
 * The two ways an entry `e` can be in force in its group `g`, one range of `hotlist_entries_expiry` each: it has no
 * end, or an import that is not applied yet will end it. The plus sign keeps the second one a range of its group: with
 * the statistics of ANALYZE, SQLite may look up the expiry in every group and version instead, again for each group.
 */
export const IN_FORCE = [
  { end: sql.raw("e.until_version IS NULL"), expiresAt: sql.raw("e.expires_at") },
  { end: sql.raw("e.until_version > g.list_version"), expiresAt: sql.raw("+e.expires_at") },
];

function expiryOf(part: ListPart, now: number, expiresAt = sql.raw("e.expires_at")) {
  switch (part) {
    case "expired":
      return [sql`${expiresAt} <= ${now}`];
    case "near":
      return [sql`${expiresAt} > ${now} AND ${expiresAt} <= ${now + EXPIRY_NEAR_MS}`];
    case "in-force":
      return [sql`${expiresAt} IS NULL`, sql`${expiresAt} > ${now}`];
  }
}

/** Returns the condition that an entry `e` is in a part. */
export function isInPart(part: ListPart, now: number) {
  return sql`(${sql.join(expiryOf(part, now), sql` OR `)})`;
}

/** Returns a query for the ids of group `g`'s entries in force that are in a part, by the index of expiries. */
export function idsOfPart(part: ListPart, now: number) {
  const ways = IN_FORCE.flatMap(({ end, expiresAt }) =>
    expiryOf(part, now, expiresAt).map(
      (expiry) => sql`
        SELECT e.id
        FROM hotlist_entries AS e INDEXED BY hotlist_entries_expiry
        WHERE e.group_id = g.id AND ${end} AND ${expiry} AND e.from_version <= g.list_version
      `,
    ),
  );
  return sql.join(ways, sql` UNION ALL `);
}

/** Returns an expression that counts group `g`'s entries in force that are in a part. It reads all of them. */
function countOfPart(part: ListPart, now: number) {
  return sql.join(
    IN_FORCE.map(
      ({ end, expiresAt }) => sql`(
        SELECT count(*)
        FROM hotlist_entries AS e INDEXED BY hotlist_entries_expiry
        WHERE e.group_id = g.id
          AND ${end}
          AND (${sql.join(expiryOf(part, now, expiresAt), sql` OR `)})
          AND e.from_version <= g.list_version
      )`,
    ),
    sql` + `,
  );
}

/** Counts the expired plates on the lists of these groups. */
export async function countExpired(
  db: ControlDb,
  input: { groupIds: string[]; now: number },
): Promise<{ groupId: string; expired: number }[]> {
  return db.all(sql`
    SELECT g.id AS groupId, ${countOfPart("expired", input.now)} AS expired
    FROM json_each(${JSON.stringify(input.groupIds)}) AS i
    CROSS JOIN alert_groups AS g ON g.id = i.value
  `);
}

/** Counts the expired plates and the plates that expire soon on the list of a group. */
export async function countExpiring(
  db: ControlDb,
  input: { groupId: string; now: number },
): Promise<{ expired: number; near: number }> {
  const [counted] = await db.all<{ expired: number; near: number }>(sql`
    SELECT ${countOfPart("expired", input.now)} AS expired, ${countOfPart("near", input.now)} AS near
    FROM alert_groups AS g
    WHERE g.id = ${input.groupId}
  `);
  return counted ?? { expired: 0, near: 0 };
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
  return db.all<Renewable>(sql`
    SELECT e.id, e.plate, e.state, e.expires_at, e.revision
    FROM alert_groups AS g
    CROSS JOIN hotlist_entries AS e
    WHERE g.id = ${input.groupId} AND e.id IN (${idsOfPart(input.part, input.now)})
    ORDER BY e.expires_at, e.id
    LIMIT ${input.limit}
  `);
}

/**
 * Returns the `created_at` of an entry whose expiry is set at an instant: that instant if it had expired, since it was
 * not matched until then. Reads from before an entry was listed make no alerts.
 */
export function listedFrom(expiresAt: SQL, at: number): SQL {
  return sql`CASE WHEN expires_at <= ${at} AND coalesce(${expiresAt} > ${at}, TRUE) THEN ${at} ELSE created_at END`;
}

/**
 * Sets a new expiry for entries, including in place of the one that an import would set once it is applied. The batch
 * fails on `alert_groups.version` if one of them was changed or removed in the meantime.
 */
export function renewEntries(
  db: ControlDb,
  input: { groupId: string; entries: Renewable[]; expiresAt: number | null; at: number },
): Statement[] {
  const rows = JSON.stringify(input.entries.map(({ id, revision }) => [id, revision]));
  // Query plan: each row by primary key. Without the plus sign SQLite compares every entry of the group with all rows,
  // which took 12 s for 1,000 of 20,000 entries instead of 17 ms.
  const renewal = sql`
    UPDATE hotlist_entries
    SET created_at = ${listedFrom(sql`${input.expiresAt}`, input.at)}, expires_at = ${input.expiresAt},
      kept_expires_at = ${input.expiresAt}, revision = revision + 1
    FROM json_each(${rows}) AS j
    WHERE hotlist_entries.id = j.value ->> 0
      AND +hotlist_entries.group_id = ${input.groupId}
      AND hotlist_entries.revision = j.value ->> 1
      AND EXISTS (
        SELECT 1
        FROM alert_groups AS g
        WHERE g.id = ${input.groupId}
          AND g.archived_at IS NULL
          AND hotlist_entries.from_version <= g.list_version
          AND (hotlist_entries.until_version IS NULL OR hotlist_entries.until_version > g.list_version)
      )
  `;
  return [
    db.run(renewal),
    db.run(sql`
      UPDATE alert_groups
      SET version = CASE WHEN changes() = ${input.entries.length} THEN version END
      WHERE id = ${input.groupId}
    `),
  ];
}
