// Plates to watch. An entry is in force while its group's list version lies between the entry's two versions; rows are
// never changed out of history but left behind. Writes that count rows end their batch where the count is another.

import { sql } from "drizzle-orm";
import type { EntryFields, HotlistPlate, ListPart } from "#app/entities/hotlists/entry.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { jsonChunks } from "#app/store/json-chunks.ts";
import { idsOfPart, isInPart } from "./list-parts.ts";

/** The condition under which an entry `e` of a group `g` is in force. */
const IN_FORCE = sql.raw(
  "e.from_version <= g.list_version and (e.until_version is null or e.until_version > g.list_version)",
);

/** The same for the list as it was at a version. */
function inForceAt(version: number) {
  return sql`e.from_version <= ${version} and (e.until_version is null or e.until_version > ${version})`;
}

export type NewEntry = EntryFields & {
  expiresAt: number | null;
  digest: number;
  attachmentId: string | null;
};

export type Author = { id: string; name: string; agency: string };

/** Columns of an entry in the order in which rows are handed over as JSON. */
const ROW_COLUMNS = sql.raw(
  "plate, state, reason, notes, case_number, match_policy, state_required, make, color, body_type, priority, expires_at, digest, attachment_id",
);
const ROW_VALUES = sql.raw(Array.from({ length: 14 }, (_, i) => `j.value ->> ${i}`).join(", "));

/** An entry as one row of the JSON that inserts take. */
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

/**
 * Adds entries that are in force at once. Breaks the batch (`alert_groups.version`) where the group is archived or one
 * of the plates is in force already.
 */
export function insertEntries(
  db: ControlDb,
  input: { groupId: string; entries: NewEntry[]; author: Author; at: number },
): Statement[] {
  const { groupId, author, at } = input;
  return jsonChunks(input.entries.map(entryRow)).flatMap(({ json, count }) => [
    db.run(sql`insert into hotlist_entries (group_id, ${ROW_COLUMNS}, created_at, added_by, added_by_name, added_by_agency, from_version)
      select ${groupId}, ${ROW_VALUES}, ${at}, ${author.id}, ${author.name}, ${author.agency}, g.list_version
      from json_each(${json}) as j cross join alert_groups as g on g.id = ${groupId}
      where g.archived_at is null and not exists (select 1 from hotlist_entries e
        where e.group_id = g.id and e.plate = j.value ->> 0 and e.state = j.value ->> 1 and ${IN_FORCE})`),
    countChange(db, { groupId, expected: count, by: count }),
  ]);
}

function countChange(db: ControlDb, input: { groupId: string; expected: number; by: number }): Statement {
  return db.run(sql`update alert_groups set plate_count = plate_count + ${input.by},
    version = case when changes() = ${input.expected} then version end where id = ${input.groupId}`);
}

/** Adds rows of an import under its version: in force once the group's list version reaches it. */
export function insertStagedEntries(
  db: ControlDb,
  input: { groupId: string; rows: string; author: Author; at: number; version: number },
): Statement {
  const { groupId, rows, author, at, version } = input;
  return db.run(sql`insert into hotlist_entries (group_id, ${ROW_COLUMNS}, created_at, added_by, added_by_name, added_by_agency, from_version)
    select ${groupId}, ${ROW_VALUES}, ${at}, ${author.id}, ${author.name}, ${author.agency}, ${version}
    from json_each(${rows}) as j`);
}

/** Takes an entry out of force; it stays as history. Breaks the batch where it is not in force. */
export function removeEntry(
  db: ControlDb,
  input: { groupId: string; id: number; at: number; by: string },
): Statement[] {
  return [
    db.run(sql`update hotlist_entries as e set until_version = g.list_version, removed_at = ${input.at}, removed_by = ${input.by}
      from alert_groups as g where g.id = e.group_id and e.id = ${input.id} and e.group_id = ${input.groupId} and ${IN_FORCE}`),
    countChange(db, { groupId: input.groupId, expected: 1, by: -1 }),
  ];
}

/** Changes what an entry says. Breaks the batch (`hotlist_entries.revision`) where somebody changed it before. */
export function updateEntry(
  db: ControlDb,
  input: { id: number; revision: number; entry: NewEntry },
): Statement {
  const { entry } = input;
  return db.run(sql`update hotlist_entries set state = ${entry.state}, reason = ${entry.reason}, notes = ${entry.notes},
    case_number = ${entry.caseNumber}, match_policy = ${entry.matchPolicy}, state_required = ${entry.stateRequired ? 1 : 0},
    make = ${entry.make}, color = ${entry.color}, body_type = ${entry.bodyType}, priority = ${entry.priority},
    expires_at = ${entry.expiresAt}, digest = ${entry.digest}, attachment_id = ${entry.attachmentId},
    revision = case when revision = ${input.revision} then revision + 1 end where id = ${input.id}`);
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
  (select name from attachments where id = e.attachment_id) as attachment_name`);

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

/** Where a page of plates begins: behind this entry in the order of plate, state, id. */
export type PlateKey = [plate: string, state: string, id: number];

/**
 * Entries in force in the order of their plates, from a key on; `from` and `below` bound the plates to a beginning,
 * `glob` (letters, digits, `*`, `?`) picks among them, `part` keeps those of one part; a part of `few` is looked up.
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
    /** The list as it was at this version; the one in force where it is absent. */
    version?: number;
  },
): Promise<HotlistPlate[]> {
  const [plate, state, id] = input.after;
  const { part, version } = input;
  const below = input.below === null ? sql`` : sql`and e.plate < ${input.below}`;
  const glob = input.glob === null ? sql`` : sql`and e.plate glob ${input.glob}`;
  const entries = part?.few
    ? sql`hotlist_entries as e on e.id in (${idsOfPart(part.name, part.now)})`
    : sql`hotlist_entries as e indexed by hotlist_entries_plate on e.group_id = g.id`;
  const inPart = part && !part.few ? sql`and ${isInPart(part.name, part.now)}` : sql``;
  const rows = await db.all<EntryRow>(sql`select ${SELECTED}
    from alert_groups as g cross join ${entries}
    where g.id = ${input.groupId} and (e.plate, e.state, e.id) > (${plate}, ${state}, ${id}) ${below} ${glob} ${inPart}
      and ${version === undefined ? IN_FORCE : inForceAt(version)}
    order by e.plate, e.state, e.id limit ${input.limit}`);
  return rows.map(plateOf);
}

/** Where an entry of a group stands in the order of its plates, also when it is in force no longer. */
export async function findPlateKey(
  db: ControlDb,
  input: { groupId: string; id: number },
): Promise<PlateKey | undefined> {
  const [row] = await db.all<{ plate: string; state: string }>(sql`select plate, state from hotlist_entries
    where id = ${input.id} and group_id = ${input.groupId}`);
  return row && [row.plate, row.state, input.id];
}

/** An entry of a group that is in force. */
export async function findEntry(
  db: ControlDb,
  input: { groupId: string; id: number },
): Promise<HotlistPlate | undefined> {
  const [row] =
    await db.all<EntryRow>(sql`select ${SELECTED} from alert_groups as g cross join hotlist_entries as e on e.group_id = g.id
    where g.id = ${input.groupId} and e.id = ${input.id} and ${IN_FORCE}`);
  return row && plateOf(row);
}

/** The group of an entry that is in force; whether the caller may see it is another question. */
export async function findGroupOfEntry(db: ControlDb, id: number): Promise<string | undefined> {
  const [row] = await db.all<{ group_id: string }>(sql`select e.group_id from hotlist_entries as e
    join alert_groups as g on g.id = e.group_id where e.id = ${id} and ${IN_FORCE}`);
  return row?.group_id;
}

export type Watched = {
  groupId: string;
  group: string;
  plate: string;
  state: string;
  reason: string;
  addedBy: string;
  createdAt: number;
  expiresAt: number | null;
};

/** Entries in force for these plates in these groups, `limit` at most. */
export async function listWatched(
  db: ControlDb,
  input: { groupIds: string[]; plates: string[]; limit?: number },
): Promise<Watched[]> {
  if (input.groupIds.length === 0 || input.plates.length === 0) return [];
  return db.all<Watched>(sql`select g.id as groupId, g.name as "group", e.plate, e.state, e.reason, e.added_by_name as addedBy,
      e.created_at as createdAt, e.expires_at as expiresAt
    from json_each(${JSON.stringify(input.groupIds)}) as i cross join alert_groups as g on g.id = i.value
    cross join json_each(${JSON.stringify(input.plates)}) as p
    cross join hotlist_entries as e indexed by hotlist_entries_plate on e.group_id = g.id and e.plate = p.value
    where ${IN_FORCE} limit ${input.limit ?? 1000}`);
}

/** Counts the entries in force anew, after an import. */
export function recountEntries(db: ControlDb, groupId: string): Statement {
  return db.run(sql`update alert_groups as g set plate_count = (select count(*) from hotlist_entries as e
    where e.group_id = g.id and ${IN_FORCE}) where g.id = ${groupId}`);
}
