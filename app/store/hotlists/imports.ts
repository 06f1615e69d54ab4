// Imports of hotlist files. Each step is one batch that increments `step` and fails if another worker has already done
// that step. A job that is delivered twice or again after a crash continues after the last complete step.

import { and, desc, eq, inArray, lt, sql } from "drizzle-orm";
import type { ImportIssue, ImportState } from "#app/entities/hotlists/import.ts";
import type { FileLayout } from "#app/entities/hotlists/layout.ts";
import { HOUR } from "#app/lib/time/dates.ts";
import { isDueAgain, isOneOf } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { importKey } from "#app/store/files.ts";
import { hotlistImportIssues, hotlistImports } from "#app/store/schema/hotlists.ts";

export type StoredImport = Omit<typeof hotlistImports.$inferSelect, "layout"> & { layout: FileLayout | null };

function importOf(row: typeof hotlistImports.$inferSelect): StoredImport {
  // Only this file writes the column.
  return { ...row, layout: row.layout as FileLayout | null };
}

const COUNTERS = ["rows", "added", "unchanged", "conflicting", "rejected", "repeated"] as const;

export type NewImport = Pick<
  StoredImport,
  | "id"
  | "groupId"
  | "agencyId"
  | "userId"
  | "username"
  | "userName"
  | "agencyName"
  | "fileName"
  | "size"
  | "preset"
  | "layout"
  | "mode"
  | "onConflict"
  | "message"
  | "expiresAt"
  | "createdAt"
>;

/**
 * Opens an import under the group's next version. The batch fails on `hotlist_imports.group_id` if another import is
 * open.
 */
export function insertImport(db: ControlDb, row: NewImport): [Statement, Statement] {
  return [
    db.insert(hotlistImports).values({
      ...row,
      state: "reading",
      updatedAt: row.createdAt,
      version: sql`(SELECT next_version FROM alert_groups WHERE id = ${row.groupId})`,
      firstEntryId: sql`(SELECT coalesce(max(id), 0) + 1 FROM hotlist_entries)`,
    }),
    db.run(sql`
      UPDATE alert_groups
      SET next_version = next_version + 1
      WHERE id = ${row.groupId}
    `),
  ];
}

/** Returns an import in any state, or undefined. Does not check who may edit its group. */
export async function findImport(db: ControlDb, id: string): Promise<StoredImport | undefined> {
  const row = await db.query.hotlistImports.findFirst({ where: eq(hotlistImports.id, id) });
  return row && importOf(row);
}

/** Returns the latest import of a group, or undefined. */
export async function findLatestImport(db: ControlDb, groupId: string): Promise<StoredImport | undefined> {
  const row = await db.query.hotlistImports.findFirst({
    where: eq(hotlistImports.groupId, groupId),
    orderBy: [desc(hotlistImports.createdAt), desc(hotlistImports.version)],
  });
  return row && importOf(row);
}

/** Each takes up to two queries of the 1,000 that D1 allows for all jobs of a cron. */
const STALLED_AT_ONCE = 25;

/**
 * Returns imports in these states, with this message if one is given, that have not changed since `before`; those that were
 * tried longest ago first. One that was tried since it changed is left out for as long again, at most an hour.
 */
export async function listStalledImports(
  db: ControlDb,
  input: { states: ImportState[]; before: number; message?: string; now: number },
): Promise<StoredImport[]> {
  const { states, before, message, now } = input;
  const { state, updatedAt, triedAt } = hotlistImports;
  const rows = await db.query.hotlistImports.findMany({
    where: and(
      inArray(state, states),
      lt(updatedAt, before),
      message === undefined ? undefined : eq(hotlistImports.message, message),
      isDueAgain({ since: updatedAt, triedAt, now, most: HOUR }),
    ),
    orderBy: [triedAt, updatedAt],
    limit: STALLED_AT_ONCE,
  });
  return rows.map(importOf);
}

/** Stores that the sweep tries these imports now. */
export async function noteImportsTried(db: ControlDb, ids: readonly string[], now: number): Promise<void> {
  await db.update(hotlistImports).set({ triedAt: now }).where(isOneOf(hotlistImports.id, ids));
}

/**
 * Advances an import. The batch fails on `hotlist_imports.step` if the import is not at `step` in one of `states`.
 * `add` increments counters; `removedByChanges` adds the rows changed by the preceding statement.
 */
export function updateImport(
  db: ControlDb,
  input: {
    id: string;
    step: number;
    states: ImportState[];
    at: number;
    set: Partial<
      Pick<
        StoredImport,
        "state" | "message" | "offset" | "line" | "skipping" | "walkedTo" | "layout" | "appliedAt"
      >
    >;
    add?: Partial<Record<(typeof COUNTERS)[number], number>>;
    removedByChanges?: boolean;
  },
): Statement {
  const counters = Object.fromEntries(
    COUNTERS.flatMap((name) => {
      const by = input.add?.[name];
      return by === undefined ? [] : [[name, sql`${hotlistImports[name]} + ${by}`]];
    }),
  );
  return db
    .update(hotlistImports)
    .set({
      ...input.set,
      ...counters,
      ...(input.removedByChanges && { removed: sql`${hotlistImports.removed} + changes()` }),
      updatedAt: input.at,
      step: sql`
        CASE WHEN ${hotlistImports.step} = ${input.step} AND ${hotlistImports.state} IN (
          SELECT value
          FROM json_each(${JSON.stringify(input.states)})
        ) THEN ${hotlistImports.step} + 1 END`,
    })
    .where(eq(hotlistImports.id, input.id));
}

export type FoundEntry = {
  row: number;
  id: number;
  digest: number;
  mine: number;
  expired: number;
  listedAt: number;
  expiresAt: number | null;
  attachmentId: string | null;
  removed: number;
};

/**
 * Returns the entries of the list with the plate and state of these rows (JSON of [plate, state]), each with its row's
 * number, its times, its attachment and whether it had expired at `now`; also those that were removed since then.
 */
export async function findExisting(
  db: ControlDb,
  input: { groupId: string; version: number; keys: string; now: number },
): Promise<FoundEntry[]> {
  return db.all<FoundEntry>(sql`
    SELECT j.key AS row, e.id, e.digest, e.expires_at AS expiresAt, e.attachment_id AS attachmentId,
      (e.from_version = ${input.version} OR e.kept_by = ${input.version}) AS mine,
      coalesce(e.expires_at <= ${input.now}, 0) AS expired, e.created_at AS listedAt,
      coalesce(e.until_version < ${input.version}, 0) AS removed
    FROM json_each(${input.keys}) AS j
    CROSS JOIN hotlist_entries AS e INDEXED BY hotlist_entries_plate ON e.group_id = ${input.groupId}
      AND e.plate = j.value ->> 0 AND e.state = j.value ->> 1
    WHERE e.until_version IS NULL OR e.until_version >= ${input.version} OR e.removed_at >= ${input.now}
  `);
}

/**
 * Marks entries that the file confirms unchanged, even if an earlier part of the file would end them: their state was
 * changed by hand since. `kept` is JSON of [id, expiry].
 */
export function keepEntries(db: ControlDb, input: { version: number; kept: string }): Statement {
  return db.run(sql`
    UPDATE hotlist_entries
    SET kept_by = ${input.version}, kept_expires_at = j.value ->> 1,
      until_version = nullif(until_version, ${input.version})
    FROM json_each(${input.kept}) AS j
    WHERE hotlist_entries.id = j.value ->> 0
  `);
}

/** Ends entries when the import is applied. `ids` is a JSON array. */
export function endEntries(db: ControlDb, input: { version: number; ids: string }): Statement {
  return db.run(sql`
    UPDATE hotlist_entries
    SET until_version = ${input.version}
    WHERE id IN (SELECT value FROM json_each(${input.ids})) AND until_version IS NULL
  `);
}

/** Joins the entries of group `g` with the plates and states `j`. Query plan: one lookup each in hotlist_entries_plate. */
function named(alias: string) {
  const e = sql.raw(alias);
  return sql`hotlist_entries AS ${e} INDEXED BY hotlist_entries_plate ON ${e}.group_id = g.id
        AND ${e}.plate = j.value ->> 0
        AND ${e}.state = j.value ->> 1`;
}

/**
 * Resolves a conflict between an open import of the group and plates added, changed or removed by hand. Staged rows for
 * these plates (`keys` is JSON of [plate, state]) are dropped, the plates in force stay instead of them, and the import's
 * next step restarts, so that no plate is listed twice or not at all. `staged` says what the rows were to the import: it
 * counted plates as added, or they change a plate of the list, which then gets only their expiry.
 */
export function yieldToChanges(
  db: ControlDb,
  input: { groupId: string; keys: string; staged: "added" | "changed" },
): Statement[] {
  const { groupId, keys } = input;
  const [uncounted, expiry] = input.staged === "added" ? ["changes()", "expires_at"] : ["0", "kept.expiry"];
  const staged = sql`
      FROM json_each(${keys}) AS j
      CROSS JOIN alert_groups AS g ON g.id = ${groupId}
      CROSS JOIN ${named("s")} AND s.from_version > g.list_version AND s.until_version IS NULL`;
  // Materialized: merged into the update, the CROSS JOINs would make the whole table the outer loop. Query plan: the
  // lookups of `named`, then each entry by primary key.
  const keepInstead = sql`
    WITH kept AS MATERIALIZED (
      SELECT e.id, s.from_version AS version, s.expires_at AS expiry ${staged}
      CROSS JOIN ${named("e")} AND e.from_version <= g.list_version
        AND (e.until_version IS NULL OR e.until_version > g.list_version)
    )
    UPDATE hotlist_entries
    SET until_version = NULL, kept_by = kept.version, kept_expires_at = ${sql.raw(expiry)}
    FROM kept
    WHERE hotlist_entries.id = kept.id
  `;
  const dropStaged = sql`
    UPDATE hotlist_entries
    SET until_version = from_version
    WHERE id IN (SELECT s.id ${staged})
  `;
  return [
    db.run(keepInstead),
    db.run(dropStaged),
    db.run(sql`
      UPDATE hotlist_imports
      SET step = step + 1, added = added - ${sql.raw(uncounted)}
      WHERE group_id = ${groupId} AND state IN ('reading', 'comparing', 'ready')
    `),
  ];
}

/**
 * Keeps an entry that is about to get another state by hand, although the open import of the group replaces it: the
 * import's row then becomes an additional plate.
 */
export function keepBesideStaged(db: ControlDb, input: { groupId: string; id: number }): Statement[] {
  const { groupId, id } = input;
  return [
    db.run(sql`
      UPDATE hotlist_entries AS e
      SET until_version = NULL, kept_by = s.from_version, kept_expires_at = e.expires_at
      FROM alert_groups AS g
      CROSS JOIN hotlist_entries AS s INDEXED BY hotlist_entries_plate ON s.group_id = g.id
      WHERE e.id = ${id} AND g.id = ${groupId} AND e.group_id = g.id AND s.plate = e.plate AND s.state = e.state
        AND e.until_version = s.from_version AND s.from_version > g.list_version AND s.until_version IS NULL
    `),
    db.run(sql`
      UPDATE hotlist_imports
      SET added = added + changes(), conflicting = conflicting - changes()
      WHERE group_id = ${groupId} AND state IN ('reading', 'comparing', 'ready')
    `),
  ];
}

/**
 * Makes the group's open import no longer count plates (`keys` is JSON of [plate, state]) as removed, if it would remove
 * them because its file lacks them: a user is about to change or remove them.
 */
export function uncountMissing(db: ControlDb, input: { groupId: string; keys: string }): Statement {
  const missing = sql`
    SELECT count(*)
    FROM json_each(${input.keys}) AS j
    CROSS JOIN alert_groups AS g ON g.id = ${input.groupId}
    CROSS JOIN ${named("e")} AND e.from_version <= g.list_version AND e.until_version = hotlist_imports.version
    LEFT JOIN ${named("s")} AND s.from_version = hotlist_imports.version AND s.until_version IS NULL
    WHERE s.id IS NULL`;
  return db.run(sql`
    UPDATE hotlist_imports
    SET removed = removed - (${missing})
    WHERE group_id = ${input.groupId} AND state IN ('reading', 'comparing', 'ready')
  `);
}

/** Keeps plates that a user has changed on the list, although the file of the group's open import may lack them. */
export function keepMissing(db: ControlDb, input: { groupId: string; keys: string }): Statement {
  // Query plan: as in `yieldToChanges`.
  const keep = sql`
    WITH kept AS MATERIALIZED (
      SELECT e.id, i.version
      FROM alert_groups AS g
      CROSS JOIN hotlist_imports AS i ON i.group_id = g.id AND i.state IN ('reading', 'comparing', 'ready')
      CROSS JOIN json_each(${input.keys}) AS j
      CROSS JOIN ${named("e")} AND e.from_version <= g.list_version AND e.kept_by <> i.version
        AND (e.until_version IS NULL OR e.until_version = i.version)
      WHERE g.id = ${input.groupId}
    )
    UPDATE hotlist_entries
    SET until_version = NULL, kept_by = -kept.version
    FROM kept
    WHERE hotlist_entries.id = kept.id
  `;
  return db.run(keep);
}

/** Applies an import: one write switches the group from the whole old list to the whole new one. */
export function switchList(
  db: ControlDb,
  input: { groupId: string; version: number; by: string; at: number; change: number },
): Statement {
  return db.run(sql`
    UPDATE alert_groups
    SET list_version = ${input.version}, plate_count = plate_count + ${input.change},
      changed_at = ${input.at}, changed_by = ${input.by},
      version = CASE WHEN archived_at IS NULL AND list_version < ${input.version} THEN version + 1 END
    WHERE id = ${input.groupId}
  `);
}

/** Stores rows of an import to review. A line that already has an issue of the same kind keeps the earlier one. */
export function insertIssues(db: ControlDb, importId: string, issues: ImportIssue[]): Statement {
  const rows = JSON.stringify(issues.map(({ kind, line, plate, reason }) => [kind, line, plate, reason]));
  return db.run(sql`
    INSERT OR IGNORE INTO hotlist_import_issues (import_id, kind, line, plate, reason)
    SELECT ${importId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3
    FROM json_each(${rows})
  `);
}

/** Returns the rows of an import to review: rejected, then conflicting, then repeated ones, each by line. */
export async function listIssues(db: ControlDb, importId: string, limit: number): Promise<ImportIssue[]> {
  return db
    .select({
      kind: hotlistImportIssues.kind,
      line: hotlistImportIssues.line,
      plate: hotlistImportIssues.plate,
      reason: hotlistImportIssues.reason,
    })
    .from(hotlistImportIssues)
    .where(eq(hotlistImportIssues.importId, importId))
    .orderBy(
      sql`CASE ${hotlistImportIssues.kind} WHEN 'rejected' THEN 0 WHEN 'conflicting' THEN 1 ELSE 2 END`,
      hotlistImportIssues.line,
    )
    .limit(limit);
}

/** Stores the uploaded file of an import in R2 for the jobs that read it. */
export async function putImportFile(
  bucket: R2Bucket,
  importId: string,
  body: ReadableStream | Uint8Array<ArrayBuffer>,
): Promise<void> {
  await bucket.put(importKey(importId), body);
}

/** Returns a range of an import's file; null if the file is gone. */
export async function readImportFile(
  bucket: R2Bucket,
  importId: string,
  range: { offset: number; length: number },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const object = await bucket.get(importKey(importId), { range });
  return object ? new Uint8Array(await object.arrayBuffer()) : null;
}

/** Deletes the uploaded file of an import. No error if it is already gone. */
export async function removeImportFile(bucket: R2Bucket, importId: string): Promise<void> {
  await bucket.delete(importKey(importId));
}
