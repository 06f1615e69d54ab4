// Plates to watch. An entry is in force while its group's list version is between the entry's `from_version` and
// `until_version`. Ended entries move to the history after a day (former-entries.ts). Statements that must change a known
// number of rows make the batch fail on any other number.

import { sql } from "drizzle-orm";
import type { EntryFields, HotlistPlate, ListPart } from "#app/entities/hotlists/entry.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { jsonChunks } from "#app/store/json-chunks.ts";
import { idsOfPart, isInPart, listedFrom } from "./list-parts.ts";

/** The condition under which an entry `e` of a group `g` is in force, as text. */
export const IN_FORCE_TEXT =
  "e.from_version <= g.list_version AND (e.until_version IS NULL OR e.until_version > g.list_version)";
const IN_FORCE = sql.raw(IN_FORCE_TEXT);

/** Returns the condition for the list as it was at a version. */
function inForceAt(version: number) {
  return sql`e.from_version <= ${version} AND (e.until_version IS NULL OR e.until_version > ${version})`;
}

export type NewEntry = EntryFields & {
  expiresAt: number | null;
  digest: number;
  attachmentId: string | null;
};

export type Author = { id: string; name: string; agency: string };

/** Columns of an entry, in the order of the JSON rows. */
const ROW_COLUMNS = sql.raw(
  "plate, state, reason, notes, case_number, match_policy, state_required, make, color, body_type, priority, expires_at, digest, attachment_id",
);
const ROW_VALUES = sql.raw(Array.from({ length: 14 }, (_, i) => `j.value ->> ${i}`).join(", "));

/** Returns an entry as one row of the JSON that inserts take. */
export function entryRow(entry: NewEntry): (string | number | null)[] {
  return [
    entry.plate,
    entry.state,
    entry.reason,
    entry.notes,
    entry.caseNumber,
    entry.matchPolicy,
    entry.stateRequired ? 1 : 0,
    entry.make,
    entry.color,
    entry.bodyType,
    entry.priority,
    entry.expiresAt,
    entry.digest,
    entry.attachmentId,
  ];
}

/** An entry of an import. `listedAt` is the time of the entry that it replaces; null if it is new to the list. */
export type StagedEntry = NewEntry & { listedAt: number | null };

/** Returns an entry as one row of the JSON that `insertStagedEntries` takes. */
export function stagedRow(entry: StagedEntry): (string | number | null)[] {
  return [...entryRow(entry), entry.listedAt];
}

/**
 * Adds entries that are in force immediately. The batch fails on `alert_groups.version` if the group is archived or one
 * of the plates is already in force.
 */
export function insertEntries(
  db: ControlDb,
  input: { groupId: string; entries: NewEntry[]; author: Author; at: number },
): Statement[] {
  const { groupId, author, at } = input;
  return jsonChunks(input.entries.map(entryRow)).flatMap(({ json, count }) => {
    // Query plan: one lookup per plate for duplicates, by hotlist_entries_plate (group, plate, state).
    const insertion = sql`
      INSERT INTO hotlist_entries (
        group_id, ${ROW_COLUMNS}, created_at, added_by, added_by_name, added_by_agency, from_version
      )
      SELECT ${groupId}, ${ROW_VALUES}, ${at}, ${author.id}, ${author.name}, ${author.agency}, g.list_version
      FROM json_each(${json}) AS j
      CROSS JOIN alert_groups AS g ON g.id = ${groupId}
      WHERE g.archived_at IS NULL
        AND NOT EXISTS (
          SELECT 1
          FROM hotlist_entries e
          WHERE e.group_id = g.id AND e.plate = j.value ->> 0 AND e.state = j.value ->> 1 AND ${IN_FORCE}
        )
    `;
    return [db.run(insertion), countChange(db, { groupId, expected: count, by: count })];
  });
}

function countChange(db: ControlDb, input: { groupId: string; expected: number; by: number }): Statement {
  return db.run(sql`
    UPDATE alert_groups
    SET plate_count = plate_count + ${input.by},
      version = CASE WHEN changes() = ${input.expected} THEN version END
    WHERE id = ${input.groupId}
  `);
}

/** Adds the rows of an import under its version. They are in force once the group's list version reaches it. */
export function insertStagedEntries(
  db: ControlDb,
  input: { groupId: string; rows: string; author: Author; at: number; version: number },
): Statement {
  const { groupId, rows, author, at, version } = input;
  return db.run(sql`
    INSERT INTO hotlist_entries (
      group_id, ${ROW_COLUMNS}, created_at, added_by, added_by_name, added_by_agency, from_version
    )
    SELECT ${groupId}, ${ROW_VALUES}, coalesce(j.value ->> 14, ${at}), ${author.id}, ${author.name}, ${author.agency}, ${version}
    FROM json_each(${rows}) AS j
  `);
}

/** Ends an entry; it stays as history. The batch fails if it is not in force. */
export function removeEntry(
  db: ControlDb,
  input: { groupId: string; id: number; at: number; by: string },
): Statement[] {
  return [
    db.run(sql`
      UPDATE hotlist_entries AS e
      SET until_version = g.list_version, removed_at = ${input.at}, removed_by = ${input.by}
      FROM alert_groups AS g
      WHERE g.id = e.group_id AND e.id = ${input.id} AND e.group_id = ${input.groupId} AND ${IN_FORCE}
    `),
    countChange(db, { groupId: input.groupId, expected: 1, by: -1 }),
  ];
}

/**
 * Ends entries that have expired; they stay as history. The batch fails on `alert_groups.version` if one of them is not in
 * force, or was renewed in the meantime.
 */
export function endExpired(
  db: ControlDb,
  input: { groupId: string; ids: readonly number[]; at: number; by: string },
): Statement[] {
  const { groupId, at, by } = input;
  return jsonChunks(input.ids).flatMap(({ json, count }) => [
    // Query plan: each entry by primary key; the plus sign keeps SQLite from reading the whole group.
    db.run(sql`
      UPDATE hotlist_entries AS e
      SET until_version = g.list_version, removed_at = ${at}, removed_by = ${by}
      FROM json_each(${json}) AS j
      CROSS JOIN alert_groups AS g ON g.id = ${groupId}
      WHERE e.id = j.value AND +e.group_id = g.id AND e.expires_at <= ${at} AND ${IN_FORCE}
    `),
    countChange(db, { groupId, expected: count, by: -count }),
  ]);
}

/**
 * Changes the content of an entry. An undefined expiry keeps the stored one, which an import may renew meanwhile. A new
 * one also replaces the one that an import would set once it is applied. The batch fails on `hotlist_entries.revision`
 * if the entry has another revision or has ended, or if the group has another entry with the new state.
 */
export function updateEntry(
  db: ControlDb,
  input: {
    id: number;
    revision: number;
    at: number;
    entry: Omit<NewEntry, "expiresAt"> & { expiresAt: number | null | undefined };
  },
): Statement {
  const { entry } = input;
  const expiresAt = entry.expiresAt === undefined ? sql.raw("expires_at") : sql`${entry.expiresAt}`;
  // By hotlist_entries_plate (group, plate, state).
  const others = sql`
    SELECT 1
    FROM hotlist_entries AS e
    JOIN alert_groups AS g ON g.id = e.group_id
    WHERE e.group_id = hotlist_entries.group_id AND e.plate = hotlist_entries.plate AND e.id <> ${input.id}
      AND e.state = ${entry.state} AND ${IN_FORCE}`;
  const itself = sql`
    SELECT 1
    FROM hotlist_entries AS e
    JOIN alert_groups AS g ON g.id = e.group_id
    WHERE e.id = ${input.id} AND ${IN_FORCE}`;
  // Query plan: the entry and its group by primary key, `others` by its index.
  const change = sql`
    UPDATE hotlist_entries
    SET state = ${entry.state}, reason = ${entry.reason}, notes = ${entry.notes},
      case_number = ${entry.caseNumber}, match_policy = ${entry.matchPolicy},
      state_required = ${entry.stateRequired ? 1 : 0}, make = ${entry.make}, color = ${entry.color},
      body_type = ${entry.bodyType}, priority = ${entry.priority}, expires_at = ${expiresAt},
      created_at = ${listedFrom(expiresAt, input.at)},
      kept_expires_at = CASE WHEN expires_at IS ${expiresAt} THEN kept_expires_at ELSE ${expiresAt} END,
      digest = ${entry.digest}, attachment_id = ${entry.attachmentId},
      revision = CASE
        WHEN revision = ${input.revision} AND EXISTS (${itself}) AND NOT EXISTS (${others}) THEN revision + 1 END
    WHERE id = ${input.id}
  `;
  return db.run(change);
}

type EntryRow = {
  id: number;
  plate: string;
  state: string;
  reason: string;
  notes: string;
  case_number: string;
  match_policy: "exact" | "lookalike";
  state_required: number;
  make: string;
  color: string;
  body_type: string;
  priority: "high" | "normal" | "low";
  expires_at: number | null;
  created_at: number;
  added_by_name: string;
  added_by_agency: string;
  attachment_id: string | null;
  attachment_name: string | null;
  revision: number;
};

const SELECTED =
  sql.raw(`e.id, e.plate, e.state, e.reason, e.notes, e.case_number, e.match_policy, e.state_required, e.make,
  e.color, e.body_type, e.priority, e.expires_at, e.created_at, e.added_by_name, e.added_by_agency, e.attachment_id, e.revision,
  (SELECT name FROM attachments WHERE id = e.attachment_id) AS attachment_name`);

function plateOf(row: EntryRow): HotlistPlate {
  return {
    id: row.id,
    plate_number: row.plate,
    state: row.state,
    reason: row.reason,
    notes: row.notes,
    created_at: isoTime(row.created_at),
    added_by_name: row.added_by_name,
    added_by_agency: row.added_by_agency,
    attachment_path: row.attachment_id,
    expires_at: row.expires_at === null ? null : isoTime(row.expires_at),
    case_number: row.case_number,
    match_policy: row.match_policy,
    state_required: row.state_required === 1,
    make: row.make,
    color: row.color,
    body_type: row.body_type,
    priority: row.priority,
    revision: row.revision,
    attachment_name: row.attachment_name,
    also_in: [],
  };
}

/** The position of an entry in the list. A page begins after this position. */
export type PlateKey = [plate: string, state: string, id: number];

/**
 * Returns entries in force, ordered by plate, after a position. `from` and `below` limit the plates to a prefix, `glob`
 * (letters, digits, `*`, `?`) filters them, `part` keeps one part; a part with `few` entries is found by its own index.
 */
export async function listEntries(
  db: ControlDb,
  input: {
    groupId: string;
    after: PlateKey;
    below: string | null;
    glob: string | null;
    limit: number;
    part?: { name: ListPart; now: number; few: boolean };
    /** Reads the list as it was at this version, instead of the one in force. */
    version?: number;
  },
): Promise<HotlistPlate[]> {
  const [plate, state, id] = input.after;
  const { part, version } = input;
  const below = input.below === null ? sql`` : sql`AND e.plate < ${input.below}`;
  const glob = input.glob === null ? sql`` : sql`AND e.plate GLOB ${input.glob}`;
  const entries = part?.few
    ? sql`hotlist_entries AS e ON e.id IN (${idsOfPart(part.name, part.now)})`
    : sql`hotlist_entries AS e INDEXED BY hotlist_entries_plate ON e.group_id = g.id`;
  const inPart = part && !part.few ? sql`AND ${isInPart(part.name, part.now)}` : sql``;
  const rows = await db.all<EntryRow>(sql`
    SELECT ${SELECTED}
    FROM alert_groups AS g
    CROSS JOIN ${entries}
    WHERE g.id = ${input.groupId}
      AND (e.plate, e.state, e.id) > (${plate}, ${state}, ${id}) ${below} ${glob} ${inPart}
      AND ${version === undefined ? IN_FORCE : inForceAt(version)}
    ORDER BY e.plate, e.state, e.id
    LIMIT ${input.limit}
  `);
  return rows.map(plateOf);
}

/** Returns the position of an entry in its group's list, even if it is no longer in force. */
export async function findPlateKey(
  db: ControlDb,
  input: { groupId: string; id: number },
): Promise<PlateKey | undefined> {
  const [row] = await db.all<{ plate: string; state: string }>(sql`
    SELECT plate, state
    FROM hotlist_entries
    WHERE id = ${input.id} AND group_id = ${input.groupId}
  `);
  return row && [row.plate, row.state, input.id];
}

/** Returns an entry of a group if it is in force. */
export async function findEntry(
  db: ControlDb,
  input: { groupId: string; id: number },
): Promise<HotlistPlate | undefined> {
  const [row] = await db.all<EntryRow>(sql`
    SELECT ${SELECTED}
    FROM alert_groups AS g
    CROSS JOIN hotlist_entries AS e ON e.group_id = g.id
    WHERE g.id = ${input.groupId} AND e.id = ${input.id} AND ${IN_FORCE}
  `);
  return row && plateOf(row);
}

/** Returns the group of an entry that is in force. The caller checks whether the user may see the group. */
export async function findGroupOfEntry(db: ControlDb, id: number): Promise<string | undefined> {
  const [row] = await db.all<{ group_id: string }>(sql`
    SELECT e.group_id
    FROM hotlist_entries AS e
    JOIN alert_groups AS g ON g.id = e.group_id
    WHERE e.id = ${id} AND ${IN_FORCE}
  `);
  return row?.group_id;
}

export type Watched = {
  id: number;
  groupId: string;
  group: string;
  plate: string;
  state: string;
  reason: string;
  addedBy: string;
  createdAt: number;
  expiresAt: number | null;
};

/** Returns at most `limit` entries in force for these plates in these groups. */
export async function listWatched(
  db: ControlDb,
  input: { groupIds: string[]; plates: string[]; limit?: number },
): Promise<Watched[]> {
  if (input.groupIds.length === 0 || input.plates.length === 0) return [];
  // Query plan: one lookup per group and plate in hotlist_entries_plate.
  const watched = sql`
    SELECT e.id, g.id AS groupId, g.name AS "group", e.plate, e.state, e.reason, e.added_by_name AS addedBy,
      e.created_at AS createdAt, e.expires_at AS expiresAt
    FROM json_each(${JSON.stringify(input.groupIds)}) AS i
    CROSS JOIN alert_groups AS g ON g.id = i.value
    CROSS JOIN json_each(${JSON.stringify(input.plates)}) AS p
    CROSS JOIN hotlist_entries AS e INDEXED BY hotlist_entries_plate ON e.group_id = g.id
      AND e.plate = p.value
    WHERE ${IN_FORCE}
    LIMIT ${input.limit ?? 1000}
  `;
  return db.all<Watched>(watched);
}

/** Recounts the entries in force after an import. */
export function recountEntries(db: ControlDb, groupId: string): Statement {
  return db.run(sql`
    UPDATE alert_groups AS g
    SET plate_count = (SELECT count(*) FROM hotlist_entries AS e WHERE e.group_id = g.id AND ${IN_FORCE})
    WHERE g.id = ${groupId}
  `);
}
