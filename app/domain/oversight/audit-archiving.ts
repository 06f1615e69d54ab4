// Moves the older rows of the audit log from the database to encrypted segments in R2. A segment is written, read back
// and verified before one transaction records it and deletes its rows. A worker that dies before that leaves an object
// that no row names and no key opens; the next run writes another.

import type { AppContext } from "#app/context.ts";
import { chainStart, checkLinks, type LinkedRow } from "#app/entities/oversight/audit-chain.ts";
import {
  AUDIT_LATEST_DAYS,
  archivedBefore,
  SEGMENT_CHARACTERS,
  SEGMENT_ROWS,
} from "#app/entities/oversight/audit-segment.ts";
import { HOURS_HISTORY_MS } from "#app/entities/oversight/review.ts";
import { logError } from "#app/lib/log.ts";
import { DAY, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { nextInRotation, rotated } from "#app/lib/turns.ts";
import { inOneStep } from "#app/store/database.ts";
import { isBackupReading } from "#app/store/operations/storage.ts";
import { findLinkedTime, listLinks } from "#app/store/oversight/audit-chain.ts";
import { findCheckpoint } from "#app/store/oversight/audit-checkpoints.ts";
import { type NewSegment, newObjectKey, newSegmentKey } from "#app/store/oversight/audit-segment-file.ts";
import {
  convertTerms,
  listUnfiltered,
  removeOrphanedTerms,
} from "#app/store/oversight/audit-segment-filters.ts";
import { findLastSegment, moveToSegment } from "#app/store/oversight/audit-segments.ts";
import { forgetReviewed } from "#app/store/oversight/review-history.ts";
import { findReviewedUntil } from "#app/store/oversight/review-job.ts";
import { listAgencies } from "#app/store/users/agencies.ts";
import { chainOf, openOr, termsIn } from "./archived-chain.ts";

type ArchiveContext = Pick<AppContext, "db" | "clock" | "audits" | "auditArchive">;

/** Limits of one run. A segment takes about ten queries; D1 allows 1,000 per invocation. */
const STEP = { segments: 20, ms: 20 * SECOND, rows: SEGMENT_ROWS };
const RUNS_EVERY = 5 * MINUTE;
const AGENCIES_A_RUN = 40;
/** Rows read at once. */
const READ_AT_ONCE = 500;
/** Maximum number of segments without filters that one run converts. */
const CONVERTED_A_RUN = 10;

/**
 * Archives the rows that fill a segment and are older than AUDIT_ONLINE_DAYS, or that are older than AUDIT_LATEST_DAYS,
 * of some agencies per run. Waits while a backup reads the database. Keeps rows that do not verify where they are, for
 * an investigation. Returns the number of archived rows. If one agency fails, the others are still archived and the
 * error is thrown at the end.
 */
export async function archiveAudit(app: ArchiveContext): Promise<number> {
  if (await isBackupReading(app.db)) return 0;
  // Rows without an agency: sign-in attempts with unknown usernames.
  const chains = ["", ...(await listAgencies(app.db)).map(({ id }) => id)];
  const until = Date.now() + STEP.ms;
  const problems: unknown[] = [];
  let [archived, segments] = [0, 0];
  const turn = { now: app.clock(), every: RUNS_EVERY };
  // One segment of each agency in turn, so that a large backlog of one does not make the others wait. Each run begins with
  // another agency, because one run may be too short for a round.
  let waiting = rotated(nextInRotation(chains, { ...turn, count: AGENCIES_A_RUN }), turn);
  while (waiting.length > 0) {
    const more: string[] = [];
    for (const agencyId of waiting) {
      if (segments >= STEP.segments || Date.now() >= until) break;
      try {
        const done = await archiveAgency(app, agencyId, { ...STEP, segments: 1, ms: until - Date.now() });
        archived += done.rows;
        segments += done.segments;
        if (done.segments > 0) more.push(agencyId);
      } catch (error) {
        problems.push(error);
      }
    }
    waiting = segments < STEP.segments && Date.now() < until ? more : [];
  }
  try {
    await forgetReviewed(app.db);
    await convertSegments(app, CONVERTED_A_RUN);
  } catch (error) {
    problems.push(error);
  }
  if (problems.length > 0) throw new AggregateError(problems, "not every audit log could be archived");
  return archived;
}

/** Archives the rows of one agency that may leave the database. Returns the numbers of archived rows and segments. */
export async function archiveAgency(
  app: ArchiveContext,
  agencyId: string,
  limits = STEP,
): Promise<{ rows: number; segments: number }> {
  const until = Date.now() + limits.ms;
  const done = { rows: 0, segments: 0 };
  while (done.segments < limits.segments && Date.now() < until) {
    const rows = await archiveNext(app, agencyId, limits.rows);
    if (rows === 0) break;
    done.rows += rows;
    done.segments++;
  }
  return done;
}

/**
 * Writes the filters of at most `most` segments that have only terms of the former format. A segment that cannot be
 * opened stays as it is: verification reports it. Returns how many it converted.
 */
export async function convertSegments(app: ArchiveContext, most: number): Promise<number> {
  // A restored segment whose object was gone was purged without its terms, because they can be derived only from its
  // rows.
  await removeOrphanedTerms(app.db);
  let converted = 0;
  for (const segment of await listUnfiltered(app.db, most)) {
    const rows = await openOr(app, segment, () => null);
    if (!rows) continue;
    const terms = await termsIn(app, segment, rows);
    try {
      await inOneStep(app.db, convertTerms(app.db, segment.number, terms));
    } catch (error) {
      // A backup has begun to read.
      if (/append-only/.test(String(error))) break;
      throw error;
    }
    converted++;
  }
  return converted;
}

/** Archives the next segment of an agency, and returns its number of rows. */
async function archiveNext(app: ArchiveContext, agencyId: string, most: number): Promise<number> {
  const begin = await beginOf(app, agencyId);
  // Rows without an agency are not searches, so no review needs them.
  const reviewed = agencyId === "" ? null : await findReviewedUntil(app.db, agencyId);
  const before = archivedBefore(app.clock(), agencyId === "" ? app.clock() : reviewed);
  if (!(await isDue(app, { agencyId, after: begin.position, before, most }))) return 0;
  const links = await nextLinks(app, { agencyId, after: begin.position, before, most });
  const first = links[0];
  if (!first) return 0;
  const { problem } = await checkLinks({ links, previous: begin.hash, position: begin.position });
  if (problem) {
    logError(`the audit log of agency ${agencyId || "none"} does not verify: nothing of it is archived`);
    return 0;
  }
  const { segment, rows } = await segmentOf(app, { agencyId, previousHash: begin.hash, links });
  const bytes = await app.auditArchive.put(segment, rows);
  const kept = await chainOf(await app.auditArchive.open(segment), begin.hash);
  if (kept.at(-1)?.hash !== segment.lastHash) throw new Error("a segment differs from its rows");
  const moved = {
    terms: await termsIn(app, segment, rows),
    seqs: rows.map(({ seq }) => seq),
    reviewsFrom: reviewed === null ? null : reviewed - HOURS_HISTORY_MS,
  };
  try {
    await inOneStep(app.db, moveToSegment(app.db, { ...segment, bytes, createdAt: app.clock() }, moved));
  } catch (error) {
    // The object stays: if only the answer to the write was lost, it is the rows' only copy. If nothing was written, no
    // one can read it, because its key is in the database only.
    if (!isRolledBack(error)) throw error;
    return 0;
  }
  return rows.length;
}

/** Returns whether nothing was moved, because a backup has begun to read or another worker has archived these rows. */
function isRolledBack(error: unknown): boolean {
  return /audit_segment_filters\.segment|do not overlap/.test(String(error));
}

/** Returns whether a segment can be filled with rows that may leave, or the oldest has waited for that long enough. */
async function isDue(
  app: ArchiveContext,
  input: { agencyId: string; after: number; before: number; most: number },
): Promise<boolean> {
  const { agencyId, after, before, most } = input;
  const oldest = await findLinkedTime(app.db, agencyId, after + 1);
  // A link without its row is a problem that the caller reports.
  if (oldest === undefined) return true;
  if (oldest >= before) return false;
  if (oldest < app.clock() - AUDIT_LATEST_DAYS * DAY) return true;
  const last = await findLinkedTime(app.db, agencyId, after + most);
  return last !== undefined && last < before;
}

/** Returns where the rows in the database begin: after the newest segment, or after a checkpoint. */
async function beginOf(app: ArchiveContext, agencyId: string): Promise<{ position: number; hash: string }> {
  const [last, checkpoint] = await Promise.all([
    findLastSegment(app.db, agencyId),
    findCheckpoint(app.db, agencyId),
  ]);
  if (last && last.lastPosition >= (checkpoint?.position ?? 0))
    return { position: last.lastPosition, hash: last.lastHash };
  return checkpoint ?? { position: 0, hash: await chainStart(agencyId) };
}

/**
 * Returns the rows that may leave, in order: older than `before`, and never the last of a chain, to which the next link
 * refers.
 */
async function nextLinks(
  app: ArchiveContext,
  input: { agencyId: string; after: number; before: number; most: number },
): Promise<LinkedRow[]> {
  const links: LinkedRow[] = [];
  let characters = 0;
  for (;;) {
    const after = links.at(-1)?.link.position ?? input.after;
    const read = await listLinks(app.db, { agencyId: input.agencyId, after, limit: READ_AT_ONCE + 1 });
    // Not the last one that was read: it may be the last of the chain.
    for (const one of read.slice(0, -1)) {
      const isFull = links.length >= input.most || characters >= SEGMENT_CHARACTERS;
      if (isFull || (one.row && one.row.at >= input.before)) return links;
      links.push(one);
      characters += ROW_CHARACTERS + (one.row?.detail.length ?? 0);
    }
    if (read.length <= READ_AT_ONCE) return links;
  }
}

/** Approximate number of characters of a row, without its details. */
const ROW_CHARACTERS = 300;

async function segmentOf(
  app: ArchiveContext,
  input: { agencyId: string; previousHash: string; links: LinkedRow[] },
): Promise<{ segment: NewSegment; rows: NonNullable<LinkedRow["row"]>[] }> {
  const { agencyId, previousHash, links } = input;
  const rows = links.map(({ row }) => row).filter((row) => row !== null);
  const [first, last] = [links[0]?.link, links.at(-1)?.link];
  if (!first || !last) throw new Error("a segment has rows");
  const place = { agencyId, firstPosition: first.position, lastPosition: last.position };
  const objectKey = newObjectKey(place);
  const times = rows.map(({ at }) => at);
  const segment = {
    ...place,
    firstSeq: first.seq,
    lastSeq: last.seq,
    minAt: Math.min(...times),
    maxAt: Math.max(...times),
    previousHash,
    lastHash: last.hash,
    objectKey,
    sealedKey: await newSegmentKey(app.auditArchive.sealingKeys, objectKey),
  };
  return { segment, rows };
}
