// Finds single archived rows: by their numbers, or by values.

import type { ChainedRow } from "#app/entities/oversight/audit-chain.ts";
import { TERM } from "#app/entities/oversight/audit-segment.ts";
import { at } from "#app/lib/at.ts";
import type { AuditLog } from "./audit-merge.ts";
import { findArchivedTo, listKnownTerms, listSegmentsOf, listSegmentsWithAny } from "./audit-segments.ts";

/** Returns those of these rows of an agency that are archived, by number. Throws SegmentFault. */
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

/** Segments in which values are looked for, the newest ones. */
const MOST_WITH_VALUES = 200;

/**
 * Returns the archived rows of an agency for which `matches` is true, in the segments that have any of these values.
 * Throws SegmentFault.
 */
export async function listArchivedWith(
  log: AuditLog,
  input: { agencyId: string; terms: readonly string[]; matches: (row: ChainedRow) => boolean },
): Promise<ChainedRow[]> {
  const { agencyId, matches } = input;
  if (input.terms.length === 0 || (await findArchivedTo(log.db, agencyId)) === null) return [];
  const terms = await log.auditArchive.hash(agencyId, input.terms);
  const rows: ChainedRow[] = [];
  for (const segment of await listSegmentsWithAny(log.db, { agencyId, terms, limit: MOST_WITH_VALUES }))
    rows.push(...(await log.auditArchive.open(segment)).filter(matches));
  return rows;
}

/** Returns those of these plates that someone of the agency searched for or followed, in archived rows. */
export async function listArchivedSubjects(
  log: AuditLog,
  input: { agencyId: string; plates: readonly string[] },
): Promise<Set<string>> {
  const { agencyId, plates } = input;
  if (plates.length === 0 || (await findArchivedTo(log.db, agencyId)) === null) return new Set();
  const terms = await log.auditArchive.hash(agencyId, plates.map(TERM.subject));
  const known = await listKnownTerms(log.db, terms);
  return new Set(plates.filter((_, i) => known.has(at(terms, i))));
}
