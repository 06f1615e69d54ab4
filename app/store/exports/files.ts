// The records of exports in D1. A run claims its record and updates its heartbeat; a run without heartbeats was
// killed. The record also holds the id of the multipart upload that such a run has left behind.

import { and, desc, eq, gt, inArray, lt, lte, or, sql } from "drizzle-orm";
import { type Export, MAX_OPEN_EXPORTS, type Requester } from "#app/entities/exports/request.ts";
import { isDueAgain, isOneOf } from "#app/store/conditions.ts";
import { unlessFull } from "#app/store/constraints.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { exports } from "#app/store/schema/exports.ts";

/**
 * Inserts an export. The batch fails on `exports.created_at` if its user has `MAX_OPEN_EXPORTS` that have not ended.
 */
export function insertExport(db: ControlDb, exportRow: Export, requester: Requester): Statement {
  const among = sql`user_id = ${exportRow.userId} AND state IN ('queued', 'running')`;
  const createdAt = unlessFull(exports, { among, most: MAX_OPEN_EXPORTS, value: exportRow.createdAt });
  return db.insert(exports).values({ ...exportRow, createdAt, requester, heartbeatAt: exportRow.createdAt });
}

type Row = typeof exports.$inferSelect;

function exportOf(row: Row): Export {
  const { requester: _, uploadId: __, heartbeatAt: ___, runs: ____, triedAt: _____, ...exportRow } = row;
  return exportRow;
}

/** Returns one of this user's exports that has not expired; undefined for other users' exports. */
export async function findExport(
  db: ControlDb,
  input: { id: string; userId: string; now: number },
): Promise<Export | undefined> {
  const row = await db.query.exports.findFirst({
    where: and(eq(exports.id, input.id), eq(exports.userId, input.userId), gt(exports.expiresAt, input.now)),
  });
  return row && exportOf(row);
}

/** Returns the id of the upload that a run has begun, or null. */
export async function findUpload(db: ControlDb, id: string): Promise<string | null> {
  const row = await db.query.exports.findFirst({ where: eq(exports.id, id), columns: { uploadId: true } });
  return row?.uploadId ?? null;
}

/** Returns a user's exports that have not expired, newest first, at most 200. */
export async function listExports(db: ControlDb, input: { userId: string; now: number }): Promise<Export[]> {
  const rows = await db
    .select()
    .from(exports)
    .where(and(eq(exports.userId, input.userId), gt(exports.expiresAt, input.now)))
    .orderBy(desc(exports.createdAt))
    .limit(200);
  return rows.map(exportOf);
}

/** Claims a queued export for a run of its job; returns undefined if it is not queued. */
export async function claimExport(
  db: ControlDb,
  input: { id: string; now: number },
): Promise<{ export: Export; run: number; requester: Requester; uploadId: string | null } | undefined> {
  const [row] = await db
    .update(exports)
    .set({ state: "running", heartbeatAt: input.now, done: 0, runs: sql`${exports.runs} + 1` })
    .where(and(eq(exports.id, input.id), eq(exports.state, "queued")))
    .returning();
  if (!row) return undefined;
  const { runs: run, uploadId } = row;
  return { export: exportOf(row), run, requester: row.requester, uploadId };
}

/** Saves a run's progress and heartbeat. Returns false if the run was canceled or replaced, or its user disabled. */
export async function noteProgress(
  db: ControlDb,
  input: { id: string; run: number; done: number; now: number },
): Promise<boolean> {
  const rows = await db
    .update(exports)
    .set({ done: input.done, heartbeatAt: input.now })
    .where(
      and(
        eq(exports.id, input.id),
        eq(exports.state, "running"),
        eq(exports.runs, input.run),
        sql`EXISTS (SELECT 1 FROM users WHERE id = ${exports.userId} AND disabled_at IS NULL)`,
      ),
    )
    .returning({ id: exports.id });
  return rows.length > 0;
}

/** Returns the number of the run that claimed an export last, and its state; undefined if the export is gone. */
export async function findRun(
  db: ControlDb,
  id: string,
): Promise<{ run: number; state: Export["state"] } | undefined> {
  const columns = { runs: true, state: true } as const;
  const row = await db.query.exports.findFirst({ where: eq(exports.id, id), columns });
  return row && { run: row.runs, state: row.state };
}

/** Queues an export again whose run is silent since `silentSince`. Returns false if the run was heard again. */
export async function requeueExport(
  db: ControlDb,
  input: { id: string; now: number; silentSince: number },
): Promise<boolean> {
  const rows = await db
    .update(exports)
    .set({ state: "queued", heartbeatAt: input.now, done: 0 })
    .where(
      and(eq(exports.id, input.id), eq(exports.state, "running"), lt(exports.heartbeatAt, input.silentSince)),
    )
    .returning({ id: exports.id });
  return rows.length > 0;
}

/**
 * Saves the id of a run's upload. Returns false if the run was canceled or replaced: the id of its successor's upload is
 * kept, so that its parts can still be deleted.
 */
export async function noteUpload(
  db: ControlDb,
  { id, run, uploadId }: { id: string; run: number; uploadId: string },
): Promise<boolean> {
  const rows = await db
    .update(exports)
    .set({ uploadId })
    .where(and(eq(exports.id, id), eq(exports.state, "running"), eq(exports.runs, run)))
    .returning({ id: exports.id });
  return rows.length > 0;
}

/** Ends an open export; a canceled one stays canceled. With `run`, only if that run still owns it. */
export function finishExport(
  db: ControlDb,
  exportRow: Pick<
    Export,
    "id" | "state" | "done" | "missing" | "bytes" | "sha256" | "message" | "finishedAt"
  > & {
    run?: number;
  },
): Statement {
  const { id, run, ...rest } = exportRow;
  const isOpen = inArray(exports.state, ["queued", "running"]);
  return db
    .update(exports)
    .set({ ...rest, uploadId: null })
    .where(and(eq(exports.id, id), isOpen, run === undefined ? undefined : eq(exports.runs, run)));
}

/** Hides an export from its user, unless someone else just has. The sweep deletes its files and then its row. */
export function expireExport(
  db: ControlDb,
  { id, expiresAt, at }: Pick<Export, "id" | "expiresAt"> & { at: number },
): Statement {
  return db
    .update(exports)
    .set({ expiresAt: at })
    .where(and(eq(exports.id, id), eq(exports.expiresAt, expiresAt)));
}

/** Deletes the row of an export of any user. Delete its files first: the sweep finds files only by their row. */
export function removeExport(db: ControlDb, id: string): Statement {
  return db.delete(exports).where(eq(exports.id, id));
}

export type LapsedExport = {
  export: Export;
  requester: Requester;
  uploadId: string | null;
  isExpired: boolean;
  /** Runs of its job so far; 0 without a job. */
  runs: number;
  /** When it was queued, or its run was heard last. */
  heardAt: number;
};

/**
 * Returns expired exports, those whose run has been silent since `silentSince`, and those that no run has claimed since
 * `queuedSince`; those that were tried longest ago first. A queued one that was tried is left out for as long again, until no
 * run has claimed it since `lostSince`.
 */
export async function listLapsedExports(
  db: ControlDb,
  input: { now: number; silentSince: number; queuedSince: number; lostSince: number; limit: number },
): Promise<LapsedExport[]> {
  const { expiresAt, state, heartbeatAt, triedAt } = exports;
  const { now, lostSince } = input;
  const rows = await db
    .select()
    .from(exports)
    .where(
      or(
        lte(expiresAt, now),
        and(eq(state, "running"), lt(heartbeatAt, input.silentSince)),
        and(
          eq(state, "queued"),
          lt(heartbeatAt, input.queuedSince),
          or(lt(heartbeatAt, lostSince), isDueAgain({ since: heartbeatAt, triedAt, now, most: now })),
        ),
      ),
    )
    .orderBy(triedAt, expiresAt)
    .limit(input.limit);
  return rows.map((row) => ({
    export: exportOf(row),
    requester: row.requester,
    uploadId: row.uploadId,
    isExpired: row.expiresAt <= now,
    runs: row.runs,
    heardAt: row.heartbeatAt,
  }));
}

/** Stores that the sweep tries these exports now. */
export async function noteExportsTried(db: ControlDb, ids: readonly string[], now: number): Promise<void> {
  await db.update(exports).set({ triedAt: now }).where(isOneOf(exports.id, ids));
}
