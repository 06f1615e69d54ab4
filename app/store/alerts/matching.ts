// Finds the entries that could watch for some reads, all lists at once: one statement for a whole batch, by an index
// over plates with look-alikes folded. Entries with wildcards are not found so; they are few and held elsewhere, and
// every lookup brings the number that says whether what is held is still true.

import { sql } from "drizzle-orm";
import type { MatchKind, WatchingEntry } from "#app/entities/alerts/match.ts";
import { type ControlDb, inOneStep } from "#app/store/database.ts";

/** The expression of the index `hotlist_entries_folded`, to the letter: `foldLookalikes` in SQL. */
const FOLDED = sql.raw(
  "replace(replace(replace(replace(replace(replace(replace(replace(e.plate, 'O', '0'), 'D', '0'), 'Q', '0'), 'I', '1'), 'Z', '2'), 'S', '5'), 'B', '8'), 'G', '6')",
);

/** What makes an entry `e` of a group `g` one to match: in force (as store/hotlists/plates.ts says), not archived, not over. */
const watches = (now: number) => sql`g.archived_at is null and e.from_version <= g.list_version
  and (e.until_version is null or e.until_version > g.list_version) and (e.expires_at is null or e.expires_at > ${now})`;

type EntryRow = {
  id: number;
  group_id: string;
  agency_id: string;
  plate: string;
  state: string;
  reason: string;
  notes: string;
  case_number: string;
  match_policy: WatchingEntry["matchPolicy"];
  state_required: number;
  make: string;
  color: string;
  body_type: string;
  priority: WatchingEntry["priority"];
  created_at: number;
  added_by_name: string;
  added_by_agency: string;
};

const SELECTED =
  sql.raw(`e.id, e.group_id, g.agency_id, e.plate, e.state, e.reason, e.notes, e.case_number, e.match_policy,
  e.state_required, e.make, e.color, e.body_type, e.priority, e.created_at, e.added_by_name, e.added_by_agency`);

function entryOf(row: EntryRow): WatchingEntry {
  return {
    id: row.id,
    groupId: row.group_id,
    agencyId: row.agency_id,
    plate: row.plate,
    state: row.state,
    reason: row.reason,
    notes: row.notes,
    caseNumber: row.case_number,
    matchPolicy: row.match_policy,
    stateRequired: row.state_required === 1,
    make: row.make,
    color: row.color,
    bodyType: row.body_type,
    priority: row.priority,
    createdAt: row.created_at,
    addedByName: row.added_by_name,
    addedByAgency: row.added_by_agency,
  };
}

/** An alert that a pass has made already. */
export type PassAlert = {
  passKey: string;
  entryId: number;
  rank: number;
  matchKind: MatchKind;
  groupId: string;
  listedPlate: string;
  listedState: string;
  hasVehicle: number;
  hasPlate: number;
};

export type Watching = {
  /** Entries by the folded plate that they were found under. */
  entries: Map<string, WatchingEntry[]>;
  alerts: PassAlert[];
  /** Of the entries with wildcards; see `listWildcards`. */
  wildcardVersion: number;
};

/** Entries without wildcards that could match reads of these folded plates, and what these passes alerted before. */
export async function findWatching(
  db: ControlDb,
  input: { foldedPlates: string[]; passKeys: string[]; now: number },
): Promise<Watching> {
  const [found, alerts, versions] = (await inOneStep(db, [
    db.all(sql`select p.value as folded, ${SELECTED} from json_each(${JSON.stringify(input.foldedPlates)}) as p
      cross join hotlist_entries as e indexed by hotlist_entries_folded on ${FOLDED} = p.value
      cross join alert_groups as g on g.id = e.group_id where ${watches(input.now)}`),
    db.all(sql`select pass_key as passKey, entry_id as entryId, rank, match_kind as matchKind,
        group_id as groupId, listed_plate as listedPlate, listed_state as listedState,
        vehicle_image_key is not null as hasVehicle, plate_image_key is not null as hasPlate from json_each(${JSON.stringify(input.passKeys)}) as p
      cross join alerts as a indexed by alerts_pass on a.pass_key = p.value`),
    db.all(sql`select version from wildcard_versions`),
  ])) as [D1Result<EntryRow & { folded: string }>, D1Result<PassAlert>, D1Result<{ version: number }>];
  const entries = new Map<string, WatchingEntry[]>();
  for (const row of found.results) {
    const others = entries.get(row.folded);
    if (others) others.push(entryOf(row));
    else entries.set(row.folded, [entryOf(row)]);
  }
  return { entries, alerts: alerts.results, wildcardVersion: versions.results[0]?.version ?? 0 };
}

/** Entries by their ids; `inForce` leaves out those that no longer watch. */
export async function findEntries(
  db: ControlDb,
  input: { ids: number[]; now: number; inForce: boolean },
): Promise<WatchingEntry[]> {
  const condition = input.inForce ? watches(input.now) : sql`true`;
  const rows = await db.all<EntryRow>(sql`select ${SELECTED} from json_each(${JSON.stringify(input.ids)}) as i
    cross join hotlist_entries as e on e.id = i.value cross join alert_groups as g on g.id = e.group_id where ${condition}`);
  return rows.map(entryOf);
}

/** Every entry with wildcards that is in force or will be once its time comes, and the number that this is true of. */
export async function listWildcards(
  db: ControlDb,
): Promise<{ version: number; entries: { id: number; plate: string }[] }> {
  const [versions, entries] = (await inOneStep(db, [
    db.all(sql`select version from wildcard_versions`),
    db.all(sql`select e.id, e.plate from hotlist_entries as e indexed by hotlist_entries_wildcards
      cross join alert_groups as g on g.id = e.group_id
      where (instr(e.plate, '*') > 0 or instr(e.plate, '?') > 0) and ${watches(0)}`),
  ])) as [D1Result<{ version: number }>, D1Result<{ id: number; plate: string }>];
  return { version: versions.results[0]?.version ?? 0, entries: entries.results };
}
