// Adds archived rows to a page of the audit log. Segments are opened one after the other, those with the newest rows
// first, until no other can have a row of the page: rows are numbered in the order in which they were written, and their
// times differ from that order, so that segments overlap in time.

import type { ChainedRow } from "#app/entities/oversight/audit-chain.ts";
import type { AuditCursor } from "#app/entities/oversight/audit-filter.ts";
import { SEGMENT_ROWS, type Segment } from "#app/entities/oversight/audit-segment.ts";
import type { ControlDb } from "#app/store/database.ts";
import type { AuditArchive } from "./audit-archive.ts";
import { isOlder, newestFirst } from "./audit-query.ts";
import { listCandidates, type SegmentCursor } from "./audit-segments.ts";

/** The log: the rows in the database, and those in the archive. */
export type AuditLog = { db: ControlDb; auditArchive: AuditArchive };

/** Archived rows that one call compares: ten segments. */
const COMPARED_ARCHIVED = 20_000;
const MAX_OPENED = COMPARED_ARCHIVED / SEGMENT_ROWS;
/** Segments that one query of the database returns. */
const CANDIDATES = 32;

/** Higher than the number of every row, for cursors, which have at most 15 digits. */
export const LAST_SEQ = 999_999_999_999_999;

/** A page of rows. */
export type Page<Row> = {
  rows: Row[];
  /** The last compared row, if older rows remain. */
  stoppedAt: AuditCursor | null;
};

/** Which archived rows belong to a page. */
export type Archived<Row> = {
  agencyId: string;
  /** Values that a segment must have (TERM of entities/oversight/audit-segment.ts). */
  terms: readonly string[];
  start: number | null;
  end: number | null;
  after: AuditCursor | null;
  limit: number;
  /** Returns the rows of a segment that belong to the page. */
  select: (rows: ChainedRow[]) => Row[];
};

/**
 * Returns a page from the first rows of the database and the archive, newest first. Reads the archive after the database,
 * since rows leave the one for the other. Throws ArchiveFault.
 */
export async function mergeArchived<Row extends AuditCursor>(
  log: AuditLog,
  query: Archived<Row>,
  online: Page<Row>,
): Promise<Page<Row>> {
  const { limit, after } = query;
  let pool = online.rows;
  let opened = 0;
  let end = online.stoppedAt;
  for await (const segment of candidatesOf(log, query)) {
    const last = pool[limit - 1];
    if (last && last.at > segment.maxAt) break;
    // The database has rows before this segment that were not compared.
    if (end && segment.maxAt < end.at) break;
    // Ends only where the next page begins later than this one, even if more segments overlap.
    if (opened >= MAX_OPENED && (after === null || segment.maxAt < after.at)) {
      end = { at: segment.maxAt, seq: LAST_SEQ };
      break;
    }
    pool = poolOf(pool, query.select(await log.auditArchive.open(segment)), limit);
    opened++;
  }
  const stop = end;
  const rows = stop ? pool.filter((row) => !isOlder(row, stop)) : pool;
  return { rows, stoppedAt: rows.length === limit ? null : end };
}

async function* candidatesOf(log: AuditLog, query: Archived<unknown>): AsyncGenerator<Segment> {
  const { agencyId, start, end, after } = query;
  const terms = await log.auditArchive.hash(agencyId, query.terms);
  const until = Math.min(end ?? Number.MAX_SAFE_INTEGER, after?.at ?? Number.MAX_SAFE_INTEGER);
  const span = { agencyId, from: start ?? Number.MIN_SAFE_INTEGER, until, terms, limit: CANDIDATES };
  let seen: SegmentCursor | null = null;
  for (;;) {
    const found: Segment[] = await listCandidates(log.db, { ...span, after: seen });
    yield* found;
    if (found.length < CANDIDATES) return;
    seen = found.at(-1) ?? null;
  }
}

/** Returns the first rows of both lists. A row that was archived while the page was read is in both. */
function poolOf<Row extends AuditCursor>(pool: Row[], found: readonly Row[], limit: number): Row[] {
  const known = new Set(pool.map(({ seq }) => seq));
  return [...pool, ...found.filter(({ seq }) => !known.has(seq))].sort(newestFirst).slice(0, limit);
}
