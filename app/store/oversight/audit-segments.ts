// The table of the audit log's segments. Every query has the agency; terms differ by agency, since their key does.

import { and, asc, desc, eq, gt, gte, lte, max, sql } from "drizzle-orm";
import type { Segment } from "#app/entities/oversight/audit-segment.ts";
import { filtersOf } from "#app/entities/oversight/segment-filter.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { BACKUP_READS } from "#app/store/operations/storage.ts";
import { auditTermKeys, auditSegments as segments } from "#app/store/schema/audit.ts";
import type { NewSegment } from "./audit-segment-file.ts";
import { mayHaveAll, mayHaveAny, removeTerms } from "./audit-segment-filters.ts";
import { keepForReview } from "./review-history.ts";

/** Returns an agency's newest segment by position, or undefined if nothing left the database. */
export async function findLastSegment(db: ControlDb, agencyId: string): Promise<Segment | undefined> {
  const [row] = await db
    .select()
    .from(segments)
    .where(eq(segments.agencyId, agencyId))
    .orderBy(desc(segments.firstPosition))
    .limit(1);
  return row;
}

/** Returns a segment of an agency, or undefined. */
export async function findSegment(
  db: ControlDb,
  input: { agencyId: string; number: number },
): Promise<Segment | undefined> {
  const [row] = await db
    .select()
    .from(segments)
    .where(and(eq(segments.number, input.number), eq(segments.agencyId, input.agencyId)));
  return row;
}

/** Returns an agency's segments with rows after a position, in order. */
export async function listSegmentsAfter(
  db: ControlDb,
  input: { agencyId: string; after: number; limit: number },
): Promise<Segment[]> {
  const first = db
    .select({ position: segments.firstPosition })
    .from(segments)
    .where(and(eq(segments.agencyId, input.agencyId), lte(segments.firstPosition, input.after + 1)))
    .orderBy(desc(segments.firstPosition))
    .limit(1);
  return db
    .select()
    .from(segments)
    .where(
      and(
        eq(segments.agencyId, input.agencyId),
        gte(segments.firstPosition, sql`coalesce((${first}), 0)`),
        gt(segments.lastPosition, input.after),
      ),
    )
    .orderBy(asc(segments.firstPosition))
    .limit(input.limit);
}

/** Returns the condition of an agency's segments that may have rows in [from, until]. */
const overlaps = ({ agencyId, from, until }: { agencyId: string; from: number; until: number }) =>
  and(eq(segments.agencyId, agencyId), gte(segments.maxAt, from), lte(segments.minAt, until));

/** Returns an agency's segments with rows in [from, until], in the order of their positions. */
export async function listSegmentsBetween(
  db: ControlDb,
  input: { agencyId: string; from: number; until: number },
): Promise<Segment[]> {
  return db.select().from(segments).where(overlaps(input)).orderBy(asc(segments.firstPosition));
}

export type SegmentCursor = Pick<Segment, "maxAt" | "number">;

/**
 * Returns the next segments, those with the newest rows first, that overlap [from, until] and may have every term.
 */
export async function listCandidates(
  db: ControlDb,
  input: {
    agencyId: string;
    from: number;
    until: number;
    terms: readonly number[];
    after: SegmentCursor | null;
    limit: number;
  },
): Promise<Segment[]> {
  const { after } = input;
  return db
    .select()
    .from(segments)
    .where(
      and(
        overlaps(input),
        after ? sql`(${segments.maxAt}, ${segments.number}) < (${after.maxAt}, ${after.number})` : undefined,
        mayHaveAll(input.terms),
      ),
    )
    .orderBy(desc(segments.maxAt), desc(segments.number))
    .limit(input.limit);
}

/** Returns the segments of an agency that have these rows. */
export async function listSegmentsOf(
  db: ControlDb,
  input: { agencyId: string; seqs: readonly number[] },
): Promise<Segment[]> {
  return db
    .select()
    .from(segments)
    .where(
      sql`${segments.number} IN (
        SELECT (
          SELECT number
          FROM audit_segments INDEXED BY audit_segments_seq
          WHERE agency_id = ${input.agencyId} AND last_seq >= wanted.value
          ORDER BY last_seq
          LIMIT 1
        )
        FROM json_each(${JSON.stringify(input.seqs)}) wanted
      )`,
    )
    .orderBy(asc(segments.firstPosition));
}

/** Returns the segments of an agency that may have any of these terms, `limit` at most, the newest first. */
export async function listSegmentsWithAny(
  db: ControlDb,
  input: { agencyId: string; terms: readonly number[]; limit: number },
): Promise<Segment[]> {
  return db
    .select()
    .from(segments)
    .where(and(eq(segments.agencyId, input.agencyId), mayHaveAny(input.terms)))
    .orderBy(desc(segments.firstPosition))
    .limit(input.limit);
}

/** Returns the time of an agency's newest archived row, or null if it has none. */
export async function findArchivedTo(db: ControlDb, agencyId: string): Promise<number | null> {
  const [row] = await db
    .select({ at: max(segments.maxAt) })
    .from(segments)
    .where(eq(segments.agencyId, agencyId));
  return row?.at ?? null;
}

/**
 * Returns the statements that record a segment and delete its rows, for one batch; the review keeps what it compares of
 * searches since `reviewsFrom`. If a backup is reading the database, nothing is inserted, and the batch fails: the
 * backup could lack the rows in both places.
 */
export function moveToSegment(
  db: ControlDb,
  segment: NewSegment & { bytes: number; createdAt: number },
  moved: { terms: readonly number[]; seqs: readonly number[]; reviewsFrom: number | null },
): [Statement, ...Statement[]] {
  const list = JSON.stringify(moved.seqs);
  return [
    db.run(sql`
      INSERT INTO audit_segments (agency_id, first_position, last_position, first_seq, last_seq, min_at, max_at, bytes,
        previous_hash, last_hash, object_key, sealed_key, created_at)
      SELECT ${segment.agencyId}, ${segment.firstPosition}, ${segment.lastPosition}, ${segment.firstSeq},
        ${segment.lastSeq}, ${segment.minAt}, ${segment.maxAt}, ${segment.bytes}, ${segment.previousHash},
        ${segment.lastHash}, ${segment.objectKey}, ${segment.sealedKey}, ${segment.createdAt}
      WHERE NOT EXISTS (${BACKUP_READS})`),
    insertFilters(db, segment.objectKey, moved.terms),
    ...(moved.reviewsFrom === null
      ? []
      : [keepForReview(db, { agencyId: segment.agencyId, seqs: moved.seqs, from: moved.reviewsFrom })]),
    db.run(sql`
      DELETE FROM audit_log
      WHERE agency_id = ${segment.agencyId} AND seq IN (SELECT value FROM json_each(${list}))`),
    db.run(sql`
      DELETE FROM audit_chain
      WHERE agency_id = ${segment.agencyId} AND seq IN (SELECT value FROM json_each(${list}))`),
  ];
}

function insertFilters(db: ControlDb, objectKey: string, terms: readonly number[]): Statement {
  const rows = filtersOf(terms).map(({ bucket, prints }) => [bucket, prints]);
  return db.run(sql`
    INSERT INTO audit_segment_filters (segment, bucket, prints)
    SELECT (SELECT number FROM audit_segments WHERE object_key = ${objectKey}), value ->> 0, unhex(value ->> 1)
    FROM json_each(${JSON.stringify(rows)})`);
}

/** Returns the statements that delete a segment behind a checkpoint, and with it its key: no copy can be opened. */
export function removeSegment(db: ControlDb, segment: Segment, terms: readonly number[]): Statement[] {
  return [
    db.delete(segments).where(eq(segments.number, segment.number)),
    db.run(sql`DELETE FROM audit_segment_filters WHERE segment = ${segment.number}`),
    removeTerms(db, segment.number, terms),
  ];
}

/** Returns the first row of an agency in the database whose number belongs to the archive, or undefined. */
export async function findRowAmongArchived(
  db: ControlDb,
  input: { agencyId: string; lastSeq: number },
): Promise<number | undefined> {
  const [row] = await db.all<{ seq: number }>(sql`
    SELECT seq
    FROM audit_log NOT INDEXED
    WHERE seq <= ${input.lastSeq} AND agency_id = ${input.agencyId}
    ORDER BY seq
    LIMIT 1`);
  return row?.seq;
}

/** Returns an agency's encrypted key of terms, or undefined. */
export async function findTermKey(db: ControlDb, id: string): Promise<string | undefined> {
  const [row] = await db.select().from(auditTermKeys).where(eq(auditTermKeys.id, id));
  return row?.sealedKey;
}

/** Stores an agency's key of terms unless it has one. */
export async function addTermKey(db: ControlDb, key: { id: string; sealedKey: string }): Promise<void> {
  await db.insert(auditTermKeys).values(key).onConflictDoNothing();
}
