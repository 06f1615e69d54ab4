// The index of the values in segments of the audit log. A segment that it names may contain the value; any other
// segment does not. Segments without filters are found by their rows in audit_segment_terms until the archiving job has
// converted them.

import { type SQL, sql } from "drizzle-orm";
import * as z from "zod/mini";
import type { Segment } from "#app/entities/oversight/audit-segment.ts";
import { filtersOf, printOf, type SegmentFilter } from "#app/entities/oversight/segment-filter.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { BACKUP_READS } from "#app/store/operations/storage.ts";
import { auditSegments as segments } from "#app/store/schema/audit.ts";

/** Hashes that one query searches for. Each is compared with every segment of the agency. */
const TERMS_AT_ONCE = 200;
/** Rows of former terms among which segments are found that need filters. */
const FORMER_TERMS_READ = 2_000;

/** The condition that a segment of `audit_segments` may have a hash. Query plan: both tables by primary key. */
const mayHave = ({ term, bucket, print }: { term: number; bucket: number; print: string }) => sql`(
  EXISTS (
    SELECT 1
    FROM audit_segment_filters filter
    WHERE filter.segment = audit_segments.number
      AND filter.bucket = ${bucket}
      AND instr(filter.prints, unhex(${print})) > 0
  )
  OR EXISTS (
    SELECT 1
    FROM audit_segment_terms former
    WHERE former.term = ${term} AND former.segment = audit_segments.number
  ))`;

/** Returns the condition that a segment of `audit_segments` may have all of these hashes; undefined if there are none. */
export function mayHaveAll(terms: readonly number[]): SQL | undefined {
  if (terms.length === 0) return undefined;
  return sql.join(
    terms.map((term) => mayHave({ term, ...printOf(term) })),
    sql` AND `,
  );
}

/**
 * Whether a segment of `audit_segments` has the hash `wanted`, an element of `wantedOf`. Query plan: both tables by
 * primary key.
 */
const HAS_WANTED = sql`(
  EXISTS (
    SELECT 1
    FROM audit_segment_filters filter
    WHERE filter.segment = audit_segments.number
      AND filter.bucket = wanted.value ->> 0
      AND instr(filter.prints, unhex(wanted.value ->> 1)) > 0
  )
  OR EXISTS (
    SELECT 1
    FROM audit_segment_terms former
    WHERE former.term = wanted.value ->> 2 AND former.segment = audit_segments.number
  ))`;

const wantedOf = (terms: readonly number[]) =>
  JSON.stringify(
    terms.map((term) => {
      const { bucket, print } = printOf(term);
      return [bucket, print, term];
    }),
  );

/** Returns the condition that a segment of `audit_segments` may have any of these hashes. */
export function mayHaveAny(terms: readonly number[]): SQL {
  return sql`EXISTS (SELECT 1 FROM json_each(${wantedOf(terms)}) wanted WHERE ${HAS_WANTED})`;
}

const Places = z.array(z.int());

/** Returns which of these hashes, by their place in the list, each segment of an agency may have. */
export async function listSegmentsByTerm(
  db: ControlDb,
  input: { agencyId: string; terms: readonly number[] },
): Promise<Map<number, number[]>> {
  const found = new Map<number, number[]>();
  for (let from = 0; from < input.terms.length; from += TERMS_AT_ONCE) {
    const rows = await db.all<{ number: number; places: string }>(sql`
      SELECT audit_segments.number, json_group_array(wanted.key) AS places
      FROM audit_segments
      CROSS JOIN json_each(${wantedOf(input.terms.slice(from, from + TERMS_AT_ONCE))}) wanted
      WHERE audit_segments.agency_id = ${input.agencyId} AND ${HAS_WANTED}
      GROUP BY audit_segments.number`);
    for (const { number, places } of rows)
      found.set(number, [
        ...(found.get(number) ?? []),
        ...Places.parse(JSON.parse(places)).map((place) => from + place),
      ]);
  }
  return found;
}

/** Returns a segment's stored filters. */
export async function listFilters(db: ControlDb, segment: number): Promise<SegmentFilter[]> {
  return db.all<SegmentFilter>(sql`
    SELECT bucket, hex(prints) AS prints
    FROM audit_segment_filters
    WHERE segment = ${segment}`);
}

/** Returns how many of these hashes the former index has for a segment. */
export async function countTerms(
  db: ControlDb,
  input: { segment: number; terms: readonly number[] },
): Promise<number> {
  const [row] = await db.all<{ n: number }>(sql`
    SELECT count(*) AS n
    FROM json_each(${JSON.stringify(input.terms)}) wanted
    JOIN audit_segment_terms found ON found.term = wanted.value AND found.segment = ${input.segment}`);
  return row?.n ?? 0;
}

/** Returns segments that are only in the former index, `limit` at most. */
export async function listUnfiltered(db: ControlDb, limit: number): Promise<Segment[]> {
  return db
    .select()
    .from(segments)
    .where(
      sql`${segments.number} IN (
        SELECT segment
        FROM (SELECT segment FROM audit_segment_terms LIMIT ${FORMER_TERMS_READ})
      ) AND NOT EXISTS (
        SELECT 1
        FROM audit_segment_filters known
        WHERE known.segment = audit_segments.number
      )`,
    )
    .limit(limit);
}

/** Deletes rows of the former index whose segment is gone, among those that `listUnfiltered` reads. */
export async function removeOrphanedTerms(db: ControlDb): Promise<void> {
  await db.run(sql`
    DELETE FROM audit_segment_terms
    WHERE (term, segment) IN (
      SELECT term, segment
      FROM (SELECT term, segment FROM audit_segment_terms LIMIT ${FORMER_TERMS_READ}) former
      WHERE NOT EXISTS (SELECT 1 FROM audit_segments WHERE number = former.segment)
    )`);
}

/**
 * Returns the statements that replace a segment's rows of the former index with filters, for one batch. If a backup is
 * reading the database, nothing is inserted, and the trigger refuses the deletion.
 */
export function convertTerms(
  db: ControlDb,
  segment: number,
  terms: readonly number[],
): [Statement, Statement] {
  const rows = filtersOf(terms).map(({ bucket, prints }) => [bucket, prints]);
  // Another worker may have converted it at the same time.
  return [
    db.run(sql`
      INSERT INTO audit_segment_filters (segment, bucket, prints)
      SELECT number, value ->> 0, unhex(value ->> 1)
      FROM audit_segments, json_each(${JSON.stringify(rows)})
      WHERE number = ${segment} AND NOT EXISTS (${BACKUP_READS})
      ON CONFLICT DO NOTHING`),
    removeTerms(db, segment, terms),
  ];
}

/** Returns the statement that deletes a segment's rows of the former index. */
export function removeTerms(db: ControlDb, segment: number, terms: readonly number[]): Statement {
  return db.run(sql`
    DELETE FROM audit_segment_terms
    WHERE (term, segment) IN (SELECT value, ${segment} FROM json_each(${JSON.stringify(terms)}))`);
}
