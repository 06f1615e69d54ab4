// Verifies the part of an agency's hash chain whose rows left the database: its links are computed from the rows of each
// segment, and must lead from the hash before it to the hash after it.

import type { AppContext } from "#app/context.ts";
import {
  type ChainedRow,
  type ChainLink,
  type ChainProblem,
  linkHash,
} from "#app/entities/oversight/audit-chain.ts";
import { type Segment, termsOf } from "#app/entities/oversight/audit-segment.ts";
import { isFilterOf } from "#app/entities/oversight/segment-filter.ts";
import { at } from "#app/lib/at.ts";
import { type ArchiveFault, isArchiveFault } from "#app/store/archive-fault.ts";
import { findLink, findLinkedTime } from "#app/store/oversight/audit-chain.ts";
import { countTerms, listFilters } from "#app/store/oversight/audit-segment-filters.ts";
import {
  findLastSegment,
  findRowAmongArchived,
  listSegmentsAfter,
} from "#app/store/oversight/audit-segments.ts";

/** Segments that one call verifies, with 2,000 rows each at most. */
const VERIFIED_AT_ONCE = 3;

type ArchiveContext = Pick<AppContext, "db" | "auditArchive">;

/** Returns the links of rows of a chain, in order, computed from the hash before the first. */
export async function chainOf(
  rows: readonly ChainedRow[],
  previous: string,
): Promise<{ seq: number; hash: string }[]> {
  const links: { seq: number; hash: string }[] = [];
  let hash = previous;
  for (const row of rows) {
    hash = await linkHash(hash, row);
    links.push({ seq: row.seq, hash });
  }
  return links;
}

/** Returns the link at a position of an agency's chain, in the database or the archive; undefined if there is none. */
export async function linkAt(
  app: ArchiveContext,
  agencyId: string,
  position: number,
): Promise<ChainLink | undefined> {
  // The database first: a link that is archived meanwhile is then found in the archive.
  const online = await findLink(app.db, agencyId, position);
  if (online) return online;
  const [segment] = await listSegmentsAfter(app.db, { agencyId, after: position - 1, limit: 1 });
  if (!segment || segment.firstPosition > position) return undefined;
  const rows = await openOr(app, segment, () => []);
  const links = await chainOf(rows.slice(0, position - segment.firstPosition + 1), segment.previousHash);
  const link = links[position - segment.firstPosition];
  return link && { ...link, agencyId, position };
}

/** Returns the time of the row at a position of an agency's chain, or null if it is not there or cannot be read. */
export async function findChainedTime(
  app: ArchiveContext,
  agencyId: string,
  position: number,
): Promise<number | null> {
  const online = await findLinkedTime(app.db, agencyId, position);
  if (online !== undefined) return online;
  const [segment] = await listSegmentsAfter(app.db, { agencyId, after: position - 1, limit: 1 });
  if (!segment || segment.firstPosition > position) return null;
  return (await openOr(app, segment, () => []))[position - segment.firstPosition]?.at ?? null;
}

/** Returns whether the row at a position of an agency's chain is archived. */
export async function isArchived(app: ArchiveContext, agencyId: string, position: number): Promise<boolean> {
  return ((await findLastSegment(app.db, agencyId))?.lastPosition ?? 0) >= position;
}

/** Returns a segment's rows, oldest first, or what `instead` returns if they are not those that were archived. */
export async function openOr<T>(
  app: ArchiveContext,
  segment: Segment,
  instead: (fault: ArchiveFault) => T,
): Promise<ChainedRow[] | T> {
  try {
    return await app.auditArchive.open(segment);
  } catch (error) {
    if (isArchiveFault(error)) return instead(error);
    throw error;
  }
}

/** The position up to which the archive was verified, and the hash there. */
type Checked = { problem: ChainProblem | null; previous: string; position: number };

/**
 * Verifies the next segments after a position, whose hash is `previous`. Returns null if the archive ends before it.
 * Problems are a segment without rows or with rows that do not match its hashes, a gap between two segments, a row in
 * the database with the number of an archived one, and an index that would hide a segment from a filter.
 */
export async function checkArchived(
  app: ArchiveContext,
  input: { agencyId: string; previous: string; position: number },
): Promise<Checked | null> {
  const { agencyId } = input;
  const last = await findLastSegment(app.db, agencyId);
  if (!last || last.lastPosition <= input.position) return null;
  const segments = await listSegmentsAfter(app.db, {
    agencyId,
    after: input.position,
    limit: VERIFIED_AT_ONCE,
  });
  let checked: Checked = { ...input, problem: null };
  for (const segment of segments) {
    checked = await checkSegment(app, segment, checked);
    if (checked.problem) return checked;
  }
  if (checked.position < last.lastPosition) return checked;
  const added = await findRowAmongArchived(app.db, { agencyId, lastSeq: last.lastSeq });
  if (added === undefined) return checked;
  const problem = { seq: added, position: checked.position, problem: "It was added among archived entries." };
  return { ...checked, problem };
}

async function checkSegment(app: ArchiveContext, segment: Segment, from: Checked): Promise<Checked> {
  const { firstPosition, lastPosition, firstSeq } = segment;
  const fail = (problem: string, seq = firstSeq, position = firstPosition) => ({
    ...from,
    problem: { seq, position, problem },
  });
  if (firstPosition > from.position + 1) return fail("Entries before it are missing.");
  const rows = await openOr(app, segment, (fault) => fault);
  if (!Array.isArray(rows)) return fail(rows.message);
  if (rows.length !== lastPosition - firstPosition + 1)
    return fail("Entries of its stored file are missing.");
  const links = await chainOf(rows, segment.previousHash);
  const done = from.position - firstPosition;
  const before = done < 0 ? segment.previousHash : at(links, done).hash;
  const next = at(links, done + 1);
  if (before !== from.previous) return fail("Entries before it were altered.", next.seq, from.position + 1);
  const end = at(links, links.length - 1);
  if (end.hash !== segment.lastHash) return fail("It was altered.", end.seq, lastPosition);
  if (!(await isIndexed(app, segment, rows))) return fail("The index that finds it was altered.");
  return { problem: null, previous: end.hash, position: lastPosition };
}

/** Returns whether the index has what a segment's rows give, no more and no less. */
async function isIndexed(
  app: ArchiveContext,
  segment: Segment,
  rows: readonly ChainedRow[],
): Promise<boolean> {
  const terms = await termsIn(app, segment, rows);
  const filters = await listFilters(app.db, segment.number);
  if (filters.length > 0) return isFilterOf(filters, terms);
  // The segment is older than the filters, or another worker has just converted it.
  if ((await countTerms(app.db, { segment: segment.number, terms })) === terms.length) return true;
  return isFilterOf(await listFilters(app.db, segment.number), terms);
}

/** Returns the hashes of the values that a segment with these rows is found by. */
export async function termsIn(
  app: Pick<ArchiveContext, "auditArchive">,
  { agencyId }: Pick<Segment, "agencyId">,
  rows: readonly ChainedRow[],
): Promise<number[]> {
  return [...new Set(await app.auditArchive.hash(agencyId, [...new Set(rows.flatMap(termsOf))]))];
}
