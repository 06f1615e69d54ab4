// Runs of backup and restore. A worker takes a lease before it works on a run, and its writes count only while it holds
// that lease. So a message that is delivered twice has no effect the second time.

import { and, desc, eq, isNull, lt, ne, or, sql } from "drizzle-orm";
import * as z from "zod/mini";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { sessions } from "#app/store/schema/accounts.ts";
import { backupParts, backupRuns } from "#app/store/schema/operations.ts";

export type BackupRun = typeof backupRuns.$inferSelect;
export type StoredPart = typeof backupParts.$inferSelect;

/** Inserts a run. With `unlessRunning`, changes nothing if a run of its kind is running, and stores no plan. */
export function insertRun(
  db: ControlDb,
  run: typeof backupRuns.$inferInsert,
  { unlessRunning }: { unlessRunning: boolean },
): Statement {
  if (!unlessRunning) return db.insert(backupRuns).values(run);
  return db.run(sql`
    INSERT INTO ${backupRuns} (id, kind, state, phase, started_at, started_by, key_version)
    SELECT ${run.id}, ${run.kind}, ${run.state}, ${run.phase}, ${run.startedAt}, ${run.startedBy ?? ""},
      ${run.keyVersion ?? 0}
    WHERE NOT EXISTS (
      SELECT 1
      FROM ${backupRuns}
      WHERE state = 'running' AND kind = ${run.kind}
    )`);
}

/** Returns a run of any kind and state, with its plan; undefined once its row was deleted. */
export async function findRun(db: ControlDb, id: string): Promise<BackupRun | undefined> {
  const [row] = await db.select().from(backupRuns).where(eq(backupRuns.id, id));
  return row;
}

/** Returns the runs of a kind, newest first, without their plans. */
export async function listRuns(
  db: ControlDb,
  input: { kind: BackupRun["kind"]; limit: number },
): Promise<Omit<BackupRun, "plan">[]> {
  return db
    .select({
      id: backupRuns.id,
      kind: backupRuns.kind,
      state: backupRuns.state,
      phase: backupRuns.phase,
      startedAt: backupRuns.startedAt,
      startedBy: backupRuns.startedBy,
      finishedAt: backupRuns.finishedAt,
      rows: backupRuns.rows,
      bytes: backupRuns.bytes,
      objects: backupRuns.objects,
      keyVersion: backupRuns.keyVersion,
      message: backupRuns.message,
      leasedUntil: backupRuns.leasedUntil,
      lease: backupRuns.lease,
      attempts: backupRuns.attempts,
      removedAt: backupRuns.removedAt,
    })
    .from(backupRuns)
    .where(eq(backupRuns.kind, input.kind))
    .orderBy(desc(backupRuns.startedAt))
    .limit(input.limit);
}

/** Leases a running run until an instant. Returns undefined if it is not running or another worker holds it. */
export async function leaseRun(
  db: ControlDb,
  input: { id: string; now: number; until: number },
): Promise<BackupRun | undefined> {
  const [row] = await db
    .update(backupRuns)
    .set({ leasedUntil: input.until, lease: randomToken(), attempts: sql`${backupRuns.attempts} + 1` })
    .where(
      and(
        eq(backupRuns.id, input.id),
        eq(backupRuns.state, "running"),
        lt(backupRuns.leasedUntil, input.now),
      ),
    )
    .returning();
  return row;
}

const hasLease = ({ id, lease }: Pick<BackupRun, "id" | "lease">) =>
  and(eq(backupRuns.id, id), eq(backupRuns.lease, lease), eq(backupRuns.state, "running"));

/** Changes a run under its lease; the result has 0 changes if the lease was lost. */
export function updateRun(
  db: ControlDb,
  leased: Pick<BackupRun, "id" | "lease">,
  change: Partial<typeof backupRuns.$inferInsert>,
): Statement {
  return db.update(backupRuns).set(change).where(hasLease(leased));
}

/** Throws if a write of `updateRun` changed nothing because the lease was lost, which ends this worker's part. */
export function requireLease(result: unknown): void {
  if (!changedOne(result)) throw new Error("another worker has the lease of this run, or it has ended");
}

const Written = z.object({ meta: z.object({ changes: z.number() }) });

/** Returns whether a statement of a batch changed exactly one row. */
export function changedOne(result: unknown): boolean {
  return Written.safeParse(result).data?.meta.changes === 1;
}

/** Ends a lease immediately, so that another worker can take the run. Changes nothing if the lease was lost. */
export async function releaseRun(db: ControlDb, leased: Pick<BackupRun, "id" | "lease">): Promise<void> {
  await db.update(backupRuns).set({ leasedUntil: 0 }).where(hasLease(leased));
}

/** Ends a running run, no matter which worker holds it. */
export function endRun(
  db: ControlDb,
  input: { id: string; state: "failed" | "cancelled"; at: number; message: string },
): Statement {
  const { id, state, at, message } = input;
  return db
    .update(backupRuns)
    .set({ state, finishedAt: at, message, plan: null })
    .where(and(eq(backupRuns.id, id), eq(backupRuns.state, "running")));
}

/** Stores parts. Does nothing if the lease was lost. */
export function insertParts(db: ControlDb, parts: StoredPart[], lease: string): Statement {
  return db.run(sql`
    INSERT OR REPLACE INTO ${backupParts} (run_id, section, name, n, key, rows, bytes, sha256, "after", is_last)
    SELECT value ->> 'runId', value ->> 'section', value ->> 'name', value ->> 'n', value ->> 'key',
      value ->> 'rows', value ->> 'bytes', value ->> 'sha256', value ->> 'after', value ->> 'isLast'
    FROM json_each(${JSON.stringify(parts)})
    WHERE EXISTS (
      SELECT 1
      FROM ${backupRuns}
      WHERE id = value ->> 'runId' AND lease = ${lease} AND state = 'running'
    )`);
}

export type ListedPart = Pick<StoredPart, "section" | "name" | "key" | "rows" | "bytes" | "sha256">;

/**
 * Returns the parts that a run has written, in order, without the fields that only its steps need: there may be tens of
 * thousands of parts.
 */
export async function listParts(db: ControlDb, runId: string): Promise<ListedPart[]> {
  const { section, name, key, rows, bytes, sha256 } = backupParts;
  return db
    .select({ section, name, key, rows, bytes, sha256 })
    .from(backupParts)
    .where(eq(backupParts.runId, runId))
    .orderBy(backupParts.section, backupParts.name, backupParts.n);
}

/** Returns the last part of each table and bucket, where a run continues. */
export async function listLastParts(db: ControlDb, runId: string): Promise<StoredPart[]> {
  const rows = await db
    .select({ part: backupParts, n: sql<number>`max(${backupParts.n})` })
    .from(backupParts)
    .where(eq(backupParts.runId, runId))
    .groupBy(backupParts.section, backupParts.name);
  return rows.map(({ part }) => part);
}

/**
 * Deletes the rows of a finished run's parts. Does nothing while it is running: another worker needs them for its
 * manifest. Their files in R2 stay.
 */
export function removeParts(db: ControlDb, runId: string): Statement {
  return db
    .delete(backupParts)
    .where(
      and(
        eq(backupParts.runId, runId),
        sql`EXISTS (SELECT 1 FROM ${backupRuns} WHERE id = ${runId} AND state = 'finished')`,
      ),
    );
}

/** Returns running runs that no worker holds: a message was lost, or its worker crashed. Not those of a restore. */
export async function listStuckRuns(
  db: ControlDb,
  before: number,
): Promise<{ id: string; kind: "backup" | "images" }[]> {
  const rows = await db
    .select({ id: backupRuns.id, kind: backupRuns.kind })
    .from(backupRuns)
    .where(and(eq(backupRuns.state, "running"), lt(backupRuns.leasedUntil, before)));
  return rows.flatMap(({ id, kind }) => (kind === "restore" ? [] : [{ id, kind }]));
}

/**
 * Returns how many of a restored backup's images have been copied back, their total, and the most failed attempts in a
 * row; undefined if no chain is running.
 */
export async function findImagesBack(
  db: ControlDb,
): Promise<{ done: number; total: number; attempts: number } | undefined> {
  const [row] = await db.all<{ done: number; total: number; attempts: number; running: number }>(sql`
    SELECT sum(objects + plan ->> 'missing' + plan ->> 'damaged') AS done, sum(plan ->> 'total') AS total,
      max(iif(state = 'running', attempts, 0)) AS attempts, sum(state = 'running') AS running
    FROM ${backupRuns}
    WHERE kind = 'images'`);
  return row && row.running > 0 ? row : undefined;
}

/** Returns backups whose files can be removed: too old, or never finished and without the lease of a worker. */
export async function listRemovable(
  db: ControlDb,
  { before, now }: { before: number; now: number },
): Promise<string[]> {
  const newest = sql`(
    SELECT max(started_at)
    FROM ${backupRuns}
    WHERE kind = 'backup' AND state = 'finished'
  )`;
  /** A backup whose images are still being copied back. */
  const restored = sql`(
    SELECT plan ->> 'restoredFrom'
    FROM ${backupRuns}
    WHERE kind = 'images' AND state = 'running'
  )`;
  const rows = await db
    .select({ id: backupRuns.id })
    .from(backupRuns)
    .where(
      and(
        eq(backupRuns.kind, "backup"),
        isNull(backupRuns.removedAt),
        ne(backupRuns.state, "running"),
        // The newest complete backup stays, however old.
        or(
          // A worker notices the end at its next write; until then it may write one more part.
          and(ne(backupRuns.state, "finished"), lt(backupRuns.leasedUntil, now)),
          and(lt(backupRuns.startedAt, before), sql`${backupRuns.startedAt} < ${newest}`),
        ),
        sql`${backupRuns.id} NOT IN ${restored}`,
      ),
    )
    // The oldest first: a lock of the bucket may keep the files of later ones.
    .orderBy(backupRuns.startedAt)
    .limit(50);
  return rows.map(({ id }) => id);
}

/** Records when a backup's files were removed, and deletes its plan and the rows of its parts, in one transaction. */
export async function markRemoved(db: ControlDb, id: string, at: number): Promise<void> {
  await db.batch([
    db.delete(backupParts).where(eq(backupParts.runId, id)),
    db.update(backupRuns).set({ removedAt: at, plan: null }).where(eq(backupRuns.id, id)),
  ]);
}

/** Deletes the rows of runs whose files were removed before an instant. */
export async function forgetRuns(db: ControlDb, before: number): Promise<void> {
  await db.delete(backupRuns).where(lt(backupRuns.removedAt, before));
}

export type NotedRun = Pick<
  BackupRun,
  | "id"
  | "state"
  | "phase"
  | "startedAt"
  | "startedBy"
  | "finishedAt"
  | "keyVersion"
  | "rows"
  | "bytes"
  | "objects"
  | "message"
>;

/** Adds rows for backups in the bucket that this database does not know, as after a restore. */
export async function noteRuns(db: ControlDb, runs: readonly NotedRun[]): Promise<void> {
  if (runs.length === 0) return;
  await db.run(sql`
    INSERT OR IGNORE INTO ${backupRuns} (id, kind, state, phase, started_at, started_by, finished_at, key_version, rows,
      bytes, objects, message)
    SELECT value ->> 'id', 'backup', value ->> 'state', value ->> 'phase', value ->> 'startedAt',
      value ->> 'startedBy', value ->> 'finishedAt', value ->> 'keyVersion', value ->> 'rows', value ->> 'bytes',
      value ->> 'objects', value ->> 'message'
    FROM json_each(${JSON.stringify(runs)})`);
}

/** Returns the ids that no run has. */
export async function listUnknown(db: ControlDb, ids: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    SELECT value AS id
    FROM json_each(${JSON.stringify(ids)})
    WHERE value NOT IN (SELECT id FROM ${backupRuns})`);
  return rows.map(({ id }) => id);
}

/** Returns the newest restore of this installation with its plan, or an empty list. */
export async function listRestores(db: ControlDb): Promise<BackupRun[]> {
  return db
    .select()
    .from(backupRuns)
    .where(eq(backupRuns.kind, "restore"))
    .orderBy(desc(backupRuns.startedAt))
    .limit(1);
}

/** Databases without an unfinished restore. None begins while this isolate lives: that needs a secret it does not have. */
const complete = new WeakSet<ControlDb>();

/** Returns whether a restore has changed rows, and has neither finished nor been cleared. */
export async function hasUnfinishedRestore(db: ControlDb): Promise<boolean> {
  if (complete.has(db)) return false;
  const [run] = await db
    .select({ id: backupRuns.id })
    .from(backupRuns)
    .where(
      and(eq(backupRuns.kind, "restore"), eq(backupRuns.state, "running"), ne(backupRuns.phase, "check")),
    )
    .limit(1);
  if (!run) complete.add(db);
  return run !== undefined;
}

/** Ends every session, because one that was revoked after the backup must not come back. */
export function endAllSessions(db: ControlDb, at: number): Statement {
  return db.update(sessions).set({ revokedAt: at }).where(isNull(sessions.revokedAt));
}
