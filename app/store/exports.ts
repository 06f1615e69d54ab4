// The records of exports in D1. A run claims its record and says now and then that it lives; what has been silent for
// long is nobody's, and the record knows the upload in parts that such a run has left behind.

import { and, desc, eq, gt, inArray, lt, lte, or } from "drizzle-orm";
import type { Export } from "#app/entities/export.ts";
import type { ControlDb, Statement } from "./database.ts";
import { exports } from "./schema-exports.ts";

/** Who asked, for the audit row of an export that ends after its request did. */
export type Requester = { username: string; sessionId: string; ip: string; userAgent: string };

export function insertExport(db: ControlDb, one: Export, requester: Requester): Statement {
  return db.insert(exports).values({ ...one, requester, heartbeatAt: one.createdAt });
}

type Row = typeof exports.$inferSelect;

function exportOf(row: Row): Export {
  const { requester: _, uploadId: __, heartbeatAt: ___, ...one } = row;
  return one;
}

/** One of this user's exports; another's id is as unknown as none. */
export async function findExport(
  db: ControlDb,
  input: { id: string; userId: string; now: number },
): Promise<Export | undefined> {
  const row = await db.query.exports.findFirst({
    where: and(eq(exports.id, input.id), eq(exports.userId, input.userId), gt(exports.expiresAt, input.now)),
  });
  return row && exportOf(row);
}

/** A user's living exports, newest first. */
export async function listExports(db: ControlDb, input: { userId: string; now: number }): Promise<Export[]> {
  const rows = await db
    .select()
    .from(exports)
    .where(and(eq(exports.userId, input.userId), gt(exports.expiresAt, input.now)))
    .orderBy(desc(exports.createdAt))
    .limit(200);
  return rows.map(exportOf);
}

/**
 * Takes a queued export for this run, or one whose run has been silent since `silentSince`; undefined where there is
 * nothing to do.
 */
export async function claimExport(
  db: ControlDb,
  input: { id: string; now: number; silentSince: number },
): Promise<{ export: Export; requester: Requester; uploadId: string | null } | undefined> {
  const [row] = await db
    .update(exports)
    .set({ state: "running", heartbeatAt: input.now, done: 0 })
    .where(
      and(
        eq(exports.id, input.id),
        or(
          eq(exports.state, "queued"),
          and(eq(exports.state, "running"), lt(exports.heartbeatAt, input.silentSince)),
        ),
      ),
    )
    .returning();
  return row && { export: exportOf(row), requester: row.requester as Requester, uploadId: row.uploadId };
}

/** Notes how far an export is; false where it is no longer to be made. */
export async function noteProgress(
  db: ControlDb,
  input: { id: string; done: number; now: number },
): Promise<boolean> {
  const rows = await db
    .update(exports)
    .set({ done: input.done, heartbeatAt: input.now })
    .where(and(eq(exports.id, input.id), eq(exports.state, "running")))
    .returning({ id: exports.id });
  return rows.length > 0;
}

export async function noteUpload(db: ControlDb, id: string, uploadId: string): Promise<void> {
  await db.update(exports).set({ uploadId }).where(eq(exports.id, id));
}

/** Ends a running export; what is cancelled meanwhile stays cancelled. */
export function finishExport(
  db: ControlDb,
  one: Pick<Export, "id" | "state" | "done" | "missing" | "bytes" | "sha256" | "message" | "finishedAt">,
): Statement {
  const { id, ...rest } = one;
  return db
    .update(exports)
    .set({ ...rest, uploadId: null })
    .where(and(eq(exports.id, id), inArray(exports.state, ["queued", "running"])));
}

export function removeExport(db: ControlDb, id: string): Statement {
  return db.delete(exports).where(eq(exports.id, id));
}

/** Exports whose time is over, and those that have been silent for so long that nobody makes them any more. */
export async function listLapsedExports(
  db: ControlDb,
  input: { now: number; silentSince: number; limit: number },
): Promise<{ id: string; uploadId: string | null; isExpired: boolean }[]> {
  const rows = await db
    .select({ id: exports.id, uploadId: exports.uploadId, expiresAt: exports.expiresAt })
    .from(exports)
    .where(
      or(
        lte(exports.expiresAt, input.now),
        and(inArray(exports.state, ["queued", "running"]), lt(exports.heartbeatAt, input.silentSince)),
      ),
    )
    .limit(input.limit);
  return rows.map(({ id, uploadId, expiresAt }) => ({ id, uploadId, isExpired: expiresAt <= input.now }));
}
