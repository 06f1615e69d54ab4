// Runs of backup and restore as rows. A worker takes a lease before it works at a run; what it writes counts only while
// it holds that lease, so that a message that is delivered twice does nothing twice.

import { and, desc, eq, isNull, lt, ne, or, sql } from "drizzle-orm";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { sessions } from "#app/store/schema/accounts.ts";
import { backupParts, backupRuns } from "#app/store/schema/backup.ts";

export type BackupRun = typeof backupRuns.$inferSelect;
export type StoredPart = typeof backupParts.$inferSelect;

export function insertRun(
  db: ControlDb,
  run: typeof backupRuns.$inferInsert,
  { unlessRunning }: { unlessRunning: boolean },
): Statement {
  if (!unlessRunning) return db.insert(backupRuns).values(run);
  return db.run(sql`insert into ${backupRuns} (id, kind, state, phase, started_at, started_by, key_version)
    select ${run.id}, ${run.kind}, ${run.state}, ${run.phase}, ${run.startedAt}, ${run.startedBy ?? ""},
      ${run.keyVersion ?? 0}
    where not exists (select 1 from ${backupRuns} where state = 'running' and kind = ${run.kind})`);
}

export async function findRun(db: ControlDb, id: string): Promise<BackupRun | undefined> {
  const [row] = await db.select().from(backupRuns).where(eq(backupRuns.id, id));
  return row;
}

/** Runs of a kind, newest first, without their plans. */
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

/** Takes a running run for so long; undefined where it is not running or somebody else is at it. */
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

const isHeld = ({ id, lease }: Pick<BackupRun, "id" | "lease">) =>
  and(eq(backupRuns.id, id), eq(backupRuns.lease, lease), eq(backupRuns.state, "running"));

/** Changes a run that this worker holds; the answer's changes are 0 where it does not hold it any more. */
export function updateRun(
  db: ControlDb,
  held: Pick<BackupRun, "id" | "lease">,
  change: Partial<typeof backupRuns.$inferInsert>,
): Statement {
  return db.update(backupRuns).set(change).where(isHeld(held));
}

/** Whether a write of `updateRun` counted. Throws where the lease was lost, which ends this worker's part. */
export function requireHeld(result: unknown): void {
  if ((result as D1Result | undefined)?.meta?.changes !== 1)
    throw new Error("somebody else is at this run, or it was ended");
}

export async function releaseRun(db: ControlDb, held: Pick<BackupRun, "id" | "lease">): Promise<void> {
  await db.update(backupRuns).set({ leasedUntil: 0 }).where(isHeld(held));
}

/** Ends a running run, whoever holds it. */
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

/** Notes a part; nothing happens where the lease was lost. */
export function insertParts(db: ControlDb, parts: StoredPart[], lease: string): Statement {
  return db.run(sql`insert or replace into ${backupParts} (run_id, section, name, n, key, rows, bytes, sha256, "after", is_last)
    select value ->> 'runId', value ->> 'section', value ->> 'name', value ->> 'n', value ->> 'key', value ->> 'rows',
      value ->> 'bytes', value ->> 'sha256', value ->> 'after', value ->> 'isLast'
    from json_each(${JSON.stringify(parts)})
    where exists (select 1 from ${backupRuns} where id = value ->> 'runId' and lease = ${lease} and state = 'running')`);
}

/** Parts that a run has written, in their order. */
export async function listParts(db: ControlDb, runId: string): Promise<StoredPart[]> {
  return db
    .select()
    .from(backupParts)
    .where(eq(backupParts.runId, runId))
    .orderBy(backupParts.section, backupParts.name, backupParts.n);
}

/** The last part of each table and bucket: where a run goes on. */
export async function listLastParts(db: ControlDb, runId: string): Promise<StoredPart[]> {
  const rows = await db
    .select({ part: backupParts, n: sql<number>`max(${backupParts.n})` })
    .from(backupParts)
    .where(eq(backupParts.runId, runId))
    .groupBy(backupParts.section, backupParts.name);
  return rows.map(({ part }) => part);
}

export function removeParts(db: ControlDb, runId: string): Statement {
  return db.delete(backupParts).where(eq(backupParts.runId, runId));
}

/** Running backups that nobody is at: a message was lost, or its worker died. */
export async function listStuckRuns(
  db: ControlDb,
  before: number,
): Promise<{ id: string; attempts: number }[]> {
  return db
    .select({ id: backupRuns.id, attempts: backupRuns.attempts })
    .from(backupRuns)
    .where(
      and(eq(backupRuns.kind, "backup"), eq(backupRuns.state, "running"), lt(backupRuns.leasedUntil, before)),
    );
}

/** Backups whose files are no longer wanted: too old, or never finished and nobody at them any more. */
export async function listRemovable(
  db: ControlDb,
  { before, now }: { before: number; now: number },
): Promise<string[]> {
  const newest = sql`(select max(started_at) from ${backupRuns} where kind = 'backup' and state = 'finished')`;
  const rows = await db
    .select({ id: backupRuns.id })
    .from(backupRuns)
    .where(
      and(
        eq(backupRuns.kind, "backup"),
        isNull(backupRuns.removedAt),
        ne(backupRuns.state, "running"),
        // The newest that is whole stays, however old: better that than none.
        or(
          // A worker hears of the end at its next note only: until then it may write one more part.
          and(ne(backupRuns.state, "finished"), lt(backupRuns.leasedUntil, now)),
          and(lt(backupRuns.startedAt, before), sql`${backupRuns.startedAt} < ${newest}`),
        ),
      ),
    )
    .limit(50);
  return rows.map(({ id }) => id);
}

export async function markRemoved(db: ControlDb, id: string, at: number): Promise<void> {
  await db.batch([
    db.delete(backupParts).where(eq(backupParts.runId, id)),
    db.update(backupRuns).set({ removedAt: at, plan: null }).where(eq(backupRuns.id, id)),
  ]);
}

/** Forgets runs whose files went long ago. */
export async function forgetRuns(db: ControlDb, before: number): Promise<void> {
  await db.delete(backupRuns).where(lt(backupRuns.removedAt, before));
}

/** Notes a backup that the bucket has and this database does not know, as after a restore. */
export async function noteRun(db: ControlDb, run: typeof backupRuns.$inferInsert): Promise<void> {
  await db.insert(backupRuns).values(run).onConflictDoNothing();
}

/** Of these ids those that no run has. */
export async function listUnknown(db: ControlDb, ids: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`select value as id from json_each(${JSON.stringify(ids)})
    where value not in (select id from ${backupRuns})`);
  return rows.map(({ id }) => id);
}

/** Restores of this installation, newest first, with their plans. */
export async function listRestores(db: ControlDb): Promise<BackupRun[]> {
  return db
    .select()
    .from(backupRuns)
    .where(eq(backupRuns.kind, "restore"))
    .orderBy(desc(backupRuns.startedAt))
    .limit(1);
}

/** Ends every session: one that was revoked after the backup must not come back with it. */
export function endAllSessions(db: ControlDb, at: number): Statement {
  return db.update(sessions).set({ revokedAt: at }).where(isNull(sessions.revokedAt));
}
