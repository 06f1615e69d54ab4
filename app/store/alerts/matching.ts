// Finds entries that could match a batch of reads, across all hotlists, with one statement over an index of plates with
// look-alikes folded. Entries with wildcards are not in that index: the domain caches them, and every lookup returns
// those that were added since.

import { sql } from "drizzle-orm";
import type { MatchKind } from "#app/entities/alerts/hit.ts";
import type { WatchingEntry } from "#app/entities/alerts/match.ts";
import { type ControlDb, inOneStep, rowsOf, type Statement } from "#app/store/database.ts";
import { IN_FORCE_TEXT } from "#app/store/hotlists/plates.ts";

/** The indexed expression of `hotlist_entries_folded`, literally: `foldLookalikes` in SQL. */
const FOLDED = sql.raw(
  "replace(replace(replace(replace(replace(replace(replace(replace(e.plate, 'O', '0'), 'D', '0'), 'Q', '0'), 'I', '1'), 'Z', '2'), 'S', '5'), 'B', '8'), 'G', '6')",
);

/**
 * Joins the group `g` of entries `e`, and the import `r` that confirmed an entry and is applied, but has not yet
 * written the entry's new expiry (import-windows.ts), which takes a while for a long list or while the queue is late.
 * The condition with three states is that of the index.
 */
const IN_GROUP = sql.raw(`
      CROSS JOIN alert_groups AS g ON g.id = e.group_id
      LEFT JOIN hotlist_imports AS r INDEXED BY hotlist_imports_open
        ON r.group_id = g.id AND r.state NOT IN ('applied', 'cancelled', 'failed')
        AND r.state = 'renewing' AND r.version = e.kept_by`);
const EXPIRES_AT = sql.raw("iif(r.id IS NULL, e.expires_at, e.kept_expires_at)");

/** The condition for an entry `e` of a group `g` to be matched: in force, not expired, and its group not archived. */
const watches = (now: number) => sql`g.archived_at IS NULL
      AND ${sql.raw(IN_FORCE_TEXT)}
      AND (${EXPIRES_AT} IS NULL OR ${EXPIRES_AT} > ${now})`;

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

/** As `listedFrom` of store/hotlists/list-parts.ts sets it. */
const LISTED_AT = `iif(e.expires_at <= r.applied_at AND coalesce(e.kept_expires_at > r.applied_at, TRUE),
    r.applied_at, e.created_at)`;
const SELECTED =
  sql.raw(`e.id, e.group_id, g.agency_id, e.plate, e.state, e.reason, e.notes, e.case_number, e.match_policy,
  e.state_required, e.make, e.color, e.body_type, e.priority, ${LISTED_AT} AS created_at, e.added_by_name,
  e.added_by_agency`);

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

/** An alert that a pass has already created. */
export type PassAlert = {
  passKey: string;
  entryId: number;
  rank: number;
  matchKind: MatchKind;
  groupId: string;
  listedPlate: string;
  listedState: string;
  /** Whether the picture is its own, not that of its read. */
  hasVehicle: number;
  hasPlate: number;
  /** Whether its members have their delivery rows. Never becomes 0 again. */
  isFannedOut: number;
};

export type Watching = {
  /** Entries by the folded plate that found them. */
  entries: Map<string, WatchingEntry[]>;
  alerts: PassAlert[];
  /** The first entries with wildcards after the known ones. */
  wildcards: WildcardPage;
};

/** Entries with wildcards after the id `after`, oldest first. */
export type WildcardPage = {
  after: number;
  /** Differs if the database has been restored since. */
  epoch: number;
  /** Never decreases within one database. */
  version: number;
  /** `plate` is null if the entry has ended, or its group is archived: it will never be in force again. */
  entries: { id: number; plate: string | null }[];
  /** Whether there may be more. */
  isFull: boolean;
};

/**
 * Maximum number of wildcard entries that a lookup of plates returns. Further ones are read separately,
 * `WILDCARDS_AT_ONCE` at a time.
 */
const WILDCARDS_BESIDE = 100;
const WILDCARDS_AT_ONCE = 10_000;

/**
 * Returns the entries without wildcards that could match reads of these folded plates, the earlier alerts of these
 * passes, and the first entries with wildcards after an id.
 */
export async function findWatching(
  db: ControlDb,
  input: { foldedPlates: string[]; passKeys: string[]; wildcardsAfter: number; now: number },
): Promise<Watching> {
  const page = { after: input.wildcardsAfter, limit: WILDCARDS_BESIDE };
  const [found, made, ...wildcards] = await inOneStep(db, [
    db.all(sql`
      SELECT p.value AS folded, ${SELECTED}
      FROM json_each(${JSON.stringify(input.foldedPlates)}) AS p
      CROSS JOIN hotlist_entries AS e INDEXED BY hotlist_entries_folded ON ${FOLDED} = p.value
      ${IN_GROUP}
      WHERE ${watches(input.now)}`),
    db.all(sql`
      SELECT pass_key AS passKey, entry_id AS entryId, rank, match_kind AS matchKind,
        group_id AS groupId, listed_plate AS listedPlate, listed_state AS listedState,
        coalesce(vehicle_image_key GLOB 'alerts/*', 0) AS hasVehicle,
        coalesce(plate_image_key GLOB 'alerts/*', 0) AS hasPlate, fanned_out_at IS NOT NULL AS isFannedOut
      FROM json_each(${JSON.stringify(input.passKeys)}) AS p
      CROSS JOIN alerts AS a INDEXED BY alerts_pass ON a.pass_key = p.value`),
    ...wildcardStatements(db, page),
  ]);
  const entries = new Map<string, WatchingEntry[]>();
  for (const row of rowsOf<EntryRow & { folded: string }>(found)) {
    const others = entries.get(row.folded);
    if (others) others.push(entryOf(row));
    else entries.set(row.folded, [entryOf(row)]);
  }
  return { entries, alerts: rowsOf<PassAlert>(made), wildcards: pageOf(page, wildcards) };
}

/**
 * Query plan: a range of hotlist_entries_wildcards, and the group of each entry by primary key. An entry that will be in
 * force once an import is applied is open.
 */
function wildcardStatements(db: ControlDb, { after, limit }: { after: number; limit: number }) {
  return [
    db.all(sql`SELECT epoch, version FROM wildcard_versions`),
    db.all(sql`
      SELECT e.id, iif(
          g.archived_at IS NULL AND (e.until_version IS NULL OR e.until_version > g.list_version), e.plate, NULL
        ) AS plate
      FROM hotlist_entries AS e INDEXED BY hotlist_entries_wildcards
      LEFT JOIN alert_groups AS g ON g.id = e.group_id
      WHERE (instr(e.plate, '*') > 0 OR instr(e.plate, '?') > 0) AND e.id > ${after}
      ORDER BY e.id
      LIMIT ${limit}`),
  ] as const;
}

function pageOf(page: { after: number; limit: number }, [versions, found]: readonly unknown[]): WildcardPage {
  const [row] = rowsOf<{ epoch: number; version: number }>(versions);
  const entries = rowsOf<WildcardPage["entries"][number]>(found);
  // Without a row, the database is being restored.
  const { epoch, version } = row ?? { epoch: -1, version: 0 };
  return { after: page.after, epoch, version, entries, isFull: entries.length === page.limit };
}

/** Returns entries by their ids; with `inForce` only those that are matched now. */
export async function findEntries(
  db: ControlDb,
  input: { ids: number[]; now: number; inForce: boolean },
): Promise<WatchingEntry[]> {
  const condition = input.inForce ? watches(input.now) : sql`TRUE`;
  const rows = await db.all<EntryRow>(sql`
    SELECT ${SELECTED}
    FROM json_each(${JSON.stringify(input.ids)}) AS i
    CROSS JOIN hotlist_entries AS e ON e.id = i.value
    ${IN_GROUP}
    WHERE ${condition}`);
  return rows.map(entryOf);
}

/** Returns entries with wildcards after an id. */
export async function listWildcards(db: ControlDb, after: number): Promise<WildcardPage> {
  const page = { after, limit: WILDCARDS_AT_ONCE };
  return pageOf(page, await inOneStep(db, [...wildcardStatements(db, page)]));
}

/** Makes every isolate rebuild its cache of wildcard entries, after a restore. */
export function setWildcardEpoch(db: ControlDb, epoch: number): Statement {
  return db.run(sql`
    INSERT INTO wildcard_versions (id, version, epoch)
    VALUES (1, 1, ${epoch})
    ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch
  `);
}
