// Finds single archived rows: by their numbers, or by values.

import type { ChainedRow } from "#app/entities/oversight/audit-chain.ts";
import { isSubject, type Segment, TERM } from "#app/entities/oversight/audit-segment.ts";
import { at } from "#app/lib/at.ts";
import { logError } from "#app/lib/log.ts";
import { isArchiveFault } from "#app/store/archive-fault.ts";
import type { AuditLog } from "./audit-merge.ts";
import { listSegmentsByTerm } from "./audit-segment-filters.ts";
import { findArchivedTo, findSegment, listSegmentsOf, listSegmentsWithAny } from "./audit-segments.ts";

/** Returns those of these rows of an agency that are archived, by number. Throws ArchiveFault. */
export async function findArchivedRows(
  log: AuditLog,
  input: { agencyId: string; seqs: readonly number[] },
): Promise<Map<number, ChainedRow>> {
  const wanted = new Set(input.seqs);
  const found = new Map<number, ChainedRow>();
  if (wanted.size === 0) return found;
  for (const segment of await listSegmentsOf(log.db, input))
    for (const row of await log.auditArchive.open(segment)) if (wanted.has(row.seq)) found.set(row.seq, row);
  return found;
}

/** Maximum number of segments in which values are searched for, newest first. */
const MAX_WITH_VALUES = 200;

/**
 * Returns the archived rows of an agency for which `matches` is true, in the segments that may have any of these values.
 * Throws ArchiveFault.
 */
export async function listArchivedWith(
  log: AuditLog,
  input: { agencyId: string; terms: readonly string[]; matches: (row: ChainedRow) => boolean },
): Promise<ChainedRow[]> {
  const { agencyId, matches } = input;
  if (input.terms.length === 0 || (await findArchivedTo(log.db, agencyId)) === null) return [];
  const terms = await log.auditArchive.hash(agencyId, input.terms);
  const rows: ChainedRow[] = [];
  for (const segment of await listSegmentsWithAny(log.db, { agencyId, terms, limit: MAX_WITH_VALUES }))
    rows.push(...(await log.auditArchive.open(segment)).filter(matches));
  return rows;
}

/** Maximum number of unreadable segments, after which no others are opened: their encryption key may be lost. */
const MAX_FAULTS = 10;

/**
 * Returns those of these plates that someone of the agency searched for or followed, in archived rows. Opens each
 * segment at most once, and not more segments than there are such plates, except a few that the index names by chance.
 * A segment that was lost or altered is reported and names no plate: a supervisor can dismiss a superfluous finding,
 * but a review that always fails would also stop the archiving.
 */
export async function listArchivedSubjects(
  log: AuditLog,
  input: { agencyId: string; plates: readonly string[] },
): Promise<Set<string>> {
  const { agencyId, plates } = input;
  const subjects = new Set<string>();
  if (plates.length === 0 || (await findArchivedTo(log.db, agencyId)) === null) return subjects;
  const terms = await log.auditArchive.hash(agencyId, plates.map(TERM.subject));
  const segments = await listSegmentsByTerm(log.db, { agencyId, terms });
  let faults = 0;
  const rowsOf = async (segment: Segment) => {
    try {
      return await log.auditArchive.open(segment);
    } catch (error) {
      if (!isArchiveFault(error)) throw error;
      logError("archived rows of the audit log cannot be read: the review goes on without them", error);
      faults++;
      return [];
    }
  };
  for (;;) {
    const number = segmentOfMost(segments, plates, subjects);
    const segment = number === undefined ? undefined : await findSegment(log.db, { agencyId, number });
    if (number === undefined || faults >= MAX_FAULTS) return subjects;
    segments.delete(number);
    // It was purged in the meantime.
    if (!segment) continue;
    const wanted = new Set(plates);
    for (const row of await rowsOf(segment))
      if (isSubject(row) && wanted.has(row.plate)) subjects.add(row.plate);
  }
}

/** Returns the segment that may have most of the plates that were not found yet; undefined if none may. */
function segmentOfMost(
  segments: ReadonlyMap<number, readonly number[]>,
  plates: readonly string[],
  found: ReadonlySet<string>,
): number | undefined {
  let [best, most]: [number | undefined, number] = [undefined, 0];
  for (const [number, places] of segments) {
    const missing = places.filter((place) => !found.has(at(plates, place))).length;
    if (missing > most) [best, most] = [number, missing];
  }
  return best;
}
